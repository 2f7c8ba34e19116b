//! Receipts: what a write did, and how a repeated write gets the same answer.
//!
//! A caller may send an idempotency key with any write. The first write keeps its receipt under
//! that key, in its own transaction; the same write again gets the same receipt and stores nothing.

use jiff::Timestamp;

use crate::memory::{
    BranchId, ContextId, ConversationId, EntryId, FactId, MemoryId, Name, Removed, VaultId,
};

/// A caller's name for one write, and a digest of what it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    /// The caller's name for the write.
    pub key: Name,
    /// What the write is, so that a key used twice for different things is noticed.
    pub digest: [u8; 32],
}

impl Idempotency {
    /// The key and the digest of the parts that make up the request.
    pub fn new(key: Name, parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Self { key, digest: *hasher.finalize().as_bytes() }
    }
}

/// What a write did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receipt {
    /// A vault was made or changed.
    Vault(VaultId),
    /// A memory was made or changed.
    Memory(MemoryId),
    /// Entries were stored.
    Entries(EntriesReceipt),
    /// A version of the context document was stored.
    Context {
        /// Its id.
        id: ContextId,
        /// Its number.
        version: u64,
    },
    /// A conversation was ended or brought back.
    Conversation(ConversationId),
    /// A conversation was imported.
    Imported {
        /// The conversation.
        conversation: ConversationId,
        /// How many entries came in.
        entries: u64,
        /// How many branches they left.
        branches: u64,
    },
    /// Entries were put on a branch.
    Forked {
        /// The branch.
        branch: BranchId,
        /// How many.
        entries: u64,
    },
    /// A fact was pinned, or is no longer.
    Fact(FactId),
    /// What was derived from this many conversations is being written again.
    Regenerating(u64),
    /// Things were removed permanently.
    Forgotten(Removed),
}

/// What remembering did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntriesReceipt {
    /// One for every entry, in the order they were given.
    pub entries: Vec<EntryReceipt>,
    /// The question that waited for the first user entry among them.
    pub pending: Option<PendingQuestion>,
}

/// One stored entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryReceipt {
    /// Its id.
    pub id: EntryId,
    /// Its place in the memory's order of arrival.
    pub sequence: u64,
    /// When it was said.
    pub conversation_time: Timestamp,
    /// When it was stored.
    pub creation_time: Timestamp,
    /// The conversation it fell into, as named on the wire.
    pub conversation: String,
}

/// A question of the assistant that was waiting for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingQuestion {
    /// The entry that asks.
    pub question: EntryId,
    /// When it was asked.
    pub asked_at: Timestamp,
}

/// A receipt as a store kept it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptReceipt {
    /// The digest of the write.
    pub digest: [u8; 32],
    /// What it did; nothing if that has been forgotten since.
    pub receipt: Option<Receipt>,
}

/// A receipt, and whether the write had been done before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// What the write did.
    pub receipt: Receipt,
    /// Whether it was an earlier call that did it.
    pub replayed: bool,
}

//! What can be changed in a store: rows are put, entries change, rows are removed.

use jiff::Timestamp;

use super::{
    Addition, AskedHash, LedgerHead, LedgerLine, Proof, Replaced, Reply, Snapshot, Tombstone,
    TombstoneOwner, Usage,
};
use crate::job::{Job, JobKind, Subject};
use crate::key::{Key, KeyUse};
use crate::memory::{
    Activity, BranchId, Chapter, ChapterId, ContextBy, ContextDocument, Conversation,
    ConversationId, Corrected, Cursor, Entry, EntryId, Fact, FactId, KeyId, Memory, MemoryRef,
    Name, Removed, RollingSummary, VaultId, VaultInfo,
};
use crate::receipt::Receipt;
use crate::{Error, Result};

/// A transaction. What a closure writes, its own reads see.
pub trait Tx: Snapshot {
    /// The state that the transaction sees, for reading.
    fn snapshot(&self) -> &dyn Snapshot;
    /// Adds a row, or replaces the one it is the same as, as [`Row`] says.
    fn put(&mut self, row: Row<'_>) -> Result<()>;
    /// Changes entries, all of which must be in this memory.
    fn change_entries(
        &mut self,
        memory: MemoryRef,
        entries: &[EntryId],
        change: EntryChange<'_>,
    ) -> Result<()>;
    /// Moves all entries and activities of `from` to `into` and lets `from` answer as `into`.
    fn merge_conversation(
        &mut self,
        memory: MemoryRef,
        from: ConversationId,
        into: ConversationId,
    ) -> Result<()>;
    /// Adds what a line of [`Snapshot::memory_lines`] says to a memory.
    fn restore_line(&mut self, _memory: MemoryRef, _line: &str) -> Result<()> {
        Err(Error::conflict("this store restores nothing"))
    }
    /// Removes rows permanently; answers how many there were.
    fn remove(&mut self, rows: Removal<'_>) -> Result<u64>;
    /// Removes something with all that is in it.
    fn erase(&mut self, what: Erasure) -> Result<Removed>;
}

/// A row to put.
#[derive(Debug, Clone, Copy)]
pub enum Row<'r> {
    /// A vault; replaces what is known of it.
    Vault(&'r VaultInfo),
    /// A memory; replaces what is known of it.
    Memory(VaultId, &'r Memory),
    /// A new entry, with the idempotency key it came with.
    Entry(VaultId, &'r Entry, Option<&'r Name>),
    /// A conversation; replaces what is known of it.
    Conversation(VaultId, &'r Conversation),
    /// When a caller ended a conversation placed by time.
    Ending(MemoryRef, Timestamp),
    /// When a model or a tool was at work in a conversation.
    Activity(MemoryRef, ConversationId, &'r Activity),
    /// A new version of the context document.
    Context(VaultId, &'r ContextDocument),
    /// A fact; replaces what is known of it.
    Fact(VaultId, &'r Fact),
    /// A chapter.
    Chapter(VaultId, &'r Chapter),
    /// A new version of the rolling summary.
    Summary(VaultId, &'r RollingSummary),
    /// How something stands, kept for questions as of a moment before this creation_time, at which it
    /// is about to change. Kept once for one time, and not if it came to be no earlier.
    Past(MemoryRef, Replaced<'r>, Timestamp),
    /// A part of a memory's index, which covers the sequence numbers above the first one, up to the second;
    /// replaces all that begin there. It goes with the memory, and as soon as any entry that it covers is
    /// removed. Its bytes are in two parts, which are read as they were written.
    Segment(MemoryRef, (u64, u64), [&'r [u8]; 2]),
    /// The head of a ledger; replaces the one there is.
    LedgerHead(MemoryRef, &'r LedgerHead),
    /// A line of a ledger; replaces the one with its number.
    LedgerLine(MemoryRef, &'r LedgerLine),
    /// The time of a text, by its SHA-256, that has not been seen yet.
    PromisedTime(MemoryRef, [u8; 32], Timestamp),
    /// A proof; replaces the one with its hash in this memory.
    Proof(MemoryRef, &'r Proof),
    /// What was added to the message with this number; replaces what was stored before.
    Addition(MemoryRef, u64, &'r Addition),
    /// What is stored under an idempotency key: the digest of the write, and what it did.
    Receipt(Option<VaultId>, &'r Name, [u8; 32], &'r Receipt),
    /// A hash of what is forgotten, or a salt; replaces the same one of this owner.
    Tombstone(TombstoneOwner, &'r Tombstone),
    /// A job; replaces the one of the same kind about the same thing.
    Job(&'r Job),
    /// A new key.
    Key(&'r Key),
    /// When a key was last used, unless it is gone or a later use is stored.
    KeyUse(KeyUse),
    /// Adds to what a vault used on a day, with a model, for a purpose.
    Usage(VaultId, &'r Usage),
    /// What a model answered, and when; replaces what it answered before. Refused, without an error,
    /// unless the vault is still in this [epoch of forgetting](Snapshot::forget_epoch): the answer may
    /// tell what was forgotten since.
    Reply(VaultId, &'r AskedHash, &'r Reply, Timestamp, u64),
}

/// What becomes of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryChange<'c> {
    /// They are corrected.
    Corrected(Corrected),
    /// They are put on a branch at a time.
    Branch(BranchId, Timestamp),
    /// They are taken off the branch they were put on.
    Rejoin,
    /// They move to another conversation.
    Conversation(ConversationId),
    /// They have other tags from a time on.
    Tags(&'c [Name], Timestamp),
}

/// Rows to remove permanently.
#[derive(Debug, Clone, Copy)]
pub enum Removal<'r> {
    /// Entries. Receipts that name them are marked as forgotten, and segments that cover them are
    /// removed: they hold words of the entries. So do titles and summaries that conversations had
    /// while they held the entries; those are removed, too.
    Entries(MemoryRef, &'r [EntryId]),
    /// The versions of the context document that one of these wrote.
    Contexts(MemoryRef, &'r [ContextBy]),
    /// One version of the context document.
    Context(MemoryRef, u64),
    /// Facts.
    Facts(MemoryRef, &'r [FactId]),
    /// A chapter.
    Chapter(MemoryRef, ChapterId),
    /// All chapters that end at or behind a place, replaced ones too.
    Chapters(MemoryRef, Cursor),
    /// All versions of the rolling summary that cover something at or behind a place.
    Summaries(MemoryRef, Cursor),
    /// The time of a text that has been seen by now.
    PromisedTime(MemoryRef, [u8; 32]),
    /// All additions of a vault. Every forget removes them, and a new
    /// [epoch of forgetting](Snapshot::forget_epoch) begins.
    Additions(VaultId),
    /// What models answered before an instant, or all of it.
    Replies(VaultId, Option<Timestamp>),
    /// All hashes of an owner.
    Tombstones(TombstoneOwner),
    /// A job by what it does.
    Job(VaultId, JobKind, Subject),
    /// A key.
    Key(KeyId),
}

/// What is removed with all that is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erasure {
    /// A conversation with its jobs, activities and other names; its entries must be gone.
    Conversation(MemoryRef, ConversationId),
    /// A memory.
    Memory(MemoryRef),
    /// A vault.
    Vault(VaultId),
}

//! What to forget, and what forgetting took away.

use jiff::Timestamp;

use super::{ConversationName, EntryId};

/// What to forget in a memory.
#[derive(Debug, Clone)]
pub enum Forget {
    /// One entry, with its corrections.
    Entry(EntryId),
    /// A conversation and all its entries, branches too.
    Conversation(ConversationName),
    /// Everything said at or after `after` and before `before`.
    Period {
        /// First instant.
        after: Option<Timestamp>,
        /// First instant that is kept.
        before: Option<Timestamp>,
    },
    /// One version of the context document.
    Context(u64),
    /// The memory and all in it.
    Memory,
}

/// How much a removal took away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Removed {
    /// Vaults.
    pub vaults: u64,
    /// Memories.
    pub memories: u64,
    /// Conversations.
    pub conversations: u64,
    /// Entries.
    pub entries: u64,
    /// Versions of context documents.
    pub contexts: u64,
    /// Jobs.
    pub jobs: u64,
    /// Keys.
    pub keys: u64,
    /// Facts.
    pub facts: u64,
}

impl std::ops::Add for Removed {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            vaults: self.vaults + other.vaults,
            memories: self.memories + other.memories,
            conversations: self.conversations + other.conversations,
            entries: self.entries + other.entries,
            contexts: self.contexts + other.contexts,
            jobs: self.jobs + other.jobs,
            keys: self.keys + other.keys,
            facts: self.facts + other.facts,
        }
    }
}

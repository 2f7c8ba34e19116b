//! Receipts of writes.

use everwhen::ports;
use everwhen::receipt::{self, EntriesReceipt};
use serde::Serialize;
use utoipa::ToSchema;

use super::shape;

/// One stored entry.
#[derive(Serialize, ToSchema)]
pub(crate) struct EntryReceipt {
    /// The id.
    #[schema(value_type = shape::EntryRef)]
    id: String,
    /// Its position in the order in which entries were stored.
    #[schema(minimum = 1)]
    sequence: u64,
    /// When it was said.
    #[schema(value_type = shape::TimeOut)]
    conversation_time: String,
    /// When it was stored.
    #[schema(value_type = shape::TimeOut)]
    creation_time: String,
    /// The conversation it belongs to: the caller's name for it, else its id.
    conversation_id: String,
    /// The assistant's question that waited for this entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<PendingQuestion>,
}

impl From<receipt::EntryReceipt> for EntryReceipt {
    fn from(entry: receipt::EntryReceipt) -> Self {
        Self {
            id: entry.id.to_string(),
            sequence: entry.sequence,
            conversation_time: entry.conversation_time.to_string(),
            creation_time: entry.creation_time.to_string(),
            conversation_id: entry.conversation,
            pending: None,
        }
    }
}

impl EntryReceipt {
    /// The receipt of a write of one entry.
    pub(crate) fn single(receipt: EntriesReceipt) -> Option<Self> {
        let pending = receipt.pending.map(PendingQuestion::from);
        let entry = receipt.entries.into_iter().next()?;
        Some(Self { pending, ..entry.into() })
    }
}

/// Stored entries, in the order they were sent.
#[derive(Serialize, ToSchema)]
pub(crate) struct BatchReceipt {
    /// One for every entry.
    entries: Vec<EntryReceipt>,
    /// The assistant's question that waited for the first user entry among them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<PendingQuestion>,
}

impl From<EntriesReceipt> for BatchReceipt {
    fn from(receipt: EntriesReceipt) -> Self {
        Self {
            entries: receipt.entries.into_iter().map(EntryReceipt::from).collect(),
            pending: receipt.pending.map(PendingQuestion::from),
        }
    }
}

/// A question of the assistant that was waiting for an answer.
#[derive(Serialize, ToSchema)]
#[schema(as = Pending)]
pub(crate) struct PendingQuestion {
    /// The entry that asks.
    #[schema(value_type = shape::EntryRef)]
    entry_id: String,
    /// When it was asked.
    #[schema(value_type = shape::TimeOut)]
    asked_at: String,
}

impl From<receipt::PendingQuestion> for PendingQuestion {
    fn from(pending: receipt::PendingQuestion) -> Self {
        Self { entry_id: pending.question.to_string(), asked_at: pending.asked_at.to_string() }
    }
}

/// What was permanently removed.
#[derive(Serialize, ToSchema)]
pub(crate) struct Removed {
    /// Vaults.
    vaults: u64,
    /// Memories.
    memories: u64,
    /// Conversations.
    conversations: u64,
    /// Entries.
    entries: u64,
    /// Versions of context documents.
    contexts: u64,
    /// Jobs.
    jobs: u64,
    /// Keys.
    keys: u64,
    /// Facts.
    facts: u64,
}

impl From<ports::Removed> for Removed {
    fn from(removed: ports::Removed) -> Self {
        Self {
            vaults: removed.vaults,
            memories: removed.memories,
            conversations: removed.conversations,
            entries: removed.entries,
            contexts: removed.contexts,
            jobs: removed.jobs,
            keys: removed.keys,
            facts: removed.facts,
        }
    }
}

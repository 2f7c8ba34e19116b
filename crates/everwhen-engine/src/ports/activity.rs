//! Rows about when models and tools were at work.

use super::MemoryRef;
use crate::Result;
use crate::activity::Activity;
use crate::memory::ConversationId;

/// What can be looked up; part of every [`Snapshot`](super::Snapshot).
pub trait ActivityRows {
    /// The activities of a conversation, in the order they began; those that began together by
    /// kind, name and length.
    fn activities(&self, memory: MemoryRef, conversation: ConversationId) -> Result<Vec<Activity>>;
}

/// What can be written; part of every [`Tx`](super::Tx). Merging and removing a conversation
/// take its activities along.
pub trait ActivityTx: ActivityRows {
    /// Adds an activity.
    fn add_activity(
        &mut self,
        memory: MemoryRef,
        conversation: ConversationId,
        activity: &Activity,
    ) -> Result<()>;
}

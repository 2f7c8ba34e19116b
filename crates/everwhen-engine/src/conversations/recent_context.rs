//! What was talked about before a history begins: the last conversations that it does not show,
//! and the current one if the client sends only its newest message.

use jiff::Timestamp;

use super::{boundary, prompt};
use crate::Result;
use crate::memory::{Conversation, Entry, EntryId, Memory, Role, VaultInfo};
use crate::ports::{EntryQuery, MemoryRef, Order, Snapshot, Which};

/// The maximum number of entries of the current conversation.
const MOST_ENTRIES: usize = 200;

/// What was talked about before a history begins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecentContext {
    /// The last conversations that ended before, oldest first.
    pub(crate) recent: Vec<Conversation>,
    /// What was said in the current conversation and is not shown, oldest first.
    pub(crate) current: Vec<Entry>,
    /// The assistant's question that waits for an answer, and since when.
    pub(crate) pending: Option<(Timestamp, Entry)>,
}

/// What the history of a request shows already.
pub(crate) struct Shown {
    /// Entries in it.
    pub(crate) entries: Vec<EntryId>,
    /// When the first of them was said.
    pub(crate) since: Option<Timestamp>,
}

impl Shown {
    /// Whether only the newest message is sent, so that the model sees nothing of what went before.
    pub(crate) fn is_single(&self) -> bool {
        self.entries.len() <= 1
    }
}

/// Reads what was talked about before a history that is sent at `now`.
pub(crate) fn read(
    snapshot: &dyn Snapshot,
    vault: &VaultInfo,
    memory: &Memory,
    now: Timestamp,
    shown: &Shown,
) -> Result<RecentContext> {
    let place = MemoryRef { vault: vault.id, memory: memory.id };
    let mut recent_context = RecentContext {
        recent: prompt::ended(snapshot, place, shown.since)?,
        ..RecentContext::default()
    };
    if shown.is_single() {
        recent_context.current = current(snapshot, place, vault, now, shown)?;
        recent_context.pending = prompt::waiting(snapshot, place, vault, memory, now)?;
    }
    Ok(recent_context)
}

/// The current conversation without what the history shows; of a long one the end.
fn current(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    vault: &VaultInfo,
    now: Timestamp,
    shown: &Shown,
) -> Result<Vec<Entry>> {
    let Some(active) = boundary::active(snapshot, place, vault, now)? else {
        return Ok(Vec::new());
    };
    let newest = EntryQuery {
        order: Order::Newest,
        limit: Some(MOST_ENTRIES),
        ..EntryQuery::of_conversation(active.id, Which::Current)
    };
    let mut entries = snapshot.entries(place, &newest)?;
    entries.retain(|entry| entry.role != Role::Tool && !shown.entries.contains(&entry.id));
    entries.reverse();
    Ok(entries)
}

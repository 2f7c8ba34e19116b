//! What was talked about before a history begins: the last conversations that it does not show,
//! and the current one if the client sends only its newest message.

use jiff::Timestamp;

use super::{boundary, prompt};
use crate::Result;
use crate::memory::{Conversation, Entry, EntryId, Memory, Role, VaultInfo};
use crate::ports::{EntryQuery, MemoryRef, Order, Snapshot, Which};

/// No more entries of the current conversation are told.
const MOST_ENTRIES: usize = 200;

/// What was talked about before a history begins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Backdrop {
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

/// The backdrop of a history as it stands at `now`.
pub(crate) fn read(
    snapshot: &dyn Snapshot,
    vault: &VaultInfo,
    memory: &Memory,
    now: Timestamp,
    shown: &Shown,
) -> Result<Backdrop> {
    let place = MemoryRef { vault: vault.id, memory: memory.id };
    let mut backdrop =
        Backdrop { recent: prompt::ended(snapshot, place, shown.since)?, ..Backdrop::default() };
    if shown.is_single() {
        backdrop.current = current(snapshot, place, vault, now, shown)?;
        backdrop.pending = prompt::waiting(snapshot, place, vault, memory, now)?;
    }
    Ok(backdrop)
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

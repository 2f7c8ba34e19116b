//! What was talked about before a history begins: the last conversations that it does not show,
//! and the current one if the client sends only its newest message.

use jiff::Timestamp;

use super::prompt::{self, line};
use crate::Result;
use crate::aside::Shown;
use crate::memory::{Memory, VaultInfo};
use crate::ports::{EntryQuery, MemoryRef, Order, Snapshot, Which};

/// Letters in a token, on the safe side for English.
const LETTERS_PER_TOKEN: usize = 4;
/// No more entries of the current conversation are told.
const MOST_ENTRIES: usize = 200;

/// The backdrop of a history as it stands at `now`; empty if there is none.
pub(crate) fn render(
    snapshot: &dyn Snapshot,
    vault: &VaultInfo,
    memory: &Memory,
    now: Timestamp,
    shown: &Shown,
    budget_tokens: usize,
) -> Result<String> {
    let place = MemoryRef { vault: vault.id, memory: memory.id };
    let mut sections = Vec::new();
    sections.extend(prompt::recent(snapshot, place, &vault.zone, shown.since)?);
    if shown.is_single() {
        let room = budget_tokens * LETTERS_PER_TOKEN;
        sections.extend(current(snapshot, place, vault, now, shown, room)?);
        sections.extend(prompt::pending(snapshot, place, vault, memory, now)?);
    }
    Ok(sections.join("\n\n"))
}

/// The current conversation without what the history shows; of a long one the end.
fn current(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    vault: &VaultInfo,
    now: Timestamp,
    shown: &Shown,
    mut room: usize,
) -> Result<Option<String>> {
    let Some(active) = prompt::active(snapshot, place, vault, now)? else { return Ok(None) };
    let newest = EntryQuery {
        order: Order::Newest,
        limit: Some(MOST_ENTRIES),
        ..EntryQuery::of_conversation(active.id, Which::Current)
    };
    let entries = snapshot.entries(place, &newest)?;
    let hidden = entries.iter().filter(|entry| !shown.entries.contains(&entry.id));
    let mut lines: Vec<String> = Vec::new();
    for line in hidden.map(|entry| line(entry, &vault.zone)) {
        let Some(left) = room.checked_sub(line.chars().count()) else { break };
        room = left;
        lines.push(line);
    }
    lines.reverse();
    Ok((!lines.is_empty()).then(|| format!("## Current Conversation\n{}", lines.join("\n\n"))))
}

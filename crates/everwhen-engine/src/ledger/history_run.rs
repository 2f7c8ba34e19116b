//! A run of a history: messages that follow each other in it, among the other lines of the ledger.

use std::collections::HashSet;

use crate::Result;
use crate::memory::ConversationId;
use crate::ports::{LedgerLine, LedgerLines, MemoryRef, Snapshot};

/// The line with this number, if it is still along the line.
pub(super) fn along(
    rows: &dyn Snapshot,
    place: MemoryRef,
    number: u64,
) -> Result<Option<LedgerLine>> {
    let found = rows.ledger_lines(place, LedgerLines::Numbered(number))?.pop();
    Ok(found.filter(|line| line.place.is_some()))
}

/// The newest line along the line.
pub(super) fn tail(rows: &dyn Snapshot, place: MemoryRef) -> Result<Option<LedgerLine>> {
    Ok(rows.ledger_lines(place, LedgerLines::Newest(1))?.pop())
}

/// What lies between `from` and `to` in the history of `to`, oldest first: nothing if it cannot be
/// told, or if it is more than `most`. Without `from`, all that comes before.
pub(super) fn between(
    rows: &dyn Snapshot,
    place: MemoryRef,
    from: Option<u64>,
    to: &LedgerLine,
    most: usize,
) -> Result<Option<Vec<LedgerLine>>> {
    let mut found = Vec::new();
    let mut next = to.after;
    while next != from {
        let line = next.map(|number| along(rows, place, number)).transpose()?.flatten();
        let Some(line) = line.filter(|_| found.len() < most) else { return Ok(None) };
        next = line.after;
        found.push(line);
    }
    found.reverse();
    Ok(Some(found))
}

/// What follows a line in its own history, along the line.
pub(super) fn following(
    rows: &dyn Snapshot,
    place: MemoryRef,
    line: &LedgerLine,
) -> Result<Vec<LedgerLine>> {
    let Some(from) = line.place else { return Ok(Vec::new()) };
    let mut run = HashSet::from([line.number]);
    let mut behind = rows.ledger_lines(place, LedgerLines::Behind(from))?;
    behind.retain(|one| {
        let follows = one.after.is_some_and(|after| run.contains(&after));
        if follows {
            run.insert(one.number);
        }
        follows
    });
    Ok(behind)
}

/// The conversation a line's entry is in.
pub(super) fn conversation(
    rows: &dyn Snapshot,
    place: MemoryRef,
    line: &LedgerLine,
) -> Result<Option<ConversationId>> {
    let Some(id) = line.entry else { return Ok(None) };
    Ok(rows.entry(place, id)?.map(|entry| entry.conversation))
}

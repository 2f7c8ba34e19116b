//! A strand: messages that follow each other in one history, among the others on the line.

use std::collections::{HashMap, HashSet};

use crate::Result;
use crate::memory::{ConversationId, MemoryId, Role, VaultId};
use crate::ports::{LedgerLine, Lines, MemoryRef, Snapshot};

/// The line with this number, if it is still along the line.
pub(super) fn along(
    rows: &dyn Snapshot,
    place: MemoryRef,
    number: u64,
) -> Result<Option<LedgerLine>> {
    let found = rows.ledger_lines(place, Lines::Numbered(number))?.pop();
    Ok(found.filter(|line| line.place.is_some()))
}

/// The newest line along the line.
pub(super) fn tail(rows: &dyn Snapshot, place: MemoryRef) -> Result<Option<LedgerLine>> {
    Ok(rows.ledger_lines(place, Lines::Newest(1))?.pop())
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
    let mut strand = HashSet::from([line.number]);
    let mut behind = rows.ledger_lines(place, Lines::Behind(from))?;
    behind.retain(|one| {
        let follows = one.after.is_some_and(|after| strand.contains(&after));
        if follows {
            strand.insert(one.number);
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

/// The memory that shares the longest run with these marks, counted from the newest.
pub(super) fn kin(
    rows: &dyn Snapshot,
    vault: VaultId,
    marks: &[(Role, [u8; 32])],
) -> Result<Option<MemoryId>> {
    let mut running: Option<HashMap<MemoryId, Run>> = None;
    let mut best: Vec<(Run, MemoryId)> = Vec::new();
    for (role, mark) in marks.iter().rev().take(super::KIN_MESSAGES) {
        let holders = rows.ledger_kin(vault, *mark, crate::limits::LEDGER_KIN)?;
        let step = |memory: MemoryId| {
            let run =
                running.as_ref().map_or(Some(Run::default()), |runs| runs.get(&memory).copied());
            run.map(|run| (memory, run.and(*role)))
        };
        let next: HashMap<MemoryId, Run> = holders.into_iter().filter_map(step).collect();
        if next.is_empty() {
            break;
        }
        best = next.iter().map(|(memory, run)| (*run, *memory)).collect();
        running = Some(next);
    }
    let Some((_, last)) = marks.last() else { return Ok(None) };
    let mut winner: Option<((bool, MemoryId), MemoryId)> = None;
    for (_, memory) in best.into_iter().filter(|(run, _)| run.is_enough()) {
        let newest = tail(rows, MemoryRef { vault, memory })?;
        let rank = (newest.is_some_and(|line| line.mark == *last), memory);
        if winner.is_none_or(|(best, _)| rank > best) {
            winner = Some((rank, memory));
        }
    }
    Ok(winner.map(|(_, memory)| memory))
}

/// How much of a history one memory shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Run {
    messages: usize,
    of_user: bool,
}

impl Run {
    fn and(self, role: Role) -> Self {
        Self { messages: self.messages + 1, of_user: self.of_user || role == Role::User }
    }

    fn is_enough(self) -> bool {
        self.messages >= 2 && self.of_user
    }
}

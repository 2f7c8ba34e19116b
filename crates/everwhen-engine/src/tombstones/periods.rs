//! Parts of memories that were forgotten, by time: what had been said in one and waited in an outbox meanwhile is
//! recognised by when it was said and when it was accepted.
//!
//! A period has two clocks. When words were said is on the conversation clock, and so are the bounds of the period.
//! Whether they were accepted before the forget is asked on the creation clock. For what waits, that is the wall
//! clock of the server that accepted it: it could not reach the store then, so nothing that servers share can tell
//! the order. The forget has the creation time of its transaction, which is the wall clock of the server that forgot,
//! and not before anything that any server had stored in the memory. Servers therefore agree as well as their clocks
//! do: if a clock is ahead by a second, what it accepted in the second before a forget counts as said after it, and
//! if it is behind, what it accepted in the second after one counts as said before it. This matters only for a period
//! that reaches that second: whether words were said in an earlier one is a question to one clock alone.

use std::ops::Range;

use jiff::{SignedDuration, Timestamp};

use crate::Result;
use crate::memory::MemoryRef;
use crate::ports::{
    ForgottenPeriod, Removal, Row, Snapshot, Tombstone, TombstoneKind, TombstoneOwner, Tx,
};

/// The smallest difference between two times in a store.
const MOMENT: SignedDuration = SignedDuration::from_micros(1);

/// Keeps when something was said that is about to be forgotten.
pub(crate) fn keep(
    tx: &mut dyn Tx,
    place: MemoryRef,
    said: Range<Timestamp>,
    now: Timestamp,
) -> Result<()> {
    let period =
        ForgottenPeriod { from: said.start.min(last_kept()), before: said.end.min(last_kept()) };
    let [from, before] =
        [period.from, period.before].map(|time| time.as_microsecond().to_le_bytes());
    // No secret is in it, so it has no salt.
    let hash = super::hash(&[0; 32], &[b"period", &from, &before]);
    let row = Tombstone { kind: TombstoneKind::Period, hash, at: now, period: Some(period) };
    tx.put(Row::Tombstone(TombstoneOwner::Memory(place), &row))
}

/// Drops the periods of a memory that is forgotten whole.
pub(crate) fn drop_all(tx: &mut dyn Tx, place: MemoryRef) -> Result<()> {
    tx.remove(Removal::Tombstones(TombstoneOwner::Memory(place))).map(drop)
}

/// The last time that every store can hold: not quite the last there is.
fn last_kept() -> Timestamp {
    Timestamp::from_second(Timestamp::MAX.as_second()).unwrap_or(Timestamp::MAX)
}

/// Returns the first instant behind one.
pub(crate) fn just_after(time: Timestamp) -> Timestamp {
    time.checked_add(MOMENT).unwrap_or(Timestamp::MAX)
}

/// Returns the last instant before one.
pub(crate) fn just_before(time: Timestamp) -> Timestamp {
    time.checked_sub(MOMENT).unwrap_or(Timestamp::MIN)
}

/// What of a memory was forgotten after some words were accepted. The default is nothing, for words said now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ForgottenTimes(Vec<Tombstone>);

impl ForgottenTimes {
    /// Reads what was forgotten at a time of the creation clock or later.
    pub(crate) fn since(
        snapshot: &dyn Snapshot,
        place: MemoryRef,
        accepted: Timestamp,
    ) -> Result<Self> {
        let which = Some((TombstoneKind::Period, None));
        Ok(Self(snapshot.tombstones(TombstoneOwner::Memory(place), which)?).after(accepted))
    }

    /// Returns what of it was forgotten at this time or later.
    pub(crate) fn after(&self, accepted: Timestamp) -> Self {
        Self(self.0.iter().filter(|row| row.at >= accepted).copied().collect())
    }

    /// Returns whether something said at this time is forgotten.
    pub(crate) fn has(&self, time: Timestamp) -> bool {
        let mut periods = self.0.iter().filter_map(|row| row.period);
        periods.any(|period| (period.from..period.before).contains(&time))
    }
}

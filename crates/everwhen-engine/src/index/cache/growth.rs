//! Tracks memories that grow, so that their indexes are built or updated before a question needs them.
//!
//! An import of a million entries takes a minute, and the first question after it would wait for the
//! index of all of them. Growth is recorded as entries are stored. A cached index is updated all the
//! time, so that a question in the middle of an import waits little; one that is not cached is built
//! once growth has paused, so that it never slows an import down. An index can also be requested.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use everwhen_search::SEGMENT_DOCUMENTS;

use super::IndexCache;
use crate::memory::{Address, MemoryId, VaultId};

/// A cached index is updated each time a memory has grown by this many entries.
const UPDATE_STEP: u64 = 1_000;
/// An index is built before it is needed if a memory has grown by this many entries.
const BUILD_STEP: u64 = SEGMENT_DOCUMENTS as u64;
/// Growth has paused after this many checks without a new entry.
const QUIET_CHECKS: u32 = 15;

/// The vault and the memory, as the writer addressed them.
pub(super) type MemoryAddress = (Address<VaultId>, Address<MemoryId>);

/// The memories that have grown lately.
#[derive(Debug, Default)]
pub(super) struct GrowthTracker {
    growing: Mutex<HashMap<MemoryAddress, Growth>>,
}

/// What the growth of a memory calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexNeed {
    /// The index is to be updated, if it is cached.
    Update,
    /// The index is to be built.
    Build,
}

#[derive(Debug)]
struct Growth {
    /// The sequence number of the newest entry.
    sequence: u64,
    /// The newest entry at the last check.
    seen: u64,
    /// The number of checks since then without a new entry.
    quiet_checks: u32,
    /// The newest entry when an update was last called for.
    updated: u64,
    /// The newest entry when a build was last called for.
    built: u64,
    /// Whether the index is to be built at the next check.
    is_requested: bool,
}

impl Growth {
    /// Returns what is needed now, and assumes that it will be done.
    fn need(&mut self) -> Option<IndexNeed> {
        if std::mem::take(&mut self.is_requested) {
            (self.built, self.updated) = (self.sequence, self.sequence);
            return Some(IndexNeed::Build);
        }
        let is_quiet = std::mem::replace(&mut self.seen, self.sequence) == self.sequence;
        self.quiet_checks = if is_quiet { self.quiet_checks + 1 } else { 0 };
        if self.has_paused() && self.sequence - self.built >= BUILD_STEP {
            (self.built, self.updated) = (self.sequence, self.sequence);
            return Some(IndexNeed::Build);
        }
        let is_due = self.sequence - self.updated >= UPDATE_STEP;
        if is_due {
            self.updated = self.sequence;
        }
        is_due.then_some(IndexNeed::Update)
    }

    fn has_paused(&self) -> bool {
        self.quiet_checks >= QUIET_CHECKS
    }

    /// Returns whether growth has paused and nothing is left to be done.
    fn is_over(&self) -> bool {
        self.has_paused() && self.sequence - self.built < BUILD_STEP
    }
}

impl GrowthTracker {
    /// Records that a memory got `count` entries, the last one with this sequence number.
    fn record(&self, memory: MemoryAddress, sequence: u64, count: u64) {
        let begin = || {
            // The index of a memory that was large before may have been saved, so it counts as built.
            let before = sequence.saturating_sub(count);
            let built = if before < BUILD_STEP { 0 } else { before };
            Growth {
                sequence,
                seen: before,
                quiet_checks: 0,
                updated: before,
                built,
                is_requested: false,
            }
        };
        let mut growing = self.lock();
        let growth = growing.entry(memory).or_insert_with(begin);
        growth.sequence = growth.sequence.max(sequence);
    }

    /// Calls for the index of a memory whose newest entry has this sequence number.
    fn request(&self, memory: MemoryAddress, sequence: u64) {
        let begin = || Growth {
            sequence,
            seen: sequence,
            quiet_checks: 0,
            updated: sequence,
            built: sequence,
            is_requested: false,
        };
        self.lock().entry(memory).or_insert_with(begin).is_requested = true;
    }

    /// Returns what is to be done now.
    fn due(&self) -> Vec<(MemoryAddress, IndexNeed)> {
        let mut due = Vec::new();
        self.lock().retain(|memory, growth| {
            due.extend(growth.need().map(|need| (memory.clone(), need)));
            !growth.is_over()
        });
        due
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<MemoryAddress, Growth>> {
        self.growing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IndexCache {
    /// Records that a memory got `count` entries, the last one with this sequence number. Small memories
    /// are not tracked.
    pub(crate) fn record_growth(
        &self,
        memory: impl FnOnce() -> MemoryAddress,
        sequence: u64,
        count: usize,
    ) {
        if sequence >= UPDATE_STEP {
            self.growth.record(memory(), sequence, count as u64);
        }
    }

    /// Has the index of a memory built soon, because it would have answered faster than the store. Small
    /// memories do not need it.
    pub(crate) fn request(&self, memory: impl FnOnce() -> MemoryAddress, sequence: u64) {
        if sequence >= BUILD_STEP {
            self.growth.request(memory(), sequence);
        }
    }

    /// Returns the memories that have grown, and what that calls for.
    pub(crate) fn grown(&self) -> Vec<(MemoryAddress, IndexNeed)> {
        self.growth.due()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Name;

    fn place(memory: &str) -> MemoryAddress {
        let name = |text| Name::new("name", text).unwrap();
        (Address::Name(name("vault")), Address::Name(name(memory)))
    }

    #[test]
    fn an_index_that_is_requested_is_built_once() {
        let tracker = GrowthTracker::default();
        tracker.request(place("a"), 500_000);
        tracker.request(place("a"), 500_000);
        assert_eq!(tracker.due(), [(place("a"), IndexNeed::Build)]);
        assert!((0..2 * QUIET_CHECKS).all(|_| tracker.due().is_empty()));
        assert!(tracker.lock().is_empty());
    }

    #[test]
    fn an_index_is_built_when_growth_pauses() {
        let tracker = GrowthTracker::default();
        let due_soon = || (0..QUIET_CHECKS).flat_map(|_| tracker.due()).map(|(_, need)| need);
        tracker.record(place("a"), 500_000, 100);
        assert_eq!(due_soon().chain(due_soon()).count(), 0, "it was large before");
        assert!(tracker.lock().is_empty(), "it grows no longer");
        tracker.record(place("a"), 500_100, 100);
        tracker.record(place("a"), 500_000 + BUILD_STEP, 100);
        assert_eq!(due_soon().collect::<Vec<_>>(), [IndexNeed::Update], "it may still grow");
        assert_eq!(tracker.due(), [(place("a"), IndexNeed::Build)]);
        assert!(tracker.lock().is_empty(), "it is built");
    }

    #[test]
    fn an_index_is_updated_in_steps() {
        let tracker = GrowthTracker::default();
        tracker.record(place("a"), UPDATE_STEP, 10);
        tracker.record(place("a"), 2 * UPDATE_STEP - 11, 10);
        assert!(tracker.due().is_empty());
        tracker.record(place("a"), 2 * UPDATE_STEP, 11);
        assert_eq!(tracker.due(), [(place("a"), IndexNeed::Update)]);
        assert!(tracker.due().is_empty());
    }
}

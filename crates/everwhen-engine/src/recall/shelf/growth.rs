//! Memories that grow: their indexes are made, or brought up to date, before somebody asks.
//!
//! An import of a million entries takes a minute, and the first question after it would wait for the
//! index of all of them. Growth is noted as entries are stored. An index that is there follows all the
//! time, so that a question in the middle of an import waits for little; one that is not there is made
//! once growth has paused, so that it never slows an import down.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Shelf;
use crate::memory::{Address, MemoryId, VaultId};
use crate::recall::index::SEGMENT_ENTRIES;

/// An index that is there follows in steps of so many entries.
const SOME: u64 = 1_000;
/// What fewer new entries take, whoever asks first can wait for.
const MUCH: u64 = SEGMENT_ENTRIES as u64;
/// Growth has paused when it was looked at so often and nothing had come.
const QUIET: u32 = 15;

/// Where a memory is, as whoever writes to it says.
pub(super) type Whereabouts = (Address<VaultId>, Address<MemoryId>);

/// How memories have grown; those that have not for a while are not known.
#[derive(Debug, Default)]
pub(super) struct Growths {
    all: Mutex<HashMap<Whereabouts, Growth>>,
}

/// What growth calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// If there is an index, it should follow.
    Follow,
    /// There should be an index.
    Make,
}

#[derive(Debug)]
struct Growth {
    /// The newest entry.
    sequence: u64,
    /// The newest entry when it was looked at last, and how often it has been the same.
    seen: u64,
    quiet: u32,
    /// Up to here the index has followed, if there is one.
    followed: u64,
    /// Up to here the index was made, or may have been.
    made: u64,
}

impl Growth {
    /// What it is time for; next time is another time.
    fn need(&mut self) -> Option<Need> {
        let is_quiet = std::mem::replace(&mut self.seen, self.sequence) == self.sequence;
        self.quiet = if is_quiet { self.quiet + 1 } else { 0 };
        if self.quiet >= QUIET && self.sequence - self.made >= MUCH {
            (self.made, self.followed) = (self.sequence, self.sequence);
            return Some(Need::Make);
        }
        let follows = self.sequence - self.followed >= SOME;
        if follows {
            self.followed = self.sequence;
        }
        follows.then_some(Need::Follow)
    }

    /// Whether it has paused and nothing is left to be done.
    fn is_over(&self) -> bool {
        self.quiet >= QUIET && self.sequence - self.made < MUCH
    }
}

impl Growths {
    /// Notes that a memory got `count` entries, the last one with this sequence.
    fn note(&self, memory: Whereabouts, sequence: u64, count: u64) {
        let begin = || {
            // What was large before counts as made: it may have been kept.
            let before = sequence.saturating_sub(count);
            let made = if before < MUCH { 0 } else { before };
            Growth { sequence, seen: before, quiet: 0, followed: before, made }
        };
        let mut all = self.lock();
        let growth = all.entry(memory).or_insert_with(begin);
        growth.sequence = growth.sequence.max(sequence);
    }

    /// What is to be done now.
    fn due(&self) -> Vec<(Whereabouts, Need)> {
        let mut due = Vec::new();
        self.lock().retain(|memory, growth| {
            due.extend(growth.need().map(|need| (memory.clone(), need)));
            !growth.is_over()
        });
        due
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Whereabouts, Growth>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelf {
    /// Notes that a memory got `count` entries, the last one with this sequence. What is small is
    /// not noted.
    pub(crate) fn note_growth(
        &self,
        memory: impl FnOnce() -> Whereabouts,
        sequence: u64,
        count: usize,
    ) {
        if sequence >= SOME {
            self.growths.note(memory(), sequence, count as u64);
        }
    }

    /// Memories that have grown, and what that calls for.
    pub(crate) fn grown(&self) -> Vec<(Whereabouts, Need)> {
        self.growths.due()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Name;

    fn place(memory: &str) -> Whereabouts {
        let name = |text| Name::new("name", text).unwrap();
        (Address::Name(name("vault")), Address::Name(name(memory)))
    }

    #[test]
    fn an_index_is_made_when_growth_pauses() {
        let growths = Growths::default();
        let due_soon = || (0..QUIET).flat_map(|_| growths.due()).map(|(_, need)| need);
        growths.note(place("a"), 500_000, 100);
        assert_eq!(due_soon().chain(due_soon()).count(), 0, "it was large before");
        assert!(growths.lock().is_empty(), "it grows no longer");
        growths.note(place("a"), 500_100, 100);
        growths.note(place("a"), 500_000 + MUCH, 100);
        assert_eq!(due_soon().collect::<Vec<_>>(), [Need::Follow], "it may still grow");
        assert_eq!(growths.due(), [(place("a"), Need::Make)]);
        assert!(growths.lock().is_empty(), "it is made");
    }

    #[test]
    fn an_index_follows_in_steps() {
        let growths = Growths::default();
        growths.note(place("a"), SOME, 10);
        growths.note(place("a"), 2 * SOME - 11, 10);
        assert!(growths.due().is_empty());
        growths.note(place("a"), 2 * SOME, 11);
        assert_eq!(growths.due(), [(place("a"), Need::Follow)]);
        assert!(growths.due().is_empty());
    }
}

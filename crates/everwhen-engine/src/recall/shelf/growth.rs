//! Memories that grow while nobody asks: their indexes are made before somebody does.
//!
//! An import of a million entries takes a minute or two, and so would the first question after it.
//! Growth is noted as entries are stored; once it has paused, or is a lot, the index is made, and kept
//! like any other.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Shelf;
use crate::memory::{Address, MemoryId, VaultId};
use crate::recall::index::SEGMENT_ENTRIES;

/// What fewer new entries take, whoever asks first can wait for.
const MUCH: u64 = SEGMENT_ENTRIES as u64;
/// From so many on, the index is made while they keep coming.
const A_LOT: u64 = 8 * MUCH;

/// Where a memory is, as whoever writes to it says.
pub(super) type Whereabouts = (Address<VaultId>, Address<MemoryId>);

/// How memories have grown.
#[derive(Debug, Default)]
pub(super) struct Growths {
    all: Mutex<Vec<Growth>>,
}

#[derive(Debug)]
struct Growth {
    memory: Whereabouts,
    /// The newest entry.
    sequence: u64,
    /// The newest entry when it was looked at last.
    seen: u64,
    /// Up to here the index was made, or may have been.
    made: u64,
}

impl Growth {
    /// Whether it is time to make the index; next time is another time.
    fn is_due(&mut self) -> bool {
        let grown = self.sequence - self.made;
        let has_paused = std::mem::replace(&mut self.seen, self.sequence) == self.sequence;
        let is_due = grown >= A_LOT || (grown >= MUCH && has_paused);
        if is_due {
            self.made = self.sequence;
        }
        is_due
    }
}

impl Growths {
    /// Notes that a memory got `count` entries, the last one with this sequence.
    fn note(&self, memory: Whereabouts, sequence: u64, count: u64) {
        let mut all = self.lock();
        match all.iter_mut().find(|one| one.memory == memory) {
            Some(known) => known.sequence = known.sequence.max(sequence),
            None => {
                // What was large before counts as made: it may have been kept.
                let before = sequence.saturating_sub(count);
                let made = if before < MUCH { 0 } else { before };
                all.push(Growth { memory, sequence, seen: made, made });
            }
        }
    }

    /// Memories whose indexes should be made now.
    fn due(&self) -> Vec<Whereabouts> {
        let mut all = self.lock();
        all.iter_mut().filter_map(|one| one.is_due().then(|| one.memory.clone())).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Growth>> {
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
        if sequence >= MUCH {
            self.growths.note(memory(), sequence, count as u64);
        }
    }

    /// Memories that have grown much since their indexes were made.
    pub(crate) fn grown(&self) -> Vec<Whereabouts> {
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
    fn an_index_is_due_when_growth_pauses_or_is_a_lot() {
        let growths = Growths::default();
        growths.note(place("a"), 500_000, 100);
        assert!(growths.due().is_empty() && growths.due().is_empty(), "it was large before");
        growths.note(place("a"), 500_000 + MUCH, 100);
        assert!(growths.due().is_empty(), "it still grows");
        assert_eq!(growths.due(), [place("a")]);
        assert!(growths.due().is_empty(), "it is made");
        growths.note(place("b"), MUCH, 1_000);
        growths.note(place("b"), A_LOT, 1_000);
        assert_eq!(growths.due(), [place("b")]);
    }
}

//! Memories that were written by a clock far ahead of the present one.

use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use crate::memory::{MemoryRef, Name};

/// A memory whose last write is dated far ahead of the clock: a clock was, or is, wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockStep {
    /// The memory.
    pub memory: MemoryRef,
    /// Its name.
    pub name: Name,
    /// The creation_time of its last write before.
    pub written_at: Timestamp,
    /// What the clock says.
    pub clock: Timestamp,
}

impl std::fmt::Display for ClockStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the memory {} was last written at {}, but later the clock said {}; new entries are dated \
             by the clock, and stored ones keep their times",
            self.name, self.written_at, self.clock
        )
    }
}

/// What was noticed since the start.
#[derive(Debug, Default)]
pub struct ClockSteps(Mutex<Noted>);

#[derive(Debug, Default)]
struct Noted {
    count: u64,
    last: Option<ClockStep>,
}

impl ClockSteps {
    /// Notes a step. A transaction that is run again notes the same step once.
    pub(crate) fn note(&self, step: ClockStep) {
        let mut noted = self.lock();
        let is_same =
            |known: &ClockStep| (known.memory, known.written_at) == (step.memory, step.written_at);
        if !noted.last.as_ref().is_some_and(is_same) {
            noted.count += 1;
            noted.last = Some(step);
        }
    }

    /// How many steps were noted, and the last one.
    pub fn noted(&self) -> (u64, Option<ClockStep>) {
        let noted = self.lock();
        (noted.count, noted.last.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Where a program gets now from, and a clock for tests that only moves when told to.

use std::sync::Mutex;

use jiff::{SignedDuration, Timestamp};

use crate::to_microsecond;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The present instant.
    fn now(&self) -> Timestamp;
}

/// A clock that moves only when moved.
#[derive(Debug)]
pub struct ManualClock(Mutex<Timestamp>);

impl ManualClock {
    /// A clock that says `now`.
    pub fn new(now: Timestamp) -> Self {
        Self(Mutex::new(to_microsecond(now)))
    }

    /// Sets the clock to `now`, forwards or back.
    pub fn set(&self, now: Timestamp) {
        *self.time() = to_microsecond(now);
    }

    /// Moves the clock on.
    pub fn advance(&self, by: SignedDuration) {
        let mut time = self.time();
        *time = time.saturating_add(by).expect("a duration of seconds has no calendar units");
    }

    fn time(&self) -> std::sync::MutexGuard<'_, Timestamp> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.time()
    }
}

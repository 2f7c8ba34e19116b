//! The only source of now, and its twin for tests.

use std::sync::Mutex;

use jiff::{SignedDuration, Timestamp};

use super::to_microsecond;

/// Tells the time. The engine asks nobody else.
pub trait Clock: Send + Sync {
    /// The present instant.
    fn now(&self) -> Timestamp;
}

/// A clock that moves only when moved.
#[derive(Debug)]
pub struct HandClock(Mutex<Timestamp>);

impl HandClock {
    /// A clock standing at `now`.
    pub fn new(now: Timestamp) -> Self {
        Self(Mutex::new(to_microsecond(now)))
    }

    /// Puts the hands to `now`, forwards or back.
    pub fn set(&self, now: Timestamp) {
        *self.hands() = to_microsecond(now);
    }

    /// Moves the hands on.
    pub fn advance(&self, by: SignedDuration) {
        let mut hands = self.hands();
        *hands = hands.saturating_add(by).expect("a duration of seconds has no calendar units");
    }

    fn hands(&self) -> std::sync::MutexGuard<'_, Timestamp> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        *self.hands()
    }
}

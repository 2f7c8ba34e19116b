//! How long and how often a transaction is retried before its caller gets the error.

use std::time::{Duration, Instant};

use super::failure::Remedy;

/// A standby that takes over needs some seconds; no caller should wait for much more.
const LONGEST: Duration = Duration::from_secs(20);
/// The number of serialization failures after which retrying is pointless.
const MAX_CONFLICTS: u32 = 10;
/// The first pause, doubled with each.
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// The retries of one transaction.
pub(super) struct Retry {
    since: Instant,
    pause: Duration,
    conflicts: u32,
}

impl Retry {
    pub(super) fn new() -> Self {
        Self { since: Instant::now(), pause: SHORTEST_PAUSE, conflicts: 0 }
    }

    /// Sleeps before the next attempt; returns false if there should be none.
    pub(super) fn wait(&mut self, remedy: Remedy) -> bool {
        self.conflicts += u32::from(remedy == Remedy::Retry);
        let over = self.since.elapsed() + self.pause > LONGEST || self.conflicts > MAX_CONFLICTS;
        if over || remedy == Remedy::GiveUp {
            return false;
        }
        std::thread::sleep(self.pause);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        true
    }
}

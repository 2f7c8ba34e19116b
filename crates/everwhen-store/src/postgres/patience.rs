//! How long and how often a transaction is tried before its caller hears of it.

use std::time::{Duration, Instant};

use super::failure::Remedy;

/// A standby that takes over needs some seconds; nobody should wait for much more.
const LONGEST: Duration = Duration::from_secs(20);
/// Whoever loses a race so often is not racing.
const RACES: u32 = 10;
/// The first pause, doubled with each.
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// The patience with one transaction.
pub(super) struct Patience {
    since: Instant,
    pause: Duration,
    races: u32,
}

impl Patience {
    pub(super) fn new() -> Self {
        Self { since: Instant::now(), pause: SHORTEST_PAUSE, races: 0 }
    }

    /// Pauses before another try; says no when there is no point in one.
    pub(super) fn wait(&mut self, remedy: Remedy) -> bool {
        self.races += u32::from(remedy == Remedy::Again);
        let over = self.since.elapsed() + self.pause > LONGEST || self.races > RACES;
        if over || remedy == Remedy::GiveUp {
            return false;
        }
        std::thread::sleep(self.pause);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        true
    }
}

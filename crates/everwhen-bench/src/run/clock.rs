//! What time it is in a run: this machine's, or a scripted one that goes by in steps of its own.
//!
//! On the scripted clock every session begins at its own fixed moment and every call takes as long
//! as the script says, so that two runs measure the same, however often one of them was killed.

use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use everwhen::SystemClock;
use everwhen::models::{Try, observe_tries};
use everwhen::time::Clock;
use jiff::{SignedDuration, Timestamp};

/// The first moment of a scripted run.
const BEGIN: i64 = 1_700_000_000;
/// From the beginning of one question to that of the next, and of one session to the next.
const STEPS: (i64, i64) = (86_400, 60);

/// How long a call takes by the script.
const CALL: SignedDuration = SignedDuration::from_millis(250);
/// How much time lies between two things that happen.
const PAUSE: SignedDuration = SignedDuration::from_millis(100);

/// A clock for one session.
pub(super) enum RunClock {
    Real,
    Scripted(Mutex<Timestamp>),
}

impl RunClock {
    /// The clock of a session, by its place and that of its question.
    pub(super) fn new(scripted: bool, question: usize, session: usize) -> Self {
        if !scripted {
            return Self::Real;
        }
        let seconds = BEGIN + STEPS.0 * question as i64 + STEPS.1 * session as i64;
        Self::Scripted(Mutex::new(Timestamp::from_second(seconds).unwrap_or_default()))
    }

    /// Now; on the scripted clock, a pause later than the last time.
    pub(super) fn now(&self) -> Timestamp {
        self.later(PAUSE)
    }

    fn later(&self, step: SignedDuration) -> Timestamp {
        match self {
            Self::Real => SystemClock.now(),
            Self::Scripted(now) => {
                let mut now = now.lock().unwrap_or_else(PoisonError::into_inner);
                *now += step;
                *now
            }
        }
    }

    /// Does something and says when it was at work: one interval for each try of a request, without
    /// the pauses between tries; one for all of it where no request was made.
    pub(super) async fn time<T>(&self, work: impl Future<Output = T>) -> (T, Vec<Interval>) {
        let (began_at, began) = (self.now(), Instant::now());
        let (done, tries) = observe_tries(work).await;
        let intervals = match self {
            Self::Real if tries.is_empty() => vec![(began_at, signed(began.elapsed()))],
            Self::Real => {
                let since = |one: &Try| signed(one.began.saturating_duration_since(began));
                tries.iter().map(|one| (began_at + since(one), signed(one.lasted))).collect()
            }
            Self::Scripted(_) => self.scripted(began_at, tries.len()),
        };
        (done, intervals)
    }

    /// Each try takes as long as a call, with a pause between two of them.
    fn scripted(&self, began_at: Timestamp, tries: usize) -> Vec<Interval> {
        let mut intervals = vec![(began_at, CALL)];
        self.later(CALL);
        for _ in 1..tries {
            intervals.push((self.now(), CALL));
            self.later(CALL);
        }
        intervals
    }
}

/// When something was at work, and for how long.
pub(super) type Interval = (Timestamp, SignedDuration);

fn signed(length: Duration) -> SignedDuration {
    SignedDuration::try_from(length).unwrap_or(SignedDuration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_scripted_clock_says_the_same_every_time() {
        for _ in 0..2 {
            let clock = RunClock::new(true, 1, 2);
            let first = clock.now();
            assert_eq!(first.as_second(), BEGIN + 86_400 + 120);
            let ((), intervals) = clock.time(async {}).await;
            let [(began, lasted)] = intervals[..] else { panic!("{intervals:?}") };
            assert_eq!((began - first).get_milliseconds(), 100);
            assert_eq!(lasted, CALL);
            assert_eq!(clock.now().duration_since(began).as_millis(), 350);
        }
    }
}

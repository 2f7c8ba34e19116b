//! What time it is in a run: this machine's, or a scripted one that goes by in steps of its own.
//!
//! On the scripted clock every session begins at its own fixed moment and every call takes as long
//! as the script says, so that two runs measure the same, however often one of them was killed.

use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use everwhen::SystemClock;
use everwhen::time::Clock;
use jiff::{SignedDuration, Timestamp};

/// The first moment of a scripted run.
const BEGIN: i64 = 1_700_000_000;
/// From the beginning of one question to that of the next, and of one session to the next.
const STEPS: (i64, i64) = (86_400, 60);

/// How long a call takes by the script.
const CALL: SignedDuration = SignedDuration::from_millis(250);
/// How much time lies between two things that happen.
const BREATH: SignedDuration = SignedDuration::from_millis(100);

/// A clock for one session.
pub(super) enum Watch {
    Real,
    Scripted(Mutex<Timestamp>),
}

impl Watch {
    /// The clock of a session, by its place and that of its question.
    pub(super) fn new(scripted: bool, question: usize, session: usize) -> Self {
        if !scripted {
            return Self::Real;
        }
        let seconds = BEGIN + STEPS.0 * question as i64 + STEPS.1 * session as i64;
        Self::Scripted(Mutex::new(Timestamp::from_second(seconds).unwrap_or_default()))
    }

    /// Now; on the scripted clock, a breath later than the last time.
    pub(super) fn now(&self) -> Timestamp {
        self.later(BREATH)
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

    /// Does something and says when it began and how long it took.
    pub(super) async fn time<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> (T, Timestamp, SignedDuration) {
        let (began_at, began) = (self.now(), Instant::now());
        let done = work.await;
        let lasted = match self {
            Self::Real => SignedDuration::try_from(began.elapsed()).unwrap_or(SignedDuration::MAX),
            Self::Scripted(_) => CALL,
        };
        self.later(lasted);
        (done, began_at, lasted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_scripted_clock_says_the_same_every_time() {
        for _ in 0..2 {
            let watch = Watch::new(true, 1, 2);
            let first = watch.now();
            assert_eq!(first.as_second(), BEGIN + 86_400 + 120);
            let ((), began, lasted) = watch.time(async {}).await;
            assert_eq!((began - first).get_milliseconds(), 100);
            assert_eq!(lasted, CALL);
            assert_eq!(watch.now().duration_since(began).as_millis(), 350);
        }
    }
}

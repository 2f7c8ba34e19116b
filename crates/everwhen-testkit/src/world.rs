//! A world for tests: a clock moved by hand, chance from a seed, and an engine that lives in it.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use everwhen_engine::memory::{SeededChance, Settings};
use everwhen_engine::ports::Store;
use everwhen_engine::time::{Clock, ManualClock, Zone};
use everwhen_engine::{Engine, VaultDefaults, World};
use jiff::Timestamp;

/// When a world begins, if a test does not care: noon on the first day of June 2025, UTC.
const START: i64 = 1_748_779_200;

/// A hand clock that the test and the world both hold.
struct SharedClock(Arc<ManualClock>);

impl Clock for SharedClock {
    fn now(&self) -> Timestamp {
        self.0.now()
    }
}

/// A world that begins at `start` and repeats itself with its seed, and the clock in it.
pub fn manual_world(start: Timestamp, seed: u64) -> (World, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(start));
    let shared = Box::new(SharedClock(Arc::clone(&clock)));
    (World { clock: shared, chance: Box::new(SeededChance::new(seed)) }, clock)
}

/// An engine over a store in a world of its own, with UTC and the default rules.
pub fn engine_over(store: Arc<dyn Store>) -> (Engine, Arc<ManualClock>) {
    let start = Timestamp::constant(START, 0);
    let (world, clock) = manual_world(start, 1);
    let defaults = VaultDefaults { zone: Zone::utc(), settings: Settings::default() };
    (Engine::new(store, world, defaults), clock)
}

/// Wakes the waiting thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future to its end on this thread, which sleeps while there is nothing to do.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        std::thread::park();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use jiff::SignedDuration;

    use super::*;
    use crate::PlainStore;

    #[test]
    fn the_engine_sees_the_clock_move() {
        let (engine, clock) = engine_over(Arc::new(PlainStore::new()));
        assert_eq!(engine.now().to_string(), "2025-06-01T12:00:00Z");
        clock.advance(SignedDuration::from_mins(5));
        assert_eq!(engine.now().to_string(), "2025-06-01T12:05:00Z");
    }

    #[test]
    fn waits_for_another_thread() {
        let shared: Arc<Mutex<(bool, Option<Waker>)>> = Arc::default();
        let other = Arc::clone(&shared);
        let answer = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(20));
            let mut state = other.lock().unwrap();
            state.0 = true;
            state.1.take().map(Waker::wake)
        });
        block_on(std::future::poll_fn(|context| {
            let mut state = shared.lock().unwrap();
            state.1 = Some(context.waker().clone());
            if state.0 { Poll::Ready(()) } else { Poll::Pending }
        }));
        assert!(answer.join().unwrap().is_some());
    }
}

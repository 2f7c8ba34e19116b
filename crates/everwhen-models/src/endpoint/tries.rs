//! When requests were in flight: one stretch for each try, without the pauses between tries.
//!
//! A caller that measures wraps its work in [`observe_tries`]; endpoints that are asked inside it
//! note every try. Without an observer nothing is noted.

use std::cell::RefCell;
use std::time::{Duration, Instant};

/// One request that was in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Try {
    /// When it was sent.
    pub began: Instant,
    /// How long it took until its answer was whole, or until it failed.
    pub lasted: Duration,
}

tokio::task_local! {
    static TRIES: RefCell<Vec<Try>>;
}

/// Runs work and returns its result with the tries of every endpoint that it asked.
pub async fn observe_tries<T>(work: impl Future<Output = T>) -> (T, Vec<Try>) {
    let observed = async move {
        let done = work.await;
        (done, TRIES.with(RefCell::take))
    };
    TRIES.scope(RefCell::default(), observed).await
}

/// Runs one try and notes it for the observer, if there is one.
pub(super) async fn noted<T>(attempt: impl Future<Output = T>) -> T {
    let began = Instant::now();
    let done = attempt.await;
    let one = Try { began, lasted: began.elapsed() };
    // Without an observer there is nothing to report to.
    let _ = TRIES.try_with(|tries| tries.borrow_mut().push(one));
    done
}

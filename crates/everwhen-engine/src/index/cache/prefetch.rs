//! Work that has begun before anyone waits for it: a store reads while its caller does something else.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// A future that was polled once, and its result if that was enough.
pub(super) enum Prefetch<F: Future> {
    Running(Pin<Box<F>>),
    Done(F::Output),
}

impl<F: Future> Prefetch<F> {
    /// Polls a future once, so that the work begins.
    pub(super) async fn new(future: F) -> Self {
        let mut future = Box::pin(future);
        match poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await {
            Poll::Ready(done) => Self::Done(done),
            Poll::Pending => Self::Running(future),
        }
    }

    /// Waits for the result.
    pub(super) async fn finish(self) -> F::Output {
        match self {
            Self::Running(future) => future.await,
            Self::Done(done) => done,
        }
    }
}

//! An async lock: when several questions need an index that is not up to date, one updates it and the
//! others wait.

use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// A lock that tasks wait for without blocking their thread.
#[derive(Debug, Default)]
pub(super) struct TurnLock {
    state: Mutex<LockState>,
}

#[derive(Debug, Default)]
struct LockState {
    is_taken: bool,
    waiting: Vec<Waker>,
}

/// The lock is released when this is dropped, also if the task that held it was cancelled.
#[derive(Debug)]
pub(super) struct TurnGuard<'t>(&'t TurnLock);

impl TurnLock {
    /// Waits until the lock is free, and takes it.
    pub(super) async fn acquire(&self) -> TurnGuard<'_> {
        poll_fn(|context| {
            let mut state = self.lock();
            if state.is_taken {
                state.waiting.push(context.waker().clone());
                return Poll::Pending;
            }
            state.is_taken = true;
            Poll::Ready(TurnGuard(self))
        })
        .await
    }

    fn lock(&self) -> MutexGuard<'_, LockState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for TurnGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.is_taken = false;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::Context;

    use super::*;

    #[test]
    fn the_next_task_waits_until_the_lock_is_released() {
        let lock = TurnLock::default();
        let mut context = Context::from_waker(Waker::noop());
        let (mut first, mut second) = (pin!(lock.acquire()), pin!(lock.acquire()));
        let Poll::Ready(guard) = first.as_mut().poll(&mut context) else { panic!("it was free") };
        assert!(second.as_mut().poll(&mut context).is_pending());
        assert_eq!(lock.lock().waiting.len(), 1);
        drop(guard);
        assert!(lock.lock().waiting.is_empty());
        assert!(second.as_mut().poll(&mut context).is_ready());
    }
}

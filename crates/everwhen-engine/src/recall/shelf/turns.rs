//! One at a time, the others wait: when several ask a memory whose index is to be made, it is made
//! once.

use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// Whose turn it is.
#[derive(Debug, Default)]
pub(super) struct Turns {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    is_taken: bool,
    waiting: Vec<Waker>,
}

/// A turn; over when it is let go, also if whoever had it gave up.
#[derive(Debug)]
pub(super) struct Turn<'t>(&'t Turns);

impl Turns {
    /// Waits for a turn.
    pub(super) async fn next(&self) -> Turn<'_> {
        poll_fn(|context| {
            let mut state = self.lock();
            if state.is_taken {
                state.waiting.push(context.waker().clone());
                return Poll::Pending;
            }
            state.is_taken = true;
            Poll::Ready(Turn(self))
        })
        .await
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
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
    fn the_next_waits_until_the_turn_is_over() {
        let turns = Turns::default();
        let mut context = Context::from_waker(Waker::noop());
        let (mut first, mut second) = (pin!(turns.next()), pin!(turns.next()));
        let Poll::Ready(turn) = first.as_mut().poll(&mut context) else { panic!("it was free") };
        assert!(second.as_mut().poll(&mut context).is_pending());
        assert_eq!(turns.lock().waiting.len(), 1);
        drop(turn);
        assert!(turns.lock().waiting.is_empty());
        assert!(second.as_mut().poll(&mut context).is_ready());
    }
}

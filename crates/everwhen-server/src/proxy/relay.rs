//! A reply on its way from an upstream to a client, with a listener.
//!
//! When the client goes away the body is dropped, and with it the upstream's: that ends the request
//! there. What was said until then is kept. So it is when the server stops and has no more patience.

mod listener;
mod whole;

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use http_body::Frame;
pub(crate) use listener::{Gathered, Listener};
pub(crate) use whole::{CutReply, deepest, read_reply};

/// What to do with what was said, once that is over. The end of the reply waits for what is answered.
pub(crate) type AtEnd = Box<dyn FnOnce(Gathered) -> Held + Send>;
/// Holds back the end of a reply until it is ready.
pub(crate) type Held = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The listener, and what follows. Shared with the code that may end it early.
struct Ear {
    listener: Listener,
    at_end: Option<AtEnd>,
}

impl Ear {
    fn end(&mut self) -> Option<Held> {
        let at_end = self.at_end.take()?;
        Some(at_end(self.listener.gathered()))
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        // The client has gone, so the end waits for nothing.
        drop(self.end());
    }
}

/// Replies that are on their way.
#[derive(Default)]
pub(crate) struct Underway(Mutex<Vec<Weak<Mutex<Ear>>>>);

impl Underway {
    /// The same body with a listener; `at_end` hears what was said, also if that was cut off.
    pub(crate) fn body(&self, inner: Body, listener: Listener, at_end: AtEnd) -> Body {
        let ear = Arc::new(Mutex::new(Ear { listener, at_end: Some(at_end) }));
        let mut all = lock(&self.0);
        if all.len() == all.capacity() {
            all.retain(|one| one.strong_count() > 0);
        }
        all.push(Arc::downgrade(&ear));
        let ready = VecDeque::new();
        Body::new(Relay { inner, ear, ready, held: None, is_over: false, error: None })
    }

    /// Lets all of them end here: what was said so far is kept as cut off.
    pub(crate) fn hang_up(&self) {
        let all = std::mem::take(&mut *lock(&self.0));
        for ear in all.iter().filter_map(Weak::upgrade) {
            drop(lock(&ear).end());
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A body that is listened to.
struct Relay {
    inner: Body,
    ear: Arc<Mutex<Ear>>,
    ready: VecDeque<Bytes>,
    /// What the pieces that are ready wait for.
    held: Option<Mutex<Held>>,
    is_over: bool,
    /// What the upstream's body ended with, for the client to see as well.
    error: Option<axum::Error>,
}

impl HttpBody for Relay {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        loop {
            if let Some(held) = &mut self.held {
                let held = held.get_mut().unwrap_or_else(PoisonError::into_inner);
                std::task::ready!(held.as_mut().poll(context));
                self.held = None;
            }
            if let Some(bytes) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
            if self.is_over {
                return Poll::Ready(self.error.take().map(Err));
            }
            match std::task::ready!(Pin::new(&mut self.inner).poll_frame(context)) {
                Some(Ok(frame)) => {
                    let Ok(bytes) = frame.into_data() else { continue };
                    let passed = lock(&self.ear).listener.push(bytes);
                    self.ready.extend(passed);
                }
                Some(Err(error)) => {
                    (self.is_over, self.error) = (true, Some(error));
                    let left = lock(&self.ear).listener.cut_off();
                    self.ready.extend(left);
                }
                None => {
                    self.is_over = true;
                    let left = lock(&self.ear).listener.finish();
                    self.ready.extend(left);
                }
            }
            let mut ear = lock(&self.ear);
            let held = if self.is_over || ear.listener.has_ended() { ear.end() } else { None };
            drop(ear);
            if let Some(held) = held {
                self.held = Some(Mutex::new(held));
            }
        }
    }
}

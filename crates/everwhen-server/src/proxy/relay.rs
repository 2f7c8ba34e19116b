//! A reply that is streamed from an upstream to a client, with a listener.
//!
//! When the client disconnects the body is dropped, and with it the upstream's, which ends the request
//! there. What was received until then is kept, also when the server stops before the reply has ended.

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

/// Runs once the reply has ended, with what was received. The client gets the end of the reply when
/// the returned future is ready.
pub(crate) type OnEnd = Box<dyn FnOnce(Gathered) -> EndBarrier + Send>;
/// Holds back the end of a reply until it is ready.
pub(crate) type EndBarrier = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A listener and what runs at its end. Shared with the code that may end the reply early.
struct ReplyListener {
    listener: Listener,
    on_end: Option<OnEnd>,
}

impl ReplyListener {
    fn end(&mut self) -> Option<EndBarrier> {
        let on_end = self.on_end.take()?;
        Some(on_end(self.listener.gathered()))
    }
}

impl Drop for ReplyListener {
    fn drop(&mut self) {
        // The client has gone, so the end waits for nothing.
        drop(self.end());
    }
}

/// Replies that are being streamed.
#[derive(Default)]
pub(crate) struct OpenReplies(Mutex<Vec<Weak<Mutex<ReplyListener>>>>);

impl OpenReplies {
    /// Returns the body with a listener; `on_end` gets what was received, also of a reply that was cut off.
    pub(crate) fn body(&self, inner: Body, listener: Listener, on_end: OnEnd) -> Body {
        let reply = Arc::new(Mutex::new(ReplyListener { listener, on_end: Some(on_end) }));
        let mut all = lock(&self.0);
        if all.len() == all.capacity() {
            all.retain(|one| one.strong_count() > 0);
        }
        all.push(Arc::downgrade(&reply));
        let ready = VecDeque::new();
        Body::new(Relay { inner, reply, ready, barrier: None, is_over: false, error: None })
    }

    /// Ends all of them: what was received so far is kept as cut off.
    pub(crate) fn end_all(&self) {
        let all = std::mem::take(&mut *lock(&self.0));
        for reply in all.iter().filter_map(Weak::upgrade) {
            drop(lock(&reply).end());
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A body that is listened to.
struct Relay {
    inner: Body,
    reply: Arc<Mutex<ReplyListener>>,
    ready: VecDeque<Bytes>,
    /// What the pieces that are ready wait for.
    barrier: Option<Mutex<EndBarrier>>,
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
            if let Some(barrier) = &mut self.barrier {
                let barrier = barrier.get_mut().unwrap_or_else(PoisonError::into_inner);
                std::task::ready!(barrier.as_mut().poll(context));
                self.barrier = None;
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
                    let passed = lock(&self.reply).listener.push(bytes);
                    self.ready.extend(passed);
                }
                Some(Err(error)) => {
                    (self.is_over, self.error) = (true, Some(error));
                    let left = lock(&self.reply).listener.cut_off();
                    self.ready.extend(left);
                }
                None => {
                    self.is_over = true;
                    let left = lock(&self.reply).listener.finish();
                    self.ready.extend(left);
                }
            }
            let mut reply = lock(&self.reply);
            let barrier =
                if self.is_over || reply.listener.has_ended() { reply.end() } else { None };
            drop(reply);
            if let Some(barrier) = barrier {
                self.barrier = Some(Mutex::new(barrier));
            }
        }
    }
}

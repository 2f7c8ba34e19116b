//! A reply on its way from an upstream to a client, with somebody listening.
//!
//! When the client goes away the body is dropped, and with it the upstream's: that ends the request
//! there. What was said until then is kept.

mod frames;
mod listener;

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
pub(crate) use frames::{Frames, Framing};
use http_body::Frame;
pub(crate) use listener::{Gathered, Listener};

/// What to do with what was said, once that is over.
pub(crate) type AtEnd = Box<dyn FnOnce(Gathered) + Send>;

/// A body that is listened to.
pub(crate) struct Relay {
    inner: Body,
    listener: Listener,
    ready: VecDeque<Bytes>,
    at_end: Option<AtEnd>,
    is_over: bool,
}

impl Relay {
    /// The same body with a listener; `at_end` hears what was said, also if that was cut off.
    pub(crate) fn body(inner: Body, listener: Listener, at_end: AtEnd) -> Body {
        let at_end = Some(at_end);
        Body::new(Self { inner, listener, ready: VecDeque::new(), at_end, is_over: false })
    }

    fn end(&mut self) {
        if let Some(at_end) = self.at_end.take() {
            at_end(self.listener.gathered());
        }
    }
}

impl HttpBody for Relay {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        loop {
            if let Some(bytes) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
            if self.is_over {
                return Poll::Ready(None);
            }
            match std::task::ready!(Pin::new(&mut self.inner).poll_frame(context)) {
                Some(Ok(frame)) => {
                    let Ok(bytes) = frame.into_data() else { continue };
                    let passed = self.listener.push(bytes);
                    self.ready.extend(passed);
                }
                Some(Err(error)) => {
                    self.is_over = true;
                    self.end();
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    self.is_over = true;
                    let left = self.listener.finish();
                    self.ready.extend(left);
                    self.end();
                }
            }
            if self.listener.has_ended() {
                self.end();
            }
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.end();
    }
}

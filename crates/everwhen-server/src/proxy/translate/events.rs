//! A body whose events are translated as they come.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use http_body::Frame;
use serde_json::Value;

use super::super::relay::{Frames, Framing};
use super::Interpreter;

/// What OpenAI's kind says when nothing more comes.
const DONE: &str = "[DONE]";

/// A body in another language than the one it is read in.
pub(super) struct Interpreted {
    inner: Body,
    frames: Frames,
    out: Framing,
    interpreter: Box<dyn Interpreter>,
    ready: VecDeque<Bytes>,
    is_done: bool,
    is_over: bool,
    /// What the body ends with, if it was cut off.
    error: Option<axum::Error>,
}

impl Interpreted {
    /// A body that comes in one framing and goes on in another.
    pub(super) fn body(
        inner: Body,
        (from, out): (Framing, Framing),
        interpreter: Box<dyn Interpreter>,
    ) -> Body {
        Body::new(Self {
            inner,
            frames: Frames::new(from),
            out,
            interpreter,
            ready: VecDeque::new(),
            is_done: false,
            is_over: false,
            error: None,
        })
    }

    fn take(&mut self, bytes: &[u8]) {
        self.frames.push(bytes);
        while let Some(event) = self.frames.next() {
            let text = String::from_utf8_lossy(&event);
            let Some(data) = self.frames.framing.data(&text) else { continue };
            self.is_done |= data == DONE;
            let event = serde_json::from_str::<Value>(data).ok();
            let said = event.map(|event| self.interpreter.event(&event)).unwrap_or_default();
            self.say(&said);
        }
        if self.frames.is_too_long() {
            self.cut_off(axum::Error::new("the upstream sent an event without an end"));
        }
    }

    fn say(&mut self, events: &[String]) {
        self.ready.extend(events.iter().map(|event| Bytes::from(self.out.write(event))));
    }

    fn cut_off(&mut self, error: axum::Error) {
        self.is_over = true;
        self.error = Some(error);
    }

    /// The upstream's body has ended; that of the client ends properly only if the reply did.
    fn end(&mut self) {
        // A last line may come without its end.
        self.take(b"\n\n");
        self.is_over = true;
        match self.interpreter.end(self.is_done) {
            Some(said) => self.say(&said),
            None => self.cut_off(axum::Error::new("the upstream's reply ended before its end")),
        }
    }
}

impl HttpBody for Interpreted {
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
                return Poll::Ready(self.error.take().map(Err));
            }
            match ready!(Pin::new(&mut self.inner).poll_frame(context)) {
                Some(Ok(frame)) => {
                    if let Ok(bytes) = frame.into_data() {
                        self.take(&bytes);
                    }
                }
                Some(Err(error)) => self.cut_off(error),
                None => self.end(),
            }
        }
    }
}

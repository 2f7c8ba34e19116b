//! A reply in another protocol than the client's, translated as it comes.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use everwhen_protocols::EventTranslator;
use http_body::Frame;

/// A body whose events are translated.
pub(crate) struct TranslatedBody {
    inner: Body,
    translator: EventTranslator,
    ready: VecDeque<Bytes>,
    is_over: bool,
    /// What the body ends with, if it was cut off.
    error: Option<axum::Error>,
}

impl TranslatedBody {
    /// Translates a reply into the client's protocol.
    pub(crate) fn body(inner: Body, translator: EventTranslator) -> Body {
        let ready = VecDeque::new();
        Body::new(Self { inner, translator, ready, is_over: false, error: None })
    }

    fn take(&mut self, bytes: &[u8]) {
        let translated = self.translator.push(bytes);
        self.say(translated);
        if self.translator.is_too_long() {
            self.cut_off(axum::Error::new("the upstream sent an event without an end"));
        }
    }

    fn say(&mut self, text: String) {
        self.ready.extend((!text.is_empty()).then(|| Bytes::from(text)));
    }

    fn cut_off(&mut self, error: axum::Error) {
        self.is_over = true;
        self.error = Some(error);
    }

    /// The upstream's body has ended; that of the client ends properly only if the reply did.
    fn end(&mut self) {
        let (translated, is_whole) = self.translator.end();
        self.say(translated);
        self.is_over = true;
        if !is_whole {
            self.cut_off(axum::Error::new(
                "the upstream closed the stream before the reply was complete",
            ));
        }
    }
}

impl HttpBody for TranslatedBody {
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

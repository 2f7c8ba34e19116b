//! Between OpenAI's language and Ollama's, for chats: a client of one may have an upstream of the
//! other.

pub(crate) mod lists;
mod ollama_to_openai;
mod openai_to_ollama;

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use everwhen::UpstreamKind;
use http_body::Frame;
use serde_json::{Value, json};

use super::read;
use super::refusal::Refusal;
use super::relay::{Frames, Framing};
use super::route::{CHAT, OLLAMA_CHAT, Route};
use super::upstream::Answer;
use super::wire::Asked;

/// A translation of one exchange.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Translation {
    /// The client's language; the upstream speaks the other.
    client: UpstreamKind,
    streams: bool,
    /// Whether the client wants the last event to count tokens.
    counts: bool,
}

/// Turns the events of an upstream into those of a client.
trait Interpreter: Send {
    /// What one event says, as events for the client.
    fn event(&mut self, event: &Value) -> Vec<String>;

    /// What is left to say at the end.
    fn end(&mut self) -> Vec<String>;
}

impl Translation {
    /// The translation that is needed, if one is.
    pub(crate) fn between(
        route: &Route,
        upstream: UpstreamKind,
        asked: &Asked<'_>,
    ) -> Option<Self> {
        if route.kind == upstream {
            return None;
        }
        let options = asked.fields.object("stream_options").unwrap_or_default();
        let counts = options.is_true("include_usage");
        Some(Self { client: route.kind, streams: asked.streams, counts })
    }

    /// Where the upstream is asked.
    pub(crate) fn path(&self) -> &'static str {
        if self.is_for_openai() { OLLAMA_CHAT.path } else { CHAT.path }
    }

    fn is_for_openai(&self) -> bool {
        self.client == UpstreamKind::OpenAi
    }

    /// The request in the upstream's language.
    pub(crate) fn request(&self, body: &[u8]) -> Result<Bytes, Refusal> {
        let asked: Value = serde_json::from_slice(body)
            .map_err(|error| Refusal::invalid(format!("the body is not JSON: {error}")))?;
        let written = if self.is_for_openai() {
            openai_to_ollama::request(&asked)
        } else {
            ollama_to_openai::request(&asked, self.streams)
        };
        Ok(written.to_string().into())
    }

    /// The answer in the client's language.
    pub(crate) async fn answer(self, answer: Answer) -> Result<Answer, Refusal> {
        let Answer { status, mut headers, body } = answer;
        headers.remove(CONTENT_LENGTH);
        let kind = match (status.is_success() && self.streams, self.is_for_openai()) {
            (true, true) => "text/event-stream",
            (true, false) => "application/x-ndjson",
            (false, _) => "application/json",
        };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        let body = if status.is_success() && self.streams {
            Interpreted::body(body, self)
        } else {
            let said: Value = serde_json::from_slice(&read(body).await?).unwrap_or_default();
            let told = if status.is_success() { self.whole(&said) } else { self.error(&said) };
            Body::from(told.to_string())
        };
        Ok(Answer { status, headers, body })
    }

    fn whole(&self, said: &Value) -> Value {
        if self.is_for_openai() {
            openai_to_ollama::reply(said)
        } else {
            ollama_to_openai::reply(said)
        }
    }

    fn error(&self, said: &Value) -> Value {
        let message = said["error"]["message"].as_str().or(said["error"].as_str());
        let message = message.unwrap_or("the upstream failed without a word");
        if self.is_for_openai() {
            let kind = "upstream_error";
            json!({ "error": { "message": message, "type": kind, "param": null, "code": null } })
        } else {
            json!({ "error": message })
        }
    }

    fn interpreter(self) -> Box<dyn Interpreter> {
        if self.is_for_openai() {
            Box::new(openai_to_ollama::Events::new(self.counts))
        } else {
            Box::new(ollama_to_openai::Events::default())
        }
    }
}

/// A body whose events are translated as they come.
struct Interpreted {
    inner: Body,
    frames: Frames,
    out: Framing,
    interpreter: Box<dyn Interpreter>,
    ready: VecDeque<Bytes>,
    is_over: bool,
}

impl Interpreted {
    fn body(inner: Body, translation: Translation) -> Body {
        let (into, out) = if translation.is_for_openai() {
            (Framing::Lines, Framing::Events)
        } else {
            (Framing::Events, Framing::Lines)
        };
        Body::new(Self {
            inner,
            frames: Frames::new(into),
            out,
            interpreter: translation.interpreter(),
            ready: VecDeque::new(),
            is_over: false,
        })
    }

    fn take(&mut self, bytes: &[u8]) {
        self.frames.push(bytes);
        while let Some(event) = self.frames.next() {
            let text = String::from_utf8_lossy(&event);
            let data = self.frames.framing.data(&text);
            let event = data.and_then(|data| serde_json::from_str::<Value>(data).ok());
            let said = event.map(|event| self.interpreter.event(&event)).unwrap_or_default();
            self.say(&said);
        }
    }

    fn say(&mut self, events: &[String]) {
        self.ready.extend(events.iter().map(|event| Bytes::from(self.out.write(event))));
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
                return Poll::Ready(None);
            }
            match ready!(Pin::new(&mut self.inner).poll_frame(context)) {
                Some(Ok(frame)) => {
                    if let Ok(bytes) = frame.into_data() {
                        self.take(&bytes);
                    }
                }
                Some(Err(error)) => {
                    self.is_over = true;
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    self.is_over = true;
                    // A last line may come without its end.
                    self.take(b"\n\n");
                    let said = self.interpreter.end();
                    self.say(&said);
                }
            }
        }
    }
}

//! Between OpenAI's language and Ollama's, for chats: a client of one may have an upstream of the
//! other.
//!
//! What one language has no place for is left out: the names of participants (`name`) and settings
//! such as `logit_bias` before an Ollama, thinking in the history and settings such as `num_ctx`
//! before OpenAI's kind. What would change the meaning of a request, such as an image that Ollama
//! cannot fetch, is refused.

mod events;
pub(crate) mod lists;
mod ollama_to_openai;
mod openai_to_ollama;
mod request_calls;

use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use everwhen::UpstreamKind;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::refusal::Refusal;
use super::relay::Framing;
use super::route::{CHAT, OLLAMA_CHAT, Route};
use super::wire::Asked;
use super::wire::completion::fresh_number;
use events::Interpreted;

/// A translation of one exchange.
#[derive(Debug, Clone)]
pub(crate) struct Translation {
    /// The client's language; the upstream speaks the other.
    client: UpstreamKind,
    streams: bool,
    /// Whether the client wants the last event to count tokens.
    counts: bool,
    reply: ReplyId,
}

/// What marks one reply: nothing else has the same number, and clients want to know how long it took.
#[derive(Debug, Clone)]
struct ReplyId {
    number: String,
    asked_at: Timestamp,
    since: Instant,
}

impl ReplyId {
    fn call(&self, index: usize) -> String {
        format!("call_{}_{index}", self.number)
    }
}

/// Turns the events of an upstream into those of a client.
trait Interpreter: Send {
    /// What one event says, as events for the client.
    fn event(&mut self, event: &Value) -> Vec<String>;

    /// What is left to say at the end; nothing if the reply was cut off before its end.
    /// `is_done` says whether the upstream has said that nothing more comes.
    fn end(&mut self, is_done: bool) -> Option<Vec<String>>;
}

impl Translation {
    /// The translation that is needed, if one is.
    pub(crate) fn between(
        route: &Route,
        upstream: UpstreamKind,
        asked: &Asked<'_>,
        now: Timestamp,
    ) -> Option<Self> {
        if route.kind == upstream {
            return None;
        }
        let options = asked.fields.object("stream_options").unwrap_or_default();
        let counts = options.is_true("include_usage");
        let reply = ReplyId { number: fresh_number(now), asked_at: now, since: Instant::now() };
        Some(Self { client: route.kind, streams: asked.streams, counts, reply })
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
            openai_to_ollama::request(&asked)?
        } else {
            ollama_to_openai::request(&asked, self.streams)
        };
        Ok(written.to_string().into())
    }

    /// The headers of the answer in the client's language; answers whether its body comes in
    /// events. An upstream of OpenAI's kind may answer whole although events were wanted.
    pub(crate) fn headers(&self, status: StatusCode, headers: &mut HeaderMap) -> bool {
        let said = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let is_events = self.is_for_openai() || said.and_then(Framing::of).is_some();
        let streams = status.is_success() && self.streams && is_events;
        let kind = match (status.is_success() && self.streams, self.is_for_openai()) {
            (true, true) => "text/event-stream",
            (true, false) => "application/x-ndjson",
            (false, _) => "application/json",
        };
        headers.remove(CONTENT_LENGTH);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        streams
    }

    /// The events of the answer in the client's language.
    pub(crate) fn events(&self, body: Body) -> Body {
        let (frames, out) = if self.is_for_openai() {
            (Framing::Lines, Framing::Events)
        } else {
            (Framing::Events, Framing::Lines)
        };
        Interpreted::body(body, (frames, out), self.interpreter())
    }

    /// A whole reply in the client's language.
    pub(crate) fn whole(&self, said: &str) -> String {
        let said: Value = serde_json::from_str(said).unwrap_or_default();
        if self.is_for_openai() {
            openai_to_ollama::reply(&said, &self.reply).to_string()
        } else {
            ollama_to_openai::reply(&said, &self.reply).to_string()
        }
    }

    /// An error in the client's language.
    pub(crate) fn error(&self, said: &str) -> String {
        let said: Value = serde_json::from_str(said).unwrap_or_default();
        let message = said["error"]["message"].as_str().or(said["error"].as_str());
        let message = message.unwrap_or("the upstream failed and did not say why");
        error(self.client, message).to_string()
    }

    fn interpreter(&self) -> Box<dyn Interpreter> {
        if self.is_for_openai() {
            Box::new(openai_to_ollama::Events::new(self.reply.clone(), self.counts))
        } else {
            Box::new(ollama_to_openai::Events::new(self.reply.clone()))
        }
    }
}

/// An error of an upstream, as a client of this kind expects it.
fn error(client: UpstreamKind, message: &str) -> Value {
    if client == UpstreamKind::OpenAi {
        let kind = "upstream_error";
        json!({ "error": { "message": message, "type": kind, "param": null, "code": null } })
    } else {
        json!({ "error": message })
    }
}

/// The arguments of a call as an object, which Ollama's language has where OpenAI's has text. What
/// is no object, as when a reply was cut off within it, is handed over as it is under a name that
/// no tool knows: a tool that refuses is better than one that runs without its arguments.
fn arguments_as_object(arguments: &Value) -> Value {
    let Some(text) = arguments.as_str() else {
        return if arguments.is_object() { arguments.clone() } else { json!({}) };
    };
    if text.trim().is_empty() {
        return json!({});
    }
    match serde_json::from_str::<Value>(text) {
        Ok(read) if read.is_object() => read,
        _ => json!({ "unreadable_arguments": text }),
    }
}

/// The arguments of a call as text.
fn arguments_as_text(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        Value::Null => "{}".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_cannot_be_read_are_not_taken_for_none() {
        assert_eq!(arguments_as_object(&json!("{\"a\":1}")), json!({ "a": 1 }));
        assert_eq!(arguments_as_object(&json!("")), json!({}));
        assert_eq!(arguments_as_object(&json!("{\"a")), json!({ "unreadable_arguments": "{\"a" }));
        assert_eq!(arguments_as_text(&json!({ "a": 1 })), "{\"a\":1}");
        assert_eq!(arguments_as_text(&json!("{}")), "{}");
        assert_eq!(arguments_as_text(&Value::Null), "{}");
    }
}

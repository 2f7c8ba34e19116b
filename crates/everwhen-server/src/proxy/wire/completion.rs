//! OpenAI's chat completions as we write them ourselves.

use std::sync::atomic::{AtomicU64, Ordering};

use everwhen::ports::Spent;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::proxy::refusal::Refusal;

/// Tells completions of the same moment apart.
static NUMBER: AtomicU64 = AtomicU64::new(1);

/// A number that no other reply has, as text.
pub(crate) fn fresh_number(now: Timestamp) -> String {
    format!("{:x}-{:x}", now.as_microsecond(), NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// What a request sets besides its messages.
pub(crate) struct CompletionOptions {
    pub(crate) model: String,
    pub(crate) streams: bool,
    /// Whether the last event counts tokens.
    pub(crate) counts: bool,
}

#[derive(Deserialize)]
struct CompletionOptionsBody {
    #[serde(default)]
    model: String,
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
}

#[derive(Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

impl CompletionOptions {
    pub(crate) fn read(body: &[u8]) -> Result<Self, Refusal> {
        let read: CompletionOptionsBody = serde_json::from_slice(body)
            .map_err(|error| Refusal::invalid(format!("the body cannot be read: {error}")))?;
        Ok(Self {
            model: read.model,
            streams: read.stream == Some(true),
            counts: read.stream_options.is_some_and(|options| options.include_usage),
        })
    }
}

/// One completion, whole or in events.
pub(crate) struct Completion {
    id: String,
    created: i64,
    model: String,
}

impl Completion {
    pub(crate) fn new(model: &str, now: Timestamp) -> Self {
        let id = format!("chatcmpl-{}", fresh_number(now));
        Self { id, created: now.as_second(), model: model.to_owned() }
    }

    /// All of it.
    pub(crate) fn whole(&self, text: &str, calls: &[Value], spent: Spent) -> String {
        let mut message = json!({ "role": "assistant", "content": text });
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        let choice = json!({ "index": 0, "message": message, "finish_reason": finish(calls) });
        let mut body = self.outline("chat.completion", &[choice]);
        body["usage"] = usage(spent);
        body.to_string()
    }

    /// An event that says a piece.
    pub(crate) fn piece(&self, text: &str) -> String {
        event(&self.chunk(&json!({ "role": "assistant", "content": text }), None))
    }

    /// The events at the end.
    pub(crate) fn end(&self, calls: &[Value], spent: Option<Spent>) -> String {
        let mut events = String::new();
        for (index, call) in calls.iter().enumerate() {
            let mut call = call.clone();
            call["index"] = index.into();
            events.push_str(&event(&self.chunk(&json!({ "tool_calls": [call] }), None)));
        }
        events.push_str(&event(&self.chunk(&json!({}), Some(finish(calls)))));
        if let Some(spent) = spent {
            let mut counted = self.outline("chat.completion.chunk", &[]);
            counted["usage"] = usage(spent);
            events.push_str(&event(&counted));
        }
        events.push_str("data: [DONE]\n\n");
        events
    }

    /// An event that says what went wrong.
    pub(crate) fn failure(&self, message: &str) -> String {
        let kind = "workflow_failed";
        event(
            &json!({ "error": { "message": message, "type": kind, "param": null, "code": kind } }),
        )
    }

    fn chunk(&self, delta: &Value, finish: Option<&str>) -> Value {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
        self.outline("chat.completion.chunk", &[choice])
    }

    fn outline(&self, object: &str, choices: &[Value]) -> Value {
        json!({
            "id": self.id, "object": object, "created": self.created, "model": self.model,
            "choices": choices,
        })
    }
}

/// Why a reply with these calls of tools ends.
fn finish(calls: &[Value]) -> &'static str {
    if calls.is_empty() { "stop" } else { "tool_calls" }
}

fn usage(spent: Spent) -> Value {
    json!({
        "prompt_tokens": spent.input_tokens, "completion_tokens": spent.output_tokens,
        "total_tokens": spent.input_tokens + spent.output_tokens,
    })
}

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

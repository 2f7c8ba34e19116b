//! A client of Ollama's language before an upstream of OpenAI's.

use std::time::Duration;

use everwhen::UpstreamKind;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::request_calls::Calls;
use super::{Interpreter, ReplyId, arguments_as_object, arguments_as_text};

/// Settings that only have another name, or only another place.
const OPTIONS: [(&str, &str); 7] = [
    ("temperature", "temperature"),
    ("top_p", "top_p"),
    ("seed", "seed"),
    ("stop", "stop"),
    ("frequency_penalty", "frequency_penalty"),
    ("presence_penalty", "presence_penalty"),
    ("num_predict", "max_tokens"),
];
/// How images begin in base64, by their type.
const IMAGES: [(&str, &str); 3] =
    [("/9j/", "image/jpeg"), ("R0lGOD", "image/gif"), ("UklGR", "image/webp")];

/// The request.
pub(super) fn request(asked: &Value, streams: bool) -> Value {
    let mut calls = Calls::default();
    let messages = asked["messages"].as_array().into_iter().flatten().enumerate();
    let messages: Vec<Value> =
        messages.map(|(place, said)| message(&mut calls, place, said)).collect();
    let mut written = json!({ "model": asked["model"], "messages": messages, "stream": streams });
    if streams {
        written["stream_options"] = json!({ "include_usage": true });
    }
    for (name, there) in OPTIONS {
        let value = &asked["options"][name];
        // Less than nothing stands for "without a limit".
        let is_unlimited = name == "num_predict" && value.as_i64().is_some_and(|limit| limit < 0);
        if !value.is_null() && !is_unlimited {
            written[there] = value.clone();
        }
    }
    if asked["tools"].as_array().is_some_and(|tools| !tools.is_empty()) {
        written["tools"] = asked["tools"].clone();
    }
    if let Some(format) = response_format(&asked["format"]) {
        written["response_format"] = format;
    }
    // Whether a model thinks at all is no setting there, only how hard it does.
    if let Some(effort) = asked["think"].as_str() {
        written["reasoning_effort"] = json!(effort);
    }
    written
}

fn response_format(wanted: &Value) -> Option<Value> {
    match wanted {
        Value::String(text) if text == "json" => Some(json!({ "type": "json_object" })),
        Value::Object(schema) => {
            let schema = json!({ "name": "format", "schema": schema });
            Some(json!({ "type": "json_schema", "json_schema": schema }))
        }
        _ => None,
    }
}

fn message(calls: &mut Calls, place: usize, said: &Value) -> Value {
    let mut written = json!({ "role": said["role"], "content": content(said) });
    if let Some(made) = said["tool_calls"].as_array().filter(|calls| !calls.is_empty()) {
        let ids = calls.made(place, made);
        written["tool_calls"] =
            made.iter().zip(ids).map(|(call, id)| tool_call(call, &id)).collect();
    }
    if said["role"] == "tool" {
        written["tool_call_id"] = json!(calls.answered(place, said));
    }
    written
}

fn content(said: &Value) -> Value {
    let Some(images) = said["images"].as_array().filter(|images| !images.is_empty()) else {
        return json!(said["content"].as_str().unwrap_or_default());
    };
    let text = json!({ "type": "text", "text": said["content"].as_str().unwrap_or_default() });
    let image = |data: &Value| {
        let url = data_url(data.as_str().unwrap_or_default());
        json!({ "type": "image_url", "image_url": { "url": url } })
    };
    std::iter::once(text).chain(images.iter().map(image)).collect()
}

/// An image with its type, which Ollama's clients leave out.
fn data_url(image: &str) -> String {
    if image.starts_with("data:") {
        return image.to_owned();
    }
    let known = IMAGES.into_iter().find(|(begins, _)| image.starts_with(begins));
    let kind = known.map_or("image/png", |(_, kind)| kind);
    format!("data:{kind};base64,{image}")
}

fn tool_call(call: &Value, id: &str) -> Value {
    let arguments = arguments_as_text(&call["function"]["arguments"]);
    let function = json!({ "name": call["function"]["name"], "arguments": arguments });
    json!({ "id": id, "type": "function", "function": function })
}

/// The whole reply.
pub(super) fn reply(said: &Value, id: &ReplyId) -> Value {
    let choice = &said["choices"][0];
    let said_calls = choice["message"]["tool_calls"].as_array().into_iter().flatten();
    let calls: Vec<Call> = said_calls.map(Call::whole).collect();
    let message = &choice["message"];
    let content = message["content"].as_str().or(message["refusal"].as_str());
    let mut line = line(said, id, content.unwrap_or_default());
    if let Some(thinking) = thinking(message) {
        line["message"]["thinking"] = json!(thinking);
    }
    if !calls.is_empty() {
        line["message"]["tool_calls"] = written(&calls, id);
    }
    let took = Took { before: Duration::ZERO, all: id.since.elapsed() };
    finished(line, choice["finish_reason"].as_str(), &said["usage"], took)
}

/// What a model thought: there are two names for it.
fn thinking(message: &Value) -> Option<&str> {
    let thinking = message["reasoning_content"].as_str().or(message["reasoning"].as_str());
    thinking.filter(|text| !text.is_empty())
}

/// A call of a tool, as far as it has come.
#[derive(Debug, Default)]
struct Call {
    index: u64,
    id: String,
    name: String,
    arguments: String,
}

impl Call {
    fn whole(call: &Value) -> Self {
        let mut one = Self::default();
        one.add(call);
        one
    }

    fn add(&mut self, piece: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if self.id.is_empty() {
            self.id = text(&piece["id"]);
        }
        if self.name.is_empty() {
            self.name = text(&piece["function"]["name"]);
        }
        self.arguments.push_str(&text(&piece["function"]["arguments"]));
    }
}

/// Calls as Ollama has them: each whole, its arguments an object.
fn written(calls: &[Call], id: &ReplyId) -> Value {
    let call = |(index, call): (usize, &Call)| {
        let call_id = if call.id.is_empty() { id.call(index) } else { call.id.clone() };
        let arguments = arguments_as_object(&json!(call.arguments));
        let function = json!({ "index": index, "name": call.name, "arguments": arguments });
        json!({ "id": call_id, "function": function })
    };
    calls.iter().enumerate().map(call).collect()
}

fn line(said: &Value, id: &ReplyId, content: &str) -> Value {
    let made = said["created"].as_i64().and_then(|made| Timestamp::from_second(made).ok());
    json!({
        "model": said["model"],
        "created_at": made.unwrap_or(id.asked_at).to_string(),
        "message": { "role": "assistant", "content": content },
        "done": false,
    })
}

/// How long a reply took, seen from here: clients show how many tokens that is a second.
struct Took {
    /// Until the first of it came.
    before: Duration,
    all: Duration,
}

fn finished(mut line: Value, reason: Option<&str>, usage: &Value, took: Took) -> Value {
    let count = |name: &str| usage[name].as_u64().unwrap_or(0);
    let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1);
    line["done"] = json!(true);
    line["done_reason"] = json!(if reason == Some("length") { "length" } else { "stop" });
    line["prompt_eval_count"] = json!(count("prompt_tokens"));
    line["eval_count"] = json!(count("completion_tokens"));
    line["load_duration"] = json!(0);
    line["total_duration"] = json!(nanos(took.all));
    line["prompt_eval_duration"] = json!(nanos(took.before));
    line["eval_duration"] = json!(nanos(took.all.saturating_sub(took.before)));
    line
}

/// The reply in lines. Calls of tools come in pieces there and whole here; tokens are counted
/// after the end there and in the last line here.
pub(super) struct Events {
    id: ReplyId,
    last: Value,
    reason: Option<String>,
    usage: Value,
    calls: Vec<Call>,
    before: Option<Duration>,
    has_failed: bool,
}

impl Events {
    pub(super) fn new(id: ReplyId) -> Self {
        Self {
            id,
            last: Value::Null,
            reason: None,
            usage: Value::Null,
            calls: Vec::new(),
            before: None,
            has_failed: false,
        }
    }

    /// Adds a piece of a call. Pieces of one call have the same index; a new id under a known index
    /// is another call, of an upstream that does not count them.
    fn call(&mut self, piece: &Value) {
        let index = piece["index"].as_u64().unwrap_or(0);
        let id = piece["id"].as_str().unwrap_or_default();
        let is_same = |call: &&mut Call| {
            call.index == index && (id.is_empty() || call.id.is_empty() || call.id == id)
        };
        match self.calls.iter_mut().rev().find(is_same) {
            Some(call) => call.add(piece),
            None => self.calls.push(Call { index, ..Call::whole(piece) }),
        }
    }
}

impl Interpreter for Events {
    fn event(&mut self, said: &Value) -> Vec<String> {
        if let Some(message) = said["error"]["message"].as_str().or(said["error"].as_str()) {
            self.has_failed = true;
            return vec![super::error(UpstreamKind::Ollama, message).to_string()];
        }
        self.before.get_or_insert_with(|| self.id.since.elapsed());
        self.last = line(said, &self.id, "");
        if !said["usage"].is_null() {
            self.usage = said["usage"].clone();
        }
        let choices = said["choices"].as_array().into_iter().flatten();
        let first = choices.into_iter().find(|choice| choice["index"].as_u64().unwrap_or(0) == 0);
        let Some(choice) = first else { return Vec::new() };
        let reason = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty());
        self.reason = reason.map(Into::into).or(self.reason.take());
        for piece in choice["delta"]["tool_calls"].as_array().into_iter().flatten() {
            self.call(piece);
        }
        let delta = &choice["delta"];
        let content = delta["content"].as_str().or(delta["refusal"].as_str()).unwrap_or_default();
        let thinking = thinking(delta);
        if content.is_empty() && thinking.is_none() {
            return Vec::new();
        }
        let mut line = line(said, &self.id, content);
        if let Some(thinking) = thinking {
            line["message"]["thinking"] = json!(thinking);
        }
        vec![line.to_string()]
    }

    fn end(&mut self, is_done: bool) -> Option<Vec<String>> {
        if self.has_failed {
            // The error was the end.
            return Some(Vec::new());
        }
        if !is_done && self.reason.is_none() {
            return None;
        }
        let mut last = std::mem::take(&mut self.last);
        if last.is_null() {
            last = line(&Value::Null, &self.id, "");
        }
        let mut lines = Vec::new();
        if !self.calls.is_empty() {
            let mut line = last.clone();
            line["message"]["tool_calls"] = written(&self.calls, &self.id);
            lines.push(line.to_string());
        }
        let all = self.id.since.elapsed();
        let took = Took { before: self.before.unwrap_or(all), all };
        lines.push(finished(last, self.reason.as_deref(), &self.usage, took).to_string());
        Some(lines)
    }
}

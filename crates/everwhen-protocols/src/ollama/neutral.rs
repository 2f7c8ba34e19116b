//! Ollama's chat to and from the neutral chat.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::Ollama;
use crate::chat::{arguments_text, set, text_of, write_set};
use crate::format::role;
use crate::reply::CallsSoFar;
use crate::{
    Adapter, ChatMessage, Event, EventWriter, Part, ReplyEvent, ReplyId, Role, Sampling,
    StopReason, ToolCall, Unsupported, Usage,
};

pub(super) fn read_message(said: &Value) -> ChatMessage {
    let role = said["role"].as_str().and_then(role).unwrap_or(Role::User);
    let content = text_of(&said["content"]);
    if role == Role::Tool {
        let name = said["tool_name"].as_str().or(said["name"].as_str());
        let (id, name) = (text_of(&said["tool_call_id"]), name.unwrap_or_default().to_owned());
        return ChatMessage { role, parts: vec![Part::Result { id, name, content }] };
    }
    let thoughts = said["thinking"].as_str().map(|text| Part::Thinking(text.to_owned()));
    let images = said["images"].as_array().into_iter().flatten();
    let images = images.map(|data| Part::image_of_base64(data.as_str().unwrap_or_default()));
    let calls = calls_of(said).map(|call| Part::Call(read_call(call)));
    let parts = thoughts.into_iter().chain([Part::Text(content)]).chain(images).chain(calls);
    ChatMessage { role, parts: parts.collect() }
}

pub(super) fn write_message(place: usize, message: &ChatMessage) -> Result<Value, Unsupported> {
    if let [Part::Result { id, name, content }] = message.parts.as_slice() {
        let mut written = json!({ "role": "tool", "content": content, "tool_call_id": id });
        if !name.is_empty() {
            written["tool_name"] = json!(name);
        }
        return Ok(written);
    }
    let mut written = json!({ "role": message.role.as_str(), "content": message.joined_text() });
    let mut images = Vec::new();
    for part in &message.parts {
        match part {
            Part::Image { data, .. } => images.push(json!(data)),
            Part::ImageUrl(_) => return Err(Unsupported::image_url(place, Ollama.article())),
            Part::Other(kind) => return Err(Unsupported::part(place, kind, Ollama.article())),
            Part::Thinking(text) => written["thinking"] = json!(text),
            Part::Text(_) | Part::Call(_) | Part::Result { .. } => {}
        }
    }
    if !images.is_empty() {
        written["images"] = Value::Array(images);
    }
    let calls: Vec<Value> = message.calls().map(write_call).collect();
    if !calls.is_empty() {
        written["tool_calls"] = Value::Array(calls);
    }
    Ok(written)
}

fn write_call(call: &ToolCall) -> Value {
    let function = json!({ "name": call.name, "arguments": call.arguments_object() });
    json!({ "id": call.id, "function": function })
}

pub(super) fn calls_of(message: &Value) -> impl Iterator<Item = &Value> {
    message["tool_calls"].as_array().into_iter().flatten()
}

/// A call. Older Ollamas give calls no id.
pub(super) fn read_call(call: &Value) -> ToolCall {
    ToolCall {
        id: text_of(&call["id"]),
        name: text_of(&call["function"]["name"]),
        arguments: arguments_text(&call["function"]["arguments"]),
        signature: None,
    }
}

pub(super) fn read_sampling(options: &Value) -> Sampling {
    // A negative number means "without a limit".
    let limit = set(&options["num_predict"]).filter(|limit| limit.as_i64().is_none_or(|n| n >= 0));
    let stop = match &options["stop"] {
        Value::Array(texts) => texts.clone(),
        Value::Null => Vec::new(),
        one => vec![one.clone()],
    };
    Sampling {
        temperature: set(&options["temperature"]),
        top_p: set(&options["top_p"]),
        top_k: set(&options["top_k"]),
        seed: set(&options["seed"]),
        frequency_penalty: set(&options["frequency_penalty"]),
        presence_penalty: set(&options["presence_penalty"]),
        stop,
        max_tokens: limit,
        uses_completion_limit: false,
    }
}

pub(super) fn write_sampling(sampling: &Sampling) -> Value {
    let mut options = json!({});
    let values = [
        ("temperature", &sampling.temperature),
        ("top_p", &sampling.top_p),
        ("top_k", &sampling.top_k),
        ("seed", &sampling.seed),
        ("frequency_penalty", &sampling.frequency_penalty),
        ("presence_penalty", &sampling.presence_penalty),
        ("num_predict", &sampling.max_tokens),
    ];
    write_set(&mut options, &values);
    if !sampling.stop.is_empty() {
        options["stop"] = json!(sampling.stop);
    }
    options
}

pub(super) fn read_created(body: &Value) -> Option<Timestamp> {
    body["created_at"].as_str()?.parse().ok()
}

pub(super) fn read_stop(body: &Value) -> Option<StopReason> {
    Some(match body["done_reason"].as_str()? {
        "stop" => StopReason::End,
        "length" => StopReason::Length,
        _ => StopReason::Other,
    })
}

pub(super) fn read_usage(body: &Value) -> Usage {
    let count = |name: &str| body[name].as_u64().unwrap_or(0);
    Usage { input: count("prompt_eval_count"), output: count("eval_count"), ..Usage::default() }
}

/// Calls as Ollama has them: each whole, its arguments an object.
pub(super) fn write_calls<'c>(calls: impl Iterator<Item = &'c ToolCall>, id: &ReplyId) -> Value {
    let call = |(index, call): (usize, &ToolCall)| {
        let arguments = call.arguments_object();
        let function = json!({ "index": index, "name": call.name, "arguments": arguments });
        json!({ "id": id.call_id(index, call), "function": function })
    };
    calls.enumerate().map(call).collect()
}

pub(super) fn line(id: &ReplyId, model: Option<&str>, created: Timestamp, content: &str) -> Value {
    json!({
        "model": id.model_of(model),
        "created_at": created.to_string(),
        "message": { "role": "assistant", "content": content },
        "done": false,
    })
}

/// The last line. Clients divide the tokens by how long they took, seen from here: until the first
/// piece came, and in all.
pub(super) fn finish(
    mut line: Value,
    stop: Option<StopReason>,
    usage: Usage,
    (before, all): (Duration, Duration),
) -> Value {
    let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1);
    line["done"] = json!(true);
    line["done_reason"] = json!(if stop == Some(StopReason::Length) { "length" } else { "stop" });
    line["prompt_eval_count"] = json!(usage.input);
    line["eval_count"] = json!(usage.output);
    line["load_duration"] = json!(0);
    line["total_duration"] = json!(nanos(all));
    line["prompt_eval_duration"] = json!(nanos(before));
    line["eval_duration"] = json!(nanos(all.saturating_sub(before)));
    line
}

/// Writes a reply in lines. Calls of tools may come in pieces and are whole here, so they are written
/// at the end.
pub(super) struct OllamaEventWriter {
    id: ReplyId,
    model: Option<String>,
    created: Option<Timestamp>,
    calls: CallsSoFar,
    stop: Option<StopReason>,
    usage: Usage,
    /// How long the first piece took.
    before: Option<Duration>,
}

impl OllamaEventWriter {
    pub(super) fn new(id: ReplyId) -> Self {
        Self {
            id,
            model: None,
            created: None,
            calls: CallsSoFar::default(),
            stop: None,
            usage: Usage::default(),
            before: None,
        }
    }

    fn line(&self, content: &str) -> Value {
        line(&self.id, self.model.as_deref(), self.id.created(self.created), content)
    }
}

impl EventWriter for OllamaEventWriter {
    fn event(&mut self, event: &ReplyEvent) -> Vec<Event> {
        self.before.get_or_insert_with(|| self.id.elapsed());
        self.model = event.model.clone().or(self.model.take());
        self.created = event.created.or(self.created);
        self.stop = event.stop.or(self.stop);
        self.usage = self.usage.max(event.usage.unwrap_or_default());
        for piece in &event.calls {
            self.calls.add(piece);
        }
        if event.text.is_empty() && event.thinking.is_empty() {
            return Vec::new();
        }
        let mut line = self.line(&event.text);
        if !event.thinking.is_empty() {
            line["message"]["thinking"] = json!(event.thinking);
        }
        vec![Event::new(line.to_string())]
    }

    fn end(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        if self.calls.len() > 0 {
            let mut line = self.line("");
            line["message"]["tool_calls"] = write_calls(self.calls.calls(), &self.id);
            events.push(Event::new(line.to_string()));
        }
        let all = self.id.elapsed();
        let took = (self.before.unwrap_or(all), all);
        let last = finish(self.line(""), self.stop, self.usage, took);
        events.push(Event::new(last.to_string()));
        events
    }
}

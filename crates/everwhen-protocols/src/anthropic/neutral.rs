//! Messages to and from the neutral chat.

use serde_json::{Value, json};

use super::{Anthropic, ChatMessage, Part, Role, ToolCall, ToolChoice};
use crate::chat::{arguments_text, set, text_of, write_set};
use crate::format::role;
use crate::reply::CallsSoFar;
use crate::{
    Adapter, CallPiece, Event, EventWriter, ReplyEvent, ReplyId, Sampling, StopReason, Unsupported,
    Usage,
};

pub(super) fn read_message(said: &Value) -> ChatMessage {
    let role = said["role"].as_str().and_then(role).unwrap_or(Role::User);
    let parts = match &said["content"] {
        Value::String(text) => vec![Part::Text(text.clone())],
        Value::Array(blocks) => blocks.iter().map(read_block).collect(),
        _ => Vec::new(),
    };
    let has_results = parts.iter().any(|part| matches!(part, Part::Result { .. }));
    ChatMessage { role: if has_results { Role::Tool } else { role }, parts }
}

fn read_block(block: &Value) -> Part {
    let kind = block["type"].as_str().unwrap_or("unknown");
    match kind {
        "text" => Part::Text(text_of(&block["text"])),
        "image" => match block["source"]["url"].as_str() {
            Some(url) => Part::image_of_url(url),
            None => Part::Image {
                media_type: text_of(&block["source"]["media_type"]),
                data: text_of(&block["source"]["data"]),
            },
        },
        "thinking" => Part::Thinking(text_of(&block["thinking"])),
        "redacted_thinking" => Part::Thinking(String::new()),
        "tool_use" => Part::Call(ToolCall {
            id: text_of(&block["id"]),
            name: text_of(&block["name"]),
            arguments: arguments_text(&block["input"]),
            signature: None,
        }),
        "tool_result" => Part::Result {
            id: text_of(&block["tool_use_id"]),
            name: String::new(),
            content: read_message(&json!({ "content": block["content"] })).joined_text(),
        },
        other => Part::Other(other.to_owned()),
    }
}

pub(super) fn write_message(place: usize, message: &ChatMessage) -> Result<Value, Unsupported> {
    let role = if message.role == Role::Assistant { "assistant" } else { "user" };
    if let [Part::Text(text)] = message.parts.as_slice() {
        return Ok(json!({ "role": role, "content": text }));
    }
    let blocks = message.parts.iter().map(|part| write_block(place, part));
    let blocks = blocks.collect::<Result<Vec<_>, _>>()?.into_iter().flatten();
    Ok(json!({ "role": role, "content": blocks.collect::<Vec<_>>() }))
}

fn write_block(place: usize, part: &Part) -> Result<Option<Value>, Unsupported> {
    Ok(match part {
        // Empty blocks are refused there.
        Part::Text(text) if text.is_empty() => None,
        Part::Text(text) => Some(json!({ "type": "text", "text": text })),
        Part::Image { media_type, data } => {
            let source = json!({ "type": "base64", "media_type": media_type, "data": data });
            Some(json!({ "type": "image", "source": source }))
        }
        Part::ImageUrl(url) => {
            Some(json!({ "type": "image", "source": { "type": "url", "url": url } }))
        }
        // Thoughts are taken back only with a signature of Anthropic's own.
        Part::Thinking(_) => None,
        Part::Call(call) => {
            let input = call.arguments_object();
            Some(json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": input }))
        }
        Part::Result { id, content, .. } => {
            Some(json!({ "type": "tool_result", "tool_use_id": id, "content": content }))
        }
        Part::Other(kind) => return Err(Unsupported::part(place, kind, Anthropic.article())),
    })
}

pub(super) fn read_choice(choice: &Value) -> Option<ToolChoice> {
    match choice["type"].as_str()? {
        "auto" => Some(ToolChoice::Auto),
        "none" => Some(ToolChoice::None),
        "any" => Some(ToolChoice::Required),
        "tool" => Some(ToolChoice::Named(text_of(&choice["name"]))),
        _ => None,
    }
}

pub(super) fn write_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!({ "type": "auto" }),
        ToolChoice::None => json!({ "type": "none" }),
        ToolChoice::Required => json!({ "type": "any" }),
        ToolChoice::Named(name) => json!({ "type": "tool", "name": name }),
    }
}

pub(super) fn read_sampling(body: &Value) -> Sampling {
    Sampling {
        temperature: set(&body["temperature"]),
        top_p: set(&body["top_p"]),
        top_k: set(&body["top_k"]),
        stop: body["stop_sequences"].as_array().cloned().unwrap_or_default(),
        max_tokens: set(&body["max_tokens"]),
        ..Sampling::default()
    }
}

/// Writes what Anthropic knows, but for the limit of tokens.
pub(super) fn write_sampling(sampling: &Sampling, body: &mut Value) {
    let values = [
        ("temperature", &sampling.temperature),
        ("top_p", &sampling.top_p),
        ("top_k", &sampling.top_k),
    ];
    write_set(body, &values);
    if !sampling.stop.is_empty() {
        body["stop_sequences"] = json!(sampling.stop);
    }
}

pub(super) fn read_stop(reason: &str) -> StopReason {
    match reason {
        "end_turn" | "stop_sequence" => StopReason::End,
        "max_tokens" => StopReason::Length,
        "tool_use" => StopReason::ToolCalls,
        "refusal" => StopReason::Filtered,
        _ => StopReason::Other,
    }
}

pub(super) fn write_stop(stop: Option<StopReason>, has_calls: bool) -> &'static str {
    match stop {
        Some(StopReason::Filtered) => "refusal",
        _ if has_calls => "tool_use",
        Some(StopReason::Length) => "max_tokens",
        _ => "end_turn",
    }
}

/// What is read from a cache is counted apart here.
pub(super) fn read_usage(usage: &Value) -> Option<Usage> {
    let count = |name: &str| usage[name].as_u64().unwrap_or(0);
    let cached = count("cache_read_input_tokens");
    usage.is_object().then(|| Usage {
        input: count("input_tokens") + cached + count("cache_creation_input_tokens"),
        output: count("output_tokens"),
        cached,
        reasoning: 0,
    })
}

pub(super) fn write_usage(usage: Usage) -> Value {
    let input = usage.input.saturating_sub(usage.cached);
    let mut written = json!({ "input_tokens": input, "output_tokens": usage.output });
    if usage.cached > 0 {
        written["cache_read_input_tokens"] = json!(usage.cached);
    }
    written
}

/// The text, the thought and the piece of a call in an event.
pub(super) fn read_block_pieces(event: &Value) -> (String, String, Option<CallPiece>) {
    let index = event["index"].as_u64();
    let (block, delta) = (&event["content_block"], &event["delta"]);
    let call = match (block["type"].as_str(), delta["type"].as_str()) {
        (Some("tool_use"), _) => Some(ToolCall {
            id: text_of(&block["id"]),
            name: text_of(&block["name"]),
            ..ToolCall::default()
        }),
        (_, Some("input_json_delta")) => {
            Some(ToolCall { arguments: text_of(&delta["partial_json"]), ..ToolCall::default() })
        }
        _ => None,
    };
    let piece = call.map(|call| CallPiece { index, call });
    (text_of(&delta["text"]), text_of(&delta["thinking"]), piece)
}

/// What the open block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Text,
    Thinking,
}

/// Writes a reply as events. Text and thoughts pass as they come; calls of tools are written whole at
/// the end, because pieces of several calls may be mixed where they come from and not here.
pub(super) struct AnthropicEventWriter {
    id: ReplyId,
    has_begun: bool,
    /// The number of the next block, and what the open one holds.
    next: u64,
    open: Option<Block>,
    calls: CallsSoFar,
    stop: Option<StopReason>,
    usage: Usage,
}

fn event(name: &'static str, mut data: Value) -> Event {
    data["type"] = json!(name);
    Event { name: Some(name), data: data.to_string() }
}

impl AnthropicEventWriter {
    pub(super) fn new(id: ReplyId) -> Self {
        Self {
            id,
            has_begun: false,
            next: 0,
            open: None,
            calls: CallsSoFar::default(),
            stop: None,
            usage: Usage::default(),
        }
    }

    fn begin(&mut self, model: Option<&str>, events: &mut Vec<Event>) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        let message = json!({
            "id": format!("msg_{}", self.id.number), "type": "message", "role": "assistant",
            "model": self.id.model_of(model), "content": [], "stop_reason": null,
            "stop_sequence": null, "usage": write_usage(self.usage),
        });
        events.push(event("message_start", json!({ "message": message })));
    }

    fn close(&mut self, events: &mut Vec<Event>) {
        if self.open.take().is_some() {
            events.push(event("content_block_stop", json!({ "index": self.next })));
            self.next += 1;
        }
    }

    /// Says a piece of text or of a thought, in a block of its kind.
    fn say(&mut self, kind: Block, text: &str, events: &mut Vec<Event>) {
        if text.is_empty() {
            return;
        }
        let (empty, delta) = match kind {
            Block::Text => (
                json!({ "type": "text", "text": "" }),
                json!({ "type": "text_delta", "text": text }),
            ),
            Block::Thinking => (
                json!({ "type": "thinking", "thinking": "", "signature": "" }),
                json!({ "type": "thinking_delta", "thinking": text }),
            ),
        };
        if self.open != Some(kind) {
            self.close(events);
            self.open = Some(kind);
            let start = json!({ "index": self.next, "content_block": empty });
            events.push(event("content_block_start", start));
        }
        let delta = json!({ "index": self.next, "delta": delta });
        events.push(event("content_block_delta", delta));
    }

    fn call(&mut self, index: usize, events: &mut Vec<Event>) {
        let Some(call) = self.calls.calls().nth(index) else { return };
        let id = self.id.call_id(index, call);
        let block = json!({ "type": "tool_use", "id": id, "name": call.name, "input": {} });
        let input = call.arguments_object().to_string();
        let delta = json!({ "type": "input_json_delta", "partial_json": input });
        let at = self.next;
        events.push(event("content_block_start", json!({ "index": at, "content_block": block })));
        events.push(event("content_block_delta", json!({ "index": at, "delta": delta })));
        events.push(event("content_block_stop", json!({ "index": at })));
        self.next += 1;
    }
}

impl EventWriter for AnthropicEventWriter {
    fn event(&mut self, said: &ReplyEvent) -> Vec<Event> {
        self.usage = self.usage.max(said.usage.unwrap_or_default());
        self.stop = said.stop.or(self.stop);
        for piece in &said.calls {
            self.calls.add(piece);
        }
        let mut events = Vec::new();
        self.begin(said.model.as_deref(), &mut events);
        self.say(Block::Thinking, &said.thinking, &mut events);
        self.say(Block::Text, &said.text, &mut events);
        events
    }

    fn end(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        self.begin(None, &mut events);
        self.close(&mut events);
        (0..self.calls.len()).for_each(|index| self.call(index, &mut events));
        let stop = write_stop(self.stop, self.calls.len() > 0);
        let delta = json!({ "stop_reason": stop, "stop_sequence": null });
        let usage = write_usage(self.usage);
        events.push(event("message_delta", json!({ "delta": delta, "usage": usage })));
        events.push(event("message_stop", json!({})));
        events
    }
}

//! Messages and replies in the form of each protocol.

use serde_json::{Map, Value, json};

use crate::recorder::Script;
use crate::wire::{Step, ToolCall};

/// A protocol, chosen by the path of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    Chat,
    Anthropic,
    Responses,
    Ollama,
}

impl Protocol {
    pub(crate) fn of(path: &str) -> Self {
        match path {
            path if path.ends_with("/messages") => Self::Anthropic,
            path if path.ends_with("/responses") => Self::Responses,
            path if path.ends_with("/api/chat") => Self::Ollama,
            _ => Self::Chat,
        }
    }

    /// The field of a body that holds the messages.
    pub(crate) fn list(self) -> &'static str {
        if self == Self::Responses { "input" } else { "messages" }
    }

    /// A message of text alone.
    pub(crate) fn message(self, role: &str, text: &str) -> Value {
        if self == Self::Responses {
            let kind = if role == "assistant" { "output_text" } else { "input_text" };
            let content = json!([{ "type": kind, "text": text }]);
            return json!({ "type": "message", "role": role, "content": content });
        }
        json!({ "role": role, "content": text })
    }

    /// What a tool answered.
    pub(crate) fn tool_result(self, call: &ToolCall, text: &str) -> Value {
        match self {
            Self::Chat => json!({ "role": "tool", "tool_call_id": call.id, "content": text }),
            Self::Ollama => json!({ "role": "tool", "tool_name": call.name, "content": text }),
            Self::Anthropic => {
                let block =
                    json!({ "type": "tool_result", "tool_use_id": call.id, "content": text });
                json!({ "role": "user", "content": [block] })
            }
            Self::Responses => {
                json!({ "type": "function_call_output", "call_id": call.id, "output": text })
            }
        }
    }

    /// What a client keeps of a reply: the messages that follow the request in the next one.
    pub(crate) fn kept(self, step: &Step) -> Vec<Value> {
        match self {
            Self::Chat | Self::Ollama => self.reply_message(step).into_iter().collect(),
            Self::Anthropic => {
                let content = blocks(step);
                (!content.is_empty())
                    .then(|| json!({ "role": "assistant", "content": content }))
                    .into_iter()
                    .collect()
            }
            Self::Responses => items(step),
        }
    }

    fn reply_message(self, step: &Step) -> Option<Value> {
        if step.reply.is_none() && step.calls.is_empty() {
            return None;
        }
        let empty = if self == Self::Ollama { json!("") } else { Value::Null };
        let content = step.reply.as_ref().map_or(empty, |text| json!(text));
        let mut message = json!({ "role": "assistant", "content": content });
        if !step.calls.is_empty() {
            let calls: Vec<Value> = step.calls.iter().map(|call| self.call(call)).collect();
            message["tool_calls"] = json!(calls);
        }
        Some(message)
    }

    fn call(self, call: &ToolCall) -> Value {
        if self == Self::Ollama {
            return json!({ "function": { "name": call.name, "arguments": call.arguments } });
        }
        let arguments = Value::Object(call.arguments.clone()).to_string();
        let function = json!({ "name": call.name, "arguments": arguments });
        json!({ "id": call.id, "type": "function", "function": function })
    }

    /// What the upstream answers.
    pub(crate) fn script(self, step: &Step, streams: bool) -> Script {
        if step.status >= 400 {
            let error = json!({ "error": { "message": "overloaded", "type": "server_error" } });
            return Script::json(step.status, &error);
        }
        match (self, streams) {
            (Self::Chat, false) => Script::json(200, &self.completion(step)),
            (Self::Chat, true) => events(&self.chunks(step), true),
            (Self::Anthropic, false) => Script::json(200, &anthropic(step)),
            (Self::Anthropic, true) => events(&anthropic_events(step), false),
            (Self::Responses, false) => Script::json(200, &response(step)),
            (Self::Responses, true) => events(&response_events(step), false),
            (Self::Ollama, _) => self.ollama(step),
        }
    }

    fn completion(self, step: &Step) -> Value {
        let message = self.reply_message(step).unwrap_or_default();
        let reason = if step.calls.is_empty() { "stop" } else { "tool_calls" };
        json!({
            "id": id(step, "chatcmpl-1"), "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{ "index": 0, "message": message, "finish_reason": reason }],
        })
    }

    fn chunks(self, step: &Step) -> Vec<Value> {
        let id = id(step, "chatcmpl-1");
        let chunk = |delta: Value| json!({ "id": id, "choices": [{ "index": 0, "delta": delta }] });
        let mut chunks = vec![chunk(json!({ "role": "assistant", "content": "" }))];
        for piece in pieces(step.reply.as_deref().unwrap_or_default()) {
            chunks.push(chunk(json!({ "content": piece })));
        }
        for (index, call) in step.calls.iter().enumerate() {
            let mut call = self.call(call);
            call["index"] = json!(index);
            chunks.push(chunk(json!({ "tool_calls": [call] })));
        }
        chunks
    }

    fn ollama(self, step: &Step) -> Script {
        let message = self.reply_message(step).unwrap_or_default();
        let line = json!({ "model": "m", "created_at": "2025-06-01T12:00:00Z", "message": message, "done": true });
        Script::stream("application/x-ndjson", &[&format!("{line}\n")])
    }
}

fn id(step: &Step, usual: &str) -> String {
    step.reply_id.clone().unwrap_or_else(|| usual.to_owned())
}

/// A text in two pieces.
fn pieces(text: &str) -> Vec<&str> {
    let middle = text.char_indices().map(|(at, _)| at).nth(text.chars().count() / 2).unwrap_or(0);
    let (first, second) = text.split_at(middle);
    [first, second].into_iter().filter(|piece| !piece.is_empty()).collect()
}

fn events(events: &[Value], has_end: bool) -> Script {
    let mut frames: Vec<String> = events
        .iter()
        .map(|event| match event["type"].as_str() {
            Some(kind) => format!("event: {kind}\ndata: {event}\n\n"),
            None => format!("data: {event}\n\n"),
        })
        .collect();
    if has_end {
        frames.push("data: [DONE]\n\n".into());
    }
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    Script::stream("text/event-stream", &frames)
}

/// The blocks of a reply in Anthropic's form.
fn blocks(step: &Step) -> Vec<Value> {
    let text = step.reply.iter().map(|text| json!({ "type": "text", "text": text }));
    let calls = step.calls.iter().map(|call| {
        json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments })
    });
    text.chain(calls).collect()
}

fn anthropic(step: &Step) -> Value {
    json!({
        "id": id(step, "msg_1"), "type": "message", "role": "assistant", "model": "m",
        "content": blocks(step), "stop_reason": "end_turn", "usage": {},
    })
}

fn anthropic_events(step: &Step) -> Vec<Value> {
    let start =
        json!({ "id": id(step, "msg_1"), "type": "message", "role": "assistant", "content": [] });
    let mut events = vec![json!({ "type": "message_start", "message": start })];
    for (index, block) in blocks(step).into_iter().enumerate() {
        let mut empty = block.clone();
        match block["text"].as_str() {
            Some(text) => {
                empty["text"] = json!("");
                events.push(json!({ "type": "content_block_start", "index": index, "content_block": empty }));
                for piece in pieces(text) {
                    let delta = json!({ "type": "text_delta", "text": piece });
                    events.push(
                        json!({ "type": "content_block_delta", "index": index, "delta": delta }),
                    );
                }
            }
            None => events.push(
                json!({ "type": "content_block_start", "index": index, "content_block": empty }),
            ),
        }
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    events.push(json!({ "type": "message_stop" }));
    events
}

/// The items of a reply in the form of OpenAI's responses.
fn items(step: &Step) -> Vec<Value> {
    let text = step.reply.iter().map(|text| {
        let content = json!([{ "type": "output_text", "text": text }]);
        let id = step.reply_id.as_ref().map(|id| id.replace("resp_", "msg_"));
        match id {
            Some(id) => {
                json!({ "type": "message", "id": id, "role": "assistant", "content": content })
            }
            None => json!({ "type": "message", "role": "assistant", "content": content }),
        }
    });
    let calls = step.calls.iter().map(|call| {
        let arguments = Value::Object(call.arguments.clone()).to_string();
        json!({ "type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments })
    });
    text.chain(calls).collect()
}

fn response(step: &Step) -> Value {
    json!({ "id": id(step, "resp_1"), "object": "response", "status": "completed", "output": items(step) })
}

fn response_events(step: &Step) -> Vec<Value> {
    let start = json!({ "id": id(step, "resp_1"), "object": "response" });
    let mut events = vec![json!({ "type": "response.created", "response": start })];
    for (index, item) in items(step).into_iter().enumerate() {
        events.push(
            json!({ "type": "response.output_item.added", "output_index": index, "item": item }),
        );
        for piece in pieces(item["content"][0]["text"].as_str().unwrap_or_default()) {
            events.push(json!({
                "type": "response.output_text.delta", "output_index": index, "content_index": 0, "delta": piece,
            }));
        }
        events.push(
            json!({ "type": "response.output_item.done", "output_index": index, "item": item }),
        );
    }
    events.push(json!({ "type": "response.completed", "response": response(step) }));
    events
}

/// Fields of several objects; of those with the same name the last counts.
pub(crate) fn merged(objects: &[&Map<String, Value>]) -> Map<String, Value> {
    objects
        .iter()
        .flat_map(|object| object.iter().map(|(name, value)| (name.clone(), value.clone())))
        .collect()
}

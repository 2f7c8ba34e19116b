//! Chat completions to and from the neutral chat.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::OpenAi;
use crate::chat::{arguments_text, set, text_of, write_set};
use crate::format::role;
use crate::reply::CallsSoFar;
use crate::{
    Adapter, CallPiece, ChatMessage, Event, EventWriter, Part, ReplyEvent, ReplyFormat, ReplyId,
    Role, Sampling, StopReason, ToolCall, ToolChoice, Unsupported, Usage,
};

pub(super) fn read_message(said: &Value) -> ChatMessage {
    let role = said["role"].as_str().and_then(role).unwrap_or(Role::User);
    if role == Role::Tool {
        let id = text_of(&said["tool_call_id"]);
        let name = text_of(&said["name"]);
        let content = ChatMessage { role, parts: read_content(&said["content"]) }.joined_text();
        return ChatMessage { role, parts: vec![Part::Result { id, name, content }] };
    }
    let thoughts = thinking(said).map(|text| Part::Thinking(text.to_owned()));
    let calls = said["tool_calls"].as_array().into_iter().flatten();
    let parts = thoughts.into_iter().chain(read_content(&said["content"]));
    let parts = parts.chain(calls.map(|call| Part::Call(read_call(call))));
    ChatMessage { role, parts: parts.collect() }
}

fn read_content(content: &Value) -> Vec<Part> {
    match content {
        Value::String(text) => vec![Part::Text(text.clone())],
        Value::Array(parts) => parts.iter().map(read_part).collect(),
        _ => Vec::new(),
    }
}

fn read_part(part: &Value) -> Part {
    let image = &part["image_url"];
    if !image.is_null() {
        let url = image["url"].as_str().or(image.as_str()).unwrap_or_default();
        return Part::image_of_url(url);
    }
    match part["text"].as_str().or(part["refusal"].as_str()) {
        Some(text) => Part::Text(text.to_owned()),
        None => Part::Other(part["type"].as_str().unwrap_or("unknown").to_owned()),
    }
}

/// The text of a content that is a string or a list of parts, of which texts count.
pub(super) fn said_text(content: &Value, between: &str) -> String {
    let parts = content.as_array().into_iter().flatten();
    let texts =
        parts.filter(|part| part["type"] == "text").filter_map(|part| part["text"].as_str());
    content.as_str().map_or_else(|| texts.collect::<Vec<_>>().join(between), str::to_owned)
}

/// What a model thought: there are two names for it.
pub(super) fn thinking(message: &Value) -> Option<&str> {
    let thinking = message["reasoning_content"].as_str().or(message["reasoning"].as_str());
    thinking.filter(|text| !text.is_empty())
}

/// A call. Google's own servers of this kind put the signature of a call beside it.
pub(super) fn read_call(call: &Value) -> ToolCall {
    let signature = call["extra_content"]["google"]["thought_signature"].as_str();
    ToolCall {
        id: text_of(&call["id"]),
        name: text_of(&call["function"]["name"]),
        arguments: arguments_text(&call["function"]["arguments"]),
        signature: signature.map(str::to_owned),
    }
}

pub(super) fn read_piece(piece: &Value) -> CallPiece {
    let index = Some(piece["index"].as_u64().unwrap_or(0));
    let arguments = text_of(&piece["function"]["arguments"]);
    CallPiece { index, call: ToolCall { arguments, ..read_call(piece) } }
}

pub(super) fn write_call(call: &ToolCall, id: &str) -> Value {
    let function = json!({ "name": call.name, "arguments": call.arguments });
    let mut written = json!({ "id": id, "type": "function", "function": function });
    if let Some(signature) = &call.signature {
        written["extra_content"] = json!({ "google": { "thought_signature": signature } });
    }
    written
}

pub(super) fn write_message(place: usize, message: &ChatMessage) -> Result<Value, Unsupported> {
    if let [Part::Result { id, content, .. }] = message.parts.as_slice() {
        return Ok(json!({ "role": "tool", "content": content, "tool_call_id": id }));
    }
    let mut written =
        json!({ "role": message.role.as_str(), "content": write_content(place, message)? });
    let calls: Vec<Value> = message.calls().map(|call| write_call(call, &call.id)).collect();
    if !calls.is_empty() {
        written["tool_calls"] = Value::Array(calls);
    }
    Ok(written)
}

/// A string, unless there are images: then parts.
fn write_content(place: usize, message: &ChatMessage) -> Result<Value, Unsupported> {
    let is_image = |part: &Part| matches!(part, Part::Image { .. } | Part::ImageUrl(_));
    if let Some(Part::Other(kind)) =
        message.parts.iter().find(|part| matches!(part, Part::Other(_)))
    {
        return Err(Unsupported::part(place, kind, OpenAi.article()));
    }
    if !message.parts.iter().any(is_image) {
        return Ok(json!(message.joined_text()));
    }
    let part = |part: &Part| match part {
        Part::Text(text) => Some(json!({ "type": "text", "text": text })),
        Part::Image { media_type, data } => {
            let url = format!("data:{media_type};base64,{data}");
            Some(json!({ "type": "image_url", "image_url": { "url": url } }))
        }
        Part::ImageUrl(url) => Some(json!({ "type": "image_url", "image_url": { "url": url } })),
        _ => None,
    };
    Ok(message.parts.iter().filter_map(part).collect())
}

pub(super) fn read_choice(choice: &Value) -> Option<ToolChoice> {
    match choice.as_str() {
        Some("auto") => Some(ToolChoice::Auto),
        Some("none") => Some(ToolChoice::None),
        Some("required") => Some(ToolChoice::Required),
        Some(_) => None,
        None => choice["function"]["name"].as_str().map(|name| ToolChoice::Named(name.to_owned())),
    }
}

pub(super) fn write_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Named(name) => json!({ "type": "function", "function": { "name": name } }),
    }
}

pub(super) fn read_format(format: &Value) -> Option<ReplyFormat> {
    match format["type"].as_str()? {
        "json_object" => Some(ReplyFormat::Json),
        "json_schema" => {
            let wanted = &format["json_schema"];
            Some(ReplyFormat::Schema {
                name: text_of(&wanted["name"]),
                schema: wanted["schema"].clone(),
                strict: wanted["strict"] == true,
            })
        }
        _ => None,
    }
}

pub(super) fn write_format(format: &ReplyFormat) -> Value {
    match format {
        ReplyFormat::Json => json!({ "type": "json_object" }),
        ReplyFormat::Schema { name, schema, strict } => {
            let mut schema = json!({ "name": name, "schema": schema });
            if *strict {
                schema["strict"] = json!(true);
            }
            json!({ "type": "json_schema", "json_schema": schema })
        }
    }
}

pub(super) fn read_sampling(body: &Value) -> Sampling {
    let stop = match &body["stop"] {
        Value::Array(texts) => texts.clone(),
        Value::Null => Vec::new(),
        one => vec![one.clone()],
    };
    let newer = set(&body["max_completion_tokens"]);
    Sampling {
        temperature: set(&body["temperature"]),
        top_p: set(&body["top_p"]),
        top_k: set(&body["top_k"]),
        seed: set(&body["seed"]),
        frequency_penalty: set(&body["frequency_penalty"]),
        presence_penalty: set(&body["presence_penalty"]),
        stop,
        uses_completion_limit: newer.is_some(),
        max_tokens: newer.or_else(|| set(&body["max_tokens"])),
    }
}

pub(super) fn write_sampling(sampling: &Sampling, body: &mut Value) {
    let limit = match sampling.uses_completion_limit {
        true => "max_completion_tokens",
        false => "max_tokens",
    };
    let values = [
        ("temperature", &sampling.temperature),
        ("top_p", &sampling.top_p),
        ("seed", &sampling.seed),
        ("frequency_penalty", &sampling.frequency_penalty),
        ("presence_penalty", &sampling.presence_penalty),
        (limit, &sampling.max_tokens),
    ];
    write_set(body, &values);
    if !sampling.stop.is_empty() {
        body["stop"] = json!(sampling.stop);
    }
}

pub(super) fn read_created(body: &Value) -> Option<Timestamp> {
    Timestamp::from_second(body["created"].as_i64()?).ok()
}

pub(super) fn read_stop(reason: &str) -> StopReason {
    match reason {
        "stop" => StopReason::End,
        "length" => StopReason::Length,
        "tool_calls" | "function_call" => StopReason::ToolCalls,
        "content_filter" => StopReason::Filtered,
        _ => StopReason::Other,
    }
}

pub(super) fn write_stop(stop: Option<StopReason>, has_calls: bool) -> &'static str {
    match stop {
        Some(StopReason::Filtered) => "content_filter",
        _ if has_calls => "tool_calls",
        Some(StopReason::Length) => "length",
        _ => "stop",
    }
}

pub(super) fn read_usage(usage: &Value) -> Option<Usage> {
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    usage.is_object().then(|| Usage {
        input: count(&usage["prompt_tokens"]),
        output: count(&usage["completion_tokens"]),
        cached: count(&usage["prompt_tokens_details"]["cached_tokens"]),
        reasoning: count(&usage["completion_tokens_details"]["reasoning_tokens"]),
    })
}

pub(super) fn write_usage(usage: Usage) -> Value {
    let mut written = json!({
        "prompt_tokens": usage.input, "completion_tokens": usage.output,
        "total_tokens": usage.total(),
    });
    if usage.cached > 0 {
        written["prompt_tokens_details"] = json!({ "cached_tokens": usage.cached });
    }
    if usage.reasoning > 0 {
        written["completion_tokens_details"] = json!({ "reasoning_tokens": usage.reasoning });
    }
    written
}

pub(super) fn outline(
    id: &ReplyId,
    model: Option<&str>,
    created: Timestamp,
    object: &str,
) -> Value {
    json!({
        "id": format!("chatcmpl-{}", id.number),
        "object": object,
        "created": created.as_second(),
        "model": id.model_of(model),
    })
}

/// Writes a reply in chunks.
pub(super) struct OpenAiEventWriter {
    pub(super) id: ReplyId,
    pub(super) counts: bool,
    /// The fields that all chunks of a reply have in common, once the first was written.
    pub(super) head: Option<Value>,
    pub(super) calls: CallsSoFar,
    pub(super) usage: Usage,
}

impl OpenAiEventWriter {
    fn delta(&mut self, event: &ReplyEvent, is_first: bool) -> Value {
        let mut delta = json!({ "content": event.text });
        if is_first {
            delta["role"] = json!("assistant");
        }
        if !event.thinking.is_empty() {
            delta["reasoning_content"] = json!(event.thinking);
        }
        let calls: Vec<Value> = event.calls.iter().map(|piece| self.call(piece)).collect();
        if !calls.is_empty() {
            delta["tool_calls"] = Value::Array(calls);
        }
        delta
    }

    /// A piece of a call; the first of each says which call it is.
    fn call(&mut self, piece: &CallPiece) -> Value {
        let before = self.calls.len();
        let index = self.calls.add(piece);
        if index < before {
            let function = json!({ "arguments": piece.call.arguments });
            return json!({ "index": index, "function": function });
        }
        let mut written = write_call(&piece.call, &self.id.call_id(index, &piece.call));
        written["index"] = json!(index);
        written
    }
}

impl EventWriter for OpenAiEventWriter {
    fn event(&mut self, event: &ReplyEvent) -> Vec<Event> {
        self.usage = self.usage.max(event.usage.unwrap_or_default());
        let says = !event.text.is_empty() || !event.thinking.is_empty() || !event.calls.is_empty();
        if !says && event.stop.is_none() {
            return Vec::new();
        }
        let is_first = self.head.is_none();
        let delta = self.delta(event, is_first);
        let head = self.head.get_or_insert_with(|| {
            let created = self.id.created(event.created);
            outline(&self.id, event.model.as_deref(), created, "chat.completion.chunk")
        });
        let finish = event.stop.map(|stop| write_stop(Some(stop), self.calls.len() > 0));
        let mut chunk = head.clone();
        chunk["choices"] = json!([{ "index": 0, "delta": delta, "finish_reason": finish }]);
        vec![Event::new(chunk.to_string())]
    }

    fn end(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        if self.counts {
            let head = self.head.clone().unwrap_or_else(|| {
                outline(&self.id, None, self.id.asked_at, "chat.completion.chunk")
            });
            let mut chunk = head;
            chunk["choices"] = json!([]);
            chunk["usage"] = write_usage(self.usage);
            events.push(Event::new(chunk.to_string()));
        }
        events.push(Event::new("[DONE]"));
        events
    }
}

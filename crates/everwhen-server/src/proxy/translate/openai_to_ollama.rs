//! A client of OpenAI's language before an Ollama.

use everwhen::UpstreamKind;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::super::refusal::Refusal;
use super::request_calls::Calls;
use super::{Interpreter, ReplyId, arguments_as_object, arguments_as_text};

/// Settings that only have another name, or only another place.
const OPTIONS: [(&str, &str); 8] = [
    ("temperature", "temperature"),
    ("top_p", "top_p"),
    ("seed", "seed"),
    ("stop", "stop"),
    ("frequency_penalty", "frequency_penalty"),
    ("presence_penalty", "presence_penalty"),
    ("max_tokens", "num_predict"),
    ("max_completion_tokens", "num_predict"),
];

/// The request.
pub(super) fn request(asked: &Value) -> Result<Value, Refusal> {
    let mut written = json!({
        "model": asked["model"],
        "messages": messages(asked)?,
        "stream": asked["stream"].as_bool().unwrap_or(false),
    });
    let options = options(asked);
    if !options.is_empty() {
        written["options"] = Value::Object(options);
    }
    if asked["tools"].is_array() && asked["tool_choice"] != "none" {
        written["tools"] = asked["tools"].clone();
    }
    if let Some(format) = format(&asked["response_format"]) {
        written["format"] = format;
    }
    let effort = asked["reasoning_effort"].as_str().or(asked["reasoning"]["effort"].as_str());
    if let Some(effort) = effort {
        written["think"] = if effort == "none" { json!(false) } else { json!(effort) };
    }
    Ok(written)
}

fn options(asked: &Value) -> Map<String, Value> {
    let given = OPTIONS.into_iter().filter(|(name, _)| !asked[name].is_null());
    let option = |(name, there): (&str, &str)| {
        // One text may stand for a list of them there, and not here.
        let value = match &asked[name] {
            Value::String(text) if name == "stop" => json!([text]),
            other => other.clone(),
        };
        (there.to_owned(), value)
    };
    given.map(option).collect()
}

fn format(wanted: &Value) -> Option<Value> {
    match wanted["type"].as_str()? {
        "json_object" => Some(json!("json")),
        "json_schema" => Some(wanted["json_schema"]["schema"].clone()),
        _ => None,
    }
}

fn messages(asked: &Value) -> Result<Vec<Value>, Refusal> {
    let mut calls = Calls::default();
    let all = asked["messages"].as_array().into_iter().flatten().enumerate();
    all.map(|(place, said)| message(&mut calls, place, said)).collect()
}

fn message(calls: &mut Calls, place: usize, said: &Value) -> Result<Value, Refusal> {
    let (words, images) = content(place, &said["content"])?;
    let mut written = json!({ "role": role(&said["role"]), "content": words });
    if !images.is_empty() {
        written["images"] = Value::Array(images);
    }
    if let Some(thinking) = said["reasoning_content"].as_str().or(said["reasoning"].as_str()) {
        written["thinking"] = json!(thinking);
    }
    if let Some(made) = said["tool_calls"].as_array() {
        let ids = calls.made(place, made);
        written["tool_calls"] =
            made.iter().zip(ids).map(|(call, id)| tool_call(call, &id)).collect();
    }
    if written["role"] == "tool" {
        written["tool_call_id"] = json!(calls.answered(place, said));
        if let Some(tool) = calls.tool(said) {
            written["tool_name"] = json!(tool);
        }
    }
    Ok(written)
}

fn role(role: &Value) -> Value {
    match role.as_str() {
        Some("developer") => json!("system"),
        Some("function") => json!("tool"),
        _ => role.clone(),
    }
}

/// The words and the images of a content.
fn content(place: usize, content: &Value) -> Result<(String, Vec<Value>), Refusal> {
    let (mut words, mut images) = (Vec::new(), Vec::new());
    match content {
        Value::String(text) => words.push(text.as_str()),
        Value::Array(parts) => {
            for part in parts {
                if !part["image_url"].is_null() {
                    images.push(image(place, &part["image_url"])?);
                } else if let Some(text) = part["text"].as_str().or(part["refusal"].as_str()) {
                    words.push(text);
                } else {
                    let kind = part["type"].as_str().unwrap_or("unknown");
                    return Err(Refusal::invalid(format!(
                        "messages[{place}] has a part of type {kind:?}, which an Ollama upstream \
                         does not take; it takes text and image_url"
                    )));
                }
            }
        }
        _ => {}
    }
    Ok((words.join("\n"), images))
}

/// An image that is in the request itself; Ollama fetches none.
fn image(place: usize, image: &Value) -> Result<Value, Refusal> {
    let url = image["url"].as_str().or(image.as_str()).unwrap_or_default();
    let data = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    data.map(|(_, data)| json!(data)).ok_or_else(|| {
        Refusal::invalid(format!(
            "messages[{place}] has an image by its address, which an Ollama upstream does not \
             fetch; send it as data:image/png;base64,…"
        ))
    })
}

fn tool_call(call: &Value, id: &str) -> Value {
    let arguments = arguments_as_object(&call["function"]["arguments"]);
    json!({ "id": id, "function": { "name": call["function"]["name"], "arguments": arguments } })
}

/// The whole reply.
pub(super) fn reply(said: &Value, id: &ReplyId) -> Value {
    let content = said["message"]["content"].as_str().unwrap_or_default();
    let mut message = json!({ "role": "assistant", "content": content });
    if let Some(thinking) = thinking(said) {
        message["reasoning_content"] = json!(thinking);
    }
    let calls = tool_calls(&said["message"]["tool_calls"], id, 0);
    let finish = finish(said, !calls.is_empty());
    if !calls.is_empty() {
        message["tool_calls"] = calls.into_iter().map(without_index).collect();
    }
    let mut reply = envelope(said, id, created(said, id), "chat.completion");
    reply["choices"] = json!([{ "index": 0, "message": message, "finish_reason": finish }]);
    reply["usage"] = usage(said);
    reply
}

fn thinking(said: &Value) -> Option<&str> {
    said["message"]["thinking"].as_str().filter(|text| !text.is_empty())
}

fn created(said: &Value, id: &ReplyId) -> i64 {
    let made = said["created_at"].as_str().and_then(|text| text.parse::<Timestamp>().ok());
    made.unwrap_or(id.asked_at).as_second()
}

fn envelope(said: &Value, id: &ReplyId, created: i64, object: &str) -> Value {
    json!({
        "id": format!("chatcmpl-{}", id.number),
        "object": object,
        "created": created,
        "model": said["model"],
    })
}

fn finish(said: &Value, calls: bool) -> &str {
    match said["done_reason"].as_str() {
        _ if calls => "tool_calls",
        Some("length") => "length",
        _ => "stop",
    }
}

fn usage(said: &Value) -> Value {
    let count = |name: &str| said[name].as_u64().unwrap_or(0);
    let (asked, answered) = (count("prompt_eval_count"), count("eval_count"));
    json!({
        "prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered,
    })
}

/// Calls as pieces of a stream, which are numbered through the whole reply, from `first` on. Older
/// Ollamas give calls no id; then each gets its own.
fn tool_calls(calls: &Value, id: &ReplyId, first: usize) -> Vec<Value> {
    let calls = (first..).zip(calls.as_array().into_iter().flatten());
    let written = calls.map(|(index, call)| {
        let given = call["id"].as_str().filter(|id| !id.is_empty());
        let call_id = given.map_or_else(|| id.call(index), ToOwned::to_owned);
        let arguments = arguments_as_text(&call["function"]["arguments"]);
        let function = json!({ "name": call["function"]["name"], "arguments": arguments });
        json!({ "index": index, "id": call_id, "type": "function", "function": function })
    });
    written.collect()
}

fn without_index(mut call: Value) -> Value {
    call.as_object_mut().and_then(|call| call.remove("index"));
    call
}

/// The reply in events.
pub(super) struct Events {
    id: ReplyId,
    /// When the first event was made; all of a reply have the same time.
    created: Option<i64>,
    counts: bool,
    /// Calls so far.
    calls: usize,
    is_done: bool,
    has_failed: bool,
}

impl Events {
    /// Events that end with a count of tokens, if the client wants it.
    pub(super) fn new(id: ReplyId, counts: bool) -> Self {
        Self { id, created: None, counts, calls: 0, is_done: false, has_failed: false }
    }

    fn delta(&mut self, said: &Value) -> Value {
        let content = said["message"]["content"].as_str().unwrap_or_default();
        let mut delta = json!({ "content": content });
        if self.created.is_none() {
            delta["role"] = json!("assistant");
        }
        if let Some(thinking) = thinking(said) {
            delta["reasoning_content"] = json!(thinking);
        }
        let calls = tool_calls(&said["message"]["tool_calls"], &self.id, self.calls);
        if !calls.is_empty() {
            self.calls += calls.len();
            delta["tool_calls"] = Value::Array(calls);
        }
        delta
    }
}

impl Interpreter for Events {
    fn event(&mut self, said: &Value) -> Vec<String> {
        if let Some(message) = said["error"].as_str() {
            self.has_failed = true;
            return vec![super::error(UpstreamKind::OpenAi, message).to_string()];
        }
        let delta = self.delta(said);
        let created = *self.created.get_or_insert_with(|| created(said, &self.id));
        let mut chunk = envelope(said, &self.id, created, "chat.completion.chunk");
        let is_last = said["done"].as_bool().unwrap_or(false);
        self.is_done |= is_last;
        let finish = is_last.then(|| finish(said, self.calls > 0));
        chunk["choices"] = json!([{ "index": 0, "delta": delta, "finish_reason": finish }]);
        let mut events = vec![chunk.to_string()];
        if is_last && self.counts {
            chunk["choices"] = json!([]);
            chunk["usage"] = usage(said);
            events.push(chunk.to_string());
        }
        events
    }

    fn end(&mut self, _: bool) -> Option<Vec<String>> {
        match (self.has_failed, self.is_done) {
            // The error was the end.
            (true, _) => Some(Vec::new()),
            (false, true) => Some(vec!["[DONE]".to_owned()]),
            (false, false) => None,
        }
    }
}

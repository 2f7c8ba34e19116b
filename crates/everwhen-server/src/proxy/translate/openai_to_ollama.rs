//! A client of OpenAI's language before an Ollama.

use serde_json::{Map, Value, json};

use super::Interpreter;

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
pub(super) fn request(asked: &Value) -> Value {
    let messages = asked["messages"].as_array();
    let mut written = json!({
        "model": asked["model"],
        "messages": messages.into_iter().flatten().map(message).collect::<Vec<_>>(),
        "stream": asked["stream"].as_bool().unwrap_or(false),
    });
    let given = OPTIONS.into_iter().filter(|(name, _)| !asked[name].is_null());
    let options: Map<String, Value> =
        given.map(|(name, there)| (there.to_owned(), asked[name].clone())).collect();
    if !options.is_empty() {
        written["options"] = Value::Object(options);
    }
    if asked["tools"].is_array() {
        written["tools"] = asked["tools"].clone();
    }
    if let Some(format) = format(&asked["response_format"]) {
        written["format"] = format;
    }
    written
}

fn format(wanted: &Value) -> Option<Value> {
    match wanted["type"].as_str()? {
        "json_object" => Some(json!("json")),
        "json_schema" => Some(wanted["json_schema"]["schema"].clone()),
        _ => None,
    }
}

fn message(said: &Value) -> Value {
    let mut written = json!({ "role": role(&said["role"]), "content": words(&said["content"]) });
    let images = images(&said["content"]);
    if !images.is_empty() {
        written["images"] = Value::Array(images);
    }
    if let Some(calls) = said["tool_calls"].as_array() {
        written["tool_calls"] = calls.iter().map(tool_call).collect();
    }
    if let Some(name) = said["name"].as_str() {
        written["tool_name"] = json!(name);
    }
    written
}

fn role(role: &Value) -> Value {
    match role.as_str() {
        Some("developer") => json!("system"),
        _ => role.clone(),
    }
}

fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

/// Images that are in the request itself; Ollama fetches none.
fn images(content: &Value) -> Vec<Value> {
    let parts = content.as_array().into_iter().flatten();
    let urls = parts.filter_map(|part| part["image_url"]["url"].as_str());
    urls.filter_map(|url| Some(json!(url.split_once(";base64,")?.1))).collect()
}

/// Arguments are text there and an object here.
fn tool_call(call: &Value) -> Value {
    let arguments = call["function"]["arguments"].as_str().unwrap_or("{}");
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
    json!({ "function": { "name": call["function"]["name"], "arguments": arguments } })
}

/// The whole reply.
pub(super) fn reply(said: &Value) -> Value {
    let mut message = json!({ "role": "assistant", "content": said["message"]["content"] });
    if let Some(thinking) = said["message"]["thinking"].as_str() {
        message["reasoning_content"] = json!(thinking);
    }
    let calls = tool_calls(&said["message"]["tool_calls"]);
    let finish = finish(said, !calls.is_empty());
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    let mut reply = envelope(said, "chat.completion");
    reply["choices"] = json!([{ "index": 0, "message": message, "finish_reason": finish }]);
    reply["usage"] = usage(said);
    reply
}

fn envelope(said: &Value, object: &str) -> Value {
    let made = said["created_at"].as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok());
    let made = made.unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    json!({
        "id": format!("chatcmpl-{}", made.as_nanosecond()),
        "object": object,
        "created": made.as_second(),
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

fn tool_calls(calls: &Value) -> Vec<Value> {
    let calls = calls.as_array().into_iter().flatten().enumerate();
    let written = calls.map(|(index, call)| {
        let arguments = call["function"]["arguments"].to_string();
        let function = json!({ "name": call["function"]["name"], "arguments": arguments });
        json!({ "index": index, "id": format!("call_{index}"), "type": "function", "function": function })
    });
    written.collect()
}

/// The reply in events.
pub(super) struct Events {
    begun: bool,
    counts: bool,
    calls: bool,
}

impl Events {
    /// Events that end with a count of tokens, if the client wants it.
    pub(super) fn new(counts: bool) -> Self {
        Self { begun: false, counts, calls: false }
    }
}

impl Interpreter for Events {
    fn event(&mut self, said: &Value) -> Vec<String> {
        if said["error"].is_string() {
            return vec![json!({ "error": { "message": said["error"] } }).to_string()];
        }
        let mut events = Vec::new();
        let mut delta = json!({ "content": said["message"]["content"] });
        if !std::mem::replace(&mut self.begun, true) {
            delta["role"] = json!("assistant");
        }
        if let Some(thinking) = said["message"]["thinking"].as_str() {
            delta["reasoning_content"] = json!(thinking);
        }
        let calls = tool_calls(&said["message"]["tool_calls"]);
        if !calls.is_empty() {
            self.calls = true;
            delta["tool_calls"] = Value::Array(calls);
        }
        let is_last = said["done"].as_bool().unwrap_or(false);
        let mut chunk = envelope(said, "chat.completion.chunk");
        let finish = is_last.then(|| finish(said, self.calls));
        chunk["choices"] = json!([{ "index": 0, "delta": delta, "finish_reason": finish }]);
        events.push(chunk.to_string());
        if is_last && self.counts {
            chunk["choices"] = json!([]);
            chunk["usage"] = usage(said);
            events.push(chunk.to_string());
        }
        events
    }

    fn end(&mut self) -> Vec<String> {
        vec!["[DONE]".to_owned()]
    }
}

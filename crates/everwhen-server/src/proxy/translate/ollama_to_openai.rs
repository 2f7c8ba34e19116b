//! A client of Ollama's language before an upstream of OpenAI's.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Interpreter;

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

/// The request.
pub(super) fn request(asked: &Value, streams: bool) -> Value {
    let messages = asked["messages"].as_array().into_iter().flatten();
    let mut written = json!({
        "model": asked["model"],
        "messages": messages.enumerate().map(message).collect::<Vec<_>>(),
        "stream": streams,
    });
    if streams {
        written["stream_options"] = json!({ "include_usage": true });
    }
    for (name, there) in OPTIONS {
        if !asked["options"][name].is_null() {
            written[there] = asked["options"][name].clone();
        }
    }
    if asked["tools"].as_array().is_some_and(|tools| !tools.is_empty()) {
        written["tools"] = asked["tools"].clone();
    }
    match &asked["format"] {
        Value::String(text) if text == "json" => {
            written["response_format"] = json!({ "type": "json_object" });
        }
        Value::Object(schema) => {
            let schema = json!({ "name": "format", "schema": schema });
            written["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
        }
        _ => {}
    }
    written
}

fn message((place, said): (usize, &Value)) -> Value {
    let mut written = json!({ "role": said["role"], "content": content(said) });
    if let Some(calls) = said["tool_calls"].as_array() {
        let calls = calls.iter().enumerate();
        written["tool_calls"] =
            calls.map(|(number, call)| tool_call(place, number, call)).collect();
    }
    if said["role"] == "tool" {
        // Ollama's results follow their calls without naming them.
        written["tool_call_id"] = json!(call_id(place.saturating_sub(1), 0));
    }
    written
}

fn content(said: &Value) -> Value {
    let Some(images) = said["images"].as_array().filter(|images| !images.is_empty()) else {
        return said["content"].clone();
    };
    let text = json!({ "type": "text", "text": said["content"] });
    let image = |data: &Value| {
        let url = format!("data:image/png;base64,{}", data.as_str().unwrap_or_default());
        json!({ "type": "image_url", "image_url": { "url": url } })
    };
    std::iter::once(text).chain(images.iter().map(image)).collect()
}

fn call_id(message: usize, number: usize) -> String {
    format!("call_{message}_{number}")
}

fn tool_call(place: usize, number: usize, call: &Value) -> Value {
    let arguments = call["function"]["arguments"].to_string();
    let function = json!({ "name": call["function"]["name"], "arguments": arguments });
    json!({ "id": call_id(place, number), "type": "function", "function": function })
}

/// The whole reply.
pub(super) fn reply(said: &Value) -> Value {
    let choice = &said["choices"][0];
    let said_calls = choice["message"]["tool_calls"].as_array().into_iter().flatten();
    let calls: Vec<Value> = said_calls
        .map(|call| called(&call["function"]["name"], call["function"]["arguments"].as_str()))
        .collect();
    let content = choice["message"]["content"].as_str().unwrap_or_default();
    let mut line = line(said, content);
    if let Some(thinking) = choice["message"]["reasoning_content"].as_str() {
        line["message"]["thinking"] = json!(thinking);
    }
    if !calls.is_empty() {
        line["message"]["tool_calls"] = Value::Array(calls);
    }
    finished(line, choice["finish_reason"].as_str(), &said["usage"])
}

/// A call, its arguments an object as Ollama's clients expect.
fn called(name: &Value, arguments: Option<&str>) -> Value {
    let arguments: Value = serde_json::from_str(arguments.unwrap_or("{}")).unwrap_or_default();
    json!({ "function": { "name": name, "arguments": arguments } })
}

fn line(said: &Value, content: &str) -> Value {
    let made = jiff::Timestamp::from_second(said["created"].as_i64().unwrap_or(0));
    json!({
        "model": said["model"],
        "created_at": made.unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string(),
        "message": { "role": "assistant", "content": content },
        "done": false,
    })
}

fn finished(mut line: Value, reason: Option<&str>, usage: &Value) -> Value {
    let count = |name: &str| usage[name].as_u64().unwrap_or(0);
    line["done"] = json!(true);
    line["done_reason"] = json!(if reason == Some("length") { "length" } else { "stop" });
    line["prompt_eval_count"] = json!(count("prompt_tokens"));
    line["eval_count"] = json!(count("completion_tokens"));
    for name in ["total_duration", "load_duration", "prompt_eval_duration", "eval_duration"] {
        line[name] = json!(0);
    }
    line
}

/// The reply in lines. Calls of tools come in pieces there and whole here; tokens are counted
/// after the end there and in the last line here.
#[derive(Default)]
pub(super) struct Events {
    last: Value,
    reason: Option<String>,
    usage: Value,
    calls: BTreeMap<u64, (String, String)>,
}

impl Interpreter for Events {
    fn event(&mut self, said: &Value) -> Vec<String> {
        if let Some(message) = said["error"]["message"].as_str() {
            return vec![json!({ "error": message }).to_string()];
        }
        self.last = line(said, "");
        if !said["usage"].is_null() {
            self.usage = said["usage"].clone();
        }
        let choice = &said["choices"][0];
        self.reason = choice["finish_reason"].as_str().map(Into::into).or(self.reason.take());
        for call in choice["delta"]["tool_calls"].as_array().into_iter().flatten() {
            let one = self.calls.entry(call["index"].as_u64().unwrap_or(0)).or_default();
            one.0.push_str(call["function"]["name"].as_str().unwrap_or_default());
            one.1.push_str(call["function"]["arguments"].as_str().unwrap_or_default());
        }
        let content = choice["delta"]["content"].as_str().unwrap_or_default();
        let thinking = choice["delta"]["reasoning_content"].as_str();
        if content.is_empty() && thinking.is_none() {
            return Vec::new();
        }
        let mut line = line(said, content);
        if let Some(thinking) = thinking {
            line["message"]["thinking"] = json!(thinking);
        }
        vec![line.to_string()]
    }

    fn end(&mut self) -> Vec<String> {
        let mut line = std::mem::take(&mut self.last);
        if line.is_null() {
            line = self::line(&Value::Null, "");
        }
        let calls = std::mem::take(&mut self.calls).into_values();
        let calls: Vec<Value> =
            calls.map(|(name, arguments)| called(&json!(name), Some(&arguments))).collect();
        if !calls.is_empty() {
            line["message"]["tool_calls"] = Value::Array(calls);
        }
        vec![finished(line, self.reason.as_deref(), &self.usage).to_string()]
    }
}

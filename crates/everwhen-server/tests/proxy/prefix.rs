//! What a provider's prompt cache sees of a request: its beginning, up to the last message.

use serde_json::{Value, json};

/// The beginning of a request as a provider reads it: tools, instructions, then the messages of the
/// field `list`, without marks for its cache, a text like one part.
pub(crate) fn of(list: &str, body: &str) -> Vec<u8> {
    let body: Value = serde_json::from_str(body).unwrap();
    let mut messages = body[list].clone();
    for message in messages.as_array_mut().unwrap() {
        if message["content"].is_string() {
            message["content"] = json!([{ "type": "text", "text": message["content"] }]);
        }
        for part in message["content"].as_array_mut().into_iter().flatten() {
            part.as_object_mut().unwrap().remove("cache_control");
        }
    }
    let before = json!([body["tools"], body["system"], body["instructions"]]);
    let mut text = format!("{before}{messages}").into_bytes();
    text.pop();
    text
}

/// The share of one beginning that the next one still begins with.
pub(crate) fn share(before: &[u8], after: &[u8]) -> f64 {
    let kept = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    kept as f64 / before.len() as f64
}

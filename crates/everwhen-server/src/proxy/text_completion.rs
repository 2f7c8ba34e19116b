//! Text completions of workflows: the prompt becomes a chat, and the reply to it a completion.
//!
//! A prompt may mark who speaks with WilmerAI's tags (`[Beg_Sys]`, `[Beg_User]`, `[Beg_Assistant]`);
//! without tags it is one message of the user.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, Uri};
use axum::response::Response;
use everwhen_protocols::{ChatEndpoint, Effect, Protocol};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use super::{ProxyState, exchange, read, workflow};

/// Tags of speakers, and their roles.
const TAGS: [(&str, &str); 4] = [
    ("[Beg_SysMes]", "system"),
    ("[Beg_Sys]", "system"),
    ("[Beg_User]", "user"),
    ("[Beg_Assistant]", "assistant"),
];

/// Answers a text completion of a workflow; any other request is handed back.
pub(super) async fn answer(
    state: &ProxyState,
    chat: &'static ChatEndpoint,
    memory: Option<&str>,
    request: Request,
) -> Result<Response, Request> {
    let (kind, path, name) = match chat.name {
        "completions" => (Protocol::OpenAi, "/v1/chat/completions", "chat"),
        "ollama-generate" => (Protocol::Ollama, "/api/chat", "ollama-chat"),
        _ => return Err(request),
    };
    let (mut parts, body) = request.into_parts();
    let body = match read(body).await {
        Ok(body) => body,
        Err(refusal) => return Ok(refusal.told(kind)),
    };
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    let known = asked["model"].as_str().is_some_and(|model| workflow::is_known(state, model));
    let Some(target) = chat_endpoint(kind, name).filter(|_| known) else {
        return Err(Request::from_parts(parts, Body::from(body)));
    };
    parts.uri = Uri::from_static(path);
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let request = Request::from_parts(parts, Body::from(as_chat(asked).to_string()));
    Ok(match exchange(state, target, memory, request).await {
        Ok(response) if response.status().is_success() => as_completion(response, kind).await,
        Ok(response) => response,
        Err(refusal) => refusal.told(kind),
    })
}

fn chat_endpoint(kind: Protocol, name: &str) -> Option<&'static ChatEndpoint> {
    kind.adapter().endpoints().iter().find_map(|one| match one.effect("POST") {
        Some(Effect::Chat(chat)) if chat.name == name => Some(chat),
        _ => None,
    })
}

/// The request as a chat.
fn as_chat(mut asked: Value) -> Value {
    let prompt = match &asked["prompt"] {
        Value::Array(prompts) => prompts.first().cloned().unwrap_or_default(),
        prompt => prompt.clone(),
    };
    let system = asked["system"].as_str().map(|text| json!({ "role": "system", "content": text }));
    let mut messages: Vec<Value> = system.into_iter().collect();
    messages.extend(spoken(prompt.as_str().unwrap_or_default()));
    if let (false, Some(last)) = (asked["images"].is_null(), messages.last_mut()) {
        last["images"] = asked["images"].clone();
    }
    if let Value::Object(fields) = &mut asked {
        for name in ["prompt", "system", "images", "suffix", "template", "context", "raw"] {
            fields.remove(name);
        }
    }
    asked["messages"] = messages.into();
    asked
}

/// The messages of a prompt.
fn spoken(prompt: &str) -> Vec<Value> {
    let mut marks: Vec<(usize, usize, &str)> = Vec::new();
    for (tag, role) in TAGS {
        marks.extend(prompt.match_indices(tag).map(|(at, tag)| (at, at + tag.len(), role)));
    }
    marks.sort_unstable();
    let first = marks.first().map_or(prompt.len(), |(at, ..)| *at);
    let message = |role: &str, text: &str| {
        let text = text.trim();
        (!text.is_empty()).then(|| json!({ "role": role, "content": text }))
    };
    let mut messages: Vec<Value> = message("user", &prompt[..first]).into_iter().collect();
    for (place, (_, begin, role)) in marks.iter().enumerate() {
        let end = marks.get(place + 1).map_or(prompt.len(), |(at, ..)| *at);
        messages.extend(message(role, &prompt[*begin..end]));
    }
    messages
}

/// The reply to the chat as a completion, whole or in pieces.
async fn as_completion(response: Response, kind: Protocol) -> Response {
    let (mut parts, body) = response.into_parts();
    parts.headers.remove(CONTENT_LENGTH);
    let content_type = parts.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if content_type.is_some_and(|kind| kind.starts_with("application/json")) {
        let whole = match read(body).await {
            Ok(whole) => whole,
            Err(refusal) => return refusal.told(kind),
        };
        return Response::from_parts(
            parts,
            Body::from(line(&String::from_utf8_lossy(&whole), kind)),
        );
    }
    let pieces = body.into_data_stream();
    let lines = stream::unfold((pieces, String::new()), move |(mut pieces, mut held)| async move {
        loop {
            if let Some(end) = held.find('\n') {
                let rest = held.split_off(end + 1);
                let told = line(held.trim_end_matches('\n'), kind) + "\n";
                return Some((Ok::<_, axum::Error>(Bytes::from(told)), (pieces, rest)));
            }
            match pieces.next().await {
                Some(Ok(piece)) => held.push_str(&String::from_utf8_lossy(&piece)),
                Some(Err(error)) => return Some((Err(error), (pieces, held))),
                None if held.is_empty() => return None,
                None => held.push('\n'),
            }
        }
    });
    Response::from_parts(parts, Body::from_stream(lines))
}

/// A line of the reply, with its JSON as that of a completion.
fn line(text: &str, kind: Protocol) -> String {
    let (before, json) = match text.strip_prefix("data: ") {
        Some(json) => ("data: ", json),
        None => ("", text),
    };
    match serde_json::from_str::<Value>(json) {
        Ok(value) if value.is_object() => format!("{before}{}", completion(value, kind)),
        _ => text.to_owned(),
    }
}

fn completion(mut value: Value, kind: Protocol) -> Value {
    if kind == Protocol::Ollama {
        let said = value["message"]["content"].take();
        if let Value::Object(fields) = &mut value {
            fields.remove("message");
        }
        value["response"] = if said.is_null() { json!("") } else { said };
        return value;
    }
    if value["choices"].is_array() {
        value["object"] = json!("text_completion");
    }
    for choice in value["choices"].as_array_mut().into_iter().flatten() {
        let delta = choice["delta"]["content"].as_str();
        let text = delta.or(choice["message"]["content"].as_str()).unwrap_or_default().to_owned();
        let finish = choice["finish_reason"].clone();
        let index = choice["index"].clone();
        *choice =
            json!({ "index": index, "text": text, "logprobs": null, "finish_reason": finish });
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_one_message_unless_it_names_speakers() {
        assert_eq!(spoken("Hello [you]"), [json!({ "role": "user", "content": "Hello [you]" })]);
        let prompt = "[Beg_Sys]Be kind.\n[Beg_User]Hi\n[Beg_Assistant]Hello\n[Beg_User]And?\n\
                      [Beg_Assistant]";
        let roles: Vec<String> = spoken(prompt)
            .iter()
            .map(|one| format!("{}: {}", one["role"].as_str().unwrap(), one["content"]))
            .collect();
        assert_eq!(
            roles,
            ["system: \"Be kind.\"", "user: \"Hi\"", "assistant: \"Hello\"", "user: \"And?\""]
        );
    }

    #[test]
    fn replies_are_turned_into_completions() {
        let chunk = json!({ "object": "chat.completion.chunk",
            "choices": [{ "index": 0, "delta": { "content": "Hi" }, "finish_reason": null }] });
        let told = line(&format!("data: {chunk}"), Protocol::OpenAi);
        assert!(told.starts_with("data: ") && told.contains("\"text\":\"Hi\""), "{told}");
        assert_eq!(line("data: [DONE]", Protocol::OpenAi), "data: [DONE]");
        let chat = json!({ "message": { "role": "assistant", "content": "Hi" }, "done": false });
        let told: Value = serde_json::from_str(&line(&chat.to_string(), Protocol::Ollama)).unwrap();
        assert_eq!(told, json!({ "response": "Hi", "done": false }));
    }
}

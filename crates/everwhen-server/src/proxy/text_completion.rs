//! Text completions of workflows: the prompt becomes a chat, and the reply to it a completion.
//!
//! A prompt may mark who speaks with WilmerAI's tags (`[Beg_Sys]`, `[Beg_User]`, `[Beg_Assistant]`);
//! without tags it is one message of the user.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, Uri};
use axum::response::Response;
use everwhen_protocols::{ChatEndpoint, Effect, EventReader, Framing, Protocol};
use futures_util::{Stream, StreamExt, stream};
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
        Err(refusal) => return Ok(refusal.response_for(kind)),
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
        Err(refusal) => refusal.response_for(kind),
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
    if let Some(framing) = content_type.and_then(Framing::of) {
        let events = events(body.into_data_stream(), framing, kind);
        return Response::from_parts(parts, Body::from_stream(events));
    }
    match read(body).await {
        Ok(whole) => {
            let translated = whole_reply(&String::from_utf8_lossy(&whole), kind);
            Response::from_parts(parts, Body::from(translated))
        }
        Err(refusal) => refusal.response_for(kind),
    }
}

/// A streamed reply, each of its events as that of a completion.
fn events<E>(
    pieces: impl Stream<Item = Result<Bytes, E>> + Unpin,
    framing: Framing,
    kind: Protocol,
) -> impl Stream<Item = Result<Bytes, E>> {
    let reader = EventReader::new(framing);
    stream::unfold((pieces, reader), move |(mut pieces, mut reader)| async move {
        loop {
            if let Some(event) = reader.next_event() {
                let translated = event_of_completion(event, framing, kind);
                return Some((Ok(translated), (pieces, reader)));
            }
            match pieces.next().await {
                Some(Ok(piece)) => reader.push(&piece),
                Some(Err(error)) => return Some((Err(error), (pieces, reader))),
                None if reader.rest().is_empty() => return None,
                None => reader.push(b"\n\n"),
            }
        }
    })
}

/// An event of the reply with its JSON as that of a completion; one without JSON as it came.
fn event_of_completion(event: Vec<u8>, framing: Framing, kind: Protocol) -> Bytes {
    let text = String::from_utf8_lossy(&event);
    match framing.data(&text) {
        Some(data) => Bytes::from(text.replacen(data, &whole_reply(data, kind), 1)),
        None => Bytes::from(event),
    }
}

/// A JSON object of the reply as that of a completion; any other text as it came.
fn whole_reply(text: &str, kind: Protocol) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(value) if value.is_object() => completion(value, kind).to_string(),
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

    /// A reply that arrives in pieces of this length, as it is passed on.
    async fn passed_on(reply: &str, piece: usize, framing: Framing, kind: Protocol) -> String {
        let pieces = reply.as_bytes().chunks(piece);
        let pieces = pieces.map(|piece| Ok::<_, ()>(Bytes::copy_from_slice(piece)));
        let pieces: Vec<_> = pieces.collect();
        let events = events(stream::iter(pieces), framing, kind);
        let events: Vec<Bytes> = events.map(Result::unwrap).collect().await;
        String::from_utf8(events.concat()).unwrap()
    }

    #[tokio::test]
    async fn replies_are_turned_into_completions() {
        let chunk = json!({ "object": "chat.completion.chunk",
            "choices": [{ "index": 0, "delta": { "content": "Grüße" }, "finish_reason": null }] });
        let reply = format!(": hi\n\ndata: {chunk}\n\ndata: [DONE]\n\n");
        let translated = passed_on(&reply, 1, Framing::Sse, Protocol::OpenAi).await;
        assert!(translated.starts_with(": hi\n\ndata: {"), "{translated}");
        assert!(translated.contains("\"text\":\"Grüße\""), "{translated}");
        assert!(translated.ends_with("}\n\ndata: [DONE]\n\n"), "{translated}");
        let chat = json!({ "message": { "role": "assistant", "content": "日本" }, "done": false });
        let translated = passed_on(&chat.to_string(), 2, Framing::Lines, Protocol::Ollama).await;
        let translated: Value = serde_json::from_str(&translated).unwrap();
        assert_eq!(translated, json!({ "response": "日本", "done": false }));
    }
}

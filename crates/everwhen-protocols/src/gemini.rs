//! Gemini's protocol: contents made of parts, with the model and the verb in the path.
//!
//! Fields may be written in camel case or with underscores, and a list of one as the item alone;
//! both are read. Clients ask below `/v1beta` or `/v1`; an upstream is asked below its own root.

mod neutral;

use std::borrow::Cow;

use serde_json::{Value, json};

use self::neutral::{
    GeminiEventWriter, read_choice, read_content, read_effort, read_format, read_parts,
    read_sampling, read_stop, read_tools, read_usage, reply_body, write_calls, write_config,
    write_contents, write_text_parts, write_tools,
};
use crate::Effect::{Chat, CountTokens, ListModels, Manage, Read, Use};
use crate::adapter::host_and_path;
use crate::chat::text_of;
use crate::endpoint::{MANAGED, call};
use crate::format::role;
use crate::json::{self, Object};
use crate::{
    Adapter, AuthHeader, CallPiece, ChatEndpoint, ChatFormat, ChatMessage, ChatReply, ChatRequest,
    Endpoint, EventWriter, Fragment, Framing, Message, ModelInfo, Part, ReplyEvent, ReplyId,
    RequestView, Role, TextPiece, Unsupported,
};

/// The protocol.
pub(crate) struct Gemini;

static GENERATE: ChatEndpoint = ChatEndpoint {
    name: "gemini-generate",
    path: "/models/{model}:generateContent",
    format: &Contents,
    is_translated: true,
    streams: Some(false),
};
static STREAM: ChatEndpoint = ChatEndpoint {
    name: "gemini-stream",
    path: "/models/{model}:streamGenerateContent",
    format: &Contents,
    is_translated: true,
    streams: Some(true),
};

#[rustfmt::skip]
static ENDPOINTS: [Endpoint; 24] = [
    call("/v1beta/models/{*model}:generateContent", &[("POST", Chat(&GENERATE))]),
    call("/v1beta/models/{*model}:streamGenerateContent", &[("POST", Chat(&STREAM))]),
    call("/v1beta/models/{*model}:countTokens", &[("POST", CountTokens)]),
    call("/v1beta/models/{*model}:embedContent", &[("POST", Use)]),
    call("/v1beta/models/{*model}:batchEmbedContents", &[("POST", Use)]),
    call("/v1beta/models/{*model}:predict", &[("POST", Use)]),
    call("/v1beta/models/{*model}:predictLongRunning", &[("POST", Manage)]),
    call("/v1beta/models/{*model}:batchGenerateContent", &[("POST", Manage)]),
    call("/v1beta/models/{*model}", &[("GET", Read)]),
    call("/v1beta/models", &[("GET", ListModels)]),
    // The older version, which Google's own client asks for. It lists models where OpenAI does.
    call("/v1/models/{*model}:generateContent", &[("POST", Chat(&GENERATE))]),
    call("/v1/models/{*model}:streamGenerateContent", &[("POST", Chat(&STREAM))]),
    call("/v1/models/{*model}:countTokens", &[("POST", CountTokens)]),
    call("/v1/models/{*model}:embedContent", &[("POST", Use)]),
    call("/v1/models/{*model}:batchEmbedContents", &[("POST", Use)]),
    // What an account holds.
    call("/v1beta/files", MANAGED),
    call("/v1beta/files/{*rest}", MANAGED),
    call("/v1beta/cachedContents", MANAGED),
    call("/v1beta/cachedContents/{*rest}", MANAGED),
    call("/v1beta/batches", MANAGED),
    call("/v1beta/batches/{*rest}", MANAGED),
    call("/v1beta/operations/{*rest}", MANAGED),
    call("/v1beta/tunedModels", MANAGED),
    call("/v1beta/tunedModels/{*rest}", MANAGED),
];

impl Adapter for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn title(&self) -> &'static str {
        "Gemini"
    }

    fn article(&self) -> &'static str {
        "a Gemini"
    }

    fn default_url(&self) -> &'static str {
        "https://generativelanguage.googleapis.com/v1beta"
    }

    fn is_at(&self, host: &str, path: &str) -> bool {
        // Google also serves OpenAI's protocol, below `/v1beta/openai`.
        host == "generativelanguage.googleapis.com" && !path.contains("openai")
    }

    fn root(&self, url: &str) -> String {
        let url = url.trim_end_matches('/');
        let url = url.strip_suffix("/models").unwrap_or(url);
        if host_and_path(url).1.is_empty() { format!("{url}/v1beta") } else { url.to_owned() }
    }

    fn chat_path(&self, model: &str, streams: bool) -> String {
        let model = model.strip_prefix("models/").unwrap_or(model);
        match streams {
            true => format!("{}?alt=sse", STREAM.path_for(model)),
            false => GENERATE.path_for(model),
        }
    }

    fn models_path(&self) -> &'static str {
        "/models?pageSize=1000"
    }

    fn prefix(&self) -> &'static str {
        "/v1beta"
    }

    fn endpoints(&self) -> &'static [Endpoint] {
        &ENDPOINTS
    }

    fn claims(&self, path: &str, has_header: &dyn Fn(&str) -> bool) -> bool {
        let is_verb = || {
            let verbs = ENDPOINTS.iter().filter(|endpoint| endpoint.verb().is_some());
            path.starts_with("/v1/models/") && verbs.into_iter().any(|one| one.is_meant_by(path))
        };
        let is_list = path == "/v1/models" || path.starts_with("/v1/models/");
        let is_google = || has_header("x-goog-api-client") || has_header("x-goog-api-key");
        path.starts_with("/v1beta/") || is_verb() || (is_list && is_google())
    }

    fn below_root(&self, path: &str) -> String {
        let rest = path.strip_prefix("/v1beta").or_else(|| path.strip_prefix("/v1"));
        rest.filter(|rest| rest.starts_with('/')).unwrap_or(path).to_owned()
    }

    fn auth_header(&self) -> AuthHeader {
        AuthHeader::Named("x-goog-api-key")
    }

    fn key_parameter(&self) -> Option<&'static str> {
        Some("key")
    }

    fn error(&self, status: u16, code: &str, message: &str) -> Value {
        let kind = "type.googleapis.com/google.rpc.ErrorInfo";
        let details =
            json!([{ "@type": kind, "reason": code.to_uppercase(), "domain": "everwhen" }]);
        json!({ "error": {
            "code": status, "message": message, "status": status_name(status), "details": details,
        } })
    }

    fn read_request(&self, body: &Value) -> ChatRequest {
        let system = either(body, "systemInstruction", "system_instruction");
        let system = system.map(|content| ChatMessage {
            role: Role::System,
            parts: read_parts(&content["parts"]),
        });
        let config = either(body, "generationConfig", "generation_config").unwrap_or(&Value::Null);
        let choice = either(body, "toolConfig", "tool_config").unwrap_or(&Value::Null);
        ChatRequest {
            model: String::new(),
            messages: system
                .into_iter()
                .chain(listed(&body["contents"]).map(read_content))
                .collect(),
            tools: read_tools(&body["tools"]),
            tool_choice: read_choice(choice),
            format: read_format(config),
            sampling: read_sampling(config),
            effort: read_effort(config),
            streams: false,
            counts_tokens: true,
        }
    }

    fn write_request(&self, request: &ChatRequest) -> Result<Value, Unsupported> {
        let mut body = json!({ "contents": write_contents(request)? });
        if let Some(system) = request.instructions() {
            body["systemInstruction"] = json!({ "parts": [{ "text": system }] });
        }
        let config = write_config(request);
        if config.as_object().is_some_and(|config| !config.is_empty()) {
            body["generationConfig"] = config;
        }
        write_tools(request, &mut body);
        Ok(body)
    }

    fn sampling_place<'b>(&self, body: &'b mut Value) -> &'b mut Value {
        let place = &mut body["generationConfig"];
        if place.is_null() {
            *place = json!({});
        }
        place
    }

    fn read_reply(&self, body: &Value) -> Result<ChatReply, &'static str> {
        let is_blocked = body["promptFeedback"]["blockReason"].is_string();
        if !body["candidates"].is_array() && !is_blocked {
            return Err(crate::reply::NO_REPLY);
        }
        let event = self.read_event(body);
        Ok(ChatReply {
            model: event.model,
            text: event.text,
            thinking: event.thinking,
            calls: event.calls.into_iter().map(|piece| piece.call).collect(),
            stop: event.stop,
            usage: event.usage,
            ..ChatReply::default()
        })
    }

    fn write_reply(&self, reply: &ChatReply, id: &ReplyId) -> Value {
        let mut parts = write_text_parts(&reply.thinking, reply.said());
        parts.extend(write_calls(reply.calls.iter(), id));
        let usage = Some(reply.usage.unwrap_or_default());
        let stop = reply.stop.unwrap_or(crate::StopReason::End);
        reply_body(id, reply.model.as_deref(), parts, (Some(stop), usage))
    }

    /// A streamed reply comes as whole replies that each say a piece.
    fn read_event(&self, event: &Value) -> ReplyEvent {
        let candidate = &event["candidates"][0];
        let blocked = event["promptFeedback"]["blockReason"].as_str().map(|_| "SAFETY");
        let stop = candidate["finishReason"].as_str().or(blocked);
        let mut read = ReplyEvent {
            model: event["modelVersion"].as_str().map(str::to_owned),
            stop: stop.map(read_stop),
            usage: read_usage(&event["usageMetadata"]),
            ..ReplyEvent::default()
        };
        for part in read_parts(&candidate["content"]["parts"]) {
            match part {
                Part::Text(text) => read.text.push_str(&text),
                Part::Thinking(text) => read.thinking.push_str(&text),
                Part::Call(call) => read.calls.push(CallPiece { index: None, call }),
                _ => {}
            }
        }
        read
    }

    fn event_writer(&self, id: ReplyId, _: bool) -> Box<dyn EventWriter> {
        Box::new(GeminiEventWriter::new(id))
    }

    fn reply_framing(&self, content_type: Option<&str>, streams: bool) -> Option<Framing> {
        content_type.and_then(Framing::of).or(streams.then_some(Framing::Array))
    }

    fn client_framing(&self, query: Option<&str>) -> Framing {
        let is_sse = query.unwrap_or_default().split('&').any(|pair| pair == "alt=sse");
        if is_sse { Framing::Sse } else { Framing::Array }
    }

    fn list_field(&self) -> &'static str {
        "models"
    }

    fn read_model(&self, item: &Value) -> ModelInfo {
        let name = text_of(&item["name"]);
        let id = name.strip_prefix("models/").unwrap_or(&name).to_owned();
        ModelInfo { id, owner: Some("google".to_owned()), ..ModelInfo::default() }
    }

    fn write_model(&self, model: &ModelInfo) -> Value {
        json!({
            "name": format!("models/{}", model.id), "displayName": model.id, "version": "",
            "supportedGenerationMethods": ["generateContent", "streamGenerateContent"],
        })
    }

    fn write_list(&self, items: Vec<Value>) -> Value {
        json!({ "models": items })
    }

    fn prefix_model(&self, item: &mut Value, upstream: &str) {
        let name = text_of(&item["name"]);
        let bare = name.strip_prefix("models/").unwrap_or(&name);
        item["name"] = json!(format!("models/{upstream}/{bare}"));
    }
}

/// What Google's protocols call a status.
fn status_name(status: u16) -> &'static str {
    match status {
        400 | 413 | 415 | 422 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        405 => "UNIMPLEMENTED",
        408 | 504 => "DEADLINE_EXCEEDED",
        409 => "ABORTED",
        429 => "RESOURCE_EXHAUSTED",
        502 | 503 => "UNAVAILABLE",
        _ => "INTERNAL",
    }
}

/// The field under either of its names.
fn either<'v>(object: &'v Value, camel: &str, snake: &str) -> Option<&'v Value> {
    let found = object.get(camel).or_else(|| object.get(snake));
    found.filter(|value| !value.is_null())
}

/// The items of a list, which may be written as its only item.
fn listed(value: &Value) -> impl Iterator<Item = &Value> {
    match value {
        Value::Array(items) => items.iter(),
        Value::Object(_) => std::slice::from_ref(value).iter(),
        _ => [].iter(),
    }
}

/// `generateContent` and `streamGenerateContent`
struct Contents;

impl ChatFormat for Contents {
    fn request<'a>(&self, body: &'a str) -> Option<RequestView<'a>> {
        let fields = Object::read(body)?;
        let contents = fields.get("contents").map(raw_list).unwrap_or_default();
        let messages = contents.into_iter().filter_map(message).collect();
        let system = fields.get("systemInstruction").or_else(|| fields.get("system_instruction"));
        let mut request = RequestView::new(fields, messages, false);
        request.instructions = system;
        Some(request)
    }

    fn reply<'a>(&self, body: &'a str) -> Fragment<'a> {
        let mut fragment = Fragment::default();
        let fields = Object::read(body).unwrap_or_default();
        for candidate in fields.items("candidates").into_iter().filter_map(Object::read) {
            let number = candidate.number("index").unwrap_or(0);
            let reason = candidate.text("finishReason");
            fragment.finishes |= number == 0 && reason.is_some();
            let content = candidate.object("content").unwrap_or_default();
            for part in parts(content.get("parts")) {
                fragment.pieces.extend(TextPiece::new(number, 0, words(&part)));
                fragment.tools.extend(tool(&part));
                fragment.ids.extend(call_id(&part));
            }
        }
        fragment
    }

    fn text_part(&self) -> &'static str {
        "{\"text\":"
    }
}

/// The items of a list as they were sent.
fn raw_list(text: &str) -> Vec<&str> {
    if text.starts_with('{') { vec![text] } else { json::items(text) }
}

fn parts<'a>(parts: Option<&'a str>) -> Vec<Object<'a>> {
    parts.map(raw_list).unwrap_or_default().into_iter().filter_map(Object::read).collect()
}

fn message(text: &str) -> Option<Message<'_>> {
    let fields = Object::read(text)?;
    let content = fields.get("parts").unwrap_or("null");
    let parts = parts(Some(content));
    let role = fields.text("role").map_or(Some(Role::User), |name| role(&name))?;
    Some(Message {
        tools: parts.iter().filter_map(tool).collect(),
        ids: parts.iter().filter_map(call_id).collect(),
        ..Message::new(role, content, parts.iter().filter_map(words).collect())
    })
}

/// The literal with the words of a part; thoughts are not said.
fn words<'a>(part: &Object<'a>) -> Option<&'a str> {
    part.get("text").filter(|text| text.starts_with('"') && !part.is_true("thought"))
}

fn call_of<'a>(part: &Object<'a>) -> Option<Object<'a>> {
    part.object("functionCall").or_else(|| part.object("function_call"))
}

fn tool<'a>(part: &Object<'a>) -> Option<Cow<'a, str>> {
    call_of(part)?.text("name").filter(|name| !name.is_empty())
}

/// The id of a call, or of the call whose result a part is, where the provider gave one.
fn call_id<'a>(part: &Object<'a>) -> Option<Cow<'a, str>> {
    let result = || part.object("functionResponse").or_else(|| part.object("function_response"));
    call_of(part).or_else(result)?.text("id").filter(|id| !id.is_empty())
}

//! Ollama's protocol: chat and generate, a line of JSON for every piece unless the client wants the
//! reply whole.

mod neutral;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use self::neutral::{
    OllamaEventWriter, calls_of, finish, line, read_call, read_created, read_message,
    read_sampling, read_stop, read_usage, write_calls, write_message, write_sampling,
};
use crate::Effect::{Chat, ListModels, Manage, Read, Use};
use crate::chat::text_of;
use crate::endpoint::call;
use crate::format::{literals, prompt, role};
use crate::json::Object;
use crate::openai::embeddings::{parsed, request};
use crate::openai::{call_ids, tool};
use crate::{
    Adapter, CallPiece, ChatEndpoint, ChatFormat, ChatReply, ChatRequest, Embeddings, Endpoint,
    EventWriter, Fragment, Framing, Message, ModelInfo, ReplyEvent, ReplyFormat, ReplyId,
    RequestView, TextPiece, Tool, Unsupported, tool_calls,
};

/// The protocol.
pub(crate) struct Ollama;

static CHAT: ChatEndpoint = ChatEndpoint {
    name: "ollama-chat",
    path: "/api/chat",
    format: &OllamaChat,
    is_translated: true,
    streams: None,
};
static GENERATE: ChatEndpoint = ChatEndpoint {
    name: "ollama-generate",
    path: "/api/generate",
    format: &Generate,
    is_translated: false,
    streams: None,
};

#[rustfmt::skip]
static ENDPOINTS: [Endpoint; 14] = [
    call("/api/chat", &[("POST", Chat(&CHAT))]),
    call("/api/generate", &[("POST", Chat(&GENERATE))]),
    call("/api/tags", &[("GET", ListModels)]),
    call("/api/show", &[("POST", Read)]),
    call("/api/ps", &[("GET", Read)]),
    call("/api/version", &[("GET", Read)]),
    call("/api/embed", &[("POST", Use)]),
    call("/api/embeddings", &[("POST", Use)]),
    call("/api/pull", &[("POST", Manage)]),
    call("/api/push", &[("POST", Manage)]),
    call("/api/create", &[("POST", Manage)]),
    call("/api/copy", &[("POST", Manage)]),
    call("/api/delete", &[("DELETE", Manage)]),
    call("/api/blobs/{digest}", &[("HEAD", Manage), ("POST", Manage)]),
];

impl Adapter for Ollama {
    fn name(&self) -> &'static str {
        "ollama"
    }

    fn title(&self) -> &'static str {
        "Ollama"
    }

    fn article(&self) -> &'static str {
        "an Ollama"
    }

    fn default_url(&self) -> &'static str {
        "http://127.0.0.1:11434"
    }

    fn is_at(&self, host: &str, path: &str) -> bool {
        host.ends_with(":11434") && path.is_empty()
    }

    fn root(&self, url: &str) -> String {
        let url = url.trim_end_matches('/');
        let url = url.strip_suffix("/chat").unwrap_or(url);
        url.strip_suffix("/api").unwrap_or(url).to_owned()
    }

    fn chat_path(&self, _: &str, _: bool) -> String {
        CHAT.path.to_owned()
    }

    fn models_path(&self) -> &'static str {
        "/api/tags"
    }

    fn prefix(&self) -> &'static str {
        "/api"
    }

    fn endpoints(&self) -> &'static [Endpoint] {
        &ENDPOINTS
    }

    fn claims(&self, path: &str, _: &dyn Fn(&str) -> bool) -> bool {
        path.starts_with("/api/")
    }

    fn error(&self, _: u16, _: &str, message: &str) -> Value {
        json!({ "error": message })
    }

    fn read_request(&self, body: &Value) -> ChatRequest {
        let messages = body["messages"].as_array().into_iter().flatten();
        let tools = body["tools"].as_array().into_iter().flatten();
        ChatRequest {
            model: text_of(&body["model"]),
            messages: messages.map(read_message).collect(),
            tools: tools.filter_map(Tool::of_function).collect(),
            tool_choice: None,
            format: read_format(&body["format"]),
            sampling: read_sampling(&body["options"]),
            effort: body["think"].as_str().map(str::to_owned),
            streams: body["stream"] != false,
            counts_tokens: true,
        }
    }

    fn write_request(&self, request: &ChatRequest) -> Result<Value, Unsupported> {
        let messages = tool_calls::with_separate_results(request.messages.clone());
        let messages = messages.iter().map(|(place, message)| write_message(*place, message));
        let messages = messages.collect::<Result<Vec<_>, _>>()?;
        let mut body =
            json!({ "model": request.model, "messages": messages, "stream": request.streams });
        let options = write_sampling(&request.sampling);
        if options.as_object().is_some_and(|options| !options.is_empty()) {
            body["options"] = options;
        }
        if !request.usable_tools().is_empty() {
            body["tools"] = request.usable_tools().iter().map(Tool::as_function).collect();
        }
        match &request.format {
            Some(ReplyFormat::Json) => body["format"] = json!("json"),
            Some(ReplyFormat::Schema { schema, .. }) => body["format"] = schema.clone(),
            None => {}
        }
        if let Some(effort) = &request.effort {
            body["think"] = if effort == "none" { json!(false) } else { json!(effort) };
        }
        Ok(body)
    }

    fn sampling_place<'b>(&self, body: &'b mut Value) -> &'b mut Value {
        let place = &mut body["options"];
        if place.is_null() {
            *place = json!({});
        }
        place
    }

    fn read_reply(&self, body: &Value) -> Result<ChatReply, &'static str> {
        let message = &body["message"];
        if !message.is_object() {
            return Err(crate::reply::NO_REPLY);
        }
        Ok(ChatReply {
            model: body["model"].as_str().map(str::to_owned),
            created: read_created(body),
            text: text_of(&message["content"]),
            thinking: text_of(&message["thinking"]),
            calls: calls_of(message).map(read_call).collect(),
            stop: read_stop(body),
            usage: Some(read_usage(body)),
            refusal: None,
        })
    }

    fn write_reply(&self, reply: &ChatReply, id: &ReplyId) -> Value {
        let created = id.created(reply.created);
        let mut line = line(id, reply.model.as_deref(), created, reply.said());
        if !reply.thinking.is_empty() {
            line["message"]["thinking"] = json!(reply.thinking);
        }
        if !reply.calls.is_empty() {
            line["message"]["tool_calls"] = write_calls(reply.calls.iter(), id);
        }
        let before = std::time::Duration::ZERO;
        finish(line, reply.stop, reply.usage.unwrap_or_default(), (before, id.elapsed()))
    }

    fn read_event(&self, event: &Value) -> ReplyEvent {
        let message = &event["message"];
        let whole = |call| CallPiece { index: None, call: read_call(call) };
        let is_last = event["done"] == true;
        ReplyEvent {
            model: event["model"].as_str().map(str::to_owned),
            created: read_created(event),
            text: text_of(&message["content"]),
            thinking: text_of(&message["thinking"]),
            calls: calls_of(message).map(whole).collect(),
            stop: is_last.then(|| read_stop(event).unwrap_or(crate::StopReason::End)),
            usage: is_last.then(|| read_usage(event)),
            is_last,
            ..ReplyEvent::default()
        }
    }

    fn event_writer(&self, id: ReplyId, _: bool) -> Box<dyn EventWriter> {
        Box::new(OllamaEventWriter::new(id))
    }

    fn reply_framing(&self, content_type: Option<&str>, streams: bool) -> Option<Framing> {
        content_type.and_then(Framing::of).or(streams.then_some(Framing::Lines))
    }

    fn client_framing(&self, _: Option<&str>) -> Framing {
        Framing::Lines
    }

    fn list_field(&self) -> &'static str {
        "models"
    }

    fn read_model(&self, item: &Value) -> ModelInfo {
        let created = item["modified_at"].as_str().and_then(|at| at.parse::<Timestamp>().ok());
        let owner = Some("ollama".to_owned());
        ModelInfo { id: text_of(&item["name"]), owner, created, ..ModelInfo::default() }
    }

    fn write_model(&self, model: &ModelInfo) -> Value {
        let made = model.created.unwrap_or(Timestamp::UNIX_EPOCH).to_string();
        json!({
            "name": model.id, "model": model.id, "modified_at": made, "size": 0,
            "digest": model.digest, "details": details(model.owner.as_deref()),
        })
    }

    fn write_list(&self, items: Vec<Value>) -> Value {
        json!({ "models": items })
    }

    fn embeddings(&self) -> Option<&'static dyn Embeddings> {
        Some(&OllamaEmbeddings)
    }
}

fn read_format(format: &Value) -> Option<ReplyFormat> {
    match format {
        Value::String(text) if text == "json" => Some(ReplyFormat::Json),
        Value::Object(_) => Some(ReplyFormat::Schema {
            name: "format".into(),
            schema: format.clone(),
            strict: false,
        }),
        _ => None,
    }
}

/// The details of a model that is of this family.
pub(crate) fn details(family: Option<&str>) -> Value {
    let families = family.map(|family| vec![family]).unwrap_or_default();
    json!({
        "parent_model": "", "format": "", "family": family.unwrap_or_default(),
        "families": families, "parameter_size": "", "quantization_level": "",
    })
}

/// `POST /api/embed`
struct OllamaEmbeddings;

#[derive(Deserialize)]
struct EmbedAnswer {
    embeddings: Vec<Vec<f32>>,
}

impl Embeddings for OllamaEmbeddings {
    fn path(&self, path: &str) -> String {
        let before = path.trim_end_matches("/embed").trim_end_matches("/api");
        format!("{before}/api/embed")
    }

    fn request(&self, model: &str, texts: &[String], dimensions: Option<usize>) -> String {
        request(model, texts, dimensions)
    }

    fn vectors(&self, content: &[u8]) -> Result<Vec<Vec<f32>>, String> {
        Ok(parsed::<EmbedAnswer>(content)?.embeddings)
    }
}

/// `/api/chat`
pub(crate) struct OllamaChat;

impl ChatFormat for OllamaChat {
    fn request<'a>(&self, body: &'a str) -> Option<RequestView<'a>> {
        let fields = Object::read(body)?;
        let messages = fields.items("messages").into_iter().filter_map(message).collect();
        let streams = fields.get("stream") != Some("false");
        Some(RequestView::new(fields, messages, streams))
    }

    fn reply<'a>(&self, body: &'a str) -> Fragment<'a> {
        let Some(fields) = Object::read(body) else { return Fragment::default() };
        let said = fields.object("message").unwrap_or_default();
        Fragment {
            pieces: TextPiece::new(0, 0, said.get("content")).into_iter().collect(),
            tools: said.items("tool_calls").into_iter().filter_map(tool).collect(),
            ids: call_ids(&said),
            is_last: fields.is_true("done"),
            finishes: false,
        }
    }
}

/// A message. Its content is the whole of it: images stand beside the text.
fn message(text: &str) -> Option<Message<'_>> {
    let fields = Object::read(text)?;
    let words = literals(fields.get("content").unwrap_or("null"), &[]);
    Some(Message {
        tools: fields.items("tool_calls").into_iter().filter_map(tool).collect(),
        ids: call_ids(&fields),
        ..Message::new(role(&fields.text("role")?)?, text, words)
    })
}

/// `/api/generate`
struct Generate;

impl ChatFormat for Generate {
    fn request<'a>(&self, body: &'a str) -> Option<RequestView<'a>> {
        let fields = Object::read(body)?;
        let prompt = fields.get("prompt").filter(|text| *text != "\"\"").and_then(prompt);
        let streams = fields.get("stream") != Some("false");
        Some(RequestView::new(fields, prompt.into_iter().collect(), streams))
    }

    fn reply<'a>(&self, body: &'a str) -> Fragment<'a> {
        let Some(fields) = Object::read(body) else { return Fragment::default() };
        let pieces = TextPiece::new(0, 0, fields.get("response")).into_iter().collect();
        Fragment { pieces, is_last: fields.is_true("done"), ..Fragment::default() }
    }
}

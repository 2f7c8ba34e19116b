//! Anthropic's protocol: messages whose content comes in blocks, and events with names.

mod neutral;

use std::borrow::Cow;

use jiff::Timestamp;
use serde_json::{Value, json};

use self::neutral::{
    AnthropicEventWriter, read_block_pieces, read_choice, read_message, read_sampling, read_stop,
    read_usage, write_choice, write_message, write_sampling, write_stop, write_usage,
};
use crate::Effect::{Chat, CountTokens};
use crate::chat::{set, text_of, without_nulls};
use crate::endpoint::{MANAGED, call, call_unversioned};
use crate::format::{literals, role};
use crate::json::{self, Object};
use crate::{
    Adapter, AuthHeader, ChatEndpoint, ChatFormat, ChatMessage, ChatReply, ChatRequest, Endpoint,
    EventWriter, Fragment, Message, ModelInfo, Part, ReplyEvent, ReplyFormat, ReplyId, RequestView,
    Role, TextPiece, Tool, ToolCall, ToolChoice, Unsupported, tool_calls,
};

/// The protocol.
pub(crate) struct Anthropic;

/// The version of the protocol that is spoken where a client names none.
const VERSION: &str = "2023-06-01";
/// The most tokens of a reply where a request sets no limit: Anthropic wants one.
const MAX_TOKENS: u64 = 4096;

static MESSAGES: ChatEndpoint = ChatEndpoint {
    name: "messages",
    path: "/v1/messages",
    format: &Messages,
    is_translated: true,
    streams: None,
};

static ENDPOINTS: [Endpoint; 4] = [
    call_unversioned("/v1/messages", &[("POST", Chat(&MESSAGES))]),
    call_unversioned("/v1/messages/count_tokens", &[("POST", CountTokens)]),
    call("/v1/messages/batches", MANAGED),
    call("/v1/messages/batches/{*rest}", MANAGED),
];

impl Adapter for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn title(&self) -> &'static str {
        "Anthropic"
    }

    fn article(&self) -> &'static str {
        "an Anthropic"
    }

    fn default_url(&self) -> &'static str {
        "https://api.anthropic.com"
    }

    fn is_at(&self, host: &str, _: &str) -> bool {
        host == "api.anthropic.com"
    }

    fn root(&self, url: &str) -> String {
        let url = url.trim_end_matches('/');
        let url = url.strip_suffix("/messages").unwrap_or(url);
        url.strip_suffix("/v1").unwrap_or(url).to_owned()
    }

    fn chat_path(&self, _: &str, _: bool) -> String {
        MESSAGES.path.to_owned()
    }

    fn models_path(&self) -> &'static str {
        "/v1/models"
    }

    fn endpoints(&self) -> &'static [Endpoint] {
        &ENDPOINTS
    }

    fn claims(&self, path: &str, has_header: &dyn Fn(&str) -> bool) -> bool {
        let rest = path.strip_prefix("/v1").unwrap_or(path);
        let is_message = rest == "/messages" || rest.starts_with("/messages/");
        is_message || (!path.starts_with("/api/") && has_header("anthropic-version"))
    }

    fn below_root(&self, path: &str) -> String {
        let rest = path.strip_prefix("/v1").filter(|rest| rest.starts_with('/'));
        format!("/v1{}", rest.unwrap_or(path))
    }

    fn auth_header(&self) -> AuthHeader {
        AuthHeader::Named("x-api-key")
    }

    fn fixed_headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", VERSION)]
    }

    fn error(&self, _: u16, code: &str, message: &str) -> Value {
        json!({ "type": "error", "error": { "type": code, "message": message } })
    }

    fn read_request(&self, body: &Value) -> ChatRequest {
        let system = match &body["system"] {
            Value::Null => None,
            system => Some(read_message(&json!({ "role": "system", "content": system }))),
        };
        let messages = body["messages"].as_array().into_iter().flatten().map(read_message);
        let tools = body["tools"].as_array().into_iter().flatten();
        let effort = body["output_config"]["effort"].as_str();
        let is_off = body["thinking"]["type"] == "disabled";
        ChatRequest {
            model: text_of(&body["model"]),
            messages: system.into_iter().chain(messages).collect(),
            tools: tools.filter_map(read_tool).collect(),
            tool_choice: read_choice(&body["tool_choice"]),
            format: read_format(&body["output_config"]["format"]),
            sampling: read_sampling(body),
            effort: effort.or(is_off.then_some("none")).map(str::to_owned),
            streams: body["stream"] == true,
            counts_tokens: true,
        }
    }

    fn write_request(&self, request: &ChatRequest) -> Result<Value, Unsupported> {
        let said = request.messages.iter().filter(|message| message.role != Role::System);
        let messages = tool_calls::with_joined_results(said.cloned().collect());
        let messages = messages.iter().enumerate().map(|(place, one)| write_message(place, one));
        let messages = messages.collect::<Result<Vec<_>, _>>()?;
        let mut body = json!({ "model": request.model, "messages": messages });
        body["max_tokens"] = request.sampling.max_tokens.clone().unwrap_or(json!(MAX_TOKENS));
        if let Some(system) = request.instructions() {
            body["system"] = json!(system);
        }
        if request.streams {
            body["stream"] = json!(true);
        }
        write_sampling(&request.sampling, &mut body);
        write_tools(request, &mut body);
        Ok(body)
    }

    fn read_reply(&self, body: &Value) -> Result<ChatReply, &'static str> {
        let blocks = body["content"].as_array().ok_or(crate::reply::NO_REPLY)?;
        let mut reply = ChatReply {
            model: body["model"].as_str().map(str::to_owned),
            stop: body["stop_reason"].as_str().map(read_stop),
            usage: read_usage(&body["usage"]),
            ..ChatReply::default()
        };
        let message = read_message(&json!({ "role": "assistant", "content": blocks }));
        for part in message.parts {
            match part {
                Part::Text(text) => reply.text.push_str(&text),
                Part::Thinking(text) => reply.thinking.push_str(&text),
                Part::Call(call) => reply.calls.push(call),
                _ => {}
            }
        }
        Ok(reply)
    }

    fn write_reply(&self, reply: &ChatReply, id: &ReplyId) -> Value {
        let mut content = Vec::new();
        if !reply.thinking.is_empty() {
            let thinking = &reply.thinking;
            content.push(json!({ "type": "thinking", "thinking": thinking, "signature": "" }));
        }
        if !reply.said().is_empty() {
            content.push(json!({ "type": "text", "text": reply.said() }));
        }
        let calls = reply.calls.iter().enumerate().map(|(index, call)| {
            let (id, input) = (id.call_id(index, call), call.arguments_object());
            json!({ "type": "tool_use", "id": id, "name": call.name, "input": input })
        });
        content.extend(calls);
        json!({
            "id": format!("msg_{}", id.number), "type": "message", "role": "assistant",
            "model": id.model_of(reply.model.as_deref()), "content": content,
            "stop_reason": write_stop(reply.stop, !reply.calls.is_empty()), "stop_sequence": null,
            "usage": write_usage(reply.usage.unwrap_or_default()),
        })
    }

    fn read_event(&self, event: &Value) -> ReplyEvent {
        let message = &event["message"];
        let usage = if message.is_object() { &message["usage"] } else { &event["usage"] };
        let (text, thinking, call) = read_block_pieces(event);
        ReplyEvent {
            model: message["model"].as_str().map(str::to_owned),
            text,
            thinking,
            calls: call.into_iter().collect(),
            stop: event["delta"]["stop_reason"].as_str().map(read_stop),
            usage: read_usage(usage),
            is_last: event["type"] == "message_stop",
            ..ReplyEvent::default()
        }
    }

    fn event_writer(&self, id: ReplyId, _: bool) -> Box<dyn EventWriter> {
        Box::new(AnthropicEventWriter::new(id))
    }

    fn read_model(&self, item: &Value) -> ModelInfo {
        let created = item["created_at"].as_str().and_then(|at| at.parse::<Timestamp>().ok());
        let owner = Some("anthropic".to_owned());
        ModelInfo { id: text_of(&item["id"]), owner, created, ..ModelInfo::default() }
    }

    fn write_model(&self, model: &ModelInfo) -> Value {
        let created = model.created.unwrap_or(Timestamp::UNIX_EPOCH).to_string();
        let id = &model.id;
        json!({ "id": id, "type": "model", "display_name": id, "created_at": created })
    }

    fn write_list(&self, items: Vec<Value>) -> Value {
        let id = |item: Option<&Value>| item.map(|item| item["id"].clone());
        let (first, last) = (id(items.first()), id(items.last()));
        json!({ "data": items, "has_more": false, "first_id": first, "last_id": last })
    }
}

fn read_tool(tool: &Value) -> Option<Tool> {
    // Tools of other types are run by Anthropic itself.
    let is_ours = tool["type"].as_str().is_none_or(|kind| kind == "custom");
    Some(Tool {
        name: tool["name"].as_str().filter(|_| is_ours)?.to_owned(),
        description: set(&tool["description"]),
        parameters: set(&tool["input_schema"]),
        strict: set(&tool["strict"]),
    })
}

fn read_format(format: &Value) -> Option<ReplyFormat> {
    (format["type"] == "json_schema").then(|| ReplyFormat::Schema {
        name: "reply".into(),
        schema: format["schema"].clone(),
        strict: true,
    })
}

/// The tools, and which is called. A schema for the reply becomes a tool that must be used; its input
/// is the reply.
fn write_tools(request: &ChatRequest, body: &mut Value) {
    let tool = |tool: &Tool| {
        let no_schema = json!({ "type": "object" });
        let schema = tool.parameters.as_ref().unwrap_or(&no_schema);
        let (name, description) = (&tool.name, &tool.description);
        without_nulls(json!({ "name": name, "description": description, "input_schema": schema }))
    };
    let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
    let mut choice = request.tool_choice.clone();
    if let (Some(ReplyFormat::Schema { name, schema, .. }), true) =
        (&request.format, tools.is_empty())
    {
        tools.push(json!({ "name": name, "input_schema": schema }));
        choice = Some(ToolChoice::Named(name.clone()));
    }
    if tools.is_empty() {
        return;
    }
    body["tools"] = Value::Array(tools);
    if let Some(choice) = choice {
        body["tool_choice"] = write_choice(&choice);
    }
}

/// `/v1/messages`
pub(crate) struct Messages;

impl ChatFormat for Messages {
    fn request<'a>(&self, body: &'a str) -> Option<RequestView<'a>> {
        let fields = Object::read(body)?;
        let messages = fields.items("messages").into_iter().filter_map(message).collect();
        let streams = fields.is_true("stream");
        Some(RequestView::new(fields, messages, streams))
    }

    fn reply<'a>(&self, body: &'a str) -> Fragment<'a> {
        let Some(fields) = Object::read(body) else { return Fragment::default() };
        let part = fields.number("index").unwrap_or(0);
        match fields.text("type").as_deref() {
            Some("content_block_start") => Fragment {
                tools: fields.object("content_block").iter().filter_map(tool).collect(),
                ids: fields.object("content_block").iter().filter_map(call_id).collect(),
                ..Fragment::default()
            },
            Some("content_block_delta") => {
                let delta = fields.object("delta").unwrap_or_default();
                let piece = TextPiece::new(0, part, delta.get("text"));
                Fragment { pieces: piece.into_iter().collect(), ..Fragment::default() }
            }
            Some("message_stop") => Fragment { is_last: true, ..Fragment::default() },
            Some("message") => whole(&fields),
            _ => Fragment::default(),
        }
    }
}

fn message(text: &str) -> Option<Message<'_>> {
    let fields = Object::read(text)?;
    let content = fields.get("content").unwrap_or("null");
    let blocks: Vec<Object<'_>> =
        json::items(content).into_iter().filter_map(Object::read).collect();
    Some(Message {
        tools: blocks.iter().filter_map(tool).collect(),
        ids: blocks.iter().filter_map(call_id).collect(),
        ..Message::new(role(&fields.text("role")?)?, content, literals(content, &["text"]))
    })
}

fn whole<'a>(fields: &Object<'a>) -> Fragment<'a> {
    let mut fragment = Fragment { is_last: true, ..Fragment::default() };
    for (part, block) in (0..).zip(fields.items("content")) {
        let Some(block) = Object::read(block) else { continue };
        fragment.tools.extend(tool(&block));
        fragment.ids.extend(call_id(&block));
        fragment.pieces.extend(TextPiece::new(0, part, block.get("text")));
    }
    fragment
}

fn tool<'a>(block: &Object<'a>) -> Option<Cow<'a, str>> {
    block.text("name").filter(|_| block.text("type").is_some_and(|kind| kind == "tool_use"))
}

/// The id of a call of a tool, or of the call whose result a block is.
fn call_id<'a>(block: &Object<'a>) -> Option<Cow<'a, str>> {
    match block.text("type")?.as_ref() {
        "tool_use" => block.text("id"),
        "tool_result" => block.text("tool_use_id"),
        _ => None,
    }
}

//! OpenAI's protocol: chat completions, and the older completions of a text. Most servers speak it.
//! Responses are in [`crate::responses`].

pub(crate) mod embeddings;
mod neutral;

use std::borrow::Cow;

use jiff::Timestamp;
use serde_json::{Value, json};

use self::embeddings::OpenAiEmbeddings;
use self::neutral::{
    OpenAiEventWriter, outline, read_call, read_choice, read_created, read_format, read_message,
    read_piece, read_sampling, read_stop, read_usage, said_text, thinking, write_call,
    write_choice, write_format, write_message, write_sampling, write_stop, write_usage,
};

use crate::Effect::{Chat, ListModels, Manage, Read, Refused, Use};
use crate::adapter::host_and_path;
use crate::chat::text_of;
use crate::endpoint::{MANAGED, call, call_unversioned};
use crate::format::{literals, prompt, role};
use crate::json::Object;
use crate::reply::CallsSoFar;
use crate::responses::RESPONSES;
use crate::{
    Adapter, ChatEndpoint, ChatFormat, ChatReply, ChatRequest, Embeddings, Endpoint, EventWriter,
    Fragment, Message, ModelInfo, ReplyEvent, ReplyId, RequestView, StopReason, TextPiece, Tool,
    Unsupported, Usage, tool_calls,
};

/// The protocol.
pub(crate) struct OpenAi;

static CHAT: ChatEndpoint = ChatEndpoint {
    name: "chat",
    path: "/chat/completions",
    format: &ChatCompletions,
    is_translated: true,
    streams: None,
};
static COMPLETIONS: ChatEndpoint = ChatEndpoint {
    name: "completions",
    path: "/completions",
    format: &Completions,
    is_translated: false,
    streams: None,
};

const REALTIME: &str = "realtime sessions are not served here: what is said in them would not be \
                        remembered; connect to the provider itself";

#[rustfmt::skip]
static ENDPOINTS: [Endpoint; 49] = [
    call_unversioned("/v1/chat/completions", &[("POST", Chat(&CHAT)), ("GET", Manage)]),
    call("/v1/chat/completions/{*rest}", MANAGED),
    call_unversioned("/v1/completions", &[("POST", Chat(&COMPLETIONS))]),
    call_unversioned("/v1/responses", &[("POST", Chat(&RESPONSES))]),
    // A response is found by an id that cannot be guessed.
    call("/v1/responses/{id}", &[("GET", Use), ("DELETE", Manage)]),
    call("/v1/responses/{id}/input_items", &[("GET", Use)]),
    call("/v1/responses/{id}/cancel", &[("POST", Use)]),
    call("/v1/responses/input_tokens", &[("POST", Use)]),
    call("/v1/responses/compact", &[("POST", Use)]),
    // Anthropic's, too: a header tells them apart.
    call_unversioned("/v1/models", &[("GET", ListModels)]),
    call_unversioned("/v1/models/{*model}", &[("GET", Read), ("DELETE", Manage)]),
    // Models at work, also of servers that are like OpenAI's.
    call_unversioned("/v1/embeddings", &[("POST", Use)]),
    call("/v1/moderations", &[("POST", Use)]),
    call("/v1/rerank", &[("POST", Use)]),
    call("/v1/audio/speech", &[("POST", Use)]),
    call("/v1/audio/transcriptions", &[("POST", Use)]),
    call("/v1/audio/translations", &[("POST", Use)]),
    call("/v1/audio/{*rest}", MANAGED),
    call("/v1/images/generations", &[("POST", Use)]),
    call("/v1/images/edits", &[("POST", Use)]),
    call("/v1/images/variations", &[("POST", Use)]),
    // What an account holds, at OpenAI and at Anthropic.
    call("/v1/files", MANAGED),
    call("/v1/files/{*rest}", MANAGED),
    call("/v1/uploads", MANAGED),
    call("/v1/uploads/{*rest}", MANAGED),
    call("/v1/batches", MANAGED),
    call("/v1/batches/{*rest}", MANAGED),
    call("/v1/vector_stores", MANAGED),
    call("/v1/vector_stores/{*rest}", MANAGED),
    call("/v1/conversations", MANAGED),
    call("/v1/conversations/{*rest}", MANAGED),
    call("/v1/fine_tuning/{*rest}", MANAGED),
    call("/v1/assistants", MANAGED),
    call("/v1/assistants/{*rest}", MANAGED),
    call("/v1/threads", MANAGED),
    call("/v1/threads/{*rest}", MANAGED),
    call("/v1/evals", MANAGED),
    call("/v1/evals/{*rest}", MANAGED),
    call("/v1/containers", MANAGED),
    call("/v1/containers/{*rest}", MANAGED),
    call("/v1/skills", MANAGED),
    call("/v1/skills/{*rest}", MANAGED),
    call("/v1/videos", MANAGED),
    call("/v1/videos/{*rest}", MANAGED),
    call("/v1/chatkit/{*rest}", MANAGED),
    call("/v1/organization/{*rest}", MANAGED),
    call("/v1/organizations/{*rest}", MANAGED),
    call("/v1/realtime", &[("*", Refused(REALTIME))]),
    call("/v1/realtime/{*rest}", &[("*", Refused(REALTIME))]),
];

impl Adapter for OpenAi {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn title(&self) -> &'static str {
        "OpenAI"
    }

    fn article(&self) -> &'static str {
        "an OpenAI"
    }

    fn default_url(&self) -> &'static str {
        "https://api.openai.com/v1"
    }

    fn root(&self, url: &str) -> String {
        let url = url.trim_end_matches('/');
        let url = url.strip_suffix("/chat/completions").unwrap_or(url);
        if host_and_path(url).1.is_empty() { format!("{url}/v1") } else { url.to_owned() }
    }

    fn client_url(&self, server: &str) -> String {
        format!("{server}/v1")
    }

    fn chat_path(&self, _: &str, _: bool) -> String {
        CHAT.path.to_owned()
    }

    fn models_path(&self) -> &'static str {
        "/models"
    }

    fn endpoints(&self) -> &'static [Endpoint] {
        &ENDPOINTS
    }

    fn claims(&self, _: &str, _: &dyn Fn(&str) -> bool) -> bool {
        false
    }

    fn below_root(&self, path: &str) -> String {
        let rest = path.strip_prefix("/v1").filter(|rest| rest.starts_with('/'));
        rest.unwrap_or(path).to_owned()
    }

    fn error(&self, _: u16, code: &str, message: &str) -> Value {
        let code_or_null = Some(code).filter(|code| *code != "upstream_error");
        let error =
            json!({ "message": message, "type": code, "param": null, "code": code_or_null });
        json!({ "error": error })
    }

    fn read_request(&self, body: &Value) -> ChatRequest {
        let messages = body["messages"].as_array().into_iter().flatten();
        let tools = body["tools"].as_array().into_iter().flatten();
        let effort = body["reasoning_effort"].as_str().or(body["reasoning"]["effort"].as_str());
        ChatRequest {
            model: text_of(&body["model"]),
            messages: messages.map(read_message).collect(),
            tools: tools.filter_map(Tool::of_function).collect(),
            tool_choice: read_choice(&body["tool_choice"]),
            format: read_format(&body["response_format"]),
            sampling: read_sampling(body),
            effort: effort.map(str::to_owned),
            streams: body["stream"] == true,
            counts_tokens: body["stream_options"]["include_usage"] == true,
        }
    }

    fn write_request(&self, request: &ChatRequest) -> Result<Value, Unsupported> {
        let messages = tool_calls::with_separate_results(request.messages.clone());
        let messages = messages.iter().map(|(place, message)| write_message(*place, message));
        let messages = messages.collect::<Result<Vec<_>, _>>()?;
        let mut body = json!({ "model": request.model, "messages": messages });
        if request.streams {
            body["stream"] = json!(true);
            if request.counts_tokens {
                body["stream_options"] = json!({ "include_usage": true });
            }
        }
        write_sampling(&request.sampling, &mut body);
        if !request.tools.is_empty() {
            body["tools"] = request.tools.iter().map(Tool::as_function).collect();
        }
        if let Some(choice) = &request.tool_choice {
            body["tool_choice"] = write_choice(choice);
        }
        if let Some(format) = &request.format {
            body["response_format"] = write_format(format);
        }
        // Whether a model thinks at all is no setting here, only how hard it does.
        if let Some(effort) = &request.effort {
            body["reasoning_effort"] = json!(effort);
        }
        Ok(body)
    }

    fn read_reply(&self, body: &Value) -> Result<ChatReply, &'static str> {
        let choices = body["choices"].as_array().ok_or(crate::reply::NO_REPLY)?;
        let choice = choices.first().ok_or("gave an answer without a choice")?;
        let message = &choice["message"];
        let refusal = message["refusal"].as_str().map(str::to_owned);
        let stop = choice["finish_reason"].as_str().map(read_stop);
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        Ok(ChatReply {
            model: body["model"].as_str().map(str::to_owned),
            created: read_created(body),
            text: said_text(&message["content"], "\n"),
            thinking: thinking(message).unwrap_or_default().to_owned(),
            calls: calls.map(read_call).collect(),
            stop: if refusal.is_some() { Some(StopReason::Filtered) } else { stop },
            refusal,
            usage: read_usage(&body["usage"]),
        })
    }

    fn write_reply(&self, reply: &ChatReply, id: &ReplyId) -> Value {
        let mut message = json!({ "role": "assistant", "content": reply.said() });
        if !reply.thinking.is_empty() {
            message["reasoning_content"] = json!(reply.thinking);
        }
        if !reply.calls.is_empty() {
            let calls = reply.calls.iter().enumerate();
            message["tool_calls"] =
                calls.map(|(index, call)| write_call(call, &id.call_id(index, call))).collect();
        }
        let finish = write_stop(reply.stop, !reply.calls.is_empty());
        let created = id.created(reply.created);
        let mut body = outline(id, reply.model.as_deref(), created, "chat.completion");
        body["choices"] = json!([{ "index": 0, "message": message, "finish_reason": finish }]);
        body["usage"] = write_usage(reply.usage.unwrap_or_default());
        body
    }

    fn read_event(&self, event: &Value) -> ReplyEvent {
        let choices = event["choices"].as_array().into_iter().flatten();
        let first = choices.into_iter().find(|choice| choice["index"].as_u64().unwrap_or(0) == 0);
        let choice = first.unwrap_or(&Value::Null);
        let delta = &choice["delta"];
        let text = said_text(&delta["content"], "");
        let text = if text.is_empty() { text_of(&delta["refusal"]) } else { text };
        let stop = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty());
        let pieces = delta["tool_calls"].as_array().into_iter().flatten();
        ReplyEvent {
            model: event["model"].as_str().map(str::to_owned),
            created: read_created(event),
            text,
            thinking: thinking(delta).unwrap_or_default().to_owned(),
            calls: pieces.map(read_piece).collect(),
            stop: stop.map(read_stop),
            usage: read_usage(&event["usage"]),
            ..ReplyEvent::default()
        }
    }

    fn event_writer(&self, id: ReplyId, counts: bool) -> Box<dyn EventWriter> {
        let calls = CallsSoFar::default();
        Box::new(OpenAiEventWriter { id, counts, head: None, calls, usage: Usage::default() })
    }

    fn read_model(&self, item: &Value) -> ModelInfo {
        let created = item["created"].as_i64().and_then(|at| Timestamp::from_second(at).ok());
        let owner = item["owned_by"].as_str().map(str::to_owned);
        ModelInfo { id: text_of(&item["id"]), owner, created, ..ModelInfo::default() }
    }

    fn write_model(&self, model: &ModelInfo) -> Value {
        let created = model.created.map_or(0, Timestamp::as_second);
        json!({
            "id": model.id, "object": "model", "created": created,
            "owned_by": model.owner.as_deref().unwrap_or_default(),
        })
    }

    fn write_list(&self, items: Vec<Value>) -> Value {
        json!({ "object": "list", "data": items })
    }

    fn embeddings(&self) -> Option<&'static dyn Embeddings> {
        Some(&OpenAiEmbeddings)
    }
}

/// `/v1/chat/completions`
pub(crate) struct ChatCompletions;

impl ChatFormat for ChatCompletions {
    fn request<'a>(&self, body: &'a str) -> Option<RequestView<'a>> {
        let fields = Object::read(body)?;
        let messages = fields.items("messages").into_iter().filter_map(message).collect();
        let streams = fields.is_true("stream");
        Some(RequestView::new(fields, messages, streams))
    }

    fn reply<'a>(&self, body: &'a str) -> Fragment<'a> {
        choices(body, |choice, number, fragment| {
            let delta = choice.object("delta");
            // What comes in pieces is one text, though each piece may be in a list.
            let step = u64::from(delta.is_none());
            let said = delta.or_else(|| choice.object("message")).unwrap_or_default();
            let texts = (0..).zip(literals(said.get("content").unwrap_or("null"), &["text"]));
            let piece = |(at, literal)| TextPiece::new(number, at * step, Some(literal));
            fragment.pieces.extend(texts.filter_map(piece));
            fragment.tools.extend(said.items("tool_calls").into_iter().filter_map(tool));
            fragment.ids.extend(call_ids(&said));
        })
    }
}

/// `/v1/completions`: one text to go on with. It may be code or half a sentence, so nothing is
/// added to it.
struct Completions;

impl ChatFormat for Completions {
    fn request<'a>(&self, body: &'a str) -> Option<RequestView<'a>> {
        let fields = Object::read(body)?;
        let messages = fields.get("prompt").and_then(prompt).into_iter().collect();
        let streams = fields.is_true("stream");
        Some(RequestView::new(fields, messages, streams))
    }

    fn reply<'a>(&self, body: &'a str) -> Fragment<'a> {
        choices(body, |choice, number, fragment| {
            fragment.pieces.extend(TextPiece::new(number, 0, choice.get("text")));
        })
    }

    fn takes_additions(&self) -> bool {
        false
    }
}

/// What a body with choices says, each of which is read by `read`.
fn choices<'a>(body: &'a str, read: impl Fn(&Object<'a>, u64, &mut Fragment<'a>)) -> Fragment<'a> {
    let mut fragment = Fragment { is_last: body == "[DONE]", ..Fragment::default() };
    let fields = Object::read(body).unwrap_or_default();
    for choice in fields.items("choices").into_iter().filter_map(Object::read) {
        let number = choice.number("index").unwrap_or(0);
        let reason = choice.text("finish_reason").filter(|reason| !reason.is_empty());
        fragment.finishes |= number == 0 && reason.is_some();
        read(&choice, number, &mut fragment);
    }
    fragment
}

fn message(text: &str) -> Option<Message<'_>> {
    let fields = Object::read(text)?;
    let content = fields.get("content").unwrap_or("null");
    Some(Message {
        speaker: fields.text("name"),
        tools: fields.items("tool_calls").into_iter().filter_map(tool).collect(),
        ids: call_ids(&fields),
        ..Message::new(role(&fields.text("role")?)?, content, literals(content, &["text"]))
    })
}

/// Ids of the tool calls in a message, or of the one whose result it is.
pub(crate) fn call_ids<'a>(message: &Object<'a>) -> Vec<Cow<'a, str>> {
    let calls = message.items("tool_calls").into_iter();
    let calls = calls.filter_map(|call| Object::read(call)?.text("id"));
    calls.chain(message.text("tool_call_id")).collect()
}

/// The name in a call of a tool.
pub(crate) fn tool(call: &str) -> Option<Cow<'_, str>> {
    Object::read(call)?.object("function")?.text("name").filter(|name| !name.is_empty())
}

//! Workflows as models: `everwhen/<workflow>` answers chats, in OpenAI's language.
//!
//! What a workflow sees of a chat is what the client sent and when each of it was said; its nodes
//! date messages and read memory themselves. The answer ends with the responder; what follows
//! it is a job by then.

mod pieces;

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use everwhen::ledger::{Begun, Commit};
use everwhen::ports::{PromptMessage, Spent};
use everwhen::time::Zone;
use everwhen::{Config, Error, Result};
use everwhen_protocols::Protocol;
use everwhen_workflow::{Chat, MemoryPlace, WorkflowSet, Workflows};
use futures_util::stream;
use serde_json::{Map, Value};
use tokio::time::timeout;

use self::pieces::{Pieces, at_pace};
use super::history::{role, without_tags};
use super::lists;
use super::prepare::ProxyRequest;
use super::refusal::Refusal;
use super::upstream::{Responder, ResponseFuture, UpstreamCall, UpstreamResponse};
use super::wire::completion::{Completion, CompletionOptions};
use crate::error::RequestError;
use crate::proxy::{self, ProxyState};

/// What workflows are called as a provider.
pub(crate) const NAME: &str = "everwhen";
/// An answer that begins within this time may still be a refusal with a status of its own.
const FIRST_PIECE_TIMEOUT: Duration = Duration::from_secs(10);
/// After this long without output a comment is sent, so that no proxy in between times out.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// What a workflow is asked with.
pub(crate) struct WorkflowInput {
    messages: Vec<PromptMessage>,
    begun: Option<Begun>,
    place: Option<MemoryPlace>,
    discussion_id: String,
    now: jiff::Timestamp,
}

impl WorkflowInput {
    /// What a visit brings, with what memory knows of it.
    pub(crate) fn of(request: &ProxyRequest<'_>, prepared: &proxy::PreparedRequest) -> Self {
        let messages = request.asked.messages.iter().map(|message| PromptMessage {
            role: role(message.role),
            content: without_tags(&message.text).into_owned(),
        });
        let begun = prepared.begun.clone();
        let vault = prepared.recording.as_ref().and_then(|recording| recording.vault.clone());
        let place = vault.zip(begun.as_ref()).map(|(vault, begun)| MemoryPlace {
            engine: request.state.engine.clone(),
            vault,
            memory: begun.exchange.memory.memory.into(),
        });
        Self {
            messages: messages.collect(),
            place,
            begun,
            discussion_id: prepared.seen.memory.clone().unwrap_or_default(),
            now: request.state.engine.now(),
        }
    }

    /// The chat, with the images and tools that the request holds.
    fn chat(&self, zone: &Zone, body: &Value) -> Chat {
        let messages = self.messages.clone();
        let chat = match &self.begun {
            Some(begun) => Chat::of(begun, messages, self.discussion_id.clone()),
            None => Chat::unknown(messages, self.now, zone.clone()),
        };
        let offered = ["tools", "tool_choice"].into_iter();
        let offered = offered.filter(|name| !body[*name].is_null());
        let offered: Map<String, Value> =
            offered.map(|name| (name.to_owned(), body[name].clone())).collect();
        let tools = offered.contains_key("tools").then_some(Value::Object(offered));
        let raw = body["messages"].as_array().cloned().unwrap_or_default();
        chat.with_request(raw, tools)
    }
}

/// The workflows of a configuration, as a responder.
pub(crate) struct WorkflowResponder {
    workflows: Arc<Workflows>,
    zone: Zone,
}

impl WorkflowResponder {
    /// The workflows that are configured, if any are.
    pub(crate) fn open(config: &Config) -> Option<Self> {
        let zone = config.zone.value.clone();
        let workflows = Workflows::open(config)?;
        Some(Self { workflows: Arc::new(workflows), zone })
    }

    pub(crate) fn workflows(&self) -> &Arc<Workflows> {
        &self.workflows
    }
}

impl Responder for WorkflowResponder {
    fn name(&self) -> &str {
        NAME
    }

    fn kind(&self) -> Protocol {
        Protocol::OpenAi
    }

    fn local(&self, model: &str) -> Option<Commit> {
        let set = self.workflows.current();
        let at_once = set.dating(&meant(&set, model)).group_chat;
        Some(if at_once { Commit::AtOnce } else { Commit::NextTurn })
    }

    fn serves(&self, model: &str) -> bool {
        self.workflows.current().is_user(bare(model))
    }

    fn serves_any(&self) -> bool {
        self.workflows.current().current_user().is_some()
    }

    fn ask(&self, call: UpstreamCall) -> ResponseFuture {
        let (workflows, zone) = (Arc::clone(&self.workflows), self.zone.clone());
        Box::pin(async move {
            let path = call.target.path();
            if let Some(name) = path.strip_prefix("/models/") {
                let (set, name) = (workflows.current(), bare(name));
                if !set.has(name) {
                    return Err(unknown(&set, name));
                }
                let model = lists::workflow(&model_name(&set, name));
                return Ok(answer("application/json", Body::from(model.to_string())));
            }
            let talk =
                call.talk.filter(|_| path == Protocol::OpenAi.adapter().chat_path("", false));
            let talk = talk.ok_or_else(|| {
                Refusal::not_found(
                    "a workflow answers chats and text completions: ask it at \
                     /v1/chat/completions, /v1/completions, /api/chat or /api/generate",
                )
            })?;
            let options = CompletionOptions::read(&call.body)?;
            let set = workflows.current();
            let name = meant(&set, &options.model);
            if !set.has(&name) {
                return Err(unknown(&set, &name));
            }
            let completion = Completion::new(&model_name(&set, &name), talk.now);
            let body: Value = serde_json::from_slice(&call.body).unwrap_or_default();
            let chat = talk.chat(&zone, &body);
            let heard = begin(workflows, name, chat, talk.place);
            match options.streams {
                true => in_pieces(heard, completion, options.counts).await,
                false => whole(heard, completion).await,
            }
        })
    }
}

fn unknown(set: &WorkflowSet, name: &str) -> Refusal {
    let known = || {
        let known = set.names().map(|known| model_name(set, known)).collect::<Vec<_>>();
        format!("there is no workflow {name:?}; there are: {}", known.join(", "))
    };
    Refusal::not_found(set.problem(name).unwrap_or_else(known))
}

/// The workflow that a model name means. A name that is none is that of the current user, as
/// front ends of WilmerAI send whatever model is set in them. One that was refused stays itself, so
/// that its client gets the reason.
fn meant(set: &WorkflowSet, model: &str) -> String {
    let name = bare(model);
    match set.current_user() {
        Some(user) if !set.has(name) && set.problem(name).is_none() => user.to_owned(),
        _ => name.to_owned(),
    }
}

/// What a workflow is called as a model: users of WilmerAI's tree are models by their own names.
fn model_name(set: &WorkflowSet, name: &str) -> String {
    if set.is_user(name) { name.to_owned() } else { format!("{NAME}/{name}") }
}

/// Whether a model is a workflow here.
pub(crate) fn is_known(state: &ProxyState, model: &str) -> bool {
    let named = bare(model).strip_prefix(NAME).and_then(|rest| rest.strip_prefix('/'));
    let local = state.proxy.local.as_ref();
    local.is_some_and(|local| {
        let set = local.workflows.current();
        named.is_some_and(|name| set.has(name)) || set.is_user(bare(model))
    })
}

/// Names of workflows as models.
fn models(workflows: &Workflows) -> Vec<String> {
    let set = workflows.current();
    set.names().map(|name| model_name(&set, name)).collect()
}

/// A name without the tag that Ollama's clients put behind it.
fn bare(model: &str) -> &str {
    model.strip_suffix(":latest").unwrap_or(model)
}

/// The output of a run, as it arrives.
enum RunEvent {
    Piece(String),
    Over(Result<RunEnd>),
}

/// What a run leaves at its end.
struct RunEnd {
    spent: Spent,
    /// The tools that the answer calls.
    calls: Vec<Value>,
}

/// Begins a run. It goes on only as fast as what it says is taken, and when the client has gone
/// it ends where it is.
fn begin(
    workflows: Arc<Workflows>,
    name: String,
    chat: Chat,
    place: Option<MemoryPlace>,
) -> Pieces {
    let (mut output, heard) = pieces::channel();
    tokio::spawn(async move {
        let say = output.sender();
        let answering = workflows.answer(&name, &chat, place.as_ref(), &mut output);
        let answered = tokio::select! {
            answered = at_pace(&say, answering) => answered,
            () = say.closed() => return,
        };
        if let Err(error) = &answered {
            tracing::warn!(%error, workflow = name, "a workflow failed");
        }
        let ended = answered.map(|_| RunEnd { spent: output.spent(), calls: output.calls() });
        say.send(RunEvent::Over(ended));
    });
    heard
}

/// The whole answer at once.
async fn whole(mut heard: Pieces, completion: Completion) -> Result<UpstreamResponse, Refusal> {
    let mut text = String::new();
    while let Some(said) = heard.recv().await {
        match said {
            RunEvent::Piece(piece) => text.push_str(&piece),
            RunEvent::Over(Ok(ended)) => {
                let body = completion.whole(&text, &ended.calls, ended.spent);
                return Ok(answer("application/json", Body::from(body)));
            }
            RunEvent::Over(Err(error)) => return Err(refused(error)),
        }
    }
    Err(refused(Error::unavailable("the workflow was cut off")))
}

/// The answer in events. What fails soon is a refusal; what fails later is reported in the stream.
async fn in_pieces(
    mut heard: Pieces,
    completion: Completion,
    counts: bool,
) -> Result<UpstreamResponse, Refusal> {
    let first = match timeout(FIRST_PIECE_TIMEOUT, heard.recv()).await {
        Ok(Some(RunEvent::Over(Err(error)))) => return Err(refused(error)),
        Ok(first) => first,
        Err(_) => Some(RunEvent::Piece(String::new())),
    };
    let events_left = EventStream { heard, first, completion, counts, is_over: false };
    let events = stream::unfold(events_left, |mut events_left| async move {
        let event = events_left.next().await?;
        Some((Ok::<_, std::convert::Infallible>(event), events_left))
    });
    Ok(answer("text/event-stream", Body::from_stream(events)))
}

/// A run whose output is sent as events.
struct EventStream {
    heard: Pieces,
    first: Option<RunEvent>,
    completion: Completion,
    counts: bool,
    is_over: bool,
}

impl EventStream {
    async fn next(&mut self) -> Option<Bytes> {
        if self.is_over {
            return None;
        }
        let said = match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => timeout(KEEP_ALIVE_INTERVAL, self.heard.recv()).await,
        };
        Some(match said {
            Err(_) => Bytes::from_static(b": still at work\n\n"),
            Ok(Some(RunEvent::Piece(piece))) => self.completion.piece(&piece).into(),
            Ok(Some(RunEvent::Over(Ok(ended)))) => {
                self.is_over = true;
                let spent = self.counts.then_some(ended.spent);
                self.completion.end(&ended.calls, spent).into()
            }
            Ok(Some(RunEvent::Over(Err(error)))) => {
                self.is_over = true;
                self.completion.failure(error.message()).into()
            }
            Ok(None) => return None,
        })
    }
}

fn answer(kind: &'static str, body: Body) -> UpstreamResponse {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    UpstreamResponse { status: StatusCode::OK, headers, body }
}

fn refused(error: Error) -> Refusal {
    Refusal::from(RequestError::from(error))
}

/// A list of models with the workflows added. If no upstream lists any, they are the list.
pub(crate) async fn listed(state: &ProxyState, kind: Protocol, others: Response) -> Response {
    let Some(local) = &state.proxy.local else { return others };
    let refused = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN].contains(&others.status());
    if refused {
        return others;
    }
    let names = models(local.workflows());
    let known = match others.status().is_success() {
        true => proxy::read(others.into_body()).await.unwrap_or_default(),
        false => Bytes::new(),
    };
    axum::Json(lists::with(&known, kind, &names)).into_response()
}

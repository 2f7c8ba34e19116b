//! The proxy: any chat app gets memory and a sense of time by changing one URL.
//!
//! A request is authenticated and parsed; [`mod@prepare`] finds its memory, stores what is new and
//! adds stamps and memories to the request; an [`upstream`] answers; the reply passes through
//! unchanged except for echoed stamps ([`relay`]) and is stored ([`recording`]). Memory never
//! breaks the chat: whatever fails there, the request is forwarded as it came, and
//! `x-everwhen-degraded` says why.

mod additions;
mod client;
mod egress;
mod headers;
mod history;
mod inject;
mod lists;
mod memory;
mod memory_name;
mod memory_tool;
mod new_chats;
mod not_remembered;
mod outbox;
mod passthrough;
mod person;
mod prepare;
mod programs;
mod recognise;
mod recording;
mod refusal;
mod relay;
mod response_notes;
mod routes;
mod state;
mod tail;
mod text_completion;
mod translated;
mod upstream;
mod user_token;
mod wire;
mod workflow;

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::Response;
use everwhen::key::Scope;
use everwhen::memory::{Address, MemoryId, Name, VaultId};
use everwhen::{Config, ProxyConfig, Result};
use everwhen_protocols::{
    ChatEndpoint, Draft, Framing, ReplyId, RequestView, Translation, partial,
};
use jiff::Timestamp;

use self::egress::Target;
use self::memory_tool::Postponed;
use self::new_chats::NewChats;
pub(crate) use self::outbox::Outbox;
use self::prepare::{PreparedRequest, ProxyRequest, prepare};
use self::recording::Recording;
use self::relay::{CutReply, Gathered, Listener, OpenReplies, read_reply};
use self::response_notes::{ResponseNotes, response_notes};
use self::tail::Tail;
use self::translated::TranslatedBody;
use self::upstream::{Responder, Responders, UpstreamCall, UpstreamResponse};
use self::wire::completion::fresh_number;
use self::workflow::{WorkflowInput, WorkflowResponder};
use crate::error::RequestError;

pub(crate) use refusal::Refusal;
pub(crate) use routes::routes;
pub(crate) use state::ProxyState;

/// Maximum length of a reply that is read as a whole.
const MOST_BYTES: usize = 64 * 1024 * 1024;

const MEMORY: HeaderName = HeaderName::from_static("x-everwhen-memory");
const MEMORY_SOURCE: HeaderName = HeaderName::from_static("x-everwhen-memory-source");
const DEGRADED: HeaderName = HeaderName::from_static("x-everwhen-degraded");
const NOT_REMEMBERED: HeaderName = HeaderName::from_static("x-everwhen-not-remembered");
const TRACE: HeaderName = HeaderName::from_static("x-everwhen-trace");
const UPSTREAM: &str = "x-everwhen-upstream";

/// The proxy with its upstreams, its outbox and its live view.
pub struct Proxy {
    responders: Responders,
    /// The workflows, which are listed and called like models.
    local: Option<Arc<WorkflowResponder>>,
    config: ProxyConfig,
    /// The default vault.
    vault: Address<VaultId>,
    /// The default memory.
    memory: Address<MemoryId>,
    /// The exchanges that are not stored yet.
    pub(crate) outbox: Outbox,
    tail: Tail,
    turns: NewChats,
    open_replies: OpenReplies,
    /// Results of the memory tool that wait for those of the client.
    postponed: Arc<Postponed>,
}

impl Proxy {
    /// Builds the proxy of this configuration, with its outbox in `directory`, which is created if
    /// it does not exist.
    pub fn new(config: &Config, directory: Option<&Path>) -> Result<Self> {
        let local = WorkflowResponder::open(config).map(Arc::new);
        let responder = local.clone().map(|local| local as Arc<dyn Responder>);
        Ok(Self {
            responders: Responders::new(&config.upstreams)?.with(responder),
            local,
            config: config.proxy.clone(),
            vault: Address::read("vault", &config.vault.value)?,
            memory: Address::read("memory", &config.memory.value)?,
            outbox: match directory {
                Some(directory) => Outbox::open(directory, &config.proxy)?,
                None => Outbox::default(),
            },
            tail: Tail::default(),
            turns: NewChats::default(),
            open_replies: OpenReplies::default(),
            postponed: Arc::default(),
        })
    }

    /// A proxy without upstreams, which rejects every request and says what to configure.
    pub(crate) fn without_upstreams() -> Self {
        let usual = || Name::new("name", "default").expect("this is a name");
        Self {
            responders: Responders::default(),
            local: None,
            config: ProxyConfig::default(),
            vault: Address::Name(usual()),
            memory: Address::Name(usual()),
            outbox: Outbox::default(),
            tail: Tail::default(),
            turns: NewChats::default(),
            open_replies: OpenReplies::default(),
            postponed: Arc::default(),
        }
    }

    /// The longest time that a chat waits for memory.
    pub(crate) fn deadline(&self) -> Duration {
        Duration::from_millis(self.config.deadline_ms.value.into())
    }

    /// Replaces the outbox.
    pub(crate) fn with_outbox(self, outbox: Outbox) -> Self {
        Self { outbox, ..self }
    }

    /// The workflows, if any are configured.
    pub fn workflows(&self) -> Option<&Arc<everwhen_workflow::Workflows>> {
        self.local.as_ref().map(|local| local.workflows())
    }

    /// Ends the streams of the live view.
    pub(crate) fn end_watching(&self) {
        self.tail.end_watching();
    }

    /// Ends the replies that are still being streamed; what was received so far is stored.
    pub(crate) fn end_replies(&self) {
        self.open_replies.end_all();
    }

    /// Removes exchanges that wait in the outbox for something that was forgotten: a whole memory, by its id
    /// and name, or vault; or a part of a memory, said at `part_since` or later.
    pub(crate) async fn forget_waiting(
        &self,
        vaults: &[String],
        memories: Option<&[String]>,
        part_since: Option<Timestamp>,
    ) -> Result<()> {
        self.outbox.forget(vaults.to_vec(), memories.map(<[String]>::to_vec), part_since).await
    }

    /// Removes what was forgotten from the live view.
    pub(crate) fn forget_traces(&self, vaults: &[String], memories: Option<&[String]>) {
        self.tail.forget(vaults, memories);
    }

    /// Removes traces of what other servers have forgotten.
    pub(crate) async fn sweep_traces(&self, state: &ProxyState) {
        tail::check_epochs(state).await;
    }

    /// Removes the results of tool calls that wait if something in their vault was forgotten since.
    pub(crate) async fn sweep_postponed(&self, engine: &everwhen::Engine) {
        for vault in self.postponed.vaults() {
            let found = engine.vault(Address::Id(vault)).await;
            let is_gone = found.is_err_and(|error| error.kind() == everwhen::ErrorKind::NotFound);
            match engine.forget_epoch(vault).await {
                _ if is_gone => self.postponed.check_epoch(vault, u64::MAX),
                Ok(epoch) => self.postponed.check_epoch(vault, epoch),
                Err(_) => {}
            }
        }
    }

    /// Removes the results of tool calls that wait.
    pub(crate) fn forget_postponed(&self) {
        self.postponed.clear();
    }
}

/// Handles a request for a reply in a chat.
async fn talk(
    state: ProxyState,
    chat: &'static ChatEndpoint,
    memory: Option<String>,
    request: Request,
) -> Response {
    let request = match text_completion::answer(&state, chat, memory.as_deref(), request).await {
        Ok(response) => return response,
        Err(request) => request,
    };
    let answered = exchange(&state, chat, memory.as_deref(), request).await;
    answered.unwrap_or_else(|refusal| refusal.response_for(chat.protocol()))
}

async fn exchange(
    state: &ProxyState,
    chat: &'static ChatEndpoint,
    memory_in_path: Option<&str>,
    request: Request,
) -> Result<Response, Refusal> {
    let (parts, body) = request.into_parts();
    let (caller, body) = (state.proxy_caller(&parts.headers).await?, read(body).await?);
    caller.caller.require(Scope::Write).map_err(RequestError::from)?;
    let model_in_path = model_in_path(chat, &parts.uri)?;
    let text = std::str::from_utf8(&body).unwrap_or_default();
    let Some(mut asked) = chat.format.request(text) else {
        let path = chat.path_for(model_in_path.as_deref().unwrap_or_default());
        let target = with_query(&path, &parts.uri);
        return passthrough::on(state, &caller, (chat.protocol(), target), &parts, body).await;
    };
    asked.model = model_in_path.map(Cow::Owned).or(asked.model);
    asked.streams = chat.streams.unwrap_or(asked.streams);
    let tool_output = state.proxy.config.tool_output.value;
    let purpose = programs::attribute(&mut asked, &parts.headers, tool_output);
    let chosen = choose(state, chat, &parts.headers, &asked)?;
    let model = chosen.model.as_deref().or(asked.model.as_deref()).unwrap_or_default().to_owned();
    let request = ProxyRequest {
        state,
        chat,
        caller: &caller,
        headers: &parts.headers,
        memory_in_path,
        peer: peer(&parts),
        asked: &asked,
        purpose: &purpose,
        is_watched: state.proxy.tail.is_watched() || parts.headers.contains_key(TRACE),
        local: chosen.responder.local(&model),
    };
    remembered_exchange(&request, &parts, (&chosen, &model), (text, &body)).await
}

/// Prepares a request from memory, passes it on, and stores the exchange.
async fn remembered_exchange(
    request: &ProxyRequest<'_>,
    parts: &Parts,
    (chosen, model): (&upstream::ChosenResponder, &str),
    (text, body): (&str, &Bytes),
) -> Result<Response, Refusal> {
    let mut draft = Draft::new(text);
    let mut prepared = prepare(request, &mut draft).await;
    if let Some(model) = &chosen.model {
        inject::model(&mut draft, &request.asked.fields, model);
    }
    let talk = request.local.map(|_| WorkflowInput::of(request, &prepared));
    let mut notes = response_notes(request, chosen.responder.name(), &mut prepared);
    let written = draft.finish().map_or_else(|| body.clone(), Bytes::from);
    let recording = prepared.recording.as_ref();
    let reply = forward(request, parts, (chosen, model), (written, talk, recording)).await?;
    if let Some(reason) = prepared.settle().await {
        tracing::warn!(reason, "what was said is not in the store yet");
        notes.headers.insert(DEGRADED, headers::value(&reason));
    }
    let answered = respond(request, reply, prepared, &mut notes).await;
    let protocol = request.chat.protocol();
    let mut response = answered.unwrap_or_else(|refusal| refusal.response_for(protocol));
    response.headers_mut().extend(notes.headers);
    Ok(response)
}

/// The model that a path names, where the protocol has it there.
fn model_in_path(chat: &ChatEndpoint, uri: &Uri) -> Result<Option<String>, Refusal> {
    let path = Target::read(uri.path(), uri)?.path();
    Ok(chat.model_in(&path).map(str::to_owned))
}

/// An upstream's response, with what is needed to pass it on.
struct UpstreamReply<'a> {
    answer: UpstreamResponse,
    upstream: &'a str,
    translation: Option<Translation>,
}

/// The client's address, if the server that accepted the connection recorded it.
fn peer(parts: &Parts) -> Option<IpAddr> {
    parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
}

/// Sends the request to the chosen responder, translated to its protocol if needed.
async fn forward<'a>(
    request: &ProxyRequest<'_>,
    parts: &Parts,
    (chosen, model): (&'a upstream::ChosenResponder, &str),
    (written, talk, recording): (Bytes, Option<WorkflowInput>, Option<&Recording>),
) -> Result<UpstreamReply<'a>, Refusal> {
    let responder = &*chosen.responder;
    let translation = match responder.kind() == request.chat.protocol() {
        true => None,
        false => Some(translation(request, responder, (model, parts.uri.query()), &written)?),
    };
    let (target, body) = match &translation {
        Some(translation) => (Target::own(&translation.path()), translation.request()?.into()),
        None => (with_query(&request.chat.path_for(model), &parts.uri), written),
    };
    let call = UpstreamCall {
        protocol: request.chat.protocol(),
        method: parts.method.clone(),
        target,
        headers: parts.headers.clone(),
        with_credentials: request.caller.credential_travels,
        is_usual: chosen.is_usual,
        body,
        talk,
    };
    let answer = memory_tool::ask(request, recording, &chosen.responder, call).await?;
    Ok(UpstreamReply { answer, upstream: responder.name(), translation })
}

/// The translation of a request for an upstream of another protocol.
fn translation(
    request: &ProxyRequest<'_>,
    upstream: &dyn Responder,
    (model, query): (&str, Option<&str>),
    written: &[u8],
) -> Result<Translation, Refusal> {
    let body = serde_json::from_slice(written)
        .map_err(|error| Refusal::invalid(format!("the body is not JSON: {error}")))?;
    let (asked_at, since) = (request.state.engine.now(), Instant::now());
    let number = fresh_number(asked_at);
    let reply = ReplyId { number, model: model.to_owned(), asked_at, since };
    let protocols = (request.chat.protocol(), upstream.kind());
    Ok(Translation::new(protocols, &body, (model, request.asked.streams, query), reply))
}

fn choose(
    state: &ProxyState,
    chat: &ChatEndpoint,
    headers: &HeaderMap,
    asked: &RequestView<'_>,
) -> Result<upstream::ChosenResponder, Refusal> {
    let header = headers::text(headers, UPSTREAM);
    let kinds = chat.answered_by();
    state.proxy.responders.choose(header.as_deref(), asked.model.as_deref(), &kinds)
}

/// One of our own paths, with the query of the request.
fn with_query(path: &str, uri: &Uri) -> Target {
    Target::known(path, uri)
}

/// Reads the body of a request; the gate limits its size.
async fn read(body: Body) -> Result<Bytes, Refusal> {
    let read = to_bytes(body, usize::MAX).await;
    read.map_err(|error| Refusal::invalid(format!("the body did not arrive whole: {error}")))
}

/// Passes the response to the client and records the reply.
async fn respond(
    request: &ProxyRequest<'_>,
    reply: UpstreamReply<'_>,
    prepared: PreparedRequest,
    notes: &mut ResponseNotes,
) -> Result<Response, Refusal> {
    match reply.translation {
        Some(translation) => {
            let reply = (reply.answer, reply.upstream);
            respond_translated(request, reply, translation, prepared, notes).await
        }
        None => respond_unchanged(request, (reply.answer, reply.upstream), prepared, notes).await,
    }
}

/// Passes on the response of an upstream that has the client's protocol.
async fn respond_unchanged(
    request: &ProxyRequest<'_>,
    (answer, upstream): (UpstreamResponse, &str),
    prepared: PreparedRequest,
    notes: &mut ResponseNotes,
) -> Result<Response, Refusal> {
    let status = answer.status;
    let headers = headers::for_client(&answer.headers);
    if !status.is_success() || prepared.recording.is_none() {
        return Ok(response(status, headers, answer.body));
    }
    if let Some(framing) = framing(request.chat, &headers, request.asked.streams) {
        return Ok(in_events(request, (status, headers, answer.body), framing, prepared, notes));
    }
    let whole = Whole { status, headers, translation: None };
    let read = read_reply(answer.body, upstream).await;
    whole.respond(request, read, prepared, notes).await
}

/// Passes on the response of an upstream in the client's protocol.
async fn respond_translated(
    request: &ProxyRequest<'_>,
    (answer, upstream): (UpstreamResponse, &str),
    translation: Translation,
    prepared: PreparedRequest,
    notes: &mut ResponseNotes,
) -> Result<Response, Refusal> {
    let status = answer.status;
    let mut headers = headers::for_client(&answer.headers);
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let framing = translation.framing(kind);
    let client_kind = HeaderValue::from_static(translation.content_type(status.is_success()));
    headers.remove(CONTENT_LENGTH);
    headers.insert(CONTENT_TYPE, client_kind);
    if !status.is_success() {
        let said = read_reply(answer.body, upstream).await?;
        let body = translation.error(status.as_u16(), &String::from_utf8_lossy(&said));
        return Ok(response(status, headers, Body::from(body)));
    }
    if let Some(framing) = framing {
        let body = TranslatedBody::body(answer.body, translation.events(framing));
        let framing = translation.client_framing();
        return Ok(in_events(request, (status, headers, body), framing, prepared, notes));
    }
    let read = read_reply(answer.body, upstream).await;
    if let Some(whole) = read.as_ref().ok().filter(|_| request.asked.streams) {
        let body = Body::from(translation.whole_as_events(&String::from_utf8_lossy(whole)));
        let framing = translation.client_framing();
        return Ok(in_events(request, (status, headers, body), framing, prepared, notes));
    }
    let whole = Whole { status, headers, translation: Some(translation) };
    whole.respond(request, read, prepared, notes).await
}

/// A response that is streamed. The reply is stored when it ends, also if it is cut off.
fn in_events(
    request: &ProxyRequest<'_>,
    (status, mut headers, body): (StatusCode, HeaderMap, Body),
    framing: Framing,
    mut prepared: PreparedRequest,
    notes: &ResponseNotes,
) -> Response {
    headers.remove(CONTENT_LENGTH);
    if prepared.recording.is_none() {
        return response(status, headers, body);
    }
    let number = notes.number;
    let listener = Listener::new(request.chat.format, framing, prepared.strips);
    let on_end = Box::new(move |said: Gathered| {
        Box::pin(prepared.finish(number, said)) as relay::EndBarrier
    });
    response(status, headers, request.state.proxy.open_replies.body(body, listener, on_end))
}

/// A response that is read as a whole before it is passed on.
struct Whole {
    status: StatusCode,
    headers: HeaderMap,
    translation: Option<Translation>,
}

impl Whole {
    /// Passes on what was read. A reply that was cut off is stored as such, and the client gets an
    /// error that names the upstream.
    async fn respond(
        mut self,
        request: &ProxyRequest<'_>,
        read: Result<Bytes, CutReply>,
        mut prepared: PreparedRequest,
        notes: &mut ResponseNotes,
    ) -> Result<Response, Refusal> {
        let mut listener = Listener::new(request.chat.format, Framing::Lines, prepared.strips);
        let body = match read {
            Ok(body) => self.translated(body),
            Err(CutReply { came, refusal }) => {
                let part = listener.part(&self.text_of(&came));
                prepared.finish(notes.number, part).await;
                return Err(refusal);
            }
        };
        let cut = std::str::from_utf8(&body).ok().and_then(|text| listener.whole(text));
        let said = listener.gathered();
        if let Some(reason) = not_remembered::reply(&said.text) {
            notes.not_remembered(&reason);
        }
        prepared.finish(notes.number, said).await;
        let body = cut.map_or(body, Bytes::from);
        self.headers.insert(CONTENT_LENGTH, body.len().into());
        Ok(response(self.status, self.headers, Body::from(body)))
    }

    fn translated(&self, body: Bytes) -> Bytes {
        match &self.translation {
            Some(translation) => translation.whole(&String::from_utf8_lossy(&body)).into(),
            None => body,
        }
    }

    /// The text received so far, as the client would have read it.
    fn text_of(&self, came: &[u8]) -> String {
        let valid = came.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        let closed = partial::closed(valid);
        self.translation.as_ref().map_or(closed.clone(), |it| it.whole(&closed))
    }
}

/// How a reply in the client's protocol comes in pieces, if it does.
fn framing(chat: &ChatEndpoint, headers: &HeaderMap, streams: bool) -> Option<Framing> {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    chat.protocol().adapter().reply_framing(kind, streams)
}

fn response(status: StatusCode, headers: HeaderMap, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

impl From<RequestError> for Refusal {
    fn from(problem: RequestError) -> Self {
        let (status, code, message) = problem.parts();
        Self::new(status, code, message)
    }
}

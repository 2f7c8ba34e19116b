//! Answers Anthropic's memory tool in place of the client, where `proxy.memory_tool` is on.
//!
//! A client declares the tool (`memory_20250818`) and the model calls it. The proxy carries the
//! commands out on the files of a memory, gives the model the results and lets it continue, until it
//! replies without a command. The client gets all rounds as one message without these calls
//! ([`whole`] and [`stream`]). If the model calls other tools in the same turn, the client gets those
//! calls, and the results of the commands are given to the model along with the client's
//! ([`Postponed`]).

mod files;
mod postponed;
mod round;
mod stream;
mod whole;

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderMap, Method};
use everwhen_protocols::json::Object;
use everwhen_protocols::{Draft, Framing, Protocol};
use serde_json::Value;

pub(crate) use self::files::ToolFiles;
pub(crate) use self::postponed::Postponed;
use self::round::Round;
use super::egress::Target;
use super::prepare::ProxyRequest;
use super::recording::Recording;
use super::refusal::Refusal;
use super::upstream::{Responder, UpstreamCall, UpstreamResponse};

/// The type of the tool's declaration.
const TOOL_TYPE: &str = "memory_20250818";
/// Most times that the model is asked within one request.
const MAX_ROUNDS: usize = 24;

/// A turn of a conversation in which the memory tool is answered here.
pub(super) struct ToolTurn {
    /// The name by which the model calls the tool.
    tool: String,
    files: ToolFiles,
    postponed: Arc<Postponed>,
    responder: Arc<dyn Responder>,
    call: CallTemplate,
}

/// A call to the upstream without its body, which changes from round to round.
struct CallTemplate {
    protocol: Protocol,
    method: Method,
    target: Target,
    headers: HeaderMap,
    with_credentials: bool,
    is_usual: bool,
}

/// What happens after a round.
enum Next {
    /// The model is asked again with this body.
    Ask(String),
    /// The message is complete.
    End,
}

/// Asks the upstream, and answers the memory tool if the request declares it and it is answered here.
pub(super) async fn ask(
    request: &ProxyRequest<'_>,
    recording: Option<&Recording>,
    responder: &Arc<dyn Responder>,
    call: UpstreamCall,
) -> Result<UpstreamResponse, Refusal> {
    match ToolTurn::of(request, recording, responder, &call) {
        Some(turn) => turn.ask(call.body).await,
        None => responder.ask(call).await,
    }
}

impl ToolTurn {
    fn of(
        request: &ProxyRequest<'_>,
        recording: Option<&Recording>,
        responder: &Arc<dyn Responder>,
        call: &UpstreamCall,
    ) -> Option<Self> {
        let is_here = request.state.proxy.config.memory_tool.value
            && call.protocol == Protocol::Anthropic
            && responder.kind() == Protocol::Anthropic
            && call.talk.is_none();
        let tool = declared(request).filter(|_| is_here)?;
        Some(Self {
            tool,
            files: ToolFiles::of(request, recording?)?,
            postponed: Arc::clone(&request.state.proxy.postponed),
            responder: Arc::clone(responder),
            call: CallTemplate::of(call),
        })
    }

    /// Asks for the first round; the others follow while the reply is read.
    async fn ask(self, body: Bytes) -> Result<UpstreamResponse, Refusal> {
        let text = String::from_utf8_lossy(&body);
        let place = (self.files.place(), self.files.epoch().await);
        let text = self.postponed.restore(place, &text).unwrap_or(text.into_owned());
        let mut answer = self.send(&text).await?;
        if !answer.status.is_success() {
            return Ok(answer);
        }
        answer.headers.remove(CONTENT_LENGTH);
        let kind = answer.headers.get("content-type").and_then(|kind| kind.to_str().ok());
        match kind.and_then(Framing::of) {
            Some(Framing::Sse) => {
                answer.body = stream::merged(self, text, answer.body);
                Ok(answer)
            }
            _ => whole::merged(self, text, answer).await,
        }
    }

    async fn send(&self, body: &str) -> Result<UpstreamResponse, Refusal> {
        self.responder.ask(self.call.with(body.to_owned().into())).await
    }

    /// Carries out the commands of a round and returns what happens next.
    async fn after(&self, body: &str, round: &Round, rounds: usize) -> Next {
        if !round.is_waiting() {
            return Next::End;
        }
        let (mut results, epoch) = (Vec::new(), self.files.epoch().await);
        for call in round.commands() {
            results.push(self.files.result(call).await);
        }
        if round.has_other_calls() {
            self.postponed.keep((self.files.place(), epoch), round, results);
            return Next::End;
        }
        match rounds < MAX_ROUNDS {
            true => continued(body, &self.tool, round, &results).map_or(Next::End, Next::Ask),
            false => Next::End,
        }
    }
}

impl CallTemplate {
    fn of(call: &UpstreamCall) -> Self {
        Self {
            protocol: call.protocol,
            method: call.method.clone(),
            target: call.target.clone(),
            headers: call.headers.clone(),
            with_credentials: call.with_credentials,
            is_usual: call.is_usual,
        }
    }

    fn with(&self, body: Bytes) -> UpstreamCall {
        UpstreamCall {
            protocol: self.protocol,
            method: self.method.clone(),
            target: self.target.clone(),
            headers: self.headers.clone(),
            with_credentials: self.with_credentials,
            is_usual: self.is_usual,
            body,
            talk: None,
        }
    }
}

/// The name of the memory tool that a request declares.
fn declared(request: &ProxyRequest<'_>) -> Option<String> {
    let tools = request.asked.fields.items("tools");
    let tool = tools
        .into_iter()
        .filter_map(Object::read)
        .find(|tool| tool.text("type").is_some_and(|kind| kind == TOOL_TYPE))?;
    Some(tool.text("name").map_or_else(|| "memory".to_owned(), |name| name.into_owned()))
}

/// The request for the next round: the model's words and calls, and the results.
fn continued(body: &str, tool: &str, round: &Round, results: &[Value]) -> Option<String> {
    let fields = Object::read(body)?;
    let mut draft = Draft::new(body);
    let messages = draft.place(fields.get("messages")?)?;
    let reply = serde_json::json!({ "role": "assistant", "content": round.blocks() });
    let answers = serde_json::json!({ "role": "user", "content": results });
    draft.insert(messages.end - 1, format!(",{reply},{answers}"));
    let choice = fields.object("tool_choice");
    if choice.is_some_and(|choice| choice.text("name").is_some_and(|name| name == tool)) {
        // Else the model would have to call the tool in every round.
        let place = draft.place(fields.get("tool_choice")?)?;
        draft.replace(place, r#"{"type":"auto"}"#);
    }
    draft.finish()
}

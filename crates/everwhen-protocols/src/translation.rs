//! A client of one protocol before an upstream of another: one exchange, through the neutral chat.

use serde_json::Value;

use crate::adapter::error_message;
use crate::{
    Adapter, CallPiece, ChatReply, ChatRequest, Encoder, Event, EventWriter, Framing, Protocol,
    ReplyEvent, ReplyFormat, ReplyId, ReplyStream, StopReason, Unsupported, tool_calls,
};

/// A translation of one exchange.
#[derive(Debug, Clone)]
pub struct Translation {
    client: Protocol,
    upstream: Protocol,
    request: ChatRequest,
    /// How a streamed reply is written for the client.
    framing: Framing,
    reply: ReplyId,
}

impl Translation {
    /// A translation for a request of a client; `model` and `streams` are what the request asks
    /// for, wherever its protocol has them, and `query` is that of its address.
    pub fn new(
        (client, upstream): (Protocol, Protocol),
        body: &Value,
        (model, streams, query): (&str, bool, Option<&str>),
        reply: ReplyId,
    ) -> Self {
        let mut request = client.adapter().read_request(body);
        model.clone_into(&mut request.model);
        request.streams = streams;
        tool_calls::resolve(&mut request.messages);
        let framing = client.adapter().client_framing(query);
        Self { client, upstream, request, framing, reply }
    }

    /// The path and query at which the upstream is asked.
    pub fn path(&self) -> String {
        self.to().chat_path(&self.request.model, self.request.streams)
    }

    /// The request for the upstream.
    pub fn request(&self) -> Result<String, Unsupported> {
        // What comes in pieces is counted: the client's protocol may always do so.
        let request = ChatRequest { counts_tokens: self.request.streams, ..self.request.clone() };
        Ok(self.to().write_request(&request)?.to_string())
    }

    /// How the upstream's reply with this content type comes in pieces, if it does. An upstream may
    /// answer whole although pieces were wanted.
    pub fn framing(&self, content_type: Option<&str>) -> Option<Framing> {
        let streams = self.request.streams;
        self.to().reply_framing(content_type, streams).filter(|_| streams)
    }

    /// The content type of the client's reply.
    pub fn content_type(&self, is_success: bool) -> &'static str {
        match is_success && self.request.streams {
            true => self.framing.content_type(),
            false => "application/json",
        }
    }

    /// How the client's reply comes in pieces.
    pub fn client_framing(&self) -> Framing {
        self.framing
    }

    /// A whole reply for the client, from what the upstream said or what came of it.
    pub fn whole(&self, said: &str) -> String {
        let said: Value = serde_json::from_str(said).unwrap_or_default();
        let mut reply = self.to().read_reply(&said).unwrap_or_default();
        if let Some(name) = self.schema_name() {
            unwrap_reply(&mut reply, name);
        }
        self.from().write_reply(&reply, &self.reply).to_string()
    }

    /// A whole reply for a client that wants it in pieces.
    pub fn whole_as_events(&self, said: &str) -> String {
        let said: Value = serde_json::from_str(said).unwrap_or_default();
        let reply = self.to().read_reply(&said).unwrap_or_default();
        let mut translator = self.events(Framing::Sse);
        translator.whole(reply)
    }

    /// An error for the client.
    pub fn error(&self, status: u16, said: &str) -> String {
        let said: Value = serde_json::from_str(said).unwrap_or_default();
        let message = error_message(&said).unwrap_or("the upstream failed and did not say why");
        self.from().error(status, "upstream_error", message).to_string()
    }

    /// A translator for a reply that comes in pieces in this framing.
    pub fn events(&self, framing: Framing) -> EventTranslator {
        EventTranslator {
            translation: self.clone(),
            stream: ReplyStream::new(self.upstream, framing),
            encoder: Encoder::new(self.framing),
            writer: self.from().event_writer(self.reply.clone(), self.request.counts_tokens),
            schema_calls: Vec::new(),
            state: State::default(),
        }
    }

    fn from(&self) -> &'static dyn Adapter {
        self.client.adapter()
    }

    fn to(&self) -> &'static dyn Adapter {
        self.upstream.adapter()
    }

    fn schema_name(&self) -> Option<&str> {
        match &self.request.format {
            Some(ReplyFormat::Schema { name, .. }) => Some(name),
            _ => None,
        }
    }
}

/// A reply whose form a protocol can only ask for as a call of a tool with that name: the arguments
/// of the call are the text.
fn unwrap_reply(reply: &mut ChatReply, name: &str) {
    for call in std::mem::take(&mut reply.calls) {
        match call.name == name {
            true => reply.text.push_str(&call.arguments),
            false => reply.calls.push(call),
        }
    }
}

/// How far a streamed reply has come.
#[derive(Debug, Default)]
struct State {
    has_ended: bool,
    has_failed: bool,
}

/// Translates a reply as it comes.
pub struct EventTranslator {
    translation: Translation,
    stream: ReplyStream,
    encoder: Encoder,
    writer: Box<dyn EventWriter>,
    /// Indexes of calls that stand for the text of the reply.
    schema_calls: Vec<Option<u64>>,
    state: State,
}

impl EventTranslator {
    /// Takes bytes of the upstream; answers bytes for the client.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.stream.push(bytes);
        self.translated()
    }

    /// Whether the upstream sends something that is no stream of events.
    pub fn is_too_long(&self) -> bool {
        self.stream.is_too_long()
    }

    /// The upstream's body has ended; answers the last bytes for the client, and whether the reply
    /// is whole. One that is not was cut off before its end.
    pub fn end(&mut self) -> (String, bool) {
        self.stream.finish();
        let mut out = self.translated();
        let is_whole = self.state.has_ended || self.state.has_failed;
        if self.state.has_ended && !self.state.has_failed {
            let events = self.writer.end();
            out.extend(events.iter().map(|event| self.encoder.event(event)));
        }
        if is_whole {
            out.push_str(self.encoder.end());
        }
        (out, is_whole)
    }

    /// The events of a reply that came whole.
    fn whole(&mut self, reply: ChatReply) -> String {
        let piece = |call| CallPiece { index: None, call };
        let event = ReplyEvent {
            text: reply.said().to_owned(),
            model: reply.model,
            created: reply.created,
            thinking: reply.thinking,
            calls: reply.calls.into_iter().map(piece).collect(),
            stop: reply.stop.or(Some(StopReason::End)),
            usage: reply.usage,
            ..ReplyEvent::default()
        };
        let mut events = self.translate(event);
        events.extend(self.writer.end());
        let mut out: String = events.iter().map(|event| self.encoder.event(event)).collect();
        out.push_str(self.encoder.end());
        out
    }

    fn translated(&mut self) -> String {
        let mut out = String::new();
        while let Some(event) = self.stream.next_event() {
            let events = self.translate(event);
            out.extend(events.iter().map(|event| self.encoder.event(event)));
        }
        out
    }

    fn translate(&mut self, mut event: ReplyEvent) -> Vec<Event> {
        if let Some(message) = &event.error {
            self.state.has_failed = true;
            let error = self.translation.from().error(500, "upstream_error", message);
            return vec![Event::new(error.to_string())];
        }
        self.state.has_ended |= event.is_last || event.stop.is_some();
        if let Some(name) = self.translation.schema_name() {
            unwrap_event(&mut event, name, &mut self.schema_calls);
        }
        self.writer.event(&event)
    }
}

/// Unwraps one event as [`unwrap_reply`] does a reply.
fn unwrap_event(event: &mut ReplyEvent, name: &str, indexes: &mut Vec<Option<u64>>) {
    let pieces: Vec<CallPiece> = std::mem::take(&mut event.calls);
    for piece in pieces {
        if piece.call.name == name && piece.index.is_some() {
            indexes.push(piece.index);
        }
        if piece.call.name == name || indexes.contains(&piece.index) {
            event.text.push_str(&piece.call.arguments);
        } else {
            event.calls.push(piece);
        }
    }
}

//! Answers that the caller gets piece by piece as they arrive, and whole at the end.
//!
//! The answer of a provider that does not stream although it was asked to is one piece. What a model
//! thinks aloud before its answer is not part of it. A provider that sends nothing for longer than one
//! attempt may take is given up.

use everwhen_engine::ports::{Finish, Spent};
use everwhen_engine::{Error, ErrorKind, Result};
use everwhen_protocols::{CallsSoFar, ChatRequest, Framing, ReplyEvent, ReplyStream, ToolCall};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;

use super::RemoteLlm;
use super::quirks::Taken;
use super::thoughts::Thoughts;
use super::wire::{self, Answer, Samplers, finish, tokens};
use crate::endpoint::Failure;

/// Called with each piece of a text as it arrives.
pub type OnText<'h> = &'h mut (dyn FnMut(&str) + Send);

/// A reply to a chat.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatAnswer {
    /// The text.
    pub text: String,
    /// The tools that the model calls.
    pub calls: Vec<ToolCall>,
    /// Tokens and cost of the call.
    pub spent: Spent,
}

impl RemoteLlm {
    /// Asks for a reply to a chat, which may hold images and tools, with values of the caller's own
    /// such as samplers. The model is that of this client; a chat that names none is sent without.
    pub async fn ask_chat(
        &self,
        chat: &ChatRequest,
        samplers: &Samplers,
        on_text: OnText<'_>,
    ) -> Result<ChatAnswer> {
        let body = |taken| {
            let body = wire::chat_streamed(&self.setting, chat, samplers, taken);
            body.map_err(|wrong| Error::invalid(wrong.0))
        };
        let response = self.open(body).await?;
        let mut answer = self.read_answer(response, on_text).await?;
        let calls = std::mem::take(&mut answer.calls);
        let reply = self.replied(answer, None);
        Ok(ChatAnswer { text: reply.text, calls, spent: reply.spent })
    }

    /// Reads the whole answer, and passes its text on as it arrives.
    async fn read_answer(&self, response: Response, on_text: OnText<'_>) -> Result<Answer> {
        if let Some(framing) = self.framing(&response) {
            return self.listen(response, framing, on_text).await;
        }
        let content = self.endpoint.content(response).await;
        let answer = self.read(&content.map_err(|failure| self.failed(&failure))?)?;
        let answer = self.checked(answer)?;
        on_text(&answer.text);
        Ok(answer)
    }

    /// The models that the provider serves.
    pub async fn served(&self) -> Result<Vec<String>> {
        let url = self.setting.list()?;
        let content = self.endpoint.get(url, &self.setting.retry).await;
        let content = content.map_err(|failure| self.failed(&failure))?;
        Ok(wire::served(self.setting.protocol, &content))
    }

    /// An answer that has begun.
    async fn open(&self, body: impl Fn(Taken) -> Result<String>) -> Result<Response> {
        loop {
            let taken = self.quirks.now();
            let body = body(taken)?;
            self.pace.wait().await;
            match self.endpoint.open(&body, &self.setting.retry).await {
                Ok(response) => return Ok(response),
                Err(failure) if self.quirks.learn(taken, &failure, false) => {}
                Err(failure) => return Err(self.failed(&failure)),
            }
        }
    }

    /// How an answer comes in pieces, if it does.
    fn framing(&self, response: &Response) -> Option<Framing> {
        let kind = response.headers().get(CONTENT_TYPE)?.to_str().ok();
        self.setting.protocol.adapter().reply_framing(kind, false)
    }

    async fn listen(
        &self,
        mut response: Response,
        framing: Framing,
        on_text: OnText<'_>,
    ) -> Result<Answer> {
        let mut reply = PartialReply::default();
        let mut stream = ReplyStream::new(self.setting.protocol, framing);
        while !reply.is_over {
            let part = self.endpoint.next(&mut response, &self.setting.retry).await;
            match part.map_err(|failure: Failure| self.failed(&failure))? {
                Some(part) => stream.push(&part),
                None => {
                    stream.finish();
                    reply.body_ended = true;
                }
            }
            while let Some(event) = stream.next_event() {
                reply.take(&self.checked_event(event)?, on_text);
            }
            if reply.body_ended || stream.is_too_long() {
                break;
            }
        }
        reply.end(on_text);
        if !reply.is_over && reply.finish.is_none() {
            let what = "stopped in the middle of its answer";
            return Err(self.endpoint.error(ErrorKind::Unavailable, what));
        }
        self.checked(Answer {
            text: reply.text,
            model: reply.model,
            finish: reply.finish.unwrap_or(Finish::Stop),
            tokens: reply.tokens,
            calls: reply.calls.into_calls(),
        })
    }

    /// An event that is no failure. What a provider says of one is not repeated, because it may
    /// quote the question.
    fn checked_event(&self, event: ReplyEvent) -> Result<ReplyEvent> {
        match event.error {
            None => Ok(event),
            Some(_) => {
                let what = "failed in the middle of its answer";
                Err(self.endpoint.error(ErrorKind::Unavailable, what))
            }
        }
    }
}

fn emit(on_text: OnText<'_>, piece: &str) {
    if !piece.is_empty() {
        on_text(piece);
    }
}

/// What has arrived of a reply so far.
#[derive(Default)]
struct PartialReply {
    text: String,
    model: Option<String>,
    finish: Option<Finish>,
    tokens: Spent,
    thoughts: Thoughts,
    calls: CallsSoFar,
    is_over: bool,
    body_ended: bool,
}

impl PartialReply {
    fn take(&mut self, event: &ReplyEvent, on_text: OnText<'_>) {
        let piece = self.thoughts.push(&event.text);
        self.text.push_str(&piece);
        emit(on_text, &piece);
        for piece in &event.calls {
            self.calls.add(piece);
        }
        self.model = self.model.take().or_else(|| event.model.clone());
        self.finish = event.stop.map(finish).or(self.finish);
        let tokens = tokens(event.usage.unwrap_or_default());
        self.tokens.input_tokens = self.tokens.input_tokens.max(tokens.input_tokens);
        self.tokens.output_tokens = self.tokens.output_tokens.max(tokens.output_tokens);
        self.is_over |= event.is_last;
    }

    /// Nothing follows; emits what was held back.
    fn end(&mut self, on_text: OnText<'_>) {
        let piece = self.thoughts.finish();
        self.text.push_str(&piece);
        emit(on_text, &piece);
    }
}

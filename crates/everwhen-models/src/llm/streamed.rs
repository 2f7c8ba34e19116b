//! Answers that are heard piece by piece as they come, and told whole at the end.
//!
//! A provider that does not stream although it was asked to is heard in one piece. What a model
//! thinks aloud before its answer is not part of it. Silence for longer than one try may take ends
//! the wait.

use everwhen_engine::ports::{Finish, Prompt, Reply, Spent};
use everwhen_engine::{Error, ErrorKind, Result};
use everwhen_protocols::{CallsSoFar, ChatRequest, Framing, ReplyEvent, ReplyStream, ToolCall};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;

use super::RemoteLlm;
use super::quirks::Taken;
use super::thoughts::Thoughts;
use super::wire::{self, Answer, Samplers, finish, tokens};
use crate::endpoint::Failure;

/// Hears a text piece by piece.
pub type Hear<'h> = &'h mut (dyn FnMut(&str) + Send);

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
        hear: Hear<'_>,
    ) -> Result<ChatAnswer> {
        let body = |taken| {
            let body = wire::chat_streamed(&self.setting, chat, samplers, taken);
            body.map_err(|wrong| Error::invalid(wrong.0))
        };
        let response = self.open(body).await?;
        let mut answer = self.hear_answer(response, hear).await?;
        let calls = std::mem::take(&mut answer.calls);
        let reply = self.replied(answer, None);
        Ok(ChatAnswer { text: reply.text, calls, spent: reply.spent })
    }

    /// Asks, with values of the caller's own beside the prompt, such as samplers; its schema and
    /// temperature are left aside.
    pub async fn ask_aloud(
        &self,
        prompt: &Prompt,
        samplers: &Samplers,
        hear: Hear<'_>,
    ) -> Result<Reply> {
        let body = |taken| Ok(wire::request_streamed(&self.setting, prompt, samplers, taken));
        let response = self.open(body).await?;
        let answer = self.hear_answer(response, hear).await?;
        Ok(self.replied(answer, None))
    }

    /// The whole answer, which is heard as it comes.
    async fn hear_answer(&self, response: Response, hear: Hear<'_>) -> Result<Answer> {
        if let Some(framing) = self.framing(&response) {
            return self.listen(response, framing, hear).await;
        }
        let content = self.endpoint.content(response).await;
        let answer = self.read(&content.map_err(|failure| self.failed(&failure))?)?;
        let answer = self.checked(answer)?;
        hear(&answer.text);
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
        hear: Hear<'_>,
    ) -> Result<Answer> {
        let mut heard = Heard::default();
        let mut stream = ReplyStream::new(self.setting.protocol, framing);
        while !heard.is_over {
            let part = self.endpoint.next(&mut response, &self.setting.retry).await;
            match part.map_err(|failure: Failure| self.failed(&failure))? {
                Some(part) => stream.push(&part),
                None => {
                    stream.finish();
                    heard.body_ended = true;
                }
            }
            while let Some(event) = stream.next_event() {
                heard.take(&self.checked_event(event)?, hear);
            }
            if heard.body_ended || stream.is_too_long() {
                break;
            }
        }
        heard.end(hear);
        if !heard.is_over && heard.finish.is_none() {
            let what = "stopped in the middle of its answer";
            return Err(self.endpoint.error(ErrorKind::Unavailable, what));
        }
        self.checked(Answer {
            text: heard.text,
            model: heard.model,
            finish: heard.finish.unwrap_or(Finish::Stop),
            tokens: heard.tokens,
            calls: heard.calls.into_calls(),
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

fn hear_some(hear: Hear<'_>, piece: &str) {
    if !piece.is_empty() {
        hear(piece);
    }
}

/// What was heard so far.
#[derive(Default)]
struct Heard {
    text: String,
    model: Option<String>,
    finish: Option<Finish>,
    tokens: Spent,
    thoughts: Thoughts,
    calls: CallsSoFar,
    is_over: bool,
    body_ended: bool,
}

impl Heard {
    fn take(&mut self, event: &ReplyEvent, hear: Hear<'_>) {
        let piece = self.thoughts.push(&event.text);
        self.text.push_str(&piece);
        hear_some(hear, &piece);
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

    /// Nothing follows; what was held back is heard.
    fn end(&mut self, hear: Hear<'_>) {
        let piece = self.thoughts.finish();
        self.text.push_str(&piece);
        hear_some(hear, &piece);
    }
}

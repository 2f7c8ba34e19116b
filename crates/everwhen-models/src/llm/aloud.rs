//! Asking aloud: the answer is heard piece by piece as it comes, and told whole at the end.
//!
//! A provider that does not stream although it was asked to is heard in one piece. What a model
//! thinks aloud before its answer is not part of it. Silence for longer than one try may take ends
//! the wait.

use everwhen_engine::ports::{Finish, Prompt, Reply, Spent};
use everwhen_engine::{ErrorKind, Result};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;

use super::RemoteLlm;
use super::thoughts::Thoughts;
use super::wire::{self, Answer, Samplers};
use crate::endpoint::Failure;

/// Hears a text piece by piece.
pub type Hear<'h> = &'h mut (dyn FnMut(&str) + Send);

impl RemoteLlm {
    /// Asks, with values of the caller's own beside the prompt, such as samplers; its schema and
    /// temperature are left aside.
    pub async fn ask_aloud(
        &self,
        prompt: &Prompt,
        samplers: &Samplers,
        hear: Hear<'_>,
    ) -> Result<Reply> {
        let response = self.open(prompt, samplers).await?;
        let answer = match is_stream(&response) {
            true => self.listen(response, hear).await?,
            false => {
                let content = self.endpoint.content(response).await;
                let answer = self.read(&content.map_err(|failure| self.failed(&failure))?)?;
                hear(&answer.text);
                answer
            }
        };
        Ok(self.replied(answer, None))
    }

    /// The models that the provider serves.
    pub async fn served(&self) -> Result<Vec<String>> {
        let url = self.setting.list()?;
        let content = self.endpoint.get(url, &self.setting.patience).await;
        let content = content.map_err(|failure| self.failed(&failure))?;
        Ok(wire::served(&content))
    }

    /// An answer that has begun.
    async fn open(&self, prompt: &Prompt, samplers: &Samplers) -> Result<Response> {
        loop {
            let taken = self.quirks.now();
            let body = wire::request_aloud(&self.setting, prompt, samplers, taken);
            self.pace.wait().await;
            match self.endpoint.open(&body, &self.setting.patience).await {
                Ok(response) => return Ok(response),
                Err(failure) if self.quirks.learn(taken, &failure, false) => {}
                Err(failure) => return Err(self.failed(&failure)),
            }
        }
    }

    async fn listen(&self, mut response: Response, hear: Hear<'_>) -> Result<Answer> {
        let mut heard = Heard::default();
        let mut lines = Lines::default();
        while !heard.is_over {
            let part = self.endpoint.next(&mut response, &self.setting.patience).await;
            let part = part.map_err(|failure: Failure| self.failed(&failure))?;
            lines.push(part.as_deref().unwrap_or(b"\n"));
            while let Some(line) = lines.next() {
                heard.take(&self.event(&line)?, hear);
            }
            if part.is_none() {
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
        })
    }

    fn event(&self, line: &str) -> Result<wire::Event> {
        let event = wire::event(self.setting.dialect, line);
        event.map_err(|what| self.endpoint.error(ErrorKind::Unavailable, &what))
    }
}

fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.contains("event-stream") || kind.contains("ndjson"))
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
    is_over: bool,
}

impl Heard {
    fn take(&mut self, event: &wire::Event, hear: Hear<'_>) {
        let piece = self.thoughts.push(&event.text);
        self.text.push_str(&piece);
        hear_some(hear, &piece);
        self.model = self.model.take().or_else(|| event.model.clone());
        self.finish = event.finish.or(self.finish);
        let tokens = event.tokens;
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

/// Whole lines out of parts that end anywhere.
#[derive(Default)]
struct Lines(Vec<u8>);

impl Lines {
    fn push(&mut self, part: &[u8]) {
        self.0.extend_from_slice(part);
    }

    fn next(&mut self) -> Option<String> {
        let end = self.0.iter().position(|byte| *byte == b'\n')?;
        let line: Vec<u8> = self.0.drain(..=end).collect();
        Some(String::from_utf8_lossy(&line).trim().to_owned())
    }
}

//! A language model at the other end of a connection, in any protocol of `everwhen-protocols`.
//!
//! Walk: wait for a turn → ask, and retry what may pass → read the answer → where a schema
//! was given, read it as JSON that fits; if it does not, ask once more and say what was wrong.
//! Providers that can be held to a schema are; those that refuse it get it described in the prompt.

mod pace;
mod quirks;
mod schema;
mod setting;
mod streamed;
mod thoughts;
mod wire;

use std::borrow::Cow;
use std::sync::Arc;

use everwhen_engine::json::Json;
use everwhen_engine::memory::{Chance, Role};
use everwhen_engine::ports::{Finish, Llm, Prompt, PromptMessage, Reply, ReplySchema, Spent, Wait};
use everwhen_engine::{Error, ErrorKind, Result};
use serde_json::Value;

pub use setting::{LlmSetting, Price};
pub use streamed::{ChatAnswer, OnText};
pub use wire::Samplers;

use crate::endpoint::{Endpoint, Failure};
use pace::Pace;
use quirks::Quirks;
use wire::Answer;

/// Longest answer that is read. Replies of the longest kind take a tenth of it.
const MOST_BYTES: usize = 4 << 20;

/// A language model somewhere else.
pub struct RemoteLlm {
    name: String,
    setting: LlmSetting,
    endpoint: Endpoint,
    pace: Pace,
    quirks: Quirks,
}

impl RemoteLlm {
    /// A model for these settings. No request is sent yet.
    pub fn new(setting: LlmSetting, chance: Arc<dyn Chance>) -> Result<Self> {
        setting.check()?;
        let endpoint = setting.reach(MOST_BYTES, chance)?;
        let pace = Pace::new(setting.requests_per_minute);
        let name = format!("{}:{}", setting.protocol.as_str(), setting.model);
        Ok(Self { name, setting, endpoint, pace, quirks: Quirks::default() })
    }

    async fn reply(&self, prompt: &Prompt) -> Result<Reply> {
        let Some(wanted) = &prompt.schema else {
            return Ok(self.replied(self.answer(prompt, None).await?, None));
        };
        let schema = schema::read(&wanted.text)?;
        let first = self.answer(prompt, Some(&schema)).await?;
        if first.finish == Finish::Filtered {
            return Ok(self.replied(first, None));
        }
        match schema::fitting(&first.text, &schema) {
            Ok(json) => Ok(self.replied(first, Some(json))),
            Err(problem) => self.repaired(prompt, wanted, &schema, (first, problem)).await,
        }
    }

    /// Asks once more and says what was wrong.
    async fn repaired(
        &self,
        prompt: &Prompt,
        wanted: &ReplySchema,
        schema: &Value,
        (first, problem): (Answer, String),
    ) -> Result<Reply> {
        tracing::debug!(model = self.name, problem, "the reply does not fit, asking once more");
        let again = with_repair(prompt, wanted, &first.text, &problem);
        let mut second = match self.answer(&again, Some(schema)).await {
            Ok(second) => second,
            Err(error) => return Ok(self.unusable(first, error)),
        };
        second.tokens = second.tokens + first.tokens;
        match schema::fitting(&second.text, schema) {
            _ if second.finish == Finish::Filtered => Ok(self.replied(second, None)),
            Ok(json) => Ok(self.replied(second, Some(json))),
            Err(problem) => {
                let what = format!("gave twice a reply that is not what was asked for: {problem}");
                let error = self.endpoint.error(ErrorKind::Invalid, &what);
                Ok(self.unusable(second, error))
            }
        }
    }

    /// Asks in the provider's protocol; what it refuses to take is left out the second time.
    async fn answer(&self, prompt: &Prompt, schema: Option<&Value>) -> Result<Answer> {
        loop {
            let taken = self.quirks.now();
            let schema_in_words = schema.is_some() && taken.no_schema;
            let prompt =
                if schema_in_words { with_schema_in_words(prompt) } else { Cow::Borrowed(prompt) };
            let held_to = schema.filter(|_| !taken.no_schema);
            let body = wire::request(&self.setting, &prompt, held_to, taken);
            self.pace.wait().await;
            match self.endpoint.post(&body, &self.setting.retry).await {
                Ok(content) => return self.read(&content),
                Err(failure) if self.quirks.learn(taken, &failure, held_to.is_some()) => {}
                Err(failure) => return Err(self.failed(&failure)),
            }
        }
    }

    fn read(&self, content: &[u8]) -> Result<Answer> {
        let unusable = |what: String| self.endpoint.error(ErrorKind::Unavailable, &what);
        wire::answer(self.setting.protocol, content).map_err(unusable)
    }

    fn checked(&self, answer: Answer) -> Result<Answer> {
        self.withheld(&answer).map_or(Ok(answer), Err)
    }

    /// The error for an answer that the provider holds back.
    fn withheld(&self, answer: &Answer) -> Option<Error> {
        let is_withheld = answer.finish == Finish::Filtered;
        is_withheld.then(|| self.endpoint.error(ErrorKind::Invalid, "held its reply back"))
    }

    fn failed(&self, failure: &Failure) -> Error {
        let error = self.endpoint.failed(failure, &self.setting.retry);
        match failure {
            _ if failure.is_retryable() => error,
            Failure::Refused { status, .. } if matches!(status.as_u16(), 401 | 403) => {
                Error::new(ErrorKind::Denied, error.message())
            }
            _ => Error::invalid(error.message()),
        }
    }

    /// A reply that has to be paid for and is of no use.
    fn unusable(&self, answer: Answer, error: Error) -> Reply {
        Reply { unusable: Some(error), ..self.replied(answer, None) }
    }

    fn replied(&self, answer: Answer, json: Option<Json>) -> Reply {
        let unusable = self.withheld(&answer);
        let Answer { text, model, finish, tokens, .. } = answer;
        let cost_nanos = self.setting.price.of(tokens);
        let model = model.unwrap_or_else(|| self.setting.model.clone());
        let spent = Spent { cost_nanos, ..tokens };
        Reply { text, json, model, finish, spent, cached: false, unusable }
    }
}

/// The prompt with the schema said in words.
fn with_schema_in_words(prompt: &Prompt) -> Cow<'_, Prompt> {
    let mut worded = prompt.clone();
    if let Some(schema) = &prompt.schema {
        let words = include_str!("llm/prompts/schema.txt").replace("{schema}", &schema.text);
        worded.messages.push(PromptMessage { role: Role::System, content: words });
    }
    Cow::Owned(worded)
}

/// The prompt, the reply that did not fit, and what was wrong with it.
fn with_repair(prompt: &Prompt, wanted: &ReplySchema, reply: &str, problem: &str) -> Prompt {
    let words = include_str!("llm/prompts/repair.txt");
    let words = words.replace("{problem}", problem).replace("{schema}", &wanted.text);
    let mut again = prompt.clone();
    again.messages.push(PromptMessage { role: Role::Assistant, content: reply.to_owned() });
    again.messages.push(PromptMessage { role: Role::User, content: words });
    again
}

impl Llm for RemoteLlm {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Wait<'a, Reply> {
        Box::pin(self.reply(prompt))
    }
}

impl std::fmt::Debug for RemoteLlm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RemoteLlm({})", self.name)
    }
}

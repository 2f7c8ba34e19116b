//! The language-model port: messages in, text out, and, where a schema is given, JSON that fits it.
//!
//! Adapters wait, retry, and repair what can be repaired. What reaches the engine is an answer or
//! an [`Error`]; [`Error::is_retryable`] says whether the same question may be answered later. An answer of
//! no use is an answer, because it was paid for. Neither prompts nor replies appear in errors.

use jiff::civil::Date;

use super::Wait;
use crate::Error;
use crate::json::Json;
use crate::memory::Role;

/// The hash of a model and what it was asked.
pub type AskedHash = [u8; 32];

/// What a vault used on one day, with one model, for one purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// The day, in UTC.
    pub day: Date,
    /// The model.
    pub model: String,
    /// What for, such as `facts` or `title`.
    pub purpose: String,
    /// How often the model was asked.
    pub calls: u64,
    /// How often the answer was known.
    pub cached: u64,
    /// What it took.
    pub spent: Spent,
}

/// A language model.
pub trait Llm: Send + Sync {
    /// Which model, such as `openai:gpt-4o-mini`; what usage is kept under.
    fn name(&self) -> &str;
    /// Asks it.
    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Wait<'a, Reply>;
}

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// What was said so far, instructions first.
    pub messages: Vec<PromptMessage>,
    /// What the reply must look like, if it is to be JSON.
    pub schema: Option<ReplySchema>,
    /// The maximum number of tokens of the reply.
    pub max_tokens: u32,
    /// 0 for the likeliest reply.
    pub temperature: f32,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptMessage {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// The JSON schema of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplySchema {
    /// A short name, letters and underscores; some providers want one.
    pub name: &'static str,
    /// The schema as JSON text: an object with `additionalProperties` false and all `required`.
    pub text: String,
}

impl Prompt {
    /// Instructions and one message of a user, answered with the likeliest text.
    pub fn new(system: impl Into<String>, user: impl Into<String>) -> Self {
        let message = |role, content| PromptMessage { role, content };
        let messages = vec![message(Role::System, system.into()), message(Role::User, user.into())];
        Self { messages, schema: None, max_tokens: 1024, temperature: 0.0 }
    }

    /// Sets the JSON schema of the answer.
    #[must_use]
    pub fn with_schema(mut self, name: &'static str, text: impl Into<String>) -> Self {
        self.schema = Some(ReplySchema { name, text: text.into() });
        self
    }

    /// Returns this prompt for a reply of at most this many tokens.
    #[must_use]
    pub fn with_max_tokens(mut self, max_tokens: u32) -> Self {
        self.max_tokens = max_tokens;
        self
    }
}

/// Why a reply ends where it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The model was done.
    Stop,
    /// The reply had as many tokens as it may have.
    Length,
    /// The provider held something back.
    Filtered,
    /// Another reason.
    Other,
}

/// What a reply took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Tokens that were read.
    pub input_tokens: u64,
    /// Tokens that were written.
    pub output_tokens: u64,
    /// The price, in billionths of the currency that prices are configured in.
    pub cost_nanos: u64,
}

impl std::ops::Add for Spent {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens + other.input_tokens,
            output_tokens: self.output_tokens + other.output_tokens,
            cost_nanos: self.cost_nanos + other.cost_nanos,
        }
    }
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The text.
    pub text: String,
    /// The text as JSON that fits the schema; there whenever a schema was given.
    pub json: Option<Json>,
    /// The model as the provider names it.
    pub model: String,
    /// Why it ends.
    pub finish: Finish,
    /// What it took, now or when it was first given.
    pub spent: Spent,
    /// Whether it was cached, so that no model was asked and nothing was paid.
    pub cached: bool,
    /// Why it is of no use, though it has to be paid for.
    pub unusable: Option<Error>,
}

//! The three protocols as JSON.

mod anthropic;
mod event;
mod ollama;
mod openai;

use everwhen_engine::memory::Role;
use everwhen_engine::ports::{Finish, Prompt, Spent};
use serde::Deserialize;
use serde_json::{Value, json};

use super::quirks::Taken;
use super::setting::{LlmDialect, LlmSetting};
use super::thoughts;

pub use event::Samplers;
pub(super) use event::{Event, event, request_aloud, served};

/// An answer, whoever gave it.
#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) model: Option<String>,
    pub(super) finish: Finish,
    pub(super) tokens: Spent,
}

/// The body of a request.
pub(super) fn request(
    setting: &LlmSetting,
    prompt: &Prompt,
    schema: Option<&Value>,
    taken: Taken,
) -> String {
    let body = match setting.dialect {
        LlmDialect::OpenAi => openai::request(&setting.model, prompt, schema, taken),
        LlmDialect::Anthropic => anthropic::request(&setting.model, prompt, schema, taken),
        LlmDialect::Ollama => ollama::request(&setting.model, prompt, schema),
    };
    body.to_string()
}

/// An answer from its content; else what is wrong with it, as the rest of a sentence.
pub(super) fn answer(dialect: LlmDialect, content: &[u8]) -> Result<Answer, String> {
    let mut answer = match dialect {
        LlmDialect::OpenAi => openai::answer(content)?,
        LlmDialect::Anthropic => anthropic::answer(content)?,
        LlmDialect::Ollama => ollama::answer(content)?,
    };
    answer.text = thoughts::without(&answer.text);
    Ok(answer)
}

/// The messages of a prompt with their roles; what a tool said is said to the model by the user.
fn messages<'a>(prompt: &'a Prompt, of: impl Fn(Role) -> bool + 'a) -> Vec<Value> {
    let meant = prompt.messages.iter().filter(move |message| of(message.role));
    let role = |role| if role == Role::Tool { Role::User } else { role };
    meant
        .map(|message| json!({"role": role(message.role).as_str(), "content": message.content}))
        .collect()
}

fn tokens(input: Option<u64>, output: Option<u64>) -> Spent {
    let (input_tokens, output_tokens) = (input.unwrap_or(0), output.unwrap_or(0));
    Spent { input_tokens, output_tokens, cost_nanos: 0 }
}

/// What serde says may quote the answer, and an answer may quote a text: only the place is told.
fn parsed<'a, T: Deserialize<'a>>(content: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(content).map_err(|error| {
        let problem = if error.is_data() { "JSON, but no completion" } else { "not JSON" };
        let place = format!("line {}, column {}", error.line(), error.column());
        format!("gave an answer that is {problem} ({place}); is the address right?")
    })
}

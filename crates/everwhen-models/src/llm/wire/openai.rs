//! `POST /v1/chat/completions`.

use everwhen_engine::ports::{Finish, Prompt};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, messages, parsed, tokens};
use crate::llm::quirks::Taken;

#[derive(Deserialize)]
struct Completion {
    model: Option<String>,
    choices: Vec<Choice>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Usage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

pub(super) fn request(model: &str, prompt: &Prompt, schema: Option<&Value>, taken: Taken) -> Value {
    let mut body = json!({"model": model, "messages": messages(prompt, |_| true)});
    let bound = if taken.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
    body[bound] = json!(prompt.max_tokens);
    if !taken.no_temperature {
        body["temperature"] = json!(prompt.temperature);
    }
    if let (Some(schema), Some(wanted)) = (schema, &prompt.schema) {
        let schema = json!({"name": wanted.name, "strict": true, "schema": schema});
        body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
    }
    body
}

pub(super) fn answer(content: &[u8]) -> Result<Answer, String> {
    let Completion { model, choices, usage } = parsed(content)?;
    let choice = choices.into_iter().next().ok_or("gave an answer without a choice")?;
    let finish = match choice.finish_reason.as_deref() {
        _ if choice.message.refusal.is_some() => Finish::Filtered,
        Some("stop") | None => Finish::Stop,
        Some("length") => Finish::Length,
        Some("content_filter") => Finish::Filtered,
        Some(_) => Finish::Other,
    };
    let usage = usage.map(|usage| tokens(usage.prompt_tokens, usage.completion_tokens));
    let text = choice.message.content.unwrap_or_default();
    Ok(Answer { text, model, finish, tokens: usage.unwrap_or_default() })
}

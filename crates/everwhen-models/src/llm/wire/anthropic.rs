//! `POST /v1/messages`. A schema becomes a tool that must be used; its input is the reply.

use everwhen_engine::memory::Role;
use everwhen_engine::ports::{Finish, Prompt};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, messages, parsed, tokens};
use crate::llm::quirks::Taken;

#[derive(Deserialize)]
struct Message {
    model: Option<String>,
    content: Vec<Block>,
    stop_reason: Option<String>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        text: String,
    },
    ToolUse {
        input: Value,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Usage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

pub(super) fn request(model: &str, prompt: &Prompt, schema: Option<&Value>, taken: Taken) -> Value {
    let instructions = prompt.messages.iter().filter(|message| message.role == Role::System);
    let system: Vec<&str> = instructions.map(|message| message.content.as_str()).collect();
    let said = messages(prompt, |role| role != Role::System);
    let mut body = json!({"model": model, "max_tokens": prompt.max_tokens, "messages": said});
    if !system.is_empty() {
        body["system"] = json!(system.join("\n\n"));
    }
    if !taken.no_temperature {
        body["temperature"] = json!(prompt.temperature);
    }
    if let (Some(schema), Some(wanted)) = (schema, &prompt.schema) {
        body["tools"] = json!([{"name": wanted.name, "input_schema": schema}]);
        body["tool_choice"] = json!({"type": "tool", "name": wanted.name});
    }
    body
}

pub(super) fn answer(content: &[u8]) -> Result<Answer, String> {
    let Message { model, content, stop_reason, usage } = parsed(content)?;
    let finish = match stop_reason.as_deref() {
        Some("end_turn" | "stop_sequence" | "tool_use") | None => Finish::Stop,
        Some("max_tokens") => Finish::Length,
        Some("refusal") => Finish::Filtered,
        Some(_) => Finish::Other,
    };
    let usage = usage.map(|usage| tokens(usage.input_tokens, usage.output_tokens));
    Ok(Answer { text: text(content), model, finish, tokens: usage.unwrap_or_default() })
}

/// The input of the tool, if one was used; else all that was said.
fn text(blocks: Vec<Block>) -> String {
    let mut said = String::new();
    for block in blocks {
        match block {
            Block::ToolUse { input } => return input.to_string(),
            Block::Text { text } => said.push_str(&text),
            Block::Other => {}
        }
    }
    said
}

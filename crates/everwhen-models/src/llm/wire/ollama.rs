//! `POST /api/chat`, without streaming.

use everwhen_engine::ports::{Finish, Prompt};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, messages, parsed, tokens};

#[derive(Deserialize)]
struct Chat {
    model: Option<String>,
    message: Message,
    done_reason: Option<String>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
}

#[derive(Deserialize)]
struct Message {
    content: String,
}

pub(super) fn request(model: &str, prompt: &Prompt, schema: Option<&Value>) -> Value {
    let options = json!({"temperature": prompt.temperature, "num_predict": prompt.max_tokens});
    let said = messages(prompt, |_| true);
    let mut body = json!({"model": model, "messages": said, "stream": false, "options": options});
    if let Some(schema) = schema {
        body["format"] = schema.clone();
    }
    body
}

pub(super) fn answer(content: &[u8]) -> Result<Answer, String> {
    let chat: Chat = parsed(content)?;
    let finish = match chat.done_reason.as_deref() {
        Some("stop") | None => Finish::Stop,
        Some("length") => Finish::Length,
        Some(_) => Finish::Other,
    };
    let tokens = tokens(chat.prompt_eval_count, chat.eval_count);
    Ok(Answer { text: chat.message.content, model: chat.model, finish, tokens })
}

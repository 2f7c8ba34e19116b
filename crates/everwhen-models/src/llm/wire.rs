//! Prompts and answers in the protocol of a provider.

use everwhen_engine::memory::Role as PromptRole;
use everwhen_engine::ports::{Finish, Prompt, Spent};
use everwhen_protocols::{
    ChatMessage, ChatReply, ChatRequest, Protocol, ReplyFormat, Role, Sampling, StopReason,
    ToolCall, Unsupported, Usage,
};
use serde_json::{Map, Value, json};

use super::quirks::Taken;
use super::setting::LlmSetting;
use super::thoughts;

/// Values that a request carries beside what is asked, as their provider calls them.
pub type Samplers = Map<String, Value>;

/// An answer, whatever the protocol.
#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) model: Option<String>,
    pub(super) finish: Finish,
    pub(super) tokens: Spent,
    /// The tools that are called.
    pub(super) calls: Vec<ToolCall>,
}

/// The body of a request.
pub(super) fn request(
    setting: &LlmSetting,
    prompt: &Prompt,
    schema: Option<&Value>,
    taken: Taken,
) -> String {
    let format = schema.zip(prompt.schema.as_ref()).map(|(schema, wanted)| ReplyFormat::Schema {
        name: wanted.name.to_owned(),
        schema: schema.clone(),
        strict: true,
    });
    write(setting, &ChatRequest { format, ..chat(setting, prompt, taken) }).to_string()
}

/// The body of a chat that is answered in pieces. Unless the chat names a model, none is sent.
pub(super) fn chat_streamed(
    setting: &LlmSetting,
    chat: &ChatRequest,
    samplers: &Samplers,
    taken: Taken,
) -> Result<String, Unsupported> {
    let named = !chat.model.is_empty();
    let chat = ChatRequest {
        model: setting.model.clone(),
        streams: true,
        counts_tokens: !taken.no_counting,
        sampling: Sampling {
            uses_completion_limit: taken.completion_tokens,
            ..chat.sampling.clone()
        },
        ..chat.clone()
    };
    let adapter = setting.protocol.adapter();
    let mut body = adapter.write_request(&chat)?;
    if let Value::Object(values) = adapter.sampling_place(&mut body) {
        values.extend(samplers.clone());
    }
    if let (false, Value::Object(fields)) = (named, &mut body) {
        fields.remove("model");
    }
    Ok(body.to_string())
}

fn write(setting: &LlmSetting, chat: &ChatRequest) -> Value {
    let written = setting.protocol.adapter().write_request(chat);
    written.expect("every protocol takes a prompt of texts")
}

/// A prompt as a chat. What a tool said is said to the model by the user.
fn chat(setting: &LlmSetting, prompt: &Prompt, taken: Taken) -> ChatRequest {
    let role = |role| match role {
        PromptRole::System => Role::System,
        PromptRole::Assistant => Role::Assistant,
        PromptRole::User | PromptRole::Tool => Role::User,
    };
    let messages = prompt.messages.iter();
    ChatRequest {
        model: setting.model.clone(),
        messages: messages
            .map(|message| ChatMessage::text(role(message.role), message.content.clone()))
            .collect(),
        sampling: Sampling {
            temperature: (!taken.no_temperature).then(|| json!(prompt.temperature)),
            max_tokens: Some(json!(prompt.max_tokens)),
            uses_completion_limit: taken.completion_tokens,
            ..Sampling::default()
        },
        ..ChatRequest::default()
    }
}

/// An answer from its content; else what is wrong with it, as the rest of a sentence. What serde says
/// may quote the answer, and an answer may quote a text: only the place is reported.
pub(super) fn answer(protocol: Protocol, content: &[u8]) -> Result<Answer, String> {
    let body: Value = serde_json::from_slice(content).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        format!("gave an answer that is not JSON ({place}); is the address right?")
    })?;
    let reply = protocol.adapter().read_reply(&body)?;
    Ok(Answer {
        calls: reply.calls.clone(),
        text: thoughts::without(&text(&reply)),
        model: reply.model,
        finish: reply.stop.map_or(Finish::Stop, finish),
        tokens: tokens(reply.usage.unwrap_or_default()),
    })
}

/// What was said. Where a protocol asks for a form as a call of a tool, the arguments are the reply.
fn text(reply: &ChatReply) -> String {
    let call = reply.calls.first().map(|call| call.arguments.clone());
    call.unwrap_or_else(|| reply.text.clone())
}

/// Why an answer ended.
pub(super) fn finish(stop: StopReason) -> Finish {
    match stop {
        StopReason::End | StopReason::ToolCalls => Finish::Stop,
        StopReason::Length => Finish::Length,
        StopReason::Filtered => Finish::Filtered,
        StopReason::Other => Finish::Other,
    }
}

/// What an answer took.
pub(super) fn tokens(usage: Usage) -> Spent {
    Spent { input_tokens: usage.input, output_tokens: usage.output, cost_nanos: 0 }
}

/// The names in a list of models.
pub(super) fn served(protocol: Protocol, content: &[u8]) -> Vec<String> {
    let list: Value = serde_json::from_slice(content).unwrap_or_default();
    let adapter = protocol.adapter();
    let rows = list[adapter.list_field()].as_array().into_iter().flatten();
    rows.map(|row| adapter.read_model(row).id).filter(|id| !id.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samplers_are_put_where_each_protocol_wants_them() {
        let samplers: Samplers = [("top_k".to_owned(), json!(7))].into_iter().collect();
        let body = |protocol| {
            let setting = LlmSetting::new(protocol, "m");
            let prompt = Prompt::new("s", "u");
            let chat = chat(&setting, &prompt, Taken::default());
            let body = chat_streamed(&setting, &chat, &samplers, Taken::default());
            serde_json::from_str::<Value>(&body.ok().unwrap()).unwrap()
        };
        let openai = body(Protocol::OpenAi);
        assert_eq!((&openai["top_k"], &openai["stream"]), (&json!(7), &json!(true)));
        assert_eq!(openai["stream_options"], json!({ "include_usage": true }));
        let ollama = body(Protocol::Ollama);
        assert_eq!((&ollama["options"]["top_k"], &ollama["stream"]), (&json!(7), &json!(true)));
        let gemini = body(Protocol::Gemini);
        assert_eq!(gemini["generationConfig"]["top_k"], json!(7));
        assert_eq!(gemini["systemInstruction"], json!({ "parts": [{ "text": "s" }] }));
    }

    #[test]
    fn models_are_listed_in_every_protocol() {
        for (protocol, list) in [
            (Protocol::OpenAi, json!({ "data": [{ "id": "m" }] })),
            (Protocol::Anthropic, json!({ "data": [{ "id": "m", "type": "model" }] })),
            (Protocol::Ollama, json!({ "models": [{ "name": "m" }] })),
            (Protocol::Gemini, json!({ "models": [{ "name": "models/m" }] })),
        ] {
            assert_eq!(served(protocol, list.to_string().as_bytes()), ["m"]);
        }
    }
}

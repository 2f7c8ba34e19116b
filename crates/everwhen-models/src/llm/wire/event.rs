//! Answers in pieces: one line of a stream, in any of the three protocols.

use everwhen_engine::ports::{Finish, Prompt, Spent};
use serde_json::{Map, Value, json};

use super::{anthropic, ollama, openai, tokens};
use crate::llm::quirks::Taken;
use crate::llm::setting::{LlmDialect, LlmSetting};

/// Values that a request carries beside what is asked, as their provider calls them.
pub type Samplers = Map<String, Value>;

/// What one line says.
#[derive(Debug, Default, PartialEq)]
pub(in crate::llm) struct Event {
    pub(in crate::llm) text: String,
    pub(in crate::llm) model: Option<String>,
    pub(in crate::llm) finish: Option<Finish>,
    pub(in crate::llm) tokens: Spent,
    /// Whether nothing comes after it.
    pub(in crate::llm) is_last: bool,
}

/// The body of a request that is answered in pieces.
pub(in crate::llm) fn request_aloud(
    setting: &LlmSetting,
    prompt: &Prompt,
    samplers: &Samplers,
    taken: Taken,
) -> String {
    let model = &setting.model;
    let mut body = match setting.dialect {
        LlmDialect::OpenAi => openai::request(model, prompt, None, taken),
        LlmDialect::Anthropic => anthropic::request(model, prompt, None, taken),
        LlmDialect::Ollama => ollama::request(model, prompt, None),
    };
    body["stream"] = json!(true);
    let place = match setting.dialect {
        LlmDialect::Ollama => &mut body["options"],
        _ => &mut body,
    };
    if let Value::Object(values) = place {
        values.remove("temperature");
        values.extend(samplers.clone());
    }
    if setting.dialect == LlmDialect::OpenAi && !taken.no_counting {
        body["stream_options"] = json!({"include_usage": true});
    }
    body.to_string()
}

/// Reads one line; what is no event says nothing. What a provider says of a failure is not
/// repeated, because it may quote the question.
pub(in crate::llm) fn event(dialect: LlmDialect, line: &str) -> Result<Event, String> {
    let data = match dialect {
        LlmDialect::Ollama => Some(line),
        _ => line.strip_prefix("data:").map(str::trim),
    };
    let Some(data) = data.filter(|data| !data.is_empty()) else { return Ok(Event::default()) };
    if data == "[DONE]" {
        return Ok(Event { is_last: true, ..Event::default() });
    }
    let Ok(value) = serde_json::from_str::<Value>(data) else { return Ok(Event::default()) };
    if !value["error"].is_null() {
        return Err("failed in the middle of its answer".to_owned());
    }
    Ok(match dialect {
        LlmDialect::OpenAi => of_openai(&value),
        LlmDialect::Anthropic => of_anthropic(&value),
        LlmDialect::Ollama => of_ollama(&value),
    })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn name(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn of_openai(value: &Value) -> Event {
    let (choice, usage) = (&value["choices"][0], &value["usage"]);
    let finish = choice["finish_reason"].as_str().map(|reason| match reason {
        "stop" => Finish::Stop,
        "length" => Finish::Length,
        "content_filter" => Finish::Filtered,
        _ => Finish::Other,
    });
    Event {
        text: text(&choice["delta"]["content"]),
        model: name(&value["model"]),
        finish,
        tokens: tokens(usage["prompt_tokens"].as_u64(), usage["completion_tokens"].as_u64()),
        is_last: false,
    }
}

fn of_anthropic(value: &Value) -> Event {
    let message = &value["message"];
    let usage = if message.is_object() { &message["usage"] } else { &value["usage"] };
    let finish = value["delta"]["stop_reason"].as_str().map(|reason| match reason {
        "end_turn" | "stop_sequence" | "tool_use" => Finish::Stop,
        "max_tokens" => Finish::Length,
        "refusal" => Finish::Filtered,
        _ => Finish::Other,
    });
    Event {
        text: text(&value["delta"]["text"]),
        model: name(&message["model"]),
        finish,
        tokens: tokens(usage["input_tokens"].as_u64(), usage["output_tokens"].as_u64()),
        is_last: value["type"] == "message_stop",
    }
}

fn of_ollama(value: &Value) -> Event {
    let finish = value["done_reason"].as_str().map(|reason| match reason {
        "stop" => Finish::Stop,
        "length" => Finish::Length,
        _ => Finish::Other,
    });
    Event {
        text: text(&value["message"]["content"]),
        model: name(&value["model"]),
        finish,
        tokens: tokens(value["prompt_eval_count"].as_u64(), value["eval_count"].as_u64()),
        is_last: value["done"] == true,
    }
}

/// The names in a list of models, whoever wrote it.
pub(in crate::llm) fn served(content: &[u8]) -> Vec<String> {
    let list: Value = serde_json::from_slice(content).unwrap_or_default();
    let rows = list["data"].as_array().or_else(|| list["models"].as_array());
    let id = |row: &Value| row["id"].as_str().or_else(|| row["name"].as_str()).map(str::to_owned);
    rows.into_iter().flatten().filter_map(id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_protocol_says_its_pieces() {
        let say = |dialect, line: &str| event(dialect, line).unwrap();
        let openai = r#"data: {"model":"m","choices":[{"delta":{"content":"hi"},"finish_reason":"length"}]}"#;
        let told = say(LlmDialect::OpenAi, openai);
        assert_eq!((told.text.as_str(), told.finish), ("hi", Some(Finish::Length)));
        let counted = say(
            LlmDialect::OpenAi,
            r#"data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#,
        );
        assert_eq!(counted.tokens, tokens(Some(3), Some(2)));
        assert!(say(LlmDialect::OpenAi, "data: [DONE]").is_last);
        let told = say(
            LlmDialect::Anthropic,
            r#"data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"hi"}}"#,
        );
        assert_eq!(told.text, "hi");
        assert!(say(LlmDialect::Anthropic, r#"data: {"type":"message_stop"}"#).is_last);
        let told = say(
            LlmDialect::Ollama,
            r#"{"message":{"content":"hi"},"done":true,"done_reason":"stop","eval_count":4}"#,
        );
        assert!(told.is_last && told.tokens.output_tokens == 4);
    }

    #[test]
    fn comments_are_nothing_and_failures_are_told_without_their_words() {
        for line in ["", ": keep-alive", "event: ping", "data: nonsense"] {
            assert_eq!(event(LlmDialect::OpenAi, line).unwrap(), Event::default(), "{line}");
        }
        let failed = event(LlmDialect::OpenAi, r#"data: {"error": {"message": "my diary"}}"#);
        assert!(!failed.unwrap_err().contains("diary"));
    }

    #[test]
    fn samplers_stand_where_each_protocol_wants_them() {
        let samplers: Samplers = [("top_k".to_owned(), json!(7))].into_iter().collect();
        let body = |dialect| {
            let setting = LlmSetting::new(dialect, "m");
            let prompt = Prompt::new("s", "u");
            let body = request_aloud(&setting, &prompt, &samplers, Taken::default());
            serde_json::from_str::<Value>(&body).unwrap()
        };
        let openai = body(LlmDialect::OpenAi);
        assert_eq!((&openai["top_k"], &openai["temperature"]), (&json!(7), &Value::Null));
        let ollama = body(LlmDialect::Ollama);
        assert_eq!((&ollama["options"]["top_k"], &ollama["stream"]), (&json!(7), &json!(true)));
    }
}

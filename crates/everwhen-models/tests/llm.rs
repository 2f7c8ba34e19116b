//! Language models against a real server on this machine, well-behaved and not.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "stage/server.rs"]
mod server;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use everwhen_engine::memory::{Role, SeededChance};
use everwhen_engine::ports::{Finish, Llm, Prompt, PromptMessage, Reply};
use everwhen_engine::{Error, ErrorKind, Result};
use everwhen_models::{LlmSetting, Price, RemoteLlm, RetryPolicy, Secret};
use everwhen_protocols::{ChatMessage, ChatRequest, Part, Protocol, Role as ChatRole};
use serde_json::{Value, json};
use server::{Server, refusal};

const KEY: &str = "sk-very-secret";
const SCHEMA: &str = r#"{"type": "object", "properties": {"title": {"type": "string"}},
    "required": ["title"], "additionalProperties": false}"#;

fn setting(server: &Server, protocol: Protocol) -> LlmSetting {
    let retry = RetryPolicy {
        timeout: Duration::from_secs(5),
        tries: 3,
        first_pause: Duration::from_millis(2),
        longest_pause: Duration::from_millis(20),
    };
    let url = server.url.clone();
    let price = Price::per_million(1.0, 10.0);
    let new = LlmSetting::new(protocol, "some-model");
    LlmSetting { url, key: Some(Secret::new(KEY)), retry, price, ..new }
}

fn model(setting: LlmSetting) -> RemoteLlm {
    RemoteLlm::new(setting, Arc::new(SeededChance::new(7))).unwrap()
}

fn plain() -> Prompt {
    Prompt::new("be brief", "what somebody said").with_max_tokens(50)
}

fn strict() -> Prompt {
    plain().with_schema("title", SCHEMA)
}

async fn ask(server: &Server, protocol: Protocol, prompt: &Prompt) -> Result<Reply> {
    let reply = model(setting(server, protocol)).ask(prompt).await?;
    reply.unusable.clone().map_or(Ok(reply), Err)
}

/// What OpenAI's kind answers.
fn openai(text: &str) -> Response {
    json!({"model": "some-model-1", "choices": [{"index": 0, "finish_reason": "stop",
        "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2}})
    .to_string()
    .into_response()
}

/// The error of a provider that behaves like this, and how often it was asked.
async fn failure(
    prompt: &Prompt,
    behaviour: impl Fn(usize, &Value) -> Response + Send + Sync + 'static,
) -> (Error, usize) {
    let server = Server::start(behaviour).await;
    let error = ask(&server, Protocol::OpenAi, prompt).await.unwrap_err();
    assert!(!error.message().contains("somebody said"), "{error}");
    assert!(!error.message().contains(KEY), "{error}");
    assert!(error.message().contains(&server.url), "{error}");
    assert!(error.message().contains("some-model"), "{error}");
    (error, server.asked().len())
}

#[tokio::test]
async fn openai_is_held_to_the_schema_and_its_tokens_are_priced() {
    let server = Server::start(|_, _| openai(r#"{"title": "Two visits"}"#)).await;
    let reply = ask(&server, Protocol::OpenAi, &strict()).await.unwrap();
    assert_eq!(reply.json.unwrap().text("title"), Some("Two visits"));
    assert_eq!((reply.model.as_str(), reply.finish), ("some-model-1", Finish::Stop));
    assert_eq!((reply.spent.input_tokens, reply.spent.output_tokens), (7, 2));
    assert_eq!(reply.spent.cost_nanos, 7_000 + 20_000);
    let asked = &server.asked()[0];
    assert_eq!(asked.path, "/v1/chat/completions");
    assert_eq!(asked.header("authorization"), Some("Bearer sk-very-secret"));
    let said = json!([{"role": "system", "content": "be brief"},
        {"role": "user", "content": "what somebody said"}]);
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let format = json!({"type": "json_schema",
        "json_schema": {"name": "title", "strict": true, "schema": schema}});
    let body = json!({"model": "some-model", "messages": said, "max_tokens": 50,
        "temperature": 0.0, "response_format": format});
    assert_eq!(asked.body, body);
}

#[tokio::test]
async fn anthropic_answers_with_a_tool_where_a_schema_is_given() {
    let server = Server::start(|count, _| {
        let tool = json!({"type": "tool_use", "id": "t", "name": "title", "input": {"title": "A"}});
        let text = json!({"type": "text", "text": "Yes"});
        let content = if count == 0 { json!([{"type": "thinking"}, tool]) } else { json!([text]) };
        let usage = json!({"input_tokens": 5, "output_tokens": 1});
        json!({"model": "m", "content": content, "stop_reason": "end_turn", "usage": usage})
            .to_string()
            .into_response()
    })
    .await;
    let reply = ask(&server, Protocol::Anthropic, &strict()).await.unwrap();
    assert_eq!(reply.json.unwrap().text("title"), Some("A"));
    let reply = ask(&server, Protocol::Anthropic, &plain()).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.json, reply.spent.input_tokens), ("Yes", None, 5));
    let asked = server.asked();
    assert_eq!(asked[0].path, "/v1/messages");
    assert_eq!(asked[0].header("x-api-key"), Some(KEY));
    assert_eq!(asked[0].header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(asked[0].header("authorization"), None);
    assert_eq!(asked[0].body["system"], "be brief");
    assert_eq!(asked[0].body["messages"].as_array().unwrap().len(), 1);
    assert_eq!(asked[0].body["tool_choice"], json!({"type": "tool", "name": "title"}));
    assert_eq!(asked[1].body.get("tools"), None);
}

#[tokio::test]
async fn ollama_is_spoken_too() {
    let server = Server::start(|_, _| {
        json!({"model": "m", "message": {"role": "assistant", "content": "{\"title\": \"A\"}"},
            "done": true, "done_reason": "stop", "prompt_eval_count": 4, "eval_count": 3})
        .to_string()
        .into_response()
    })
    .await;
    let reply = ask(&server, Protocol::Ollama, &strict()).await.unwrap();
    assert_eq!(reply.json.unwrap().text("title"), Some("A"));
    assert_eq!((reply.spent.input_tokens, reply.spent.output_tokens), (4, 3));
    let asked = &server.asked()[0];
    assert_eq!(asked.path, "/api/chat");
    assert_eq!(asked.body["stream"], json!(false));
    assert_eq!(asked.body["options"], json!({"temperature": 0.0, "num_predict": 50}));
    assert_eq!(asked.body["format"]["required"], json!(["title"]));
}

/// What Gemini answers.
fn gemini(text: &str) -> Value {
    let parts = json!([{"text": "Hm.", "thought": true}, {"text": text}]);
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 4, "candidatesTokenCount": 3, "thoughtsTokenCount": 2},
        "modelVersion": "gemini-2.5-flash"})
}

#[tokio::test]
async fn gemini_is_asked_in_its_path_and_held_to_the_schema() {
    let server = Server::start(|count, _| match count {
        0 => gemini("{\"title\": \"A\"}").to_string().into_response(),
        _ => json!({"promptFeedback": {"blockReason": "SAFETY"}}).to_string().into_response(),
    })
    .await;
    let reply = ask(&server, Protocol::Gemini, &strict()).await.unwrap();
    assert_eq!(reply.json.unwrap().text("title"), Some("A"));
    assert_eq!((reply.spent.input_tokens, reply.spent.output_tokens), (4, 5));
    let asked = &server.asked()[0];
    assert_eq!(asked.path, "/v1beta/models/some-model:generateContent");
    assert_eq!(asked.header("x-goog-api-key"), Some(KEY));
    assert_eq!(asked.header("authorization"), None);
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let config = json!({"temperature": 0.0, "maxOutputTokens": 50,
        "responseMimeType": "application/json", "responseJsonSchema": schema});
    let said = json!([{"role": "user", "parts": [{"text": "what somebody said"}]}]);
    let system = json!({"parts": [{"text": "be brief"}]});
    let body = json!({"contents": said, "systemInstruction": system, "generationConfig": config});
    assert_eq!(asked.body, body);
    let error = ask(&server, Protocol::Gemini, &plain()).await.unwrap_err();
    assert!(error.message().ends_with("held its reply back"), "{error}");
}

#[tokio::test]
async fn gemini_is_heard_in_pieces() {
    let server = Server::start(|_, _| {
        let mut first = gemini("Hel");
        first["candidates"][0].as_object_mut().unwrap().remove("finishReason");
        let events = [first, gemini("lo")].map(|event| format!("data: {event}\r\n\r\n"));
        ([("content-type", "text/event-stream")], events.concat()).into_response()
    })
    .await;
    let model = model(setting(&server, Protocol::Gemini));
    let mut pieces = Vec::new();
    let mut on_text = |piece: &str| pieces.push(piece.to_owned());
    let said = ChatMessage { role: ChatRole::User, parts: vec![Part::Text("hello".into())] };
    let chat = ChatRequest { messages: vec![said], ..ChatRequest::default() };
    let reply = model.ask_chat(&chat, &Default::default(), &mut on_text).await.unwrap();
    assert_eq!((pieces, reply.text.as_str()), (vec!["Hel".into(), "lo".into()], "Hello"));
    assert_eq!(reply.spent.output_tokens, 5);
    let path = "/v1beta/models/some-model:streamGenerateContent";
    assert_eq!(server.asked()[0].path, path);
}

#[tokio::test]
async fn a_reply_that_does_not_fit_is_repaired_once() {
    let server = Server::start(|count, _| match count {
        0 => openai("Sure, here is a title"),
        _ => openai("```json\n{\"title\": \"A\"}\n```"),
    })
    .await;
    let reply = ask(&server, Protocol::OpenAi, &strict()).await.unwrap();
    assert_eq!(reply.json.unwrap().text("title"), Some("A"));
    assert_eq!(reply.spent.input_tokens, 14);
    let asked = server.asked();
    let said = asked[1].body["messages"].as_array().unwrap();
    assert_eq!(said[2], json!({"role": "assistant", "content": "Sure, here is a title"}));
    let repair = said[3]["content"].as_str().unwrap();
    assert!(repair.contains("it is not JSON (line 1, column 1)"), "{repair}");
    assert!(repair.contains("additionalProperties"), "{repair}");

    let (error, asked) = failure(&strict(), |_, _| openai(r#"{"name": "somebody said"}"#)).await;
    assert!(
        error.message().contains("gave twice a reply that is not what was asked for"),
        "{error}"
    );
    assert!(!error.is_retryable(), "asking again for ever would cost for ever");
    assert_eq!(asked, 2);
}

#[tokio::test]
async fn replies_of_no_use_say_what_they_took() {
    const HELD_BACK: &str = r#"{"choices": [{"finish_reason": "content_filter", "message": {"content": ""}}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 0}}"#;
    for (case, tokens) in [("twice", 14), ("once, then refused", 7), ("held back", 7)] {
        let server = Server::start(move |count, _| match (case, count) {
            ("held back", _) => HELD_BACK.into_response(),
            ("once, then refused", 1) => refusal(403, "no"),
            _ => openai("no JSON"),
        })
        .await;
        let reply = model(setting(&server, Protocol::OpenAi)).ask(&strict()).await.unwrap();
        assert!(reply.unusable.is_some(), "{case}");
        assert_eq!(reply.spent.input_tokens, tokens, "{case}");
    }
}

#[tokio::test]
async fn what_a_provider_does_not_take_is_left_out_from_then_on() {
    let server = Server::start(|_, body| {
        let refuse = |part: &str| refusal(400, &json!({"error": {"param": part}}).to_string());
        match body {
            body if body.get("max_tokens").is_some() => refuse("max_tokens"),
            body if body.get("temperature").is_some() => refuse("temperature"),
            body if body.get("response_format").is_some() => refusal(422, "what is that?"),
            _ => openai(r#"{"title": "A"}"#),
        }
    })
    .await;
    let model = model(setting(&server, Protocol::OpenAi));
    model.ask(&strict()).await.unwrap();
    assert_eq!(server.asked().len(), 4);
    model.ask(&strict()).await.unwrap();
    let asked = server.asked();
    assert_eq!(asked.len(), 5);
    let body = &asked[4].body;
    assert_eq!(body["max_completion_tokens"], json!(50));
    let words = body["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(words["role"], "system");
    assert!(words["content"].as_str().unwrap().contains("additionalProperties"));
}

#[tokio::test]
async fn refusals_for_now_are_waited_out_and_those_without_end_are_told_apart() {
    for status in [429, 500, 503, 529] {
        let server =
            Server::start(
                move |count, _| {
                    if count < 2 { refusal(status, "not now") } else { openai("Yes") }
                },
            )
            .await;
        assert_eq!(ask(&server, Protocol::OpenAi, &plain()).await.unwrap().text, "Yes");
        assert_eq!(server.asked().len(), 3);
    }
    let (error, asked) = failure(&plain(), |_, _| {
        (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "9999")], "").into_response()
    })
    .await;
    assert_eq!((error.kind(), error.is_retryable(), asked), (ErrorKind::Busy, true, 3));
    let (error, asked) = failure(&plain(), |_, _| refusal(500, "what somebody said")).await;
    assert_eq!((error.kind(), error.is_retryable(), asked), (ErrorKind::Unavailable, true, 3));
}

#[tokio::test]
async fn refusals_for_good_are_not_repeated() {
    let echo = json!({"error": {"message": "somebody said", "code": "too_long"}}).to_string();
    let (error, asked) = failure(&plain(), move |_, _| refusal(400, &echo)).await;
    assert!(error.message().ends_with("answered 400: too_long"), "{error}");
    assert_eq!((error.kind(), error.is_retryable(), asked), (ErrorKind::Invalid, false, 1));
    let (error, asked) = failure(&plain(), |_, _| refusal(401, KEY)).await;
    assert!(error.message().ends_with("answered 401; check the key"), "{error}");
    assert_eq!((error.kind(), asked), (ErrorKind::Denied, 1));
    let held = json!({"choices": [{"message": {"content": null, "refusal": "no"}}]}).to_string();
    let (error, asked) = failure(&plain(), move |_, _| held.clone().into_response()).await;
    assert_eq!((error.is_retryable(), asked), (false, 1));
}

#[tokio::test]
async fn ten_megabytes_are_refused_and_not_read() {
    let long = "x".repeat(10 << 20);
    let (error, asked) = failure(&plain(), move |_, _| openai(&long)).await;
    assert!(error.message().contains("more than 4 MB"), "{error}");
    assert_eq!((error.is_retryable(), asked), (false, 1));
}

#[tokio::test]
async fn answers_that_are_none_are_described_and_may_pass() {
    for broken in ["<html>somebody said", "{\"choices\"", "{\"error\": \"somebody said\"}"] {
        let (error, _) = failure(&plain(), move |_, _| broken.into_response()).await;
        assert!(error.message().contains("is the address right?"), "{error}");
        assert!(error.is_retryable());
    }
    let (error, _) = failure(&plain(), |_, _| "{\"choices\": []}".into_response()).await;
    assert!(error.message().contains("without a choice"), "{error}");
}

#[tokio::test]
async fn silence_is_not_waited_for_without_end() {
    let server = Server::silent().await;
    let mut setting = setting(&server, Protocol::OpenAi);
    setting.retry.timeout = Duration::from_millis(50);
    let error = model(setting).ask(&plain()).await.unwrap_err();
    assert!(error.message().contains("did not answer within 50ms, 3 times"), "{error}");
    assert!(error.is_retryable());
}

#[tokio::test]
async fn a_provider_is_asked_no_faster_than_allowed() {
    let server = Server::start(|_, _| openai("Yes")).await;
    let setting =
        LlmSetting { requests_per_minute: Some(1200), ..setting(&server, Protocol::OpenAi) };
    let (model, began) = (model(setting), Instant::now());
    for _ in 0..4 {
        model.ask(&plain()).await.unwrap();
    }
    assert!(began.elapsed() >= Duration::from_millis(150));
}

#[tokio::test]
async fn what_a_tool_said_is_told_by_the_user_and_thoughts_are_left_out() {
    let server = Server::start(|_, _| openai("<think>hm</think>Yes")).await;
    let mut prompt = plain();
    prompt.messages.push(PromptMessage { role: Role::Tool, content: "42".into() });
    assert_eq!(ask(&server, Protocol::OpenAi, &prompt).await.unwrap().text, "Yes");
    assert_eq!(server.asked()[0].body["messages"][2]["role"], "user");
}

#[tokio::test]
async fn settings_never_show_the_key() {
    let server = Server::start(|_, _| openai("Yes")).await;
    let setting = setting(&server, Protocol::Anthropic);
    assert!(!format!("{setting:?}").contains(KEY));
    assert!(!format!("{:?}", model(setting)).contains(KEY));
}

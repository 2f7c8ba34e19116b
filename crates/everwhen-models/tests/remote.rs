//! Remote embedders against a real server on this machine, well-behaved and not.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "stage/server.rs"]
mod server;

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use everwhen_engine::memory::SeededChance;
use everwhen_engine::ports::Embedder;
use everwhen_engine::{ErrorKind, Result};
use everwhen_models::{Remote, RemoteSetting, RetryPolicy, Secret};
use everwhen_protocols::Protocol;
use serde_json::{Value, json};
use server::{Server, refusal};

const KEY: &str = "sk-very-secret";

fn setting(server: &Server, protocol: Protocol) -> RemoteSetting {
    let retry = RetryPolicy {
        timeout: Duration::from_secs(5),
        tries: 3,
        first_pause: Duration::from_millis(2),
        longest_pause: Duration::from_millis(20),
    };
    let new = RemoteSetting::new(protocol, &server.url, "some-model");
    RemoteSetting { key: Some(Secret::new(KEY)), dimensions: Some(2), retry, ..new }
}

async fn embed(server: &Server, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
    open(setting(server, Protocol::OpenAi)).await?.embed(texts).await
}

async fn open(setting: RemoteSetting) -> Result<Remote> {
    Remote::open(setting, Arc::new(SeededChance::new(7))).await
}

/// One vector per text, with its length in it, in an order of the server's own.
fn openai(body: &Value) -> Response {
    let texts = body["input"].as_array().unwrap().iter().enumerate();
    let vector = |(index, text): (usize, &Value)| json!({"index": index, "embedding": [text.as_str().unwrap().len(), 0]});
    let data: Vec<Value> = texts.map(vector).rev().collect();
    json!({"object": "list", "data": data}).to_string().into_response()
}

/// The error of an endpoint that behaves like this, and how often it was asked.
async fn failure(
    behaviour: impl Fn(usize, &Value) -> Response + Send + Sync + 'static,
) -> (everwhen_engine::Error, usize) {
    let server = Server::start(behaviour).await;
    let error = embed(&server, &["what somebody said"]).await.unwrap_err();
    assert!(!error.message().contains("somebody said"), "{error}");
    assert!(!error.message().contains(KEY), "{error}");
    assert!(error.message().contains(&server.url), "{error}");
    assert!(error.message().contains("some-model"), "{error}");
    (error, server.asked().len())
}

#[tokio::test]
async fn openai_texts_go_in_batches_with_the_key_and_come_back_in_order() {
    let server = Server::start(|_, body| openai(body)).await;
    let setting = RemoteSetting { batch: 2, ..setting(&server, Protocol::OpenAi) };
    let remote = open(setting).await.unwrap();
    let vectors = remote.embed(&["a", "", "bb", "ccc"]).await.unwrap();
    assert_eq!(vectors, [[1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 0.0]]);
    let asked = server.asked();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0].path, "/v1/embeddings");
    assert_eq!(asked[0].header("authorization"), Some("Bearer sk-very-secret"));
    let body = json!({"model": "some-model", "input": ["a", "bb"], "dimensions": 2});
    assert_eq!(asked[0].body, body);
    assert_eq!((remote.name(), remote.dimensions()), ("openai:some-model:2", 2));
}

#[tokio::test]
async fn ollama_is_spoken_too_and_dimensions_are_learnt() {
    let server = Server::start(|_, body| {
        let texts = body["input"].as_array().unwrap();
        let vectors: Vec<_> = texts.iter().map(|_| json!([3, 0, 4])).collect();
        json!({"embeddings": vectors}).to_string().into_response()
    })
    .await;
    let new = RemoteSetting::new(Protocol::Ollama, &server.url, "some-model");
    let prefixes =
        RemoteSetting { query_prefix: "query: ".into(), passage_prefix: "passage: ".into(), ..new };
    let remote = open(prefixes).await.unwrap();
    assert_eq!(remote.dimensions(), 3);
    assert_eq!(remote.embed(&["a"]).await.unwrap(), [[0.6, 0.0, 0.8]]);
    assert_eq!(remote.embed_question("b").await.unwrap(), [0.6, 0.0, 0.8]);
    assert_eq!(remote.embed_question(" ").await.unwrap(), [0.0; 3]);
    let asked = server.asked();
    assert!(
        asked
            .iter()
            .all(|asked| asked.path == "/api/embed" && asked.header("authorization").is_none())
    );
    assert_eq!(asked[1].body, json!({"model": "some-model", "input": ["passage: a"]}));
    assert_eq!(asked[2].body["input"], json!(["query: b"]));
    assert_eq!(asked.len(), 3);
}

#[tokio::test]
async fn refusals_for_now_are_waited_out() {
    for status in [429, 500, 503] {
        let server =
            Server::start(
                move |count, body| {
                    if count < 2 { refusal(status, "not now") } else { openai(body) }
                },
            )
            .await;
        assert_eq!(embed(&server, &["a"]).await.unwrap(), [[1.0, 0.0]]);
        assert_eq!(server.asked().len(), 3);
    }
}

#[tokio::test]
async fn the_pause_the_endpoint_asks_for_is_bounded() {
    let server = Server::start(|count, body| match count {
        0 => (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "9999")], "").into_response(),
        _ => openai(body),
    })
    .await;
    let began = std::time::Instant::now();
    embed(&server, &["a"]).await.unwrap();
    // The endpoint asked for hours; that the answer is here at all shows the bound.
    assert!(began.elapsed() >= Duration::from_millis(20));
}

#[tokio::test]
async fn failures_that_do_not_end_end_the_trying() {
    let (error, asked) = failure(|_, _| refusal(500, "what somebody said")).await;
    assert!(error.message().contains("answered 500, 3 times"), "{error}");
    assert_eq!((error.kind(), asked), (ErrorKind::Unavailable, 3));
    let (error, asked) = failure(|_, _| refusal(429, "")).await;
    assert_eq!((error.kind(), asked), (ErrorKind::Busy, 3));
}

#[tokio::test]
async fn refusals_for_good_are_not_repeated() {
    let echo = json!({"error": {"message": "what somebody said", "code": "too_long"}}).to_string();
    let (error, asked) = failure(move |_, _| refusal(400, &echo)).await;
    assert!(error.message().ends_with("answered 400: too_long"), "{error}");
    assert_eq!(asked, 1);
    let echo = json!({"error": {"message": format!("wrong key {KEY}")}}).to_string();
    let (error, asked) = failure(move |_, _| refusal(401, &echo)).await;
    assert!(error.message().ends_with("answered 401; check the key"), "{error}");
    assert_eq!(asked, 1);
    let unknown = json!({"error": "model not found, try pulling it first"}).to_string();
    let (error, _) = failure(move |_, _| refusal(404, &unknown)).await;
    assert!(error.message().contains("try pulling it first"), "{error}");
    let spent = json!({"error": {"code": "insufficient_quota"}}).to_string();
    let (error, asked) = failure(move |_, _| refusal(429, &spent)).await;
    assert!(error.message().contains("insufficient_quota"), "{error}");
    assert_eq!(asked, 1);
}

#[tokio::test]
async fn moved_addresses_are_not_followed() {
    let (error, _) = failure(|_, _| {
        (StatusCode::FOUND, [("location", "http://127.0.0.1:1/")], "").into_response()
    })
    .await;
    assert!(error.message().contains("answered 302"), "{error}");
}

#[tokio::test]
async fn answers_that_do_not_fit_are_refused() {
    let wide = json!({"data": [{"index": 0, "embedding": [1, 2, 3]}]}).to_string();
    let (error, _) = failure(move |_, _| wide.clone().into_response()).await;
    assert!(error.message().contains("3 dimensions where 2 were expected"), "{error}");
    let two = json!({"data": [{"embedding": [1, 2]}, {"embedding": [1, 2]}]}).to_string();
    let (error, _) = failure(move |_, _| two.clone().into_response()).await;
    assert!(error.message().contains("2 vectors for 1 texts"), "{error}");
    let (error, _) = failure(|_, _| "<html>what somebody said".into_response()).await;
    assert!(error.message().contains("not JSON"), "{error}");
    let null = json!({"data": [{"index": 0, "embedding": [null, 1]}]}).to_string();
    let (error, _) = failure(move |_, _| null.clone().into_response()).await;
    assert!(error.message().contains("not that of embeddings"), "{error}");
}

#[tokio::test]
async fn silence_is_not_waited_for_without_end() {
    let server = Server::silent().await;
    let mut setting = setting(&server, Protocol::OpenAi);
    setting.retry.timeout = Duration::from_millis(50);
    let remote = open(setting).await.unwrap();
    let error = remote.embed(&["a"]).await.unwrap_err();
    assert!(error.message().contains("did not answer within 50ms, 3 times"), "{error}");
    let error = remote.embed_question("a").await.unwrap_err();
    assert!(error.message().contains("did not answer within 50ms, 2 times"), "{error}");
}

#[tokio::test]
async fn an_endpoint_that_is_not_there_is_named() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let url = format!("http://user:{KEY}@{address}?key={KEY}");
    let new = RemoteSetting::new(Protocol::OpenAi, url, "some-model");
    let retry = RetryPolicy { tries: 2, first_pause: Duration::ZERO, ..RetryPolicy::default() };
    let error = open(RemoteSetting { retry, ..new }).await.unwrap_err();
    assert!(error.message().contains("could not be reached, 2 times"), "{error}");
    assert!(error.message().contains(&address.to_string()), "{error}");
    assert!(!error.message().contains(KEY), "{error}");
}

#[tokio::test]
async fn settings_never_show_the_key() {
    let server = Server::start(|_, body| openai(body)).await;
    let setting = setting(&server, Protocol::OpenAi);
    assert!(!format!("{setting:?}").contains(KEY));
    let remote = open(setting).await.unwrap();
    assert!(!format!("{remote:?}").contains(KEY));
}

//! What is longer than an entry may be: it passes, and that it is not remembered is said.

use serde_json::json;

use crate::recorder::{Script, completion};
use crate::stage::{Stage, chat};

const PATH: &str = "/v1/chat/completions";
const LIMIT: usize = 1024 * 1024;
/// Messages of a mebibyte take a while in a debug build; how long does not matter here.
const PATIENT: &str = "[proxy]\nbriefing = 'off'\ncontext = 'off'\ndeadline_ms = 60000\n";

#[tokio::test]
async fn a_message_over_the_limit_is_named_in_a_header_and_in_the_trace() {
    let stage = Stage::with(PATIENT).await;
    let long = format!("u:{}", "x".repeat(LIMIT + 1));
    let ask = stage.post(PATH, &chat(&["u:hi", "a:hello", &long])).memory("m");
    let response = ask.header("x-everwhen-trace", "1").response().await;
    assert_eq!(response.status, 200);
    let named = "message 3 of 3 has 1048577 bytes, over the limit of 1048576";
    assert_eq!(response.header("x-everwhen-not-remembered"), Some(named));
    let place = response.header("x-everwhen-trace").unwrap();
    let trace = stage.get(place).response().await.json();
    assert_eq!(trace["not_remembered"], json!([{ "message": 2, "reason": named }]));
    assert!(stage.upstream.last().body.len() > LIMIT, "it passes all the same");
    let said: Vec<String> =
        stage.entries("m").await.iter().map(|e| e.content.as_str().into()).collect();
    assert_eq!(said, ["hi", "hello", "Noted."]);
}

#[tokio::test]
async fn what_fits_is_not_named() {
    let stage = Stage::with(PATIENT).await;
    let fits = format!("u:{}", "x".repeat(LIMIT));
    let response = stage.post(PATH, &chat(&[&fits])).memory("m").response().await;
    assert_eq!(response.header("x-everwhen-not-remembered"), None);
    assert_eq!(stage.entries("m").await.len(), 2);
}

#[tokio::test]
async fn a_reply_over_the_limit_is_named() {
    let stage = Stage::with(PATIENT).await;
    stage.upstream.answers(Script::json(200, &completion(&"y".repeat(LIMIT + 5))));
    let response = stage.post(PATH, &chat(&["u:hi"])).memory("m").response().await;
    let named = "the reply has 1048581 bytes, over the limit of 1048576";
    assert_eq!(response.header("x-everwhen-not-remembered"), Some(named));
    assert_eq!(stage.entries("m").await.len(), 1);
}

#[tokio::test]
async fn a_trace_of_very_long_messages_is_shortened() {
    let stage = Stage::with(PATIENT).await;
    let long: Vec<String> = (0..3).map(|n| format!("u:{n}{}", "x".repeat(LIMIT / 2))).collect();
    let lines: Vec<&str> = long.iter().map(String::as_str).collect();
    let ask = stage.post(PATH, &chat(&lines)).memory("m");
    let response = ask.header("x-everwhen-trace", "1").response().await;
    let trace = stage.get(response.header("x-everwhen-trace").unwrap()).response().await;
    assert!(trace.text.len() < 300 * 1024, "{}", trace.text.len());
    let trace = trace.json();
    assert_eq!(trace["shortened"], true);
    assert!(trace["stored"][0]["content"].as_str().unwrap().starts_with("0x"));
}

//! Replies that do not arrive whole: the client gets the error that the upstream failed, in the words of its
//! provider, and what came is kept as truncated.

use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::recorder::{Script, completion, delta};
use crate::stage::{Ask, Stage, chat};

const PATH: &str = "/v1/chat/completions";
const STREAM: &str = r#"{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}"#;
const OLLAMA: &str =
    "upstream = 'ollama+UPSTREAM'\n[proxy]\nstamps = 'off'\nnow = 'off'\nbriefing = 'off'\n";
const ANTHROPIC: &str =
    "upstream = 'anthropic+UPSTREAM'\n[proxy]\nstamps = 'off'\nnow = 'off'\nbriefing = 'off'\n";

/// The only reply in a memory, and whether it is kept as cut off.
async fn kept(stage: &Stage) -> (String, bool) {
    let entries = stage.entries("m").await;
    assert_eq!(entries.len(), 2, "{entries:?}");
    let metadata = entries[1].metadata.as_ref().map_or("", |metadata| metadata.as_str());
    (entries[1].content.as_str().to_owned(), metadata.contains("truncated"))
}

/// What comes of a stream, and whether it breaks off.
async fn stream(ask: Ask) -> (String, bool) {
    let (status, _, mut body) = ask.memory("m").begun().await;
    assert_eq!(status, 200);
    let mut text = String::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return (text, true) };
        text.push_str(std::str::from_utf8(&frame.into_data().unwrap()).unwrap());
    }
    (text, false)
}

/// A body that says this, up to this word.
fn up_to(body: &Value, word: &str) -> usize {
    body.to_string().find(word).unwrap()
}

#[tokio::test]
async fn a_whole_reply_that_breaks_off_is_502_and_what_came_is_kept() {
    let stage = Stage::new().await;
    let reply = completion("Once upon a time there was");
    stage.upstream.answers(Script::cut(&reply, up_to(&reply, " there")));
    let response = stage.post(PATH, &chat(&["u:hi"])).memory("m").response().await;
    assert_eq!(response.status, 502, "{}", response.text);
    let error = response.json()["error"].clone();
    assert_eq!(error["code"], "upstream_reply_cut");
    assert!(
        error["message"].as_str().unwrap().contains("before the reply was complete"),
        "{error}"
    );
    assert_eq!(response.header("x-everwhen-memory"), Some("m"));
    assert_eq!(kept(&stage).await, ("Once upon a time".to_owned(), true));
}

#[tokio::test]
async fn each_language_is_told_in_its_own_shape() {
    let stage = Stage::with(ANTHROPIC).await;
    let came = r#"{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"Once upon"#;
    let script =
        Script { pieces: vec![came.into()], breaks: true, ..Script::json(200, &json!({})) };
    stage.upstream.answers(script);
    let body = r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#;
    let response = stage.post("/v1/messages", body).memory("m").response().await;
    assert_eq!((response.status, &response.json()["type"]), (502, &json!("error")));
    assert_eq!(kept(&stage).await, ("Once upon".to_owned(), true));

    let stage = Stage::with(OLLAMA).await;
    let message = json!({ "role": "assistant", "content": "Once upon a time" });
    let reply = json!({ "model": "m", "message": message, "done": true });
    stage.upstream.answers(Script::cut(&reply, up_to(&reply, " a time")));
    let body = r#"{"model":"m","stream":false,"messages":[{"role":"user","content":"hi"}]}"#;
    let response = stage.post("/api/chat", body).memory("m").response().await;
    assert_eq!(response.status, 502);
    assert!(response.json()["error"].as_str().unwrap().contains("before the reply was complete"));
    assert_eq!(kept(&stage).await, ("Once upon".to_owned(), true));
}

#[tokio::test]
async fn a_translated_reply_that_breaks_off_is_502_and_what_came_is_kept() {
    let stage = Stage::with(OLLAMA).await;
    let message = json!({ "role": "assistant", "content": "Once upon a time" });
    let reply = json!({ "model": "m", "message": message, "done": true });
    stage.upstream.answers(Script::cut(&reply, up_to(&reply, " a time")));
    let response = stage.post(PATH, &chat(&["u:hi"])).memory("m").response().await;
    assert_eq!(
        (response.status, &response.json()["error"]["code"]),
        (502, &json!("upstream_reply_cut"))
    );
    assert_eq!(kept(&stage).await, ("Once upon".to_owned(), true));
}

#[tokio::test]
async fn a_reply_over_the_limit_is_502_and_what_came_is_kept() {
    let stage = Stage::new().await;
    let mut reply = completion("Short.");
    reply["padding"] = json!("x".repeat(1024 * 1024));
    let mut pieces = vec![reply.to_string().trim_end_matches("\"}").to_owned()];
    pieces.extend((0..64).map(|_| "x".repeat(1024 * 1024)));
    pieces.push("\"}".into());
    stage.upstream.answers(Script { pieces, ..Script::json(200, &json!({})) });
    let response = stage.post(PATH, &chat(&["u:hi"])).memory("m").response().await;
    assert_eq!(response.status, 502);
    assert_eq!(response.json()["error"]["code"], "upstream_reply_too_large");
    assert_eq!(kept(&stage).await, ("Short.".to_owned(), true));
}

#[tokio::test]
async fn a_stream_that_breaks_off_breaks_off_for_the_client_and_is_kept_as_truncated() {
    let stage = Stage::new().await;
    // The second piece could still become a stamp: it is held back until the stream breaks.
    let events = [delta("(Sunday, 2025-06"), String::new()];
    let script = Script::stream("text/event-stream", &events.each_ref().map(String::as_str));
    stage.upstream.answers(Script { breaks: true, ..script });
    let (text, is_broken) = stream(stage.post(PATH, STREAM)).await;
    assert_eq!((text, is_broken), (delta("(Sunday, 2025-06"), true));
    assert_eq!(kept(&stage).await, ("(Sunday, 2025-06".to_owned(), true));
}

#[tokio::test]
async fn a_stream_that_ends_without_its_end_is_kept_as_truncated() {
    let stage = Stage::new().await;
    stage.upstream.answers(Script::stream("text/event-stream", &[&delta("Once"), &delta(" upon")]));
    let (text, is_broken) = stream(stage.post(PATH, STREAM)).await;
    assert_eq!((text, is_broken), ([delta("Once"), delta(" upon")].concat(), false));
    assert_eq!(kept(&stage).await, ("Once upon".to_owned(), true));
}

#[tokio::test]
async fn a_stream_whose_last_event_says_why_it_ends_is_whole() {
    let stage = Stage::new().await;
    let last = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let events = [delta("Once"), format!("data: {last}\n\n")];
    stage
        .upstream
        .answers(Script::stream("text/event-stream", &events.each_ref().map(String::as_str)));
    stream(stage.post(PATH, STREAM)).await;
    assert_eq!(kept(&stage).await, ("Once".to_owned(), false));
}

#[tokio::test]
async fn a_translated_stream_never_ends_properly_if_the_upstreams_did_not() {
    let line = |text: &str| {
        let message = json!({ "role": "assistant", "content": text });
        format!("{}\n", json!({ "model": "m", "message": message, "done": false }))
    };
    for breaks in [false, true] {
        let stage = Stage::with(OLLAMA).await;
        let script = Script::stream("application/x-ndjson", &[&line("Once"), &line(" upon")]);
        stage.upstream.answers(Script { breaks, ..script });
        let (text, is_broken) = stream(stage.post(PATH, STREAM)).await;
        assert!(
            is_broken && !text.contains("[DONE]") && text.contains(" upon"),
            "{breaks}: {text}"
        );
        assert_eq!(kept(&stage).await, ("Once upon".to_owned(), true));

        let stage = Stage::with("upstream = 'UPSTREAM/v1'\n[proxy]\nstamps = 'off'\n").await;
        let script = Script::stream("text/event-stream", &[&delta("Once"), &delta(" upon")]);
        stage.upstream.answers(Script { breaks, ..script });
        let body = r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#;
        let (text, is_broken) = stream(stage.post("/api/chat", body)).await;
        assert!(is_broken && !text.contains("\"done\":true"), "{breaks}: {text}");
        assert_eq!(kept(&stage).await, ("Once upon".to_owned(), true));
    }
}

#[tokio::test]
async fn an_error_within_a_stream_is_translated_and_ends_it() {
    let stage = Stage::with(OLLAMA).await;
    let message = json!({ "role": "assistant", "content": "Once" });
    let line = format!("{}\n", json!({ "model": "m", "message": message, "done": false }));
    let error = "{\"error\":\"out of memory\"}\n";
    stage.upstream.answers(Script::stream("application/x-ndjson", &[&line, error]));
    let (text, is_broken) = stream(stage.post(PATH, STREAM)).await;
    assert!(text.contains("\"message\":\"out of memory\"") && !text.contains("[DONE]"), "{text}");
    assert!(!is_broken, "the error is the end");
    assert_eq!(kept(&stage).await, ("Once".to_owned(), true));
}

#[tokio::test]
async fn errors_of_an_upstream_pass_as_they_came() {
    let stage = Stage::new().await;
    let error = json!({ "error": { "message": "slow down", "type": "rate_limit" } });
    let limited = Script::json(429, &error);
    let headers = vec![("content-type", "application/json"), ("retry-after", "7")];
    stage.upstream.answers(Script { headers, ..limited });
    let response = stage.post(PATH, &chat(&["u:hi"])).memory("m").response().await;
    assert_eq!((response.status, response.header("retry-after")), (429, Some("7")));
    assert_eq!(response.json(), error);
}

#[tokio::test]
async fn an_upstream_that_falls_silent_is_504() {
    let settings = "[[upstream]]\nname = 'main'\nbase_url = 'UPSTREAM/v1'\ntimeout_s = 0.2\n";
    let stage = Stage::with(settings).await;
    let reply = completion("Once upon a time");
    let cut = Script::cut(&reply, up_to(&reply, " a time"));
    stage.upstream.answers(Script { breaks: false, hangs: true, ..cut });
    let response = stage.post(PATH, &chat(&["u:hi"])).memory("m").response().await;
    assert_eq!(
        (response.status, &response.json()["error"]["code"]),
        (504, &json!("upstream_timeout"))
    );
    assert_eq!(kept(&stage).await, ("Once upon".to_owned(), true));
}

//! Replies in pieces: passed as they come, stripped of echoes, kept when they end or are cut off.

use http_body_util::BodyExt;

use crate::recorder::{Script, delta};
use crate::stage::{Stage, chat};

const STREAM: &str = r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}]}"#;

#[tokio::test]
async fn a_stream_passes_byte_for_byte_and_is_kept() {
    let stage = Stage::new().await;
    let events = [
        ": keep-alive\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\nda",
        "ta: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"}}]}\n\n",
        "data: {\"choices\":[],\"usage\":{\"total_tokens\":3}}\n\n",
        "data: [DONE]\n\n",
    ];
    stage.upstream.answers(Script::stream("text/event-stream; charset=utf-8", &events));
    let response = stage.post("/v1/chat/completions", STREAM).memory("m").response().await;
    assert_eq!(response.text, events.concat());
    assert_eq!(response.header("content-type"), Some("text/event-stream; charset=utf-8"));
    assert_eq!(stage.said("m").await, ["12:00 user hi", "12:00 assistant Hello"]);
}

#[tokio::test]
async fn several_replies_with_tools_and_probabilities_pass_byte_for_byte() {
    let stage = Stage::new().await;
    let events = [
        r#"{"choices":[{"index":1,"delta":{"role":"assistant","content":"B"},"logprobs":{"content":[{"token":"B","logprob":-0.1,"bytes":[66],"top_logprobs":[]}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"A"},"logprobs":null}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"look","arguments":""}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":1}"}}]}}]}"#,
        r#"{"choices":[{"index":1,"delta":{"reasoning":"hm","refusal":null},"finish_reason":"stop"}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"vendor":{"x":[1]}}"#,
        r#"{"choices":[],"usage":{"total_tokens":9,"prompt_tokens_details":{"cached_tokens":4}}}"#,
        "[DONE]",
    ];
    let events = events.map(|data| format!("data: {data}\n\n"));
    let pieces = events.each_ref().map(String::as_str);
    stage.upstream.answers(Script::stream("text/event-stream", &pieces));
    let body = STREAM.replace("\"model\"", "\"n\":2,\"logprobs\":true,\"model\"");
    let response = stage.post("/v1/chat/completions", &body).memory("m").response().await;
    assert_eq!(response.text, events.concat());
    let entries = stage.entries("m").await;
    assert_eq!(entries[1].content.as_str(), "A", "the first reply is the one that is kept");
    assert_eq!(entries[1].tools_used[0].as_str(), "look");
}

#[tokio::test]
async fn an_echoed_stamp_is_stripped_across_pieces() {
    let stage = Stage::new().await;
    let pieces = ["(Sun", "day, 2025-06-01 12:0", "0:00)", " Hello", " (Sunday)"];
    stage.upstream.answers(Script::says(&pieces));
    let response = stage.post("/v1/chat/completions", STREAM).memory("m").response().await;
    let expected = [delta(""), delta(""), delta(""), delta("Hello"), delta(" (Sunday)")];
    assert_eq!(response.text, expected.concat() + "data: [DONE]\n\n");
    assert_eq!(stage.said("m").await, ["12:00 user hi", "12:00 assistant Hello (Sunday)"]);
}

#[tokio::test]
async fn an_echoed_stamp_is_stripped_from_a_whole_reply() {
    let stage = Stage::new().await;
    let reply = crate::recorder::completion("[Sent less than a minute ago] Hello");
    stage.upstream.answers(Script::json(200, &reply));
    let response =
        stage.post("/v1/chat/completions", &chat(&["u:hi"])).memory("m").response().await;
    assert_eq!(response.json()["choices"][0]["message"]["content"], "Hello");
    let length = response.header("content-length").unwrap().parse::<usize>().unwrap();
    assert_eq!(length, response.text.len());
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_the_upstream_and_the_rest_is_kept() {
    let stage = Stage::new().await;
    let script = Script { hangs: true, ..Script::says(&["Once upon", " a time"]) };
    let script = Script { pieces: script.pieces[..2].to_vec(), ..script };
    stage.upstream.answers(script);
    let (_, _, mut body) = stage.post("/v1/chat/completions", STREAM).memory("m").begun().await;
    for _ in 0..2 {
        body.frame().await.unwrap().unwrap();
    }
    assert_eq!(stage.upstream.dropped(), 0);
    drop(body);
    // The upstream does not end by itself, so this does only if it is cut off.
    stage.upstream.was_dropped().await;
    let entries = stage.entries("m").await;
    assert_eq!(entries[1].content.as_str(), "Once upon a time");
    let metadata = entries[1].metadata.as_ref().unwrap().as_str();
    assert!(metadata.contains("truncated"), "{metadata}");
}

#[tokio::test]
async fn a_server_that_stops_keeps_what_was_said_so_far() {
    let stage = Stage::new().await;
    let script = Script { hangs: true, ..Script::stream("text/event-stream", &[&delta("Once")]) };
    stage.upstream.answers(script);
    let (_, _, mut body) = stage.post("/v1/chat/completions", STREAM).memory("m").begun().await;
    body.frame().await.unwrap().unwrap();
    stage.state.end_replies();
    let entries = stage.entries("m").await;
    assert_eq!(entries[1].content.as_str(), "Once");
    assert!(entries[1].metadata.as_ref().unwrap().as_str().contains("truncated"));
    drop(body);
    assert_eq!(stage.entries("m").await.len(), 2, "it is kept once");
}

#[tokio::test]
async fn the_first_piece_does_not_wait_for_the_second() {
    let stage = Stage::new().await;
    let script = Script { hangs: true, ..Script::stream("text/event-stream", &[&delta("Hello")]) };
    stage.upstream.answers(script);
    let (_, _, mut body) = stage.post("/v1/chat/completions", STREAM).memory("m").begun().await;
    // No second piece ever comes.
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert_eq!(first, delta("Hello").as_bytes());
}

//! Memory never breaks the chat: slow, down or damaged, the request goes through as it came, and
//! what was said is kept later.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::recorder::Script;
use crate::stage::{Stage, chat};

#[tokio::test]
async fn a_store_that_is_down_does_not_stop_the_chat() {
    let stage = Stage::with("").await;
    stage.chat(&["u:before"]).await;
    stage.store.down.store(true, Ordering::SeqCst);
    stage.wait(10);
    let lines = ["u:before", "a:Noted.", "u:during the fire"];
    let body = chat(&lines);
    let told = stage.post("/v1/chat/completions", &body).memory("m").told().await;
    assert_eq!((told.status, stage.upstream.last().body.as_str()), (200, body.as_str()));
    assert!(told.header("x-everwhen-degraded").unwrap().contains("the disk is on fire"));
    stage.door.settle().await;
    assert!(stage.directory.path().join("proxy-spool.jsonl").exists());

    stage.store.down.store(false, Ordering::SeqCst);
    stage.wait(100);
    let catching_up = tokio::spawn(stage.door.clone().catch_up());
    for _ in 0..500 {
        if !stage.directory.path().join("proxy-spool.jsonl").exists() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    catching_up.abort();
    let said = stage.said("m").await;
    assert_eq!(said[2..], ["12:10 user during the fire", "12:10 assistant Noted."]);
    let entries = stage.entries("m").await;
    assert!(entries[2].creation_time > entries[2].conversation_time, "stored later than said");
}

#[tokio::test]
async fn a_slow_store_is_not_waited_for() {
    let stage = Stage::with("[proxy]\ndeadline_ms = 50\n").await;
    stage.store.slow.store(true, Ordering::SeqCst);
    let body = chat(&["u:hello"]);
    let begun = Instant::now();
    let told = stage.post("/v1/chat/completions", &body).memory("m").told().await;
    assert!(begun.elapsed() < Duration::from_millis(1500), "{:?}", begun.elapsed());
    assert_eq!((told.status, stage.upstream.last().body.as_str()), (200, body.as_str()));
    assert!(told.header("x-everwhen-degraded").unwrap().contains("proxy.deadline_ms"));
}

#[tokio::test]
async fn a_stream_is_spooled_too_and_marked_if_it_was_cut() {
    let stage = Stage::with("").await;
    stage.store.down.store(true, Ordering::SeqCst);
    stage.upstream.answers(Script::says(&["Once", " upon"]));
    let body = chat(&["u:a story"]).replace("\"model\"", "\"stream\":true,\"model\"");
    stage.post("/v1/chat/completions", &body).memory("m").told().await;
    stage.door.settle().await;
    let spool = std::fs::read_to_string(stage.directory.path().join("proxy-spool.jsonl")).unwrap();
    assert!(spool.contains("Once upon") && spool.contains("a story"), "{spool}");
}

#[tokio::test]
async fn a_name_that_is_none_is_told_and_the_chat_goes_on() {
    let stage = Stage::with("").await;
    let body = chat(&["u:hello"]);
    let told = stage.post("/v1/chat/completions", &body).memory(&"x".repeat(300)).told().await;
    assert_eq!((told.status, stage.upstream.last().body.as_str()), (200, body.as_str()));
    assert!(told.header("x-everwhen-degraded").unwrap().contains("200 characters"));
}

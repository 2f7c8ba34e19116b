//! Memory never breaks the chat: slow, down or damaged, the request goes through as it came, and
//! what was said is kept later.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use http_body_util::BodyExt;
use serde_json::json;

use crate::recorder::{Script, delta};
use crate::stage::{Stage, chat, contents};

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

/// Five chats at once, each in a memory of its own: their statuses, and how long all of them took.
async fn five_chats(stage: &Stage, key: Option<&str>) -> (Vec<u16>, Duration) {
    let begun = Instant::now();
    let chats = (0..5).map(|number| {
        let ask = stage.post("/v1/chat/completions", &chat(&["u:hello"]));
        let ask = ask.memory(&format!("m{number}"));
        if let Some(key) = key { ask.key(key).told() } else { ask.told() }
    });
    let told = futures_util::future::join_all(chats).await;
    (told.iter().map(|told| told.status).collect(), begun.elapsed())
}

#[tokio::test]
async fn nobody_waits_for_a_store_that_hangs_to_be_authenticated() {
    for has_keys in [false, true] {
        let stage = Stage::with("[proxy]\ndeadline_ms = 250\n").await;
        let key = match has_keys {
            true => Some(stage.key("ana", &json!({})).await),
            false => None,
        };
        stage.store.hangs.store(true, Ordering::SeqCst);
        // Longer than keys are taken to be current without a look.
        tokio::time::sleep(Duration::from_millis(1100)).await;
        let (statuses, took) = five_chats(&stage, key.as_deref()).await;
        assert_eq!(statuses, [200; 5]);
        // One reading of the store takes twenty seconds.
        assert!(took < Duration::from_secs(10), "{took:?}");
    }
}

#[tokio::test]
async fn an_unknown_key_is_not_called_wrong_while_keys_cannot_be_read() {
    let stage = Stage::with("[proxy]\ndeadline_ms = 250\n").await;
    let known = stage.key("ana", &json!({})).await;
    stage.store.hangs.store(true, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let begun = Instant::now();
    let told = stage.post("/v1/chat/completions", &chat(&["u:hi"])).key("ew_new").told().await;
    assert_eq!(told.status, 503, "{}", told.text);
    assert!(told.json()["error"]["message"].as_str().unwrap().contains("cannot be read now"));
    assert_eq!(stage.get("/v1/vaults").key("ew_new").told().await.status, 503);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let (statuses, _) = five_chats(&stage, Some(&known)).await;
    assert_eq!(statuses, [200; 5], "a failed reading keeps the known keys");
}

#[tokio::test]
async fn a_damaged_store_is_told_of_and_what_was_said_waits() {
    let stage = Stage::with("").await;
    stage.store.damaged.store(true, Ordering::SeqCst);
    let body = chat(&["u:is anybody there?"]);
    let told = stage.post("/v1/chat/completions", &body).memory("m").told().await;
    assert_eq!((told.status, stage.upstream.last().body.as_str()), (200, body.as_str()));
    assert!(told.header("x-everwhen-degraded").unwrap().contains("a page of the file is torn"));
    let spool = spooled(&stage).await;
    assert!(spool.contains("is anybody there?") && spool.contains("Noted."), "{spool}");
    let catching_up = tokio::spawn(stage.door.clone().catch_up());
    tokio::time::sleep(Duration::from_millis(100)).await;
    catching_up.abort();
    assert_eq!(spooled(&stage).await, spool, "it waits for as long as it takes");
}

#[tokio::test]
async fn a_beginning_that_may_not_be_durable_is_told_of_and_kept_once() {
    let stage = Stage::new().await;
    stage.store.loses_answers.store(true, Ordering::SeqCst);
    let told = stage.post("/v1/chat/completions", &chat(&["u:hello"])).memory("m").told().await;
    assert_eq!(told.status, 200, "{}", told.text);
    assert!(told.header("x-everwhen-degraded").unwrap().contains("the answer was lost"));
    let spool = spooled(&stage).await;
    assert!(spool.contains("hello") && spool.contains("Noted."), "{spool}");
    stage.store.loses_answers.store(false, Ordering::SeqCst);
    let catching_up = tokio::spawn(stage.door.clone().catch_up());
    for _ in 0..500 {
        if spooled(&stage).await.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    catching_up.abort();
    assert_eq!(stage.said("m").await, ["12:00 user hello", "12:00 assistant Noted."]);
}

#[tokio::test]
async fn a_slow_recall_costs_the_briefing_and_nothing_else() {
    let stage = Stage::with("[proxy]\ndeadline_ms = 300\n").await;
    stage.chat(&["u:I have a dog."]).await;
    stage.store.reads_slowly.store(true, Ordering::SeqCst);
    let lines = ["u:I have a dog.", "a:Noted.", "u:What have I?"];
    let told = stage.post("/v1/chat/completions", &chat(&lines)).memory("m").told().await;
    assert!(told.header("x-everwhen-degraded").unwrap().contains("proxy.deadline_ms"));
    let sent = contents(&stage.upstream.last().body);
    assert!(sent[2].starts_with("(Sunday, 2025-06-01 12:00:00) What have I?"), "{}", sent[2]);
    assert!(sent[2].contains("[It is Sunday, 2025-06-01 12:00"), "{}", sent[2]);
    stage.store.reads_slowly.store(false, Ordering::SeqCst);
    assert_eq!(stage.said("m").await.len(), 4, "all of it is kept");
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

/// What the spool holds once everything is settled.
async fn spooled(stage: &Stage) -> String {
    stage.door.settle().await;
    std::fs::read_to_string(stage.directory.path().join("proxy-spool.jsonl")).unwrap_or_default()
}

#[tokio::test]
async fn a_client_that_leaves_while_memory_is_down_has_still_spoken() {
    // While the reply comes: what came of it is kept, too.
    let stage = Stage::with("").await;
    stage.store.down.store(true, Ordering::SeqCst);
    let script = Script { hangs: true, ..Script::stream("text/event-stream", &[&delta("Once")]) };
    stage.upstream.answers(script);
    let body = chat(&["u:a story"]).replace("\"model\"", "\"stream\":true,\"model\"");
    let (_, _, mut reply) = stage.post("/v1/chat/completions", &body).memory("m").begun().await;
    reply.frame().await.unwrap().unwrap();
    drop(reply);
    let spool = spooled(&stage).await;
    assert!(spool.contains("a story") && spool.contains("Once"), "{spool}");
    assert!(spool.contains("\"truncated\":true"), "{spool}");

    // Before the upstream has answered at all.
    let stage = Stage::with("").await;
    stage.store.down.store(true, Ordering::SeqCst);
    stage.upstream.answers(Script { hangs: true, pieces: Vec::new(), ..Script::says(&[]) });
    let asked = stage.post("/v1/chat/completions", &chat(&["u:a question"])).memory("m").told();
    assert!(tokio::time::timeout(Duration::from_millis(300), asked).await.is_err());
    let spool = spooled(&stage).await;
    assert!(spool.contains("a question"), "{spool}");

    // Before memory has failed.
    let stage = Stage::with("").await;
    stage.store.slow.store(true, Ordering::SeqCst);
    let asked = stage.post("/v1/chat/completions", &chat(&["u:in a hurry"])).memory("m").told();
    assert!(tokio::time::timeout(Duration::from_millis(50), asked).await.is_err());
    let spool = spooled(&stage).await;
    assert!(spool.contains("in a hurry"), "{spool}");
}

#[tokio::test]
async fn a_name_that_is_none_is_told_and_the_chat_goes_on() {
    let stage = Stage::with("").await;
    let body = chat(&["u:hello"]);
    let told = stage.post("/v1/chat/completions", &body).memory(&"x".repeat(300)).told().await;
    assert_eq!((told.status, stage.upstream.last().body.as_str()), (200, body.as_str()));
    assert!(told.header("x-everwhen-degraded").unwrap().contains("200 characters"));
}

//! The outbox from outside: bounded, erased with what is forgotten, reported, and taken over.

use std::sync::Arc;
use std::time::Duration;

use everwhen::Forget;
use everwhen::memory::{Address, Name};
use everwhen_testkit::engine_over;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::recorder::{Script, delta};
use crate::stage::{Fault, Stage, TOKEN, chat};

const PATH: &str = "/v1/chat/completions";
/// A store that hangs is not waited for any longer.
const HASTY: &str = "[proxy]\ndeadline_ms = 500\n";
const MEMORY: &str = "/v1/vaults/default/memories/m";

/// A reply that is on its way and ends when it is dropped.
async fn underway(stage: &Stage, lines: &[&str]) -> axum::body::Body {
    let script = Script { hangs: true, ..Script::stream("text/event-stream", &[&delta("SECRET")]) };
    stage.upstream.answers(script);
    let body = chat(lines).replace("\"model\"", "\"stream\":true,\"model\"");
    let (_, _, mut reply) = stage.post(PATH, &body).memory("m").begun().await;
    reply.frame().await.unwrap().unwrap();
    reply
}

#[tokio::test]
async fn a_reply_whose_memory_or_vault_is_forgotten_meanwhile_is_dropped() {
    for path in [MEMORY, "/v1/vaults/default"] {
        let stage = Stage::new().await;
        let reply = underway(&stage, &["u:hello"]).await;
        assert_eq!(stage.delete(path).response().await.status, 200);
        drop(reply);
        stage.drained().await;
        assert!(stage.memories().await.is_empty(), "{path}: it came back");
        assert!(!stage.outbox_holds("SECRET").await, "{path}");
    }
}

#[tokio::test]
async fn what_waits_for_a_forgotten_memory_is_erased_and_does_not_make_it_again() {
    let stage = Stage::with(HASTY).await;
    stage.chat(&["u:hello"]).await;
    // The second exchange cannot begin and waits in the outbox; then the store works, but for a call
    // that still hangs.
    stage.store.fail(Fault::Hangs, true);
    let lines = ["u:hello", "a:Noted.", "u:a SECRET"];
    stage.post(PATH, &chat(&lines)).memory("m").response().await;
    assert!(stage.outbox_holds("SECRET").await);
    stage.store.hangs.store(false, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(stage.delete(MEMORY).response().await.status, 200);
    assert!(!stage.outbox_holds("SECRET").await);
    stage.store.fail(Fault::Hangs, false);
    stage.drained().await;
    assert!(stage.memories().await.is_empty(), "it came back");
}

/// Of a memory in which a part is forgotten, everything else that was said is kept, though it was not stored yet.
#[tokio::test]
async fn what_waits_is_stored_before_a_part_of_its_memory_is_forgotten() {
    let stage = Stage::with(HASTY).await;
    stage.post(PATH, &chat(&["u:a SECRET"])).memory("m").response().await;
    stage.drained().await;
    stage.store.fail(Fault::Fails, true);
    let lines = ["u:a SECRET", "a:Noted.", "u:and more"];
    stage.post(PATH, &chat(&lines)).memory("m").response().await;
    assert!(stage.outbox_holds("and more").await);
    stage.store.fail(Fault::Fails, false);
    let first = stage.entries("m").await[0].id;
    assert_eq!(stage.delete(&format!("{MEMORY}/entries/{first}")).response().await.status, 200);
    stage.drained().await;
    let said = ["12:00 assistant Noted.", "12:00 user and more", "12:00 assistant Noted."];
    assert_eq!(stage.said("m").await, said);
    assert!(!stage.outbox_holds("SECRET").await);
}

/// A part of a memory is forgotten though exchanges were set aside that can never be stored. Those that may hold what
/// is forgotten go with it; one that was sent before it was said stays.
#[tokio::test]
async fn what_was_set_aside_does_not_keep_a_part_of_its_memory_from_being_forgotten() {
    let directory = Arc::new(tempfile::tempdir().unwrap());
    let line = |hour: u8, text: &str, chat_of: Option<&str>| {
        json!({
            "vault": "default", "memory": "m", "route": "chat", "at": format!("2025-05-31T{hour:02}:00:00Z"),
            "at_once": false, "request": chat(&[&format!("u:{text}")]), "reply": "Noted.",
            "truncated": false, "tools": [], "chat_of": chat_of,
        })
        .to_string()
    };
    let cannot_be_read = Some("nobody");
    let lines = [
        line(9, "EARLIER", cannot_be_read),
        line(10, "a SECRET", None),
        line(11, "LATER", cannot_be_read),
    ];
    std::fs::write(directory.path().join("proxy-spool.jsonl"), lines.join("\n")).unwrap();
    let stage = Stage::on(directory, "").await;
    let catching_up = tokio::spawn(stage.state.clone().catch_up());
    stage.drained().await;
    catching_up.abort();
    assert_eq!(stage.said("m").await, ["10:00 user a SECRET", "10:00 assistant Noted."]);
    assert_eq!(stage.outbox("set_aside").await, 2.0);
    let question = stage.entries("m").await[0].id;
    let path = format!("{MEMORY}/entries/{question}");
    assert_eq!(stage.delete(&path).response().await.status, 200);
    assert!(!stage.outbox_holds("SECRET").await && !stage.outbox_holds("LATER").await);
    assert!(stage.outbox_holds("EARLIER").await);
    assert_eq!(stage.outbox("set_aside").await, 1.0);
}

/// Another server over the same store forgets; this one is not notified.
#[tokio::test]
async fn traces_of_what_another_server_forgot_are_gone() {
    let stage = Stage::with("[proxy]\nbriefing = 'off'\n").await;
    let ask = stage.post(PATH, &chat(&["u:a SECRET"])).memory("m");
    let response = ask.header("x-everwhen-trace", "1").response().await;
    let place = response.header("x-everwhen-trace").unwrap().to_owned();
    stage.state.settle().await;
    assert_eq!(stage.get(&place).response().await.status, 200);
    let (other, _) = engine_over(stage.store.clone());
    let vaults = other.vaults(None, 1).await.unwrap();
    let vault = other.vault(vaults[0].id.into()).await.unwrap();
    let memory = Address::Name(Name::new("memory", "m").unwrap());
    vault.forget(memory, Forget::Memory, None).await.unwrap();
    assert_eq!(stage.get(&place).response().await.status, 404);
    assert_eq!(stage.get("/proxy/traces").response().await.json()["data"], json!([]));
}

#[tokio::test]
async fn traces_of_what_was_forgotten_are_gone() {
    let stage = Stage::with("[proxy]\nbriefing = 'off'\n").await;
    let mut places = Vec::new();
    for memory in ["m", "other"] {
        let ask = stage.post(PATH, &chat(&["u:a SECRET"])).memory(memory);
        let response = ask.header("x-everwhen-trace", "1").response().await;
        places.push(response.header("x-everwhen-trace").unwrap().to_owned());
    }
    stage.state.settle().await;
    assert_eq!(stage.delete(MEMORY).response().await.status, 200);
    assert_eq!(stage.get(&places[0]).response().await.status, 404);
    assert_eq!(stage.get(&places[1]).response().await.status, 200);
    assert_eq!(stage.delete("/v1/vaults/default").response().await.status, 200);
    assert_eq!(stage.get(&places[1]).response().await.status, 404);
}

#[tokio::test]
async fn an_outbox_that_is_full_is_told_of_and_the_chat_goes_on() {
    let stage = Stage::with("[proxy]\noutbox_bytes = 100000\n").await;
    stage.store.fail(Fault::Fails, true);
    let long = format!("u:{}", "x".repeat(200_000));
    let response = stage.post(PATH, &chat(&[&long])).memory("m").response().await;
    assert_eq!(response.status, 200);
    assert!(response.header("x-everwhen-degraded").unwrap().contains("the outbox is full"));
    let response = stage.post(PATH, &chat(&["u:short"])).memory("other").response().await;
    assert!(response.header("x-everwhen-degraded").unwrap().contains("the disk is on fire"));
    stage.store.fail(Fault::Fails, false);
    stage.drained().await;
    assert_eq!(stage.said("other").await, ["12:00 user short", "12:00 assistant Noted."]);
}

#[tokio::test]
async fn the_spool_of_an_earlier_version_is_taken_in_once() {
    let directory = Arc::new(tempfile::tempdir().unwrap());
    let line = |memory: &str, text: &str| {
        json!({
            "vault": "default", "memory": memory, "route": "chat", "at": "2025-05-31T10:00:00Z",
            "at_once": false, "request": chat(&[&format!("u:{text}")]), "reply": "Noted.",
            "truncated": false, "tools": [],
        })
        .to_string()
    };
    let (good, bad) = (line("m", "from the spool"), line(&"x".repeat(300), "never"));
    let spool = directory.path().join("proxy-spool.jsonl");
    std::fs::write(&spool, format!("{good}\n{bad}\n")).unwrap();
    let stage = Stage::on(directory, "").await;
    assert!(!spool.exists());
    let catching_up = tokio::spawn(stage.state.clone().catch_up());
    stage.drained().await;
    catching_up.abort();
    assert_eq!(stage.said("m").await, ["10:00 user from the spool", "10:00 assistant Noted."]);

    let doctor = stage.get("/v1/doctor").key(TOKEN).response().await.json();
    let set_aside = doctor["outbox"]["set_aside"].as_array().unwrap();
    assert!(set_aside[0]["reason"].as_str().unwrap().contains("200 characters"), "{doctor}");
    assert_eq!(set_aside.len(), 1, "{doctor}");
    assert!(!doctor.to_string().contains("never"), "the doctor tells nobody what was said");
    let ready = stage.get("/readyz").response().await;
    assert_eq!((ready.status, &ready.json()["status"]), (200, &json!("degraded")));
    assert_eq!(stage.outbox("set_aside").await, 1.0);
    assert_eq!(stage.delete("/v1/vaults/default").response().await.status, 200);
    assert!(!stage.outbox_holds("never").await, "erased with its vault");
}

#[tokio::test]
async fn readiness_says_when_chats_cannot_be_stored() {
    let stage = Stage::with(HASTY).await;
    let ready = stage.get("/readyz").response().await;
    assert_eq!((ready.status, ready.json()), (200, json!({ "status": "ok" })));
    stage.store.fail(Fault::Hangs, true);
    stage.post(PATH, &chat(&["u:hi"])).memory("m").response().await;
    let ready = stage.get("/readyz").response().await;
    assert_eq!(ready.status, 503, "the store does not answer: {}", ready.text);
    stage.store.hangs.store(false, std::sync::atomic::Ordering::SeqCst);
    // The call that hangs ends by its deadline, whenever that is noticed.
    let ready = loop {
        let ready = stage.get("/readyz").response().await.json();
        if ready["status"] == "degraded" {
            break ready;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert!(ready["detail"].as_str().unwrap().contains("1 chats"), "{ready}");
    assert_eq!(stage.outbox("rows").await, 1.0);
}

/// What a process had in its outbox when it was killed is stored by the next, once: also what had been
/// stored when it was killed.
#[test]
fn what_a_process_left_is_stored_by_the_next_once() {
    for fault in [Fault::Fails, Fault::LosesAnswers] {
        let directory = Arc::new(tempfile::tempdir().unwrap());
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let stage = Stage::on(Arc::clone(&directory), "").await;
            stage.store.fail(fault, true);
            for lines in [&["u:ok"][..], &["u:ok", "a:Noted.", "u:ok"]] {
                stage.post(PATH, &chat(lines)).memory("m").response().await;
                let unnamed = chat(lines).replace("ok", "well, all right then");
                stage.post(PATH, &unnamed).response().await;
            }
            stage.state.flush().await;
        });
        // Everything that runs in it ends here, as if it had been killed.
        runtime.shutdown_timeout(Duration::from_secs(5));
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let stage = Stage::on(directory, "").await;
            let catching_up = tokio::spawn(stage.state.clone().catch_up());
            stage.drained().await;
            catching_up.abort();
            let memories = stage.memories().await;
            assert_eq!(memories.len(), 2, "{fault:?}: {memories:?}");
            for memory in memories {
                let said: Vec<Value> = stage
                    .entries(&memory)
                    .await
                    .iter()
                    .map(|entry| json!(entry.content.as_str()))
                    .collect();
                let first = said[0].clone();
                assert_eq!(
                    said,
                    [first.clone(), json!("Noted."), first, json!("Noted.")],
                    "{fault:?}"
                );
            }
        });
    }
}

//! Memory never breaks the chat: slow, down, damaged or panicking, the request goes through as it came,
//! and what was said is stored later, once.

use std::sync::atomic::Ordering;
use std::time::Duration;

use http_body_util::BodyExt;
use serde_json::json;

use crate::recorder::{Script, delta};
use crate::stage::{Fault, Stage, chat, contents};

const PATH: &str = "/v1/chat/completions";

#[tokio::test]
async fn a_store_that_is_down_does_not_stop_the_chat() {
    let stage = Stage::with("").await;
    stage.chat(&["u:before"]).await;
    stage.store.down.store(true, Ordering::SeqCst);
    stage.wait(10);
    let lines = ["u:before", "a:Noted.", "u:during the fire"];
    let body = chat(&lines);
    let response = stage.post(PATH, &body).memory("m").response().await;
    assert_eq!((response.status, stage.upstream.last().body.as_str()), (200, body.as_str()));
    assert!(response.header("x-everwhen-degraded").unwrap().contains("the disk is on fire"));
    assert!(stage.outbox_holds("during the fire").await);

    stage.store.down.store(false, Ordering::SeqCst);
    stage.wait(100);
    stage.drained().await;
    let said = stage.said("m").await;
    assert_eq!(said[2..], ["12:10 user during the fire", "12:10 assistant Noted."]);
    let entries = stage.entries("m").await;
    assert!(entries[2].creation_time > entries[2].conversation_time, "stored later than said");
}

/// However the store fails: chats that are named, unnamed and streamed are answered as they came, several
/// turns long, and afterwards everything is stored once, in order, at its time.
#[tokio::test]
async fn whatever_the_store_does_every_chat_is_answered_and_stored_once() {
    for fault in Fault::ALL {
        let stage = Stage::with("[proxy]\ndeadline_ms = 60\n").await;
        stage.store.fail(fault, true);
        let named = ["u:one", "a:Noted.", "u:two", "a:Noted.", "u:three"];
        let unnamed = ["u:eins", "a:Noted.", "u:zwei", "a:Noted.", "u:drei"];
        for turn in [1, 3, 5] {
            for (lines, memory) in [(&named[..turn], Some("m")), (&unnamed[..turn], None)] {
                let body = chat(lines);
                let ask = stage.post(PATH, &body);
                let ask = memory.into_iter().fold(ask, |ask, memory| ask.memory(memory));
                let response = ask.response().await;
                assert_eq!(response.status, 200, "{fault:?}: {}", response.text);
                if fault != Fault::LosesAnswers {
                    assert_eq!(stage.upstream.last().body, body, "{fault:?}");
                }
                assert!(response.header("x-everwhen-degraded").is_some(), "{fault:?}");
            }
            stage.wait(1);
        }
        stage.store.fail(fault, false);
        stage.drained().await;
        let said = |word: [&str; 3]| {
            let line = |(minute, word)| {
                [format!("12:0{minute} user {word}"), format!("12:0{minute} assistant Noted.")]
            };
            (0..3).zip(word).flat_map(line).collect::<Vec<String>>()
        };
        let memories = stage.memories().await;
        assert_eq!(memories.len(), 2, "{fault:?}: {memories:?}");
        let other = memories.iter().find(|name| *name != "m").unwrap();
        assert_eq!(stage.said("m").await, said(["one", "two", "three"]), "{fault:?}");
        assert_eq!(stage.said(other).await, said(["eins", "zwei", "drei"]), "{fault:?}");
        memory_is_back(&stage).await;
    }
}

/// Chats until one is not degraded: a busy machine may miss a deadline of milliseconds.
async fn memory_is_back(stage: &Stage) {
    for _ in 0..200 {
        let response = stage.post(PATH, &chat(&["u:and now?"])).response().await;
        if response.header("x-everwhen-degraded").is_none() {
            return;
        }
    }
    panic!("memory does not come back");
}

#[tokio::test]
async fn a_store_that_hangs_is_not_waited_for() {
    let stage = Stage::with("[proxy]\ndeadline_ms = 50\n").await;
    stage.store.fail(Fault::Hangs, true);
    let body = chat(&["u:hello"]);
    // The store never answers, so a request that waited for it would not end.
    let response = stage.post(PATH, &body).memory("m").response().await;
    assert_eq!((response.status, stage.upstream.last().body.as_str()), (200, body.as_str()));
    assert!(response.header("x-everwhen-degraded").unwrap().contains("proxy.deadline_ms"));
    assert!(stage.outbox_holds("hello").await, "it is in the outbox before the client has all");
}

#[tokio::test]
async fn a_panic_in_memory_passes_the_request_on_as_it_came() {
    let stage = Stage::with("").await;
    stage.chat(&["u:before"]).await;
    stage.store.fail(Fault::Panics, true);
    let body = chat(&["u:before", "a:Noted.", "u:during"]);
    let response = stage.post(PATH, &body).memory("m").response().await;
    assert_eq!((response.status, stage.upstream.last().body.as_str()), (200, body.as_str()));
    assert!(response.header("x-everwhen-degraded").unwrap().contains("memory failed inside"));
    stage.store.fail(Fault::Panics, false);
    stage.drained().await;
    assert_eq!(stage.said("m").await.len(), 4);
}

#[tokio::test]
async fn one_vault_whose_store_hangs_slows_no_other_and_no_other_chat() {
    let stage = Stage::with("").await;
    stage.upstream.answers(Script::says(&["Once"]));
    let stream = chat(&["u:a story"]).replace("\"model\"", "\"stream\":true,\"model\"");
    let (_, _, reply) = stage.post(PATH, &stream).header("x-everwhen-vault", "slow").begun().await;
    // The call that stores its reply hangs, and no later one does.
    let held = stage.store.next_held();
    stage.store.hangs.store(true, Ordering::SeqCst);
    reply.collect().await.unwrap();
    held.await;
    stage.store.hangs.store(false, Ordering::SeqCst);
    for (vault, memory) in [("quick", None), ("quick", Some("m")), ("slow", Some("other"))] {
        let ask = stage.post(PATH, &chat(&["u:hi"])).header("x-everwhen-vault", vault);
        let ask = memory.into_iter().fold(ask, |ask, memory| ask.memory(memory));
        let response = ask.response().await;
        let degraded = response.header("x-everwhen-degraded");
        assert_eq!(degraded, None, "{vault} {memory:?} waited until its deadline");
    }
    stage.store.fail(Fault::Hangs, false);
    stage.drained().await;
}

/// Five chats at once, each in a memory of its own: their statuses.
async fn five_chats(stage: &Stage, key: Option<&str>) -> Vec<u16> {
    let chats = (0..5).map(|number| {
        let ask = stage.post("/v1/chat/completions", &chat(&["u:hello"]));
        let ask = ask.memory(&format!("m{number}"));
        if let Some(key) = key { ask.key(key).response() } else { ask.response() }
    });
    let responses = futures_util::future::join_all(chats).await;
    responses.iter().map(|response| response.status).collect()
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
        // A reading of the store does not end, so nothing here waited for one.
        assert_eq!(five_chats(&stage, key.as_deref()).await, [200; 5]);
    }
}

#[tokio::test]
async fn an_unknown_key_is_not_called_wrong_while_keys_cannot_be_read() {
    let stage = Stage::with("[proxy]\ndeadline_ms = 250\n").await;
    let known = stage.key("ana", &json!({})).await;
    stage.store.hangs.store(true, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let response =
        stage.post("/v1/chat/completions", &chat(&["u:hi"])).key("ew_new").response().await;
    assert_eq!(response.status, 503, "{}", response.text);
    assert!(response.json()["error"]["message"].as_str().unwrap().contains("cannot be read now"));
    assert_eq!(stage.get("/v1/vaults").key("ew_new").response().await.status, 503);
    let statuses = five_chats(&stage, Some(&known)).await;
    assert_eq!(statuses, [200; 5], "a failed reading keeps the known keys");
}

#[tokio::test]
async fn a_damaged_store_is_told_of_and_what_was_said_waits() {
    let stage = Stage::with("").await;
    stage.store.damaged.store(true, Ordering::SeqCst);
    let body = chat(&["u:is anybody there?"]);
    let response = stage.post(PATH, &body).memory("m").response().await;
    assert_eq!((response.status, stage.upstream.last().body.as_str()), (200, body.as_str()));
    assert!(response.header("x-everwhen-degraded").unwrap().contains("a page of the file is torn"));
    stage.state.settle().await;
    assert!(stage.outbox_holds("is anybody there?").await && stage.outbox_holds("Noted.").await);
}

#[tokio::test]
async fn a_beginning_that_may_not_be_durable_is_told_of_and_stored_once() {
    let stage = Stage::new().await;
    stage.store.fail(Fault::LosesAnswers, true);
    let response = stage.post(PATH, &chat(&["u:hello"])).memory("m").response().await;
    assert_eq!(response.status, 200, "{}", response.text);
    assert!(response.header("x-everwhen-degraded").unwrap().contains("the answer was lost"));
    assert!(stage.outbox_holds("hello").await && stage.outbox_holds("Noted.").await);
    stage.store.fail(Fault::LosesAnswers, false);
    stage.drained().await;
    assert_eq!(stage.said("m").await, ["12:00 user hello", "12:00 assistant Noted."]);
}

#[tokio::test]
async fn a_slow_recall_costs_the_briefing_and_nothing_else() {
    // Time enough for a busy machine to write, and none is enough for a reading that does not end.
    let stage = Stage::with("[proxy]\ndeadline_ms = 4000\n").await;
    stage.chat(&["u:I have a dog."]).await;
    stage.store.reads_hang.store(true, Ordering::SeqCst);
    let lines = ["u:I have a dog.", "a:Noted.", "u:What have I?"];
    let response = stage.post(PATH, &chat(&lines)).memory("m").response().await;
    assert!(response.header("x-everwhen-degraded").unwrap().contains("proxy.deadline_ms"));
    let sent = contents(&stage.upstream.last().body);
    assert!(sent[2].starts_with("(Sunday, 2025-06-01 12:00:00) What have I?"), "{}", sent[2]);
    assert!(sent[2].contains("[It is Sunday, 2025-06-01 12:00"), "{}", sent[2]);
    stage.store.reads_hang.store(false, Ordering::SeqCst);
    assert_eq!(stage.said("m").await.len(), 4, "all of it is kept");
}

#[tokio::test]
async fn the_end_of_a_stream_waits_until_its_reply_is_in_the_outbox() {
    let stage = Stage::with("").await;
    stage.store.fail(Fault::Fails, true);
    stage.upstream.answers(Script::says(&["Once", " upon"]));
    let body = chat(&["u:a story"]).replace("\"model\"", "\"stream\":true,\"model\"");
    let (_, _, mut reply) = stage.post(PATH, &body).memory("m").begun().await;
    let mut text = String::new();
    while !text.contains("[DONE]") {
        let frame = reply.frame().await.unwrap().unwrap().into_data().unwrap();
        text += std::str::from_utf8(&frame).unwrap();
    }
    // Nothing is flushed here: it is in the file by the time the client has the last piece.
    let files = std::fs::read_dir(stage.directory.path()).unwrap().map(|file| file.unwrap().path());
    let all: Vec<u8> = files.flat_map(|path| std::fs::read(path).unwrap()).collect();
    let holds = |text: &str| all.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(holds("Once upon") && holds("a story"));
}

#[tokio::test]
async fn a_client_that_leaves_while_memory_is_down_has_still_spoken() {
    // While the reply comes: what came of it is kept, too.
    let stage = Stage::with("").await;
    stage.store.fail(Fault::Fails, true);
    let script = Script { hangs: true, ..Script::stream("text/event-stream", &[&delta("Once")]) };
    stage.upstream.answers(script);
    let body = chat(&["u:a story"]).replace("\"model\"", "\"stream\":true,\"model\"");
    let (_, _, mut reply) = stage.post(PATH, &body).memory("m").begun().await;
    reply.frame().await.unwrap().unwrap();
    drop(reply);
    stage.store.fail(Fault::Fails, false);
    stage.drained().await;
    assert_eq!(stage.said("m").await, ["12:00 user a story", "12:00 assistant Once"]);
    let metadata = stage.entries("m").await[1].metadata.clone().unwrap();
    assert!(metadata.as_str().contains("truncated"), "{metadata:?}");

    // Before the upstream has answered at all, and before memory has failed.
    for fault in [Fault::Fails, Fault::Hangs] {
        let stage = Stage::with("").await;
        stage.store.fail(fault, true);
        stage.upstream.answers(Script { hangs: true, pieces: Vec::new(), ..Script::says(&[]) });
        let held = stage.store.next_held();
        let upstream = stage.upstream.clone();
        let reached = async move {
            match fault {
                Fault::Hangs => held.await,
                _ => upstream.next_asked().await,
            }
        };
        tokio::select! {
            response = stage.post(PATH, &chat(&["u:a question"])).memory("m").response() => panic!("{response:?}"),
            () = reached => {}
        }
        stage.store.fail(fault, false);
        stage.drained().await;
        assert_eq!(stage.said("m").await, ["12:00 user a question"], "{fault:?}");
    }
}

#[tokio::test]
async fn a_name_that_is_none_is_told_and_the_chat_goes_on() {
    let stage = Stage::with("").await;
    let body = chat(&["u:hello"]);
    let response = stage.post(PATH, &body).memory(&"x".repeat(300)).response().await;
    assert_eq!((response.status, stage.upstream.last().body.as_str()), (200, body.as_str()));
    assert!(response.header("x-everwhen-degraded").unwrap().contains("200 characters"));
}

#[tokio::test]
async fn a_name_that_nothing_new_can_get_is_told_and_nothing_waits_for_it() {
    let stage = Stage::with("").await;
    let body = chat(&["u:hello"]);
    for (header, name) in [
        ("x-everwhen-memory", "CON\u{200b}"),
        ("x-everwhen-memory", "mem_mine"),
        ("x-openwebui-chat-id", "chat\u{202e}"),
        ("x-everwhen-vault", "CON\u{200b}"),
        ("x-everwhen-vault", "vlt_mine"),
    ] {
        let ask = stage.post(PATH, &body).header_of(header, name.as_bytes());
        let response = ask.response().await;
        assert_eq!((response.status, stage.upstream.last().body.as_str()), (200, body.as_str()));
        let why = response.header("x-everwhen-degraded").unwrap();
        assert!(why.contains("name may not"), "{name:?}: {why}");
    }
    let path = format!("/m/CON%E2%80%8B{PATH}");
    let response = stage.post(&path, &body).response().await;
    assert!(response.header("x-everwhen-degraded").unwrap().starts_with("path: a memory's name"));
    stage.drained().await;
    assert_eq!(stage.get("/readyz").response().await.json()["status"], "ok");
    assert_eq!(stage.outbox("set_aside").await, 0.0);
}

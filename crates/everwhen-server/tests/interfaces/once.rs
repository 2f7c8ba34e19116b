//! Idempotency: the same write with the same key is done once and answered the same.

use std::collections::BTreeSet;
use std::sync::Arc;

use everwhen_testkit::ScriptedLlm;
use serde_json::{Value, json};

use crate::stage::{DIARY, Stage, column};

/// Every operation that takes an idempotency key, by the document.
fn documented() -> BTreeSet<String> {
    let document: Value = serde_json::from_str(&everwhen_server::openapi()).unwrap();
    let paths = document["paths"].as_object().unwrap().values();
    let operations = paths.flat_map(|item| item.as_object().unwrap().values());
    let takes_key = |operation: &&Value| {
        let parameters = operation["parameters"].as_array().unwrap();
        parameters.iter().any(|parameter| parameter["name"] == "Idempotency-Key")
    };
    let names = operations.filter(takes_key).map(|operation| &operation["operationId"]);
    names.map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// A memory with two archived-to-be conversations, an open one, a fact and a context document; with the ids of what
/// was archived and of the fact.
async fn furnished() -> (Stage, Value, [String; 2]) {
    let stage = Stage::new().await;
    let rules = json!({ "name": "ana", "settings": { "maxConversationsRetained": 1 } });
    stage.post("/v1/vaults", rules).await;
    stage.say("2025-05-01T10:00:00Z", "I was young").await;
    stage.say("2025-05-02T10:00:00Z", "newer").await;
    stage.clock.advance(jiff::SignedDuration::from_mins(1));
    stage.engine.settle().await.unwrap();
    let archived = stage.get(&format!("{DIARY}/conversations?archived=true")).await;
    let archived = column(&archived, "id")[0].as_str().unwrap().to_owned();
    let fact = stage.get(&format!("{DIARY}/facts")).await["data"][0]["id"].clone();
    let fact = fact.as_str().unwrap().to_owned();
    let said = stage.say("2025-06-01T11:50:00Z", "now").await;
    stage.say("2025-06-01T11:51:00Z", "and now").await;
    let context = stage.ask("PUT", &format!("{DIARY}/context")).json(&json!({ "content": "v" }));
    context.response().await.with(201);
    let stage = stage.with_llm(Arc::new(ScriptedLlm::saying([]))).await;
    (stage, said, [archived, fact])
}

/// One write of every kind: operation, method, path, body.
fn writes(
    said: &Value,
    [archived, fact]: &[String; 2],
) -> Vec<(&'static str, &'static str, String, Value)> {
    let entry = format!("{DIARY}/entries/{}", said["id"].as_str().unwrap());
    let now = format!("{DIARY}/conversations/{}", said["conversation_id"].as_str().unwrap());
    let again = json!({ "role": "user", "content": "again" });
    let period = json!({ "memory": "diary", "before": "2025-05-03T00:00:00Z" });
    let chat = json!({ "conversation_id": "chat", "entries": [
        { "role": "user", "content": "then", "conversation_time": "2025-05-01T10:00:00Z" }] });
    let worked = "2025-06-01T11:50:10Z";
    let work = json!({ "activities": [{ "kind": "tool", "began_at": worked, "lasted_ms": 5 }] });
    let times = json!({ "texts": [
        { "text_hash": "ab".repeat(32), "conversation_time": "2025-05-01T10:00:00Z" }] });
    let correction = json!({ "content": "then", "reason": "slip" });
    let file = json!({ "command": "create", "path": "/memories/a.md", "file_text": "x" });
    vec![
        ("create_vault", "POST", "/v1/vaults".into(), json!({ "name": "bo" })),
        ("change_vault", "PATCH", "/v1/vaults/ana".into(), json!({ "description": "x" })),
        ("create_memory", "POST", "/v1/vaults/ana/memories".into(), json!({ "name": "m" })),
        ("change_memory", "PATCH", DIARY.into(), json!({ "description": "x" })),
        ("remember_entry", "POST", format!("{DIARY}/entries"), again.clone()),
        ("remember_batch", "POST", format!("{DIARY}/entries/batch"), json!({ "entries": [again] })),
        ("put_context", "PUT", format!("{DIARY}/context"), json!({ "content": "x" })),
        ("change_entry", "PATCH", entry.clone(), json!({ "tags": ["a"] })),
        ("forget_context_version", "DELETE", format!("{DIARY}/context/versions/1"), Value::Null),
        ("retrospect", "POST", format!("{DIARY}/retrospection"), json!({ "again": true })),
        ("run_file_command", "POST", format!("{DIARY}/files"), file),
        ("rebuild_context", "POST", format!("{DIARY}/context/rebuild"), Value::Null),
        ("import_conversation", "POST", format!("{DIARY}/conversations/import"), chat),
        ("fork_conversation", "POST", format!("{now}/fork"), json!({ "after": said["id"] })),
        ("record_activities", "POST", format!("{now}/activities"), work),
        ("correct_entry", "POST", format!("{entry}/correction"), correction),
        ("end_conversation", "POST", format!("{DIARY}/conversations/end"), json!({})),
        (
            "restore_conversation",
            "POST",
            format!("{DIARY}/conversations/{archived}/restore"),
            Value::Null,
        ),
        (
            "summarize_conversation",
            "POST",
            format!("{DIARY}/conversations/{archived}/summary"),
            Value::Null,
        ),
        ("put_times", "PUT", format!("{DIARY}/times"), times),
        ("pin_fact", "POST", format!("{DIARY}/facts/{fact}/pin"), json!({ "pinned": true })),
        ("correct_fact", "PUT", format!("{DIARY}/facts/{fact}"), json!({ "statement": "I am" })),
        ("remove_fact", "DELETE", format!("{DIARY}/facts/{fact}"), Value::Null),
        ("distill", "POST", format!("{DIARY}/distill"), Value::Null),
        ("regenerate", "POST", format!("{DIARY}/regenerate"), Value::Null),
        ("forget_period", "POST", "/v1/vaults/ana/forget".into(), period),
        ("forget_entry", "DELETE", entry, Value::Null),
        ("forget_conversation", "DELETE", now, Value::Null),
        ("forget_memory", "DELETE", DIARY.into(), Value::Null),
        ("forget_vault", "DELETE", "/v1/vaults/ana".into(), Value::Null),
    ]
}

#[tokio::test]
async fn every_write_is_done_once_per_key() {
    let mut tried = BTreeSet::new();
    for index in 0..documented().len() {
        let (stage, said, ids) = furnished().await;
        let (operation, method, path, body) = writes(&said, &ids).swap_remove(index);
        tried.insert(operation.to_owned());
        let send = || {
            let ask = stage.ask(method, &path).once("my-key");
            if body.is_null() { ask.response() } else { ask.json(&body).response() }
        };
        let first = send().await;
        assert!(first.status < 300 && !first.replayed(), "{operation}: {}", first.text);
        let second = send().await;
        assert!(second.replayed(), "{operation}: {}", second.text);
        assert_eq!((second.status, second.text), (first.status, first.text), "{operation}");
    }
    assert_eq!(tried, documented(), "every write the document knows was tried");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_replay_stores_nothing_twice() {
    let stage = Stage::new().await;
    let body = json!({ "role": "user", "content": "once" });
    let path = format!("{DIARY}/entries");
    let sends: Vec<_> = (0..8)
        .map(|_| tokio::spawn(stage.ask("POST", &path).json(&body).once("k").response()))
        .collect();
    let mut answers = Vec::new();
    for send in sends {
        answers.push(send.await.unwrap());
    }
    assert_eq!(answers.iter().filter(|response| !response.replayed()).count(), 1);
    assert!(
        answers.iter().all(|response| response.status == 201 && response.text == answers[0].text)
    );
    assert_eq!(stage.get(&path).await["data"].as_array().unwrap().len(), 1);
    let metrics = stage.ask("GET", "/metrics").response().await.text;
    assert!(metrics.contains("everwhen_entries_remembered_total 1\n"), "{metrics}");
}

#[tokio::test]
async fn a_key_stands_for_one_write() {
    let stage = Stage::new().await;
    let path = format!("{DIARY}/entries");
    let one = json!({ "role": "user", "content": "one" });
    stage.ask("POST", &path).json(&one).once("k").response().await.with(201);
    let other = json!({ "role": "user", "content": "other" });
    let response = stage.ask("POST", &path).json(&other).once("k").response().await;
    assert!(response.problem(409, "conflict").contains("different write"));
    let elsewhere = format!("{DIARY}-2/entries");
    let response = stage.ask("POST", &elsewhere).json(&one).once("k").response().await;
    assert!(response.problem(409, "conflict").contains("different write"));
    for bad in ["", "  ", "..", &"k".repeat(201)] {
        let response = stage.ask("POST", &path).json(&one).once(bad).response().await;
        assert!(response.problem(400, "invalid").contains("Idempotency-Key"), "{bad:?}");
    }
    assert_eq!(stage.get(&path).await["data"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn what_was_forgotten_is_not_told_again() {
    let stage = Stage::new().await;
    let path = format!("{DIARY}/entries");
    let body = json!({ "role": "user", "content": "secret" });
    let id =
        stage.ask("POST", &path).json(&body).once("k").response().await.with(201)["id"].clone();
    let entry = format!("{path}/{}", id.as_str().unwrap());
    stage.ask("DELETE", &entry).response().await.with(200);
    let response = stage.ask("POST", &path).json(&body).once("k").response().await;
    assert!(response.problem(409, "conflict").contains("forgotten since"));
}

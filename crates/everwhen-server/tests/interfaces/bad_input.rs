//! Bad input: a clear sentence, the right status, and nothing changed.

use serde_json::{Value, json};

use crate::stage::{DIARY, Stage};

/// Sends it, checks the refusal, and that the server is as empty as before.
async fn refused(path: &str, method: &str, body: Value, status: u16, kind: &str, words: &str) {
    let stage = Stage::new().await;
    let response = stage.ask(method, path).json(&body).response().await;
    let detail = response.problem(status, kind);
    assert!(detail.contains(words), "{body}: {detail}");
    assert_eq!(stage.get("/v1/vaults").await["data"], json!([]), "{body} left something behind");
}

fn said(field: &str, value: Value) -> Value {
    let mut entry = json!({ "role": "user", "content": "Hello" });
    entry[field] = value;
    entry
}

#[tokio::test]
async fn entries_that_cannot_be_meant() {
    let path = format!("{DIARY}/entries");
    let long = "x".repeat(201);
    for (field, value, words) in [
        ("conversation_time", json!("2023-02-30T10:00:00Z"), "cannot read the time"),
        ("conversation_time", json!("2023-01-08T12:49:00"), "has no zone"),
        ("conversation_time", json!("2023-01-08"), "has no zone"),
        ("conversation_time", json!("yesterday"), "conversation_time: cannot read"),
        ("conversation_time", json!("9999-12-31T00:00:00Z"), "conversation_time: "),
        ("conversation_time", json!(1673182140), "invalid type"),
        ("creation_time", json!("2023-01-08T12:49:00Z"), "unknown field `creation_time`"),
        ("content", json!(""), "content is empty"),
        ("content", json!(" \n\t"), "content is empty"),
        ("content", json!("a\u{0}b"), "NUL"),
        ("role", json!("narrator"), "unknown variant `narrator`"),
        ("speaker", json!(" Mira"), "speaker begins or ends with a space"),
        ("tags", json!(["ok", long]), "tags[1] is longer"),
        ("tags", json!("art"), "invalid type"),
        ("summary", json!("a\u{0}"), "NUL"),
        ("metadata", json!([1]), "metadata is not a JSON object"),
        ("is_question", json!(true), "is_question marks an assistant's entry"),
        ("conversation_id", json!("end"), "meaning of its own"),
        ("mood", json!("fine"), "unknown field `mood`"),
    ] {
        refused(&path, "POST", said(field, value), 400, "invalid", words).await;
    }
}

#[tokio::test]
async fn a_time_in_the_future_waits_for_its_time_or_for_a_word() {
    let path = format!("{DIARY}/entries");
    let ahead = said("conversation_time", json!("2025-06-01T12:01:01Z"));
    refused(&path, "POST", ahead.clone(), 409, "conflict", "more than a minute in the future")
        .await;
    let context = json!({ "content": "x", "conversation_time": "2026-01-01T00:00:00Z" });
    refused(&format!("{DIARY}/context"), "PUT", context, 409, "conflict", "in the future").await;
    let stage = Stage::new().await;
    let mut allowed = ahead;
    allowed["allow_future"] = json!(true);
    stage.post(&path, allowed).await;
    stage.say("2025-06-01T12:01:00Z", "clocks differ").await;
}

#[tokio::test]
async fn what_is_too_large() {
    let path = format!("{DIARY}/entries");
    let mebibyte = 1024 * 1024;
    let too_much = said("content", json!("x".repeat(mebibyte + 1)));
    refused(&path, "POST", too_much, 413, "too_large", "at most 1048576").await;
    let labels = said("tags", json!(vec!["x"; 65]));
    refused(&path, "POST", labels, 413, "too_large", "at most 64").await;
    let metadata = said("metadata", json!({ "a": "x".repeat(64 * 1024) }));
    refused(&path, "POST", metadata, 413, "too_large", "metadata").await;
    let batch = json!({ "entries": vec![said("role", json!("user")); 1001] });
    refused(&format!("{path}/batch"), "POST", batch, 413, "too_large", "at most 1000").await;
    let document = json!({ "content": "x".repeat(65_537) });
    refused(&format!("{DIARY}/context"), "PUT", document, 413, "too_large", "65536").await;
    let stage = Stage::new().await;
    stage.post(&path, said("content", json!("x".repeat(mebibyte)))).await;
}

#[tokio::test]
async fn a_batch_is_refused_whole_and_names_the_culprit() {
    let path = format!("{DIARY}/entries/batch");
    let good = json!({ "role": "user", "content": "fine" });
    let bad =
        json!({ "role": "user", "content": "x", "conversation_time": "2023-02-30T10:00:00Z" });
    let batch = json!({ "entries": [good, bad] });
    refused(&path, "POST", batch, 400, "invalid", "entries[1]: conversation_time").await;
    refused(&path, "POST", json!({ "entries": [] }), 400, "invalid", "at least one").await;
}

#[tokio::test]
async fn vaults_that_cannot_be() {
    for (body, words) in [
        (json!({ "name": "a", "zone": "Europe/Atlantis" }), "unknown time zone"),
        (json!({ "name": "" }), "name is empty"),
        (json!({ "name": "vlt_mine" }), "may not begin with"),
        (json!({ "name": ".." }), "cannot stand in a URL"),
        (json!({ "description": "x" }), "missing field `name`"),
        (json!({ "name": "a", "colour": "red" }), "unknown field `colour`"),
        (json!({ "name": "a", "settings": { "retention": "burn" } }), "unknown variant `burn`"),
        (json!({ "name": "a", "settings": { "maxConversationsRetained": 0 } }), "at least 1"),
        (json!({ "name": "a", "settings": { "maxConversationsRetained": 1.5 } }), "1.5"),
        (json!({ "name": "a", "settings": { "conversationIdleTimeoutMinutes": 1e12 } }), "fits"),
        (json!([]), "does not match the schema"),
    ] {
        refused("/v1/vaults", "POST", body, 400, "invalid", words).await;
    }
}

#[tokio::test]
async fn queries_that_cannot_be_answered() {
    let stage = Stage::new().await;
    stage.say("2025-05-01T10:00:00Z", "one").await;
    let (entries, conversations) = (format!("{DIARY}/entries"), format!("{DIARY}/conversations"));
    for (path, query, words) in [
        (&entries, "after=2023-02-30T10:00:00Z", "after: cannot read the time"),
        (&entries, "after=2023-01-08T12:49:00+01:00", "write + as %2B"),
        (&entries, "befor=2023-01-08T12:49:00Z", "unknown field `befor`"),
        (&entries, "limit=0", "use 1 to 1000"),
        (&entries, "limit=1001", "use 1 to 1000"),
        (&entries, "limit=many", "limit"),
        (&entries, "limit=1&limit=2", "duplicate field `limit`"),
        (&entries, "role=narrator", "unknown variant"),
        (&entries, "tag=%ff", "not valid UTF-8"),
        (&entries, "branch=main", "not the id of a branch"),
        (&entries, "cursor=garbage", "no cursor of this list"),
        (&entries, "cursor=", "no cursor of this list"),
        (&conversations, "cursor=eAAAAAAAAAAAAAAAAAAAAAA", "no cursor of this list"),
        (&conversations, "state=paused", "unknown variant"),
        (&format!("{DIARY}/context"), "version=0", "versions count from 1"),
        (&format!("{DIARY}/context/versions"), "cursor=v", "no cursor of this list"),
        (&"/v1/vaults".into(), "cursor=n!", "no cursor of this list"),
        (&"/v1/vaults".into(), "limit=0", "use 1 to 1000"),
    ] {
        let response = stage.ask("GET", &format!("{path}?{query}")).response().await;
        let detail = response.problem(400, "invalid");
        assert!(detail.contains(words), "{query}: {detail}");
    }
}

#[tokio::test]
async fn a_period_whose_ends_contradict_each_other() {
    let stage = Stage::new().await;
    stage.say("2025-05-01T10:00:00Z", "one").await;
    let backwards = "after=2025-05-02T00:00:00Z&before=2025-05-01T00:00:00Z";
    for list in ["entries", "conversations", "timeline"] {
        let response = stage.ask("GET", &format!("{DIARY}/{list}?{backwards}")).response().await;
        assert!(response.problem(409, "conflict").contains("the period is empty"), "{list}");
    }
    let body = json!({
        "memory": "diary", "after": "2025-05-02T00:00:00Z", "before": "2025-05-01T00:00:00Z",
    });
    let response = stage.ask("POST", "/v1/vaults/ana/forget").json(&body).response().await;
    assert!(response.problem(409, "conflict").contains("the period is empty"));
    let open = json!({ "memory": "diary" });
    let response = stage.ask("POST", "/v1/vaults/ana/forget").json(&open).response().await;
    assert!(response.problem(400, "invalid").contains("needs after or before"));
    assert_eq!(stage.get(&format!("{DIARY}/entries")).await["data"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn what_does_not_exist() {
    let stage = Stage::new().await;
    let nobody = stage.ask("GET", "/v1/vaults/nobody/memories").response().await;
    assert!(nobody.problem(404, "not_found").contains("vault not found: \"nobody\""));
    stage.say("2025-05-01T10:00:00Z", "one").await;
    let missing = "01jh2m8z5qf3v9k7c4x0tnwr6e";
    for (method, path, words) in [
        ("GET", "/v1/vaults/ana/memories/dairy/entries".into(), "memory not found"),
        ("GET", format!("{DIARY}/entries/ent_{missing}"), "entry not found"),
        ("DELETE", format!("{DIARY}/entries/ent_{missing}"), "entry not found"),
        ("GET", format!("{DIARY}/conversations/cnv_{missing}"), "conversation not found"),
        ("GET", format!("{DIARY}/conversations/chat-9"), "conversation not found"),
        ("GET", format!("{DIARY}/entries?conversation_id=chat-9"), "conversation not found"),
        ("DELETE", "/v1/vaults/nobody".into(), "vault not found"),
    ] {
        let response = stage.ask(method, &path).response().await;
        assert!(response.problem(404, "not_found").contains(words), "{path}: {}", response.text);
    }
    let response = stage.ask("GET", &format!("{DIARY}/entries/17")).response().await;
    assert!(response.problem(400, "invalid").contains("not the id of an entry"));
    let correction = json!({ "content": "x", "reason": " " });
    let path = format!("{DIARY}/entries/ent_{missing}/correction");
    let response = stage.ask("POST", &path).json(&correction).response().await;
    assert!(response.problem(400, "invalid").contains("reason is empty"));
}

#[tokio::test]
async fn what_counts_as_blank_is_blank_in_the_document_too() {
    let stage = Stage::new().await;
    let path = format!("{DIARY}/entries");
    // The next-line character is white space in Unicode, and not in the patterns of JavaScript.
    let entry = json!({ "role": "user", "content": "\u{85}" });
    stage.ask("POST", &path).json(&entry).response().await.problem(400, "invalid");
    let document: Value = serde_json::from_str(&everwhen_server::openapi()).unwrap();
    let pattern = &document["components"]["schemas"]["Content"]["pattern"];
    assert_eq!(pattern, r"^[^\x00]*[^\s\x00\x85][^\x00]*$");
}

/// A rehearsal that is not read as one would run for real, and an earlier moment be answered with the present.
#[tokio::test]
async fn a_query_that_a_route_does_not_read() {
    let stage = Stage::new().await;
    let said = stage.say("2023-01-08T12:49:00+01:00", "Kept.").await;
    let entry = format!("{DIARY}/entries/{}", said["id"].as_str().unwrap());
    let vault = DIARY.split_once("/memories").unwrap().0;
    let before = json!({ "before": "2024-01-01T00:00:00Z" });
    for (method, path) in [
        ("DELETE", format!("{entry}?dry_run=true")),
        ("DELETE", format!("{DIARY}?dry_run=true")),
        ("DELETE", format!("{vault}?dry_run")),
        ("POST", format!("{vault}/forget?dry_run=true")),
        ("GET", format!("{entry}?as_of=2020-01-01T00:00:00Z")),
        ("HEAD", format!("{entry}?as_of=2020-01-01T00:00:00Z")),
        ("GET", format!("{DIARY}/timeline/events?as_of=2020-01-01T00:00:00Z")),
        ("GET", format!("{DIARY}/conversations/prompt?as_of=2020-01-01T00:00:00Z")),
        ("GET", format!("{DIARY}/entries?frog=1")),
    ] {
        let ask = stage.ask(method, &path);
        let ask = if method == "POST" { ask.json(&before) } else { ask };
        let response = ask.response().await;
        if method == "HEAD" {
            assert_eq!(response.status, 400);
            continue;
        }
        let detail = response.problem(400, "invalid");
        assert!(detail.contains("unknown field `"), "{method} {path}: {detail}");
    }
    assert_eq!(stage.get(&entry).await["content"], "Kept.");
    for path in ["/healthz?probe=1", "/openapi.json?v=2"] {
        assert_eq!(stage.ask("GET", path).response().await.status, 200, "{path}");
    }
    stage.ask("GET", &format!("{entry}?")).response().await.with(200);
}

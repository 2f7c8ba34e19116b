//! Importing conversations of another system over HTTP.

use serde_json::{Value, json};

use crate::stage::{DIARY, Stage};

fn path() -> String {
    format!("{DIARY}/conversations/import")
}

fn chat() -> Value {
    json!({
        "conversation_id": "conv-1",
        "entries": [
            { "role": "user", "content": "Where is the armor?", "speaker": "Ana",
              "conversation_time": "2025-05-01T10:00:00Z", "tags": ["art"] },
            { "role": "assistant", "content": "In the great hall.", "tools_used": ["map"],
              "conversation_time": "2025-05-01T10:01:00+00:00", "metadata": { "id": "m2" } },
        ],
        "branches": [{ "archived_at": "2025-05-01T09:59:00Z", "entries": [
            { "role": "user", "content": "Where is the cafe?",
              "conversation_time": "2025-05-01T09:58:00Z" },
        ] }],
        "ended_at": "2025-05-01T12:00:00+02:00",
        "title": "Where the armor is",
        "summary": "It is in the great hall.",
    })
}

#[tokio::test]
async fn an_import_keeps_what_its_source_knew() {
    let stage = Stage::new().await;
    let response = stage.ask("POST", &path()).json(&chat()).response().await.with(201);
    let came = json!({ "conversation_id": "conv-1", "message_count": 3, "branch_count": 1 });
    assert_eq!(response, came);
    stage.clock.advance(jiff::SignedDuration::from_mins(60));
    stage.engine.settle().await.unwrap();
    let whole = stage.get(&format!("{DIARY}/conversations/conv-1")).await;
    for (field, value) in [
        ("source_id", json!("conv-1")),
        ("title", json!("Where the armor is")),
        ("summary", json!("It is in the great hall.")),
        ("summary_by", json!("source")),
        ("ended_by", json!("caller")),
        ("ended_at", json!("2025-05-01T10:01:00Z")),
        ("message_count", json!(2)),
    ] {
        assert_eq!(whole[field], value, "{field}: {whole}");
    }
    assert_eq!(whole["entries"][0]["speaker"], "Ana");
    assert_eq!(whole["entries"][1]["metadata"], json!({ "id": "m2" }));
    assert_eq!(whole["branches"][0]["message_count"], 1);
    let metrics = stage.ask("GET", "/metrics").response().await.text;
    assert!(metrics.contains("everwhen_entries_remembered_total 3\n"), "{metrics}");
}

#[tokio::test]
async fn a_dry_run_tells_the_same_and_stores_nothing() {
    let stage = Stage::new().await;
    let dry = format!("{}?dry_run=true", path());
    let ask = || stage.ask("POST", &dry).json(&chat()).once("k");
    let foreseen = ask().response().await.with(200);
    assert_eq!(foreseen["message_count"], 3);
    stage.ask("GET", "/v1/vaults/ana").response().await.problem(404, "not_found");
    let done = stage.ask("POST", &path()).json(&chat()).once("k").response().await;
    assert!(!done.replayed());
    assert_eq!(done.with(201), foreseen);
    let again = ask().response().await;
    assert!(again.replayed(), "known by now: {}", again.text);
}

#[tokio::test]
async fn what_is_wrong_is_told_with_its_place_and_nothing_is_stored() {
    let stage = Stage::new().await;
    let with = |field: &str, value: Value| {
        let mut chat = chat();
        *chat.pointer_mut(field).unwrap() = value;
        chat
    };
    let time = "/branches/0/entries/0/conversation_time";
    for (body, status, kind, problem) in [
        (with("/conversation_id", json!("import")), 400, "invalid", "\"import\""),
        (with("/conversation_id", json!(" x")), 400, "invalid", "conversation_id begins or ends"),
        (with("/entries/1/content", json!(" ")), 400, "invalid", "entries[1]: content is empty"),
        (with("/entries/0/tags/0", json!("")), 400, "invalid", "entries[0]: tags[0] is empty"),
        (with(time, json!("May")), 400, "invalid", "branches[0].entries[0]: conversation_time: "),
        (with("/branches/0/entries", json!([])), 400, "invalid", "branches[0].entries: no entries"),
        (with("/branches/0/archived_at", json!("x")), 400, "invalid", "branches[0].archived_at: "),
        (with("/ended_at", json!("2999-01-01T00:00:00Z")), 409, "conflict", "ended_at 2999"),
        (with("/title", json!("")), 400, "invalid", "title is blank"),
        (with("/summary", json!("x".repeat(70_000))), 413, "too_large", "summary has 70000"),
        (
            json!({ "conversation_id": "x", "entries": [] }),
            409,
            "conflict",
            "no entries and no branches",
        ),
        (json!({ "conversation_id": "x", "lines": [] }), 400, "invalid", "unknown field"),
    ] {
        let response = stage.ask("POST", &path()).json(&body).response().await;
        let detail = response.problem(status, kind);
        assert!(detail.contains(problem), "{problem}: {detail}");
    }
    stage.ask("GET", "/v1/vaults/ana").response().await.problem(404, "not_found");
}

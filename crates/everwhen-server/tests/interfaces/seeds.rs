//! Points of docs/seeds.md over REST; the tests are named after their rows.

use std::sync::Arc;

use everwhen_testkit::ScriptedLlm;
use jiff::SignedDuration;
use serde_json::json;

use crate::stage::{DIARY, Stage, column};

#[tokio::test]
async fn b63_tags_are_patched_and_listed() {
    let stage = Stage::new().await;
    let id = stage.say("2025-06-01T11:00:00Z", "I live in Bern").await["id"].clone();
    let path = format!("{DIARY}/entries/{}", id.as_str().unwrap());
    let patch =
        async |tags| stage.ask("PATCH", &path).json(&json!({ "tags": tags })).response().await;
    let entry = patch(json!(["home", "city"])).await.with(200);
    assert_eq!((&entry["id"], &entry["tags"]), (&id, &json!(["home", "city"])));
    assert_eq!(entry["conversation_time"], "2025-06-01T11:00:00Z");
    let tags = stage.get(&format!("{DIARY}/tags")).await;
    assert_eq!(
        (column(&tags, "tag"), column(&tags, "entries")),
        (vec![&json!("city"), &json!("home")], vec![&json!(1), &json!(1)],)
    );
    let found = stage.get(&format!("{DIARY}/entries?tag=city")).await;
    assert_eq!(column(&found, "id"), [&id]);
    patch(json!([""])).await.problem(400, "invalid");
    patch(json!(vec!["x"; 65])).await.problem(413, "too_large");
    let nobody = format!("{DIARY}/entries/ent_01jh2m8z5qf3v9k7c4x0tnwr6e");
    let response = stage.ask("PATCH", &nobody).json(&json!({ "tags": [] })).response().await;
    response.problem(404, "not_found");
}

#[tokio::test]
async fn b63_one_version_of_the_context_document_is_deleted() {
    let stage = Stage::new().await;
    let path = format!("{DIARY}/context");
    for content in ["one", "two"] {
        stage.ask("PUT", &path).json(&json!({ "content": content })).response().await.with(201);
    }
    let gone = stage.ask("DELETE", &format!("{path}/versions/2")).response().await.with(200);
    assert_eq!(gone["contexts"], 1);
    assert_eq!(stage.get(&path).await["content"], "one");
    let put = stage.ask("PUT", &path).json(&json!({ "content": "three" })).response().await;
    assert_eq!(put.with(201)["version"], 3, "a number is given once");
    for (version, status, kind) in
        [("2", 404, "not_found"), ("0", 400, "invalid"), ("x", 400, "invalid")]
    {
        let response = stage.ask("DELETE", &format!("{path}/versions/{version}")).response().await;
        response.problem(status, kind);
    }
}

#[tokio::test]
async fn conflicts_say_what_they_consist_in() {
    let stage = Stage::new().await;
    let id = stage.say("2025-06-01T11:59:00Z", "I live in Bern").await["id"].clone();
    let id = id.as_str().unwrap();
    let correction = json!({ "content": "I live in Basel", "reason": "wrong" });
    let correct = format!("{DIARY}/entries/{id}/correction");
    stage.post(&correct, correction.clone()).await;
    let entry =
        json!({ "role": "user", "content": "x", "conversation_time": "2030-01-01T00:00:00Z" });
    let end = format!("{DIARY}/conversations/end");
    let conversation = stage.get(&format!("{DIARY}/conversations")).await["data"][0]["id"].clone();
    let named = format!("{DIARY}/conversations/{}", conversation.as_str().unwrap());
    for (path, body, reason) in [
        (correct.as_str(), correction, "already_corrected"),
        ("/v1/vaults", json!({ "name": "ana" }), "already_exists"),
        (&format!("{DIARY}/entries"), entry, "future_time"),
        (&format!("{named}/restore"), json!({}), "not_archived"),
        (&format!("{named}/summary"), json!({}), "not_ended"),
        (&format!("{DIARY}/retrospection"), json!({}), "no_language_model"),
    ] {
        let response = stage.ask("POST", path).json(&body).response().await;
        response.problem(409, "conflict");
        assert_eq!(response.body["reason"], reason, "{}", response.text);
    }
    stage.post(&end, json!({})).await;
    let response = stage.ask("POST", &end).json(&json!({})).response().await;
    response.problem(409, "conflict");
    assert_eq!(response.body["reason"], "no_active_conversation", "{}", response.text);
    let ask = stage.ask("POST", &end).json(&json!({ "conversation_id": conversation }));
    assert_eq!(ask.response().await.body["reason"], "already_ended");
    let missing = stage.ask("GET", &format!("{DIARY}/nothing")).response().await;
    assert!(missing.body.get("reason").is_none(), "{}", missing.text);
}

#[tokio::test]
async fn bug_17_ending_and_restoring_tell_the_state_and_no_summary_is_not_found() {
    let stage = Stage::new().await;
    stage.say("2025-06-01T11:59:00Z", "I live in Bern").await;
    let summary = stage.ask("GET", &format!("{DIARY}/summary")).response().await;
    assert!(summary.problem(404, "not_found").contains("there is no summary yet"));
    let ended = stage.post(&format!("{DIARY}/conversations/end"), json!({})).await;
    assert_eq!(ended["state"], "cooling", "{ended}");
    let listed = stage.get(&format!("{DIARY}/conversations")).await;
    assert_eq!(listed["data"][0]["state"], ended["state"]);
}

#[tokio::test]
async fn d8_a_program_that_stores_the_exchange_afterwards_says_so() {
    let stage = Stage::new().await;
    let entries = format!("{DIARY}/entries");
    for (role, content) in [("user", "What is the time?"), ("assistant", "Noon.")] {
        stage.post(&entries, json!({ "role": role, "content": content })).await;
        stage.clock.advance(SignedDuration::from_secs(5));
    }
    let end = json!({ "in_exchange": true });
    let ended = stage.post(&format!("{DIARY}/conversations/end"), end).await;
    stage.clock.advance(SignedDuration::from_secs(5));
    let bye = stage.post(&entries, json!({ "role": "user", "content": "Bye" })).await;
    assert_eq!(bye["conversation_id"], ended["id"]);
    let next = stage.post(&entries, json!({ "role": "user", "content": "Hello" })).await;
    assert_ne!(next["conversation_id"], ended["id"]);
}

#[tokio::test]
async fn d45_what_looking_back_found_is_told_by_conversation_and_as_text() {
    let llm = ScriptedLlm::new(|prompt| {
        let is_plain = prompt.schema.is_none();
        Ok(if is_plain { "Ask about dates first." } else { "{\"facts\": []}" }.to_owned())
    });
    let stage = Stage::new().await.with_llm(Arc::new(llm)).await;
    stage.say("2025-06-01T10:00:00Z", "Please sort my notes by date.").await;
    stage.clock.advance(SignedDuration::from_hours(1));
    stage.engine.settle().await.unwrap();
    let path = format!("{DIARY}/retrospection");
    assert_eq!(stage.get(&path).await["conversations"], json!([]));
    let response = stage.ask("POST", &path).json(&json!({})).response().await;
    assert_eq!(response.with(202)["conversations"], 1);
    stage.clock.advance(SignedDuration::from_mins(5));
    stage.engine.settle().await.unwrap();
    let response = stage.get(&path).await;
    assert!(response["text"].as_str().unwrap().contains("Ask about dates first."), "{response}");
    let one = &response["conversations"][0]["retrospection"];
    assert_eq!(one["text"], "Ask about dates first.", "{response}");
    stage.ask("GET", &format!("{path}?limit=0")).response().await.problem(400, "invalid");
}

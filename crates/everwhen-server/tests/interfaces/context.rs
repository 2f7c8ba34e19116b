//! Context documents: every version stays.

use serde_json::json;

use crate::stage::{DIARY, Stage, column};

#[tokio::test]
async fn the_newest_version_is_current_and_older_ones_can_be_asked_for() {
    let stage = Stage::new().await;
    let path = format!("{DIARY}/context");
    for content in ["one", "two", "three"] {
        let response =
            stage.ask("PUT", &path).json(&json!({ "content": content })).response().await;
        assert_eq!(response.with(201)["content"], content);
        stage.clock.advance(jiff::SignedDuration::from_mins(1));
    }
    let current = stage.get(&path).await;
    assert_eq!((&current["version"], &current["content"]), (&json!(3), &json!("three")));
    assert!(current["id"].as_str().unwrap().starts_with("ctx_"));
    assert_eq!(stage.get(&format!("{path}?version=1")).await["content"], "one");
    let then = "as_of=2025-06-01T12:01:30Z";
    assert_eq!(stage.get(&format!("{path}?{then}")).await["content"], "two");
    assert_eq!(stage.get(&format!("{path}?version=2&{then}")).await["content"], "two");
    let later = stage.ask("GET", &format!("{path}?version=3&{then}")).response().await;
    later.problem(404, "not_found");
}

#[tokio::test]
async fn versions_are_listed_newest_first_in_pages() {
    let stage = Stage::new().await;
    let path = format!("{DIARY}/context");
    for content in ["one", "two", "three"] {
        stage.ask("PUT", &path).json(&json!({ "content": content })).response().await.with(201);
    }
    let first = stage.get(&format!("{path}/versions?limit=2")).await;
    assert_eq!(column(&first, "version"), [3, 2]);
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = stage.get(&format!("{path}/versions?limit=2&cursor={cursor}")).await;
    assert_eq!(column(&rest, "content"), ["one"]);
    assert_eq!(rest["has_more"], false);
}

#[tokio::test]
async fn nothing_put_is_not_found() {
    let stage = Stage::new().await;
    stage.say("2025-06-01T11:00:00Z", "Hello").await;
    let response = stage.ask("GET", &format!("{DIARY}/context")).response().await;
    assert!(response.problem(404, "not_found").contains("nothing has been put"));
}

#[tokio::test]
async fn what_is_known_becomes_a_document_and_can_be_asked_for_again() {
    let stage = Stage::new().await;
    stage.say("2025-06-01T11:00:00Z", "I live in Bern.").await;
    for minutes in [60, 1] {
        stage.clock.advance(jiff::SignedDuration::from_mins(minutes));
        stage.engine.settle().await.unwrap();
    }
    let path = format!("{DIARY}/context");
    let written = stage.get(&path).await;
    assert_eq!(written["written_by"], "extractive");
    assert!(written["content"].as_str().unwrap().contains("# Facts\n- I live in Bern."));
    let own =
        stage.ask("PUT", &path).json(&json!({ "content": "mine" })).response().await.with(201);
    assert_eq!(own["written_by"], "agent");
    let again = stage.ask("POST", &format!("{path}/rebuild")).response().await.with(201);
    assert_eq!((&again["written_by"], &again["version"]), (&json!("extractive"), &json!(3)));
    assert_eq!(again["content"], written["content"]);
}

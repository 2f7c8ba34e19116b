//! Facts: dated in the vault's zone, with their history, wherever the vault lives.

use serde_json::json;

use crate::stage::{DIARY, Stage, column};

/// Tells the readings of one measure, and lets each conversation become facts.
async fn store_readings(stage: &Stage) {
    for (time, text) in [
        ("2025-01-10T12:00:00Z", "My A1C was 7.4%"),
        ("2025-04-12T12:00:00Z", "A1C improved to 7.0%"),
        ("2025-05-20T12:00:00Z", "My A1C is now at 6.8%"),
    ] {
        stage.say(time, text).await;
    }
    settle(stage).await;
}

async fn settle(stage: &Stage) {
    stage.clock.advance(jiff::SignedDuration::from_mins(60));
    stage.engine.settle().await.unwrap();
}

#[tokio::test]
async fn readings_are_a_history_that_can_be_asked_for() {
    let stage = Stage::new().await;
    store_readings(&stage).await;
    let path = format!("{DIARY}/facts");
    let current = stage.get(&path).await;
    assert_eq!(column(&current, "text"), ["My A1C is now at 6.8% (mentioned 2025-05-20)"]);
    let april = stage.get(&format!("{path}?about=2025-04-20")).await;
    assert_eq!(column(&april, "text"), ["A1C improved to 7.0% (mentioned 2025-04-12)"]);
    assert_eq!(april["data"][0]["current"], false);
    let id = april["data"][0]["id"].as_str().unwrap();
    let history = stage.get(&format!("{path}/{id}/history")).await;
    let values = column(&history, "matter");
    assert_eq!(values.len(), 3);
    assert_eq!(history["data"][0]["holds"]["until"], "2025-04-12T12:00:00Z");
    let profile = stage.get(&format!("{DIARY}/profile")).await;
    assert_eq!(column(&profile, "value"), ["6.8%"]);
    let first = stage.get(&format!("{path}?all=true&limit=2")).await;
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = stage.get(&format!("{path}?all=true&limit=2&cursor={cursor}")).await;
    assert_eq!((column(&first, "id").len(), column(&rest, "id").len()), (2, 1));
}

#[tokio::test]
async fn months_and_days_are_those_of_the_vaults_zone() {
    for (zone, day, month) in [
        ("America/New_York", "2025-02-28", "--- February 2025 ---"),
        ("Asia/Tokyo", "2025-03-01", "--- March 2025 ---"),
    ] {
        let stage = Stage::new().await;
        let change = json!({ "zone": zone });
        stage.say("2025-03-01T04:30:00Z", "I live in Lisbon").await;
        stage.ask("PATCH", "/v1/vaults/ana").json(&change).response().await.with(200);
        settle(&stage).await;
        let text = stage.get(&format!("{DIARY}/facts/text")).await;
        assert_eq!(
            text["text"].as_str().unwrap(),
            format!("{month}\n- I live in Lisbon (mentioned {day}) (confirmed)")
        );
    }
}

#[tokio::test]
async fn a_pin_puts_a_fact_first() {
    let stage = Stage::new().await;
    store_readings(&stage).await;
    stage.say("2025-06-01T12:30:00Z", "I am allergic to nuts").await;
    settle(&stage).await;
    let path = format!("{DIARY}/facts");
    let facts = stage.get(&path).await;
    let id = facts["data"][1]["id"].as_str().unwrap();
    let pin = format!("{path}/{id}/pin");
    let pinned = stage.ask("POST", &pin).json(&json!({ "pinned": true })).response().await;
    assert_eq!(pinned.with(200)["pinned"], true);
    let text = stage.get(&format!("{path}/text")).await;
    let first = text["text"].as_str().unwrap().lines().next().unwrap();
    assert_eq!(first, "- I am allergic to nuts (mentioned 2025-06-01) (confirmed, pinned)");
    assert_eq!(column(&stage.get(&format!("{path}?pinned=true")).await, "id"), [id]);
}

#[tokio::test]
async fn wrong_questions_are_refused_with_what_would_be_right() {
    let stage = Stage::new().await;
    store_readings(&stage).await;
    let response = stage.ask("GET", &format!("{DIARY}/facts?about=soonish")).response().await;
    assert!(response.problem(400, "invalid").contains("2025-04"));
    let missing = format!("{DIARY}/facts/fct_01jh2m8z5qf3v9k7c4x0tnwr6e");
    let response = stage.ask("GET", &missing).response().await;
    assert!(response.problem(404, "not_found").contains("fact not found"));
}

#[tokio::test]
async fn recall_answers_with_facts_and_a_replaced_one_only_when_the_past_is_meant() {
    let stage = Stage::new().await;
    store_readings(&stage).await;
    let texts = |response: &serde_json::Value| -> Vec<String> {
        let facts = response["facts"].as_array().unwrap().iter();
        facts.map(|found| found["fact"]["statement"].as_str().unwrap().to_owned()).collect()
    };
    let path = format!("{DIARY}/recall");
    let ask = async |query: serde_json::Value| {
        stage.ask("POST", &path).json(&query).response().await.with(200)
    };
    let now = ask(json!({ "query": "What is my A1C?" })).await;
    assert_eq!(texts(&now), ["My A1C is now at 6.8%"]);
    assert!(now["briefing"].as_str().unwrap().contains("# Facts\n- My A1C is now at 6.8%"));
    let april = ask(json!({ "query": "What was my A1C in April?" })).await;
    assert_eq!(texts(&april)[0], "A1C improved to 7.0%");
    stage.clock.advance(jiff::SignedDuration::from_hours(24));
    stage.say("2025-06-02T12:45:00Z", "My A1C is 6.5% now").await;
    settle(&stage).await;
    let then = ask(json!({ "query": "What is my A1C?", "as_of": "2025-06-02T12:00:00Z" })).await;
    assert_eq!(texts(&then), ["My A1C is now at 6.8%"]);
}

#[tokio::test]
async fn a_replaced_fact_stands_behind_its_successor_in_a_time_that_goes_on() {
    let stage = Stage::new().await;
    store_readings(&stage).await;
    let ask = json!({ "query": "My A1C was 7.4% this year?", "kinds": ["fact"] });
    let response =
        stage.ask("POST", &format!("{DIARY}/recall")).json(&ask).response().await.with(200);
    let facts = response["facts"].as_array().unwrap().iter();
    let texts: Vec<&str> = facts.map(|one| one["fact"]["statement"].as_str().unwrap()).collect();
    assert_eq!(texts, ["My A1C is now at 6.8%", "A1C improved to 7.0%", "My A1C was 7.4%"]);
}

#[tokio::test]
async fn summaries_of_conversations_are_a_kind_of_their_own() {
    let stage = Stage::new().await;
    stage.say("2025-03-15T12:00:00Z", "The plumber repaired the kitchen sink").await;
    stage.say("2025-04-20T12:00:00Z", "We planned a trip to Lisbon").await;
    settle(&stage).await;
    let path = format!("{DIARY}/recall");
    let ask = json!({ "query": "Who repaired the sink?", "kinds": ["summary"] });
    let response = stage.ask("POST", &path).json(&ask).response().await.with(200);
    let summaries = response["summaries"].as_array().unwrap();
    assert_eq!(summaries.len(), 1, "{response}");
    let conversation = &summaries[0]["conversation"];
    assert!(conversation["summary"].as_str().unwrap().contains("plumber"), "{response}");
    assert_eq!(conversation["started_at"], "2025-03-15T12:00:00Z");
    assert_eq!((&response["conversations"], &response["items"]), (&json!([]), &json!([])));
    let then = json!({ "query": "Who repaired the sink?", "as_of": "2025-06-01T12:30:00Z" });
    let response = stage.ask("POST", &path).json(&then).response().await.with(200);
    assert_eq!(response["summaries"], json!([]), "nobody knows what it said then");
}

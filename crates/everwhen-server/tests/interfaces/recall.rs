//! Recall over the wire: what is found, how time is said back, the briefing, and bad questions.

use serde_json::{Value, json};

use crate::stage::{DIARY, Stage};

async fn diary() -> Stage {
    let stage = Stage::new().await;
    stage.say("2025-03-02T10:00:00Z", "The dentist was kind; all teeth are fine.").await;
    stage.say("2025-05-28T10:00:00Z", "I planted tomatoes in the garden.").await;
    stage
}

async fn ask(stage: &Stage, question: &Value) -> Value {
    stage.ask("POST", &format!("{DIARY}/recall")).json(question).response().await.with(200)
}

#[tokio::test]
async fn the_right_entry_comes_first_with_its_date_and_reasons() {
    let stage = diary().await;
    let response = ask(&stage, &json!({ "query": "when was the dentist?", "explain": true })).await;
    let best = &response["items"][0];
    assert_eq!(best["entry"]["conversation_time"], "2025-03-02T10:00:00Z");
    assert!(best["reasons"].as_array().is_some_and(|reasons| !reasons.is_empty()), "{best}");
    assert_eq!(response["conversations"][0]["conversation"]["started_at"], "2025-03-02T10:00:00Z");
    assert!(response.get("about").is_none(), "{response}");
    let briefing = response["briefing"].as_str().unwrap();
    assert!(briefing.contains("# Context\n## 2025-03-02\n- 10:00 User: The dentist"), "{briefing}");
    assert!(briefing.contains("# Timeline\n2025-03-02 – The dentist"), "{briefing}");
}

#[tokio::test]
async fn a_period_is_read_said_back_and_can_filter() {
    let stage = diary().await;
    let question = json!({ "query": "what did I do last week?", "period": "filter" });
    let response = ask(&stage, &question).await;
    assert_eq!(response["about"]["words"], json!(["last week"]));
    assert_eq!(response["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(response["items"][0]["entry"]["content"], "I planted tomatoes in the garden.");
}

#[tokio::test]
async fn a_small_budget_gives_a_small_briefing() {
    let stage = diary().await;
    let response =
        ask(&stage, &json!({ "query": "garden and dentist", "budget_tokens": 60 })).await;
    let briefing = response["briefing"].as_str().unwrap();
    assert!(!briefing.is_empty() && briefing.chars().count() <= 60 * 4, "{briefing}");
}

#[tokio::test]
async fn what_is_forgotten_is_not_found_any_more() {
    let stage = diary().await;
    let response = ask(&stage, &json!({ "query": "dentist" })).await;
    let id = response["items"][0]["entry"]["id"].as_str().unwrap().to_owned();
    stage.ask("DELETE", &format!("{DIARY}/entries/{id}")).response().await.with(200);
    let again = ask(&stage, &json!({ "query": "dentist" })).await;
    assert!(!again.to_string().contains("dentist was kind"), "{again}");
}

#[tokio::test]
async fn questions_that_cannot_be_answered_are_refused() {
    let stage = diary().await;
    for wrong in [
        json!({ "query": " " }),
        json!({ "query": "x", "limit": 0 }),
        json!({ "query": "x", "budget_tokens": 0 }),
        json!({ "query": "x", "period": "maybe" }),
        json!({ "query": "x", "asked_at": "yesterday" }),
        json!({ "query": "x", "kinds": ["everything"] }),
        json!({ "query": "x", "roles": ["boss"] }),
        json!({ "query": "x", "tags": [""] }),
        json!({ "query": "x", "unknown": 1 }),
    ] {
        let response = stage.ask("POST", &format!("{DIARY}/recall")).json(&wrong).response().await;
        response.problem(400, "invalid");
    }
}

#[tokio::test]
async fn the_whole_vault_can_be_asked_and_items_name_their_memory() {
    let stage = diary().await;
    let question = json!({ "query": "when did I last see the dentist?", "roles": ["user"] });
    let response =
        stage.ask("POST", "/v1/vaults/ana/recall").json(&question).response().await.with(200);
    assert_eq!(response["items"][0]["entry"]["conversation_time"], "2025-03-02T10:00:00Z");
    assert_eq!(response["items"][0]["memory"], "diary");
    assert_eq!(response["items"][0]["outside"], false);
    assert_eq!(
        response["about"]["order"],
        json!({"of": "matches", "from": "last", "first": 1, "last": 1})
    );
    assert_eq!(response["words_alone"], false);
}

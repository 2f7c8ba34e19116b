//! Periods in words, read in the zone of a vault.

use serde_json::{Value, json};

use crate::stage::Stage;

#[tokio::test]
async fn words_are_read_in_the_zone_and_count_from_now_or_from_when_they_were_said() {
    let stage = Stage::new().await;
    stage.post("/v1/vaults", json!({ "name": "west", "zone": "America/New_York" })).await;
    let read = async |query: &str| stage.get(&format!("/v1/vaults/west/period?{query}")).await;
    let march = json!({
        "since": "2025-03-01T05:00:00Z", "until": "2025-04-01T04:00:00Z", "precision": "month",
    });
    assert_eq!(read("text=last%20March").await, march);
    assert_eq!(read("text=2025-03").await, march);
    assert_eq!(read("text=letzten%20M%C3%A4rz").await, march);
    let yesterday = read("text=yesterday").await;
    assert_eq!(yesterday["until"], "2025-06-01T04:00:00Z");
    let earlier = read("text=yesterday&asked_at=2024-12-25T12:00:00Z").await;
    assert_eq!(earlier["since"], "2024-12-24T05:00:00Z");
}

#[tokio::test]
async fn the_document_allows_figures_and_words() {
    let stage = Stage::new().await;
    stage.post("/v1/vaults", json!({ "name": "west" })).await;
    let document: Value = serde_json::from_str(&everwhen_server::openapi()).unwrap();
    let parameters = &document["paths"]["/v1/vaults/{vault}/period"]["get"]["parameters"];
    let mut parameters = parameters.as_array().unwrap().iter();
    let schema = &parameters.find(|one| one["name"] == "text").unwrap()["schema"];
    assert!(!schema["pattern"].as_str().unwrap().contains("[0-9]"), "words have no digits");
    assert_eq!(schema["examples"], json!(["2025-04-30", "last March"]));
    for example in schema["examples"].as_array().unwrap() {
        let text = example.as_str().unwrap().replace(' ', "%20");
        stage.get(&format!("/v1/vaults/west/period?text={text}")).await;
    }
}

#[tokio::test]
async fn what_names_no_time_is_refused() {
    let stage = Stage::new().await;
    stage.post("/v1/vaults", json!({ "name": "west" })).await;
    let long = format!("text=yesterday{}", "a".repeat(200));
    for wrong in ["", "text=", "text=someday", "text=2025-13", "text=2025&asked_at=noon", &long] {
        let asked = stage.ask("GET", &format!("/v1/vaults/west/period?{wrong}"));
        asked.response().await.problem(400, "invalid");
    }
    let asked = stage.ask("GET", "/v1/vaults/nobody/period?text=2025");
    asked.response().await.problem(404, "not_found");
}

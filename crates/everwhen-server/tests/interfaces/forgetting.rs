//! Forgetting: gone permanently, with a receipt.

use serde_json::{Value, json};

use crate::stage::{DIARY, Stage, TOKEN, column};

/// A receipt that says only this.
fn only(gone: Value) -> Value {
    let mut receipt = json!({
        "vaults": 0, "memories": 0, "conversations": 0, "entries": 0, "contexts": 0, "jobs": 0,
        "keys": 0, "facts": 0,
    });
    for (field, count) in gone.as_object().unwrap() {
        receipt[field] = count.clone();
    }
    receipt
}

/// The receipt without its jobs, of which there are as many as the engine saw fit.
fn without_jobs(mut receipt: Value) -> Value {
    receipt["jobs"] = json!(0);
    receipt
}

#[tokio::test]
async fn an_entry_goes_and_takes_its_empty_conversation_along() {
    let stage = Stage::new().await;
    let id = stage.say("2025-05-01T10:00:00Z", "secret").await["id"].clone();
    let path = format!("{DIARY}/entries/{}", id.as_str().unwrap());
    let receipt = stage.ask("DELETE", &path).response().await.with(200);
    assert_eq!(without_jobs(receipt), only(json!({ "entries": 1, "conversations": 1 })));
    stage.ask("GET", &path).response().await.problem(404, "not_found");
    stage.ask("DELETE", &path).response().await.problem(404, "not_found");
    assert_eq!(stage.get(&format!("{DIARY}/entries?include=all")).await["data"], json!([]));
}

#[tokio::test]
async fn a_conversation_goes_with_its_entries() {
    let stage = Stage::new().await;
    let said = stage.say("2025-05-01T10:00:00Z", "one").await;
    stage.say("2025-05-01T10:01:00Z", "two").await;
    stage.say("2025-05-09T10:00:00Z", "stays").await;
    let id = said["conversation_id"].as_str().unwrap();
    let path = format!("{DIARY}/conversations/{id}");
    let receipt = stage.ask("DELETE", &path).response().await.with(200);
    assert_eq!(without_jobs(receipt), only(json!({ "entries": 2, "conversations": 1 })));
    stage.ask("GET", &path).response().await.problem(404, "not_found");
    let left = stage.get(&format!("{DIARY}/entries?include=all")).await;
    assert_eq!(column(&left, "content"), ["stays"]);
}

#[tokio::test]
async fn a_period_goes_and_what_lies_around_it_stays() {
    let stage = Stage::new().await;
    for day in ["01", "02", "03"] {
        stage.say(&format!("2025-05-{day}T10:00:00Z"), day).await;
    }
    let period = json!({
        "memory": "diary", "after": "2025-05-02T10:00:00Z", "before": "2025-05-03T10:00:00Z",
    });
    let response = stage.ask("POST", "/v1/vaults/ana/forget").json(&period).response().await;
    assert_eq!(without_jobs(response.with(200)), only(json!({ "entries": 1, "conversations": 1 })));
    let left = stage.get(&format!("{DIARY}/entries?include=all")).await;
    assert_eq!(column(&left, "content"), ["01", "03"]);
}

#[tokio::test]
async fn a_memory_goes_whole() {
    let stage = Stage::new().await;
    stage.say("2025-05-01T10:00:00Z", "one").await;
    let context = json!({ "content": "about Ana" });
    stage.ask("PUT", &format!("{DIARY}/context")).json(&context).response().await.with(201);
    let receipt = stage.ask("DELETE", DIARY).response().await.with(200);
    let expected = json!({ "memories": 1, "conversations": 1, "entries": 1, "contexts": 1 });
    assert_eq!(without_jobs(receipt), only(expected));
    stage.ask("GET", DIARY).response().await.problem(404, "not_found");
}

#[tokio::test]
async fn a_vault_goes_with_its_keys_which_are_unknown_from_then_on() {
    let stage = Stage::new().await;
    stage.say("2025-05-01T10:00:00Z", "one").await;
    let key = stage.key_with(json!({ "vault": "ana", "scope": "admin" })).await;
    let receipt = stage.ask("DELETE", "/v1/vaults/ana").key(&key).response().await.with(200);
    let expected = json!({
        "vaults": 1, "memories": 1, "conversations": 1, "entries": 1, "keys": 1,
    });
    assert_eq!(without_jobs(receipt), only(expected));
    stage.ask("GET", "/v1/vaults").key(&key).response().await.problem(401, "unauthenticated");
    let left = stage.ask("GET", "/v1/vaults").key(TOKEN).response().await.with(200);
    assert_eq!(left["data"], json!([]));
}

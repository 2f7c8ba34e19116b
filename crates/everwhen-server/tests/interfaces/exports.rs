//! The export of a vault over HTTP, and the same vault made of it.

use serde_json::{Value, json};

use crate::stage::{DIARY, Stage};
use crate::uploads::import;

async fn live(stage: &Stage) {
    stage.say("2023-01-08T12:49:00Z", "I went to the museum").await;
    stage.say("2023-01-08T12:50:00Z", "My A1C was 7.4%").await;
    let context = json!({ "content": "She likes museums." });
    stage.ask("PUT", &format!("{DIARY}/context")).json(&context).response().await.with(201);
    let other =
        json!({ "role": "user", "content": "hello", "conversation_time": "2024-01-01T00:00:00Z" });
    stage.post("/v1/vaults/ana/memories/chat/entries", other).await;
    stage.clock.advance(jiff::SignedDuration::from_mins(120));
    stage.engine.settle().await.unwrap();
}

#[tokio::test]
async fn what_was_exported_comes_back_as_the_same_vault() {
    let stage = Stage::new().await;
    live(&stage).await;
    let response = stage.ask("GET", "/v1/vaults/ana/export").response().await;
    assert_eq!(
        (response.status, &response.headers["content-type"]),
        (200, &"application/x-ndjson".parse().unwrap())
    );
    let lines: Vec<Value> =
        response.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (&lines[0]["type"], &lines[0]["version"], &lines[0]["vault"]),
        (&json!("everwhen"), &json!(1), &json!("ana"))
    );
    assert_eq!(lines.last().unwrap(), &json!({ "type": "done", "memories": 2 }));
    let entry = lines.iter().find(|line| line["content"] == "I went to the museum").unwrap();
    assert_eq!(entry["conversation_time"], "2023-01-08T12:49:00Z");
    assert!(lines.iter().any(|line| line["type"] == "fact"), "{}", response.text);

    let other = Stage::new().await;
    let run = import(&other, "ana", "", response.text.clone().into_bytes()).await;
    assert_eq!((&run["state"], &run["stored"]), (&json!("done"), &json!(3)), "{run}");
    let again = other.ask("GET", "/v1/vaults/ana/export").response().await.text;
    assert_eq!(again, response.text);
    let twice = import(&other, "ana", "", response.text.clone().into_bytes()).await;
    assert_eq!((&twice["stored"], &twice["known"]), (&json!(0), &json!(3)), "{twice}");
    let found = other.post(&format!("{DIARY}/recall"), json!({ "query": "museum" })).await;
    assert!(found.to_string().contains("I went to the museum"), "{found}");
}

#[tokio::test]
async fn one_memory_is_exported_alone() {
    let stage = Stage::new().await;
    live(&stage).await;
    let response = stage.ask("GET", "/v1/vaults/ana/export?memory=chat").response().await.text;
    assert!(response.contains("hello") && !response.contains("museum"), "{response}");
    stage
        .ask("GET", "/v1/vaults/ana/export?memory=none")
        .response()
        .await
        .problem(404, "not_found");
    stage.ask("GET", "/v1/vaults/bob/export").response().await.problem(404, "not_found");
    let unnamed = stage.ask("GET", "/v1/vaults/ana/export?format=claude").response().await;
    assert!(unnamed.problem(409, "conflict").contains("name it with `memory`"));
}

#[tokio::test]
async fn an_export_that_breaks_off_gives_the_memories_before() {
    let stage = Stage::new().await;
    live(&stage).await;
    let whole = stage.ask("GET", "/v1/vaults/ana/export").response().await.text;
    let cut = whole.len() - 200;
    let other = Stage::new().await;
    let run = import(&other, "ana", "", whole.as_bytes()[..cut].to_vec()).await;
    assert_eq!((&run["state"], &run["stored"]), (&json!("done"), &json!(1)), "{run}");
    assert!(run["refused"][0].as_str().unwrap().contains("breaks off"), "{run}");
    let run = import(&other, "ana", "", whole.into_bytes()).await;
    assert_eq!((&run["stored"], &run["known"]), (&json!(2), &json!(1)), "{run}");
}

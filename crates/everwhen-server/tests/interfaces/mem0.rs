//! The interface of mem0: what its clients send, answered in their shapes, and no memories of others.

use serde_json::{Value, json};

use crate::stage::Stage;

const MARCH: i64 = 1_709_374_800;

async fn added(stage: &Stage, key: &str, text: &str) -> String {
    let body = json!({ "messages": [{ "role": "user", "content": text }], "user_id": "ana", "timestamp": MARCH });
    let add = stage
        .ask("POST", "/mem0/v3/memories/add/")
        .header("authorization", &format!("Token {key}"));
    let response = add.json(&body).response().await.with(200);
    response["results"][0]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_key_opens_its_own_vault_and_no_other() {
    let stage = Stage::new().await;
    for vault in ["one", "two"] {
        stage.post("/v1/vaults", json!({ "name": vault })).await;
    }
    let (ours, theirs) = (stage.key_of("one").await, stage.key_of("two").await);
    let id = added(&stage, &ours, "I moved to Porto.").await;
    let path = format!("/mem0/v1/memories/{id}/");
    let own = stage.ask("GET", &path).header("authorization", &format!("Token {ours}"));
    let own = own.response().await.with(200);
    assert_eq!((&own["memory"], &own["user_id"]), (&json!("I moved to Porto."), &json!("ana")));
    assert_eq!(own["created_at"], "2024-03-02T10:20:00Z");
    for (method, path) in [
        ("GET", path.clone()),
        ("PUT", path.clone()),
        ("DELETE", path.clone()),
        ("GET", format!("{path}history/")),
    ] {
        let other = stage.ask(method, &path).header("authorization", &format!("Token {theirs}"));
        let response = other.json(&json!({ "text": "x" })).response().await.with(404);
        assert_eq!(response["error"], "Memory not found!", "{method}");
    }
    let filters = json!({ "query": "Porto", "filters": { "user_id": "ana" } });
    let search = stage.ask("POST", "/mem0/v3/memories/search/");
    let search = search.header("authorization", &format!("Token {theirs}")).json(&filters);
    assert_eq!(search.response().await.with(200), json!({ "results": [] }));
    let none = stage.ask("GET", &path).response().await.with(401);
    assert!(none["detail"].as_str().unwrap().contains("API key"), "{none}");
}

#[tokio::test]
async fn reading_keys_cannot_write() {
    let stage = Stage::new().await;
    stage.post("/v1/vaults", json!({ "name": "one" })).await;
    let writer = stage.key_of("one").await;
    added(&stage, &writer, "kept").await;
    let reader = stage.key_with(json!({ "vault": "one", "scope": "read" })).await;
    let send = |method: &'static str, path: &'static str, body: Value| {
        let ask = stage.ask(method, path).header("authorization", &format!("Token {reader}"));
        async move { ask.json(&body).response().await }
    };
    let messages = json!({ "messages": "x", "user_id": "ana" });
    send("POST", "/mem0/v1/memories/", messages).await.with(403);
    send("DELETE", "/mem0/v1/memories/?user_id=ana", Value::Null).await.with(403);
    send("POST", "/mem0/reset", Value::Null).await.with(403);
    let listed =
        send("POST", "/mem0/v3/memories/", json!({ "filters": { "user_id": "ana" } })).await;
    assert_eq!(listed.with(200)["count"], 1);
}

#[tokio::test]
async fn what_is_wrong_is_said_where_its_clients_look() {
    let stage = Stage::new().await;
    for (method, path, body, status) in [
        ("POST", "/mem0/v3/memories/add/", json!({ "messages": "x" }), 400),
        ("POST", "/mem0/v3/memories/add/", json!({ "messages": 3, "user_id": "a" }), 400),
        ("POST", "/mem0/v3/memories/search/", json!({ "query": " " }), 400),
        ("DELETE", "/mem0/v1/memories/", Value::Null, 400),
        ("GET", "/mem0/v1/memories/nonsense/", Value::Null, 404),
        ("GET", "/mem0/v1/exports/", Value::Null, 404),
        ("POST", "/mem0/configure", json!({ "llm": { "provider": "openai" } }), 404),
        ("PUT", "/mem0/v1/batch/", json!({ "memories": [] }), 400),
    ] {
        let ask = stage.ask(method, path);
        let ask = if body.is_null() { ask } else { ask.json(&body) };
        let response = ask.response().await.with(status);
        assert!(
            response["detail"].as_str().is_some_and(|text| !text.is_empty()),
            "{method} {path}: {response}"
        );
    }
}

/// What `user_id` deletes is what it shows: the memory of that name, through whichever interface it was stored.
#[tokio::test]
async fn what_other_interfaces_stored_belongs_to_the_name_of_the_memory() {
    let stage = Stage::new().await;
    for (memory, text) in [
        ("zoe", "Zoe has a cat."),
        ("zoe", "Zoe has a dog."),
        ("agent:guide", "The guide speaks of cats."),
        ("bob", "Bob has a cat."),
    ] {
        let path = format!("/v1/vaults/default/memories/{memory}/entries");
        stage.post(&path, json!({ "role": "user", "content": text })).await;
    }
    let ask = async |method: &str, path: &str, body: Value| {
        let ask = stage.ask(method, path);
        let ask = if body.is_null() { ask } else { ask.json(&body) };
        ask.response().await.with(200)
    };
    let texts = |answer: &Value| {
        let rows = answer["results"].as_array().or(answer.as_array()).unwrap();
        let mut texts: Vec<String> =
            rows.iter().map(|row| row["memory"].as_str().unwrap().to_owned()).collect();
        texts.sort();
        texts
    };
    let zoe = json!({ "filters": { "user_id": "zoe" } });
    let listed = ask("POST", "/mem0/v3/memories/", zoe.clone()).await;
    assert_eq!(texts(&listed), ["Zoe has a cat.", "Zoe has a dog."]);
    assert_eq!(listed["results"][0]["user_id"], "zoe");
    let v1 = ask("GET", "/mem0/v1/memories/?user_id=zoe", Value::Null).await;
    assert_eq!(texts(&v1), texts(&listed));
    let own = ask("GET", "/mem0/memories?user_id=zoe", Value::Null).await;
    assert_eq!(texts(&own), texts(&listed));
    let search = json!({ "query": "cat", "filters": { "user_id": "zoe" } });
    let found = ask("POST", "/mem0/v3/memories/search/", search).await;
    assert_eq!(found["results"][0]["memory"], "Zoe has a cat.", "{found}");
    assert!(!texts(&found).contains(&"Bob has a cat.".to_owned()), "{found}");
    let guide = json!({ "filters": { "agent_id": "guide" } });
    let guide = ask("POST", "/mem0/v3/memories/", guide).await;
    assert_eq!(texts(&guide), ["The guide speaks of cats."]);
    let id = listed["results"][0]["id"].as_str().unwrap();
    let history = ask("GET", &format!("/mem0/v1/memories/{id}/history/"), Value::Null).await;
    assert_eq!(history[0]["user_id"], "zoe");
    ask("DELETE", "/mem0/v1/memories/?user_id=zoe", Value::Null).await;
    assert_eq!(texts(&ask("POST", "/mem0/v3/memories/", zoe).await), [""; 0]);
    let bob = json!({ "filters": { "user_id": "bob" } });
    assert_eq!(texts(&ask("POST", "/mem0/v3/memories/", bob).await), ["Bob has a cat."]);
}

#[tokio::test]
async fn users_have_as_many_memories_as_are_listed() {
    let stage = Stage::new().await;
    let entries = "/v1/vaults/default/memories/zoe/entries";
    let mut ids = Vec::new();
    for text in ["one", "two", "three"] {
        let receipt = stage.post(entries, json!({ "role": "user", "content": text })).await;
        ids.push(receipt["id"].as_str().unwrap().to_owned());
    }
    let change = json!({ "content": "two, corrected", "reason": "a slip" });
    stage.post(&format!("{entries}/{}/correction", ids[1]), change).await;
    stage.ask("DELETE", &format!("{entries}/{}", ids[0])).response().await.with(200);
    let users = stage.ask("GET", "/mem0/v1/entities/").response().await.with(200);
    let zoe = json!({ "filters": { "user_id": "zoe" } });
    let listed = stage.ask("POST", "/mem0/v3/memories/").json(&zoe).response().await.with(200);
    assert_eq!(users["results"][0]["total_memories"], listed["count"], "{users} {listed}");
    assert_eq!(listed["count"], 2);
}

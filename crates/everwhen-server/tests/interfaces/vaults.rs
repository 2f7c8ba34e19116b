//! Vaults and memories: make, look, list, change.

use serde_json::{Value, json};

use crate::stage::{Stage, column};

#[tokio::test]
async fn a_vault_is_made_with_rules_and_found_by_id_and_name() {
    let stage = Stage::new().await;
    let body = json!({
        "name": "ana", "description": "Ana's", "zone": "Europe/Berlin",
        "settings": { "conversationIdleTimeoutMinutes": 10, "retention": "delete" },
    });
    let made = stage.ask("POST", "/v1/vaults").json(&body).response().await.with(201);
    assert_eq!(
        made["settings"],
        json!({
            "conversationIdleTimeoutMinutes": 10, "maxConversationsRetained": 1000,
            "conversationStateTimeoutMinutes": 60, "retention": "delete",
        })
    );
    assert_eq!((&made["name"], &made["zone"]), (&json!("ana"), &json!("Europe/Berlin")));
    assert_eq!(made["creation_time"], "2025-06-01T12:00:00Z");
    let id = made["id"].as_str().unwrap();
    assert_eq!(stage.get(&format!("/v1/vaults/{id}")).await, made);
    assert_eq!(stage.get("/v1/vaults/ana").await, made);
}

#[tokio::test]
async fn a_change_touches_only_what_it_names() {
    let stage = Stage::new().await;
    let made = stage.post("/v1/vaults", json!({ "name": "ana", "description": "old" })).await;
    let patch = json!({ "zone": "Asia/Tokyo", "settings": { "maxConversationsRetained": 5.0 } });
    let changed = stage.ask("PATCH", "/v1/vaults/ana").json(&patch).response().await.with(200);
    assert_eq!(changed["description"], "old");
    assert_eq!(changed["zone"], "Asia/Tokyo");
    assert_eq!(changed["settings"]["maxConversationsRetained"], 5);
    assert_eq!(changed["settings"]["conversationIdleTimeoutMinutes"], 30);
    assert_eq!(changed["id"], made["id"]);
    let renamed = json!({ "name": "anna" });
    stage.ask("PATCH", "/v1/vaults/ana").json(&renamed).response().await.with(200);
    assert_eq!(stage.get("/v1/vaults/anna").await["id"], made["id"]);
    stage.ask("GET", "/v1/vaults/ana").response().await.problem(404, "not_found");
}

#[tokio::test]
async fn names_are_taken_once() {
    let stage = Stage::new().await;
    stage.post("/v1/vaults", json!({ "name": "ana" })).await;
    let again = stage.ask("POST", "/v1/vaults").json(&json!({ "name": "ana" })).response().await;
    assert!(again.problem(409, "conflict").contains("exists already"));
    stage.post("/v1/vaults/ana/memories", json!({ "name": "diary" })).await;
    let twice = stage.ask("POST", "/v1/vaults/ana/memories").json(&json!({ "name": "diary" }));
    assert!(twice.response().await.problem(409, "conflict").contains("exists already"));
}

#[tokio::test]
async fn lists_come_in_pages_that_neither_repeat_nor_skip() {
    let stage = Stage::new().await;
    let names = ["ana", "bo", "日記", "zoë", "a name with spaces"];
    for name in names {
        stage.post("/v1/vaults", json!({ "name": name })).await;
        stage.post("/v1/vaults/ana/memories", json!({ "name": name })).await;
    }
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    for list in ["/v1/vaults", "/v1/vaults/ana/memories"] {
        assert_eq!(walk(&stage, list).await, sorted, "{list}");
    }
}

/// The names in a list, two rows at a time.
async fn walk(stage: &Stage, list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut path = format!("{list}?limit=2");
    loop {
        let page = stage.get(&path).await;
        let rows = column(&page, "name");
        assert!(rows.len() <= 2);
        names.extend(rows.into_iter().map(|name| name.as_str().unwrap().to_owned()));
        assert_eq!(page["has_more"], json!(!page["next_cursor"].is_null()));
        let Value::String(cursor) = &page["next_cursor"] else { return names };
        path = format!("{list}?limit=2&cursor={cursor}");
    }
}

#[tokio::test]
async fn a_memory_is_made_changed_and_found_by_id_and_name() {
    let stage = Stage::new().await;
    let made = stage.post("/v1/vaults/ana/memories", json!({ "name": "diary" })).await;
    let id = made["id"].as_str().unwrap();
    assert_eq!(stage.get(&format!("/v1/vaults/ana/memories/{id}")).await, made);
    let patch = json!({ "name": "journal", "description": "Every day" });
    let path = "/v1/vaults/ana/memories/diary";
    let changed = stage.ask("PATCH", path).json(&patch).response().await.with(200);
    assert_eq!(changed["description"], "Every day");
    assert_eq!(stage.get("/v1/vaults/ana/memories/journal").await, changed);
    stage.ask("GET", path).response().await.problem(404, "not_found");
}

#[tokio::test]
async fn a_name_may_need_escaping() {
    let stage = Stage::new().await;
    stage.post("/v1/vaults", json!({ "name": "a/b? #%41" })).await;
    let found = stage.get("/v1/vaults/a%2Fb%3F%20%23%2541").await;
    assert_eq!(found["name"], "a/b? #%41");
}

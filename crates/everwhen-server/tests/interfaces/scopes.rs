//! What a key allows, until when: checked for every operation the OpenAPI document has, so that a new
//! one cannot be forgotten.

use everwhen::key::NewKey;
use everwhen::memory::Address;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::stage::{DIARY, Stage, TOKEN};

/// What a holder of a key needs for an operation.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
enum Needs {
    Nothing,
    Read,
    Write,
    Admin,
    Operator,
}

fn needs(method: &str, path: &str) -> Needs {
    match (method, path) {
        (_, "/healthz" | "/readyz" | "/openapi.json") => Needs::Nothing,
        ("GET", "/metrics") | ("PATCH" | "DELETE", "/v1/vaults/{vault}") => Needs::Admin,
        ("GET", "/v1/vaults") => Needs::Read,
        (_, path) if !path.starts_with("/v1/vaults/") => Needs::Operator,
        ("GET", _) => Needs::Read,
        ("POST", path) if path.ends_with("/recall") => Needs::Read,
        _ => Needs::Write,
    }
}

/// Every operation: method, and path with braces.
fn operations() -> Vec<(String, String)> {
    let document: Value = serde_json::from_str(&everwhen_server::openapi()).unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    let mut all: Vec<(String, String)> = paths
        .flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().keys();
            methods.map(|method| (method.to_uppercase(), path.clone()))
        })
        .collect();
    // What deletes the vault comes last: its keys go with it.
    let deletes = |method: &str, path: &str| (method, path) == ("DELETE", "/v1/vaults/{vault}");
    all.sort_by_key(|(method, path)| (deletes(method, path), needs(method, path)));
    all
}

fn body_for(path: &str) -> Value {
    let entry =
        json!({ "role": "user", "content": "more", "conversation_time": "2025-05-01T10:00:00Z" });
    match path.rsplit('/').next().unwrap() {
        "memories" | "vaults" => json!({ "name": "new" }),
        "forget" => json!({ "memory": "diary", "after": "2020-01-01T00:00:00Z" }),
        "entries" => entry,
        "batch" => json!({ "entries": [entry] }),
        "import" => json!({ "conversation_id": "chat", "entries": [entry] }),
        "correction" => json!({ "content": "more", "reason": "why" }),
        "context" => json!({ "content": "more" }),
        "recall" => json!({ "query": "private" }),
        "keys" => json!({ "vault": "ana" }),
        _ => json!({}),
    }
}

/// A server with something in it, and the ids to reach it by.
struct Filled {
    stage: Stage,
    entry: String,
    conversation: String,
}

impl Filled {
    async fn new() -> Self {
        let stage = Stage::new().await;
        let said = stage.say("2025-06-01T11:50:00Z", "private").await;
        let text = |field: &str| said[field].as_str().unwrap().to_owned();
        Self { entry: text("id"), conversation: text("conversation_id"), stage }
    }

    async fn status(&self, method: &str, path: &str, key: &str) -> (u16, String) {
        let id = if path.contains("/entries/") { &self.entry } else { &self.conversation };
        let path = path.replace("{vault}", "ana").replace("{memory}", "diary").replace("{id}", id);
        let ask = self.stage.ask(method, &path).key(key);
        let ask = if method == "GET" { ask } else { ask.json(&body_for(&path)) };
        let response = ask.response().await;
        (response.status, response.text)
    }

    async fn entries(&self) -> String {
        let path = format!("{DIARY}/entries?include=all");
        self.stage.ask("GET", &path).key(TOKEN).response().await.text
    }
}

async fn walk(scope: &str, has: Needs) {
    let filled = Filled::new().await;
    let key = filled.stage.key_with(json!({ "vault": "ana", "scope": scope })).await;
    let (before, all) = (filled.entries().await, operations());
    assert!(all.len() >= 50, "{all:?}");
    for (method, path) in all {
        let (status, text) = filled.status(&method, &path, &key).await;
        let is_denied = status == 403;
        assert_eq!(is_denied, needs(&method, &path) > has, "{scope}: {method} {path}: {text}");
        assert!(status != 401 && status < 500, "{scope}: {method} {path}: {text}");
    }
    if has == Needs::Read {
        assert_eq!(filled.entries().await, before, "a read key changes nothing");
    }
}

#[tokio::test]
async fn a_read_key_reads_and_does_nothing_else() {
    walk("read", Needs::Read).await;
}

#[tokio::test]
async fn a_write_key_writes_but_does_not_touch_the_vault_itself() {
    walk("write", Needs::Write).await;
}

#[tokio::test]
async fn an_admin_key_does_everything_but_what_the_operator_does() {
    walk("admin", Needs::Admin).await;
}

#[tokio::test]
async fn a_key_is_for_writing_unless_told_otherwise() {
    let filled = Filled::new().await;
    let body = json!({ "vault": "ana" });
    let made =
        filled.stage.ask("POST", "/v1/keys").key(TOKEN).json(&body).response().await.with(201);
    assert_eq!((&made["scope"], made.get("expires_at")), (&json!("write"), None));
    let key = made["key"].as_str().unwrap();
    let response = filled.stage.ask("DELETE", "/v1/vaults/ana").key(key).response().await;
    let detail = response.problem(403, "denied");
    assert_eq!(detail, "this API key has scope \"write\"; this needs a key with scope \"admin\"");
    let body = json!({ "vault": "ana", "scope": "root" });
    let response = filled.stage.ask("POST", "/v1/keys").key(TOKEN).json(&body).response().await;
    assert!(
        response.problem(400, "invalid").contains("`read`, `write`, `admin`"),
        "{}",
        response.text
    );
}

#[tokio::test]
async fn an_expired_key_is_rejected_from_its_time_on() {
    let filled = Filled::new().await;
    let stage = &filled.stage;
    let past = json!({ "vault": "ana", "expires_at": "2025-06-01T12:00:00Z" });
    let response = stage.ask("POST", "/v1/keys").key(TOKEN).json(&past).response().await;
    assert!(response.problem(409, "conflict").contains("not in the future"));
    stage.ask("GET", DIARY).response().await.with(200);

    let soon = json!({ "vault": "ana", "expires_at": "2025-06-01T13:00:00Z" });
    let key = stage.key_with(soon).await;
    stage.clock.advance(SignedDuration::from_mins(59));
    stage.ask("GET", DIARY).key(&key).response().await.with(200);
    stage.clock.advance(SignedDuration::from_mins(1));
    let response = stage.ask("GET", DIARY).key(&key).response().await;
    assert!(response.problem(401, "unauthenticated").contains("expired at 2025-06-01T13:00:00Z"));
    let response = stage.ask("GET", DIARY).response().await;
    response.problem(401, "unauthenticated");
}

#[tokio::test]
async fn the_last_use_of_a_key_is_listed_at_once() {
    let filled = Filled::new().await;
    let stage = &filled.stage;
    let key = stage.key_of("ana").await;
    let listed = async || stage.ask("GET", "/v1/keys").key(TOKEN).response().await.with(200);
    assert_eq!(listed().await["data"][0].get("last_used_at"), None);
    stage.clock.advance(SignedDuration::from_mins(3));
    stage.ask("GET", DIARY).key(&key).response().await.with(200);
    assert_eq!(listed().await["data"][0]["last_used_at"], "2025-06-01T12:03:00Z");
    assert_eq!(
        stage.engine.keys().await.unwrap()[0].last_used_at,
        None,
        "not written by a request"
    );
}

#[tokio::test]
async fn a_removed_key_stops_at_once_and_does_not_come_back() {
    let filled = Filled::new().await;
    let stage = &filled.stage;
    let body = json!({ "vault": "ana" });
    let made = stage.ask("POST", "/v1/keys").key(TOKEN).json(&body).response().await.with(201);
    let (key, id) = (made["key"].as_str().unwrap(), made["id"].as_str().unwrap());
    stage.ask("GET", DIARY).key(key).response().await.with(200);
    stage.ask("DELETE", &format!("/v1/keys/{id}")).key(TOKEN).response().await.with(200);
    for _ in 0..3 {
        let response = stage.ask("GET", DIARY).key(key).response().await;
        assert!(response.problem(401, "unauthenticated").starts_with("unknown API key"));
        tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    }
}

#[tokio::test]
async fn a_key_does_not_learn_the_names_of_other_vaults() {
    let filled = Filled::new().await;
    let stage = &filled.stage;
    stage.post("/v1/vaults", json!({ "name": "bo" })).await;
    let key = stage.key_with(json!({ "vault": "ana", "scope": "admin" })).await;
    let rename = async |name: &str| {
        let body = json!({ "name": name });
        let response = stage.ask("PATCH", "/v1/vaults/ana").key(&key).json(&body).response().await;
        response.problem(403, "denied")
    };
    assert_eq!(rename("bo").await, rename("free").await);
    let body = json!({ "description": "hers" });
    stage.ask("PATCH", "/v1/vaults/ana").key(&key).json(&body).response().await.with(200);
    let body = json!({ "name": "anna" });
    stage.ask("PATCH", "/v1/vaults/ana").key(TOKEN).json(&body).response().await.with(200);
}

#[tokio::test]
async fn health_and_documents_are_open_and_metrics_are_not() {
    let filled = Filled::new().await;
    let stage = &filled.stage;
    let status = async |path: &str, key: Option<&str>| {
        let ask = stage.ask("GET", path);
        let ask = if let Some(key) = key { ask.key(key) } else { ask };
        ask.response().await.status
    };
    assert_eq!(status("/metrics", None).await, 200, "while there are no keys");
    let write = stage.key_of("ana").await;
    let admin = stage.key_with(json!({ "vault": "ana", "scope": "admin" })).await;
    for path in ["/healthz", "/readyz", "/docs/", "/openapi.json"] {
        assert_eq!(status(path, None).await, 200, "{path}");
        assert_eq!(status(path, Some("ew_wrong")).await, 200, "{path}");
    }
    assert_eq!(status("/metrics", None).await, 401);
    assert_eq!(status("/metrics", Some("ew_wrong")).await, 401);
    assert_eq!(status("/metrics", Some(&write)).await, 403);
    assert_eq!(status("/metrics", Some(&admin)).await, 200);
    assert_eq!(status("/metrics", Some(TOKEN)).await, 200);
}

#[tokio::test]
async fn agents_with_a_read_key_see_and_call_tools_that_read() {
    let filled = Filled::new().await;
    let stage = &filled.stage;
    let vault = stage.engine.vault(Address::read("vault", "ana").unwrap()).await.unwrap();
    let new = NewKey { scope: everwhen::key::Scope::Read, ..NewKey::of(vault.id()) };
    let (_, read) = stage.engine.add_key(new).await.unwrap();
    let write = stage.key_of("ana").await;
    let call = async |key: &str, method: &str, params: Value| {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let ask = stage.ask("POST", "/mcp?tools=full").key(key).json(&body);
        let ask = ask.header("accept", "application/json, text/event-stream");
        ask.header("host", "localhost").response().await.body["result"].clone()
    };
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    let listed = call(&read, "tools/list", json!({})).await;
    let tools = listed["tools"].as_array().unwrap();
    let reads = |tool: &Value| tool["annotations"]["readOnlyHint"] == true;
    assert!(tools.len() > 5 && tools.iter().all(reads), "{listed}");
    let all = call(&write, "tools/list", json!({})).await;
    assert!(!all["tools"].as_array().unwrap().iter().all(reads));

    let add = json!({ "name": "add_entry", "arguments": { "role": "user", "raw_entry": "more" } });
    let refused = call(&read, "tools/call", add.clone()).await;
    assert_eq!(refused["isError"], true);
    assert!(refused.to_string().contains("scope \\\"read\\\""), "{refused}");
    assert_ne!(call(&write, "tools/call", add).await["isError"], true);
    let list = json!({ "name": "list_memories", "arguments": {} });
    assert_ne!(call(&read, "tools/call", list).await["isError"], true);
}

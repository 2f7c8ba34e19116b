//! One vault's key never reaches another vault: checked for every route the OpenAPI document has,
//! so that a new route cannot be forgotten.

use serde_json::{Value, json};

use crate::stage::{DIARY, Stage, TOKEN};

/// Every operation below a vault: method and path with braces.
fn operations() -> Vec<(String, String)> {
    let document: Value = serde_json::from_str(&everwhen_server::openapi()).unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    let in_a_vault = paths.filter(|(path, _)| path.contains("{vault}"));
    in_a_vault
        .flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().keys();
            methods.map(|method| (method.to_uppercase(), path.clone()))
        })
        .collect()
}

/// A body that would be right.
fn body_for(path: &str) -> Value {
    match path.rsplit('/').next().unwrap() {
        "memories" => json!({ "name": "new" }),
        "forget" => json!({ "memory": "diary", "after": "2020-01-01T00:00:00Z" }),
        "entries" => json!({ "role": "user", "content": "intruder" }),
        "batch" => json!({ "entries": [{ "role": "user", "content": "intruder" }] }),
        "import" => json!({ "conversation_id": "chat", "entries": [{ "role": "user",
            "content": "intruder", "conversation_time": "2025-05-01T10:00:00Z" }] }),
        "correction" => json!({ "content": "intruder", "reason": "malice" }),
        "context" => json!({ "content": "intruder" }),
        _ => json!({}),
    }
}

struct Victim {
    vault: Value,
    memory: Value,
    entry: Value,
    conversation: Value,
}

async fn victim(stage: &Stage) -> Victim {
    let said = stage.say("2025-06-01T11:50:00Z", "private").await;
    let context = json!({ "content": "private" });
    stage.ask("PUT", &format!("{DIARY}/context")).json(&context).response().await.with(201);
    Victim {
        vault: stage.get("/v1/vaults/ana").await["id"].clone(),
        memory: stage.get(DIARY).await["id"].clone(),
        entry: said["id"].clone(),
        conversation: said["conversation_id"].clone(),
    }
}

/// The path with real ids, by id or by name.
fn filled(path: &str, victim: &Victim, by_name: bool) -> String {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (vault, memory) = match by_name {
        true => ("ana".into(), "diary".into()),
        false => (text(&victim.vault), text(&victim.memory)),
    };
    let id = if path.contains("/entries/") { &victim.entry } else { &victim.conversation };
    path.replace("{vault}", &vault).replace("{memory}", &memory).replace("{id}", &text(id))
}

#[tokio::test]
async fn another_vaults_key_finds_nothing_anywhere() {
    let stage = Stage::new().await;
    let victim = victim(&stage).await;
    stage.post("/v1/vaults", json!({ "name": "bo" })).await;
    let before = everything(&stage).await;
    let key = stage.key_of("bo").await;
    let operations = operations();
    assert!(operations.len() >= 25, "{operations:?}");
    for (method, path) in operations {
        for by_name in [false, true] {
            let path = filled(&path, &victim, by_name);
            let ask = stage.ask(&method, &path).key(&key).once("k1");
            let ask = if method == "GET" { ask } else { ask.json(&body_for(&path)) };
            let detail = ask.response().await.problem(404, "not_found");
            assert!(detail.starts_with("vault not found: "), "{method} {path}: {detail}");
        }
    }
    assert_eq!(everything(&stage).await, before, "nothing was changed");
}

/// Every GET of the victim's vault, as the operator sees it.
async fn everything(stage: &Stage) -> Vec<String> {
    let mut texts = Vec::new();
    for path in ["", "/memories", "/memories/diary/entries?include=all", "/memories/diary/context"]
    {
        let response =
            stage.ask("GET", &format!("/v1/vaults/ana{path}")).key(TOKEN).response().await;
        assert_eq!(response.status, 200, "{path}");
        texts.push(response.text);
    }
    texts
}

#[tokio::test]
async fn ids_of_another_vault_are_nothing_in_ones_own() {
    let stage = Stage::new().await;
    let victim = victim(&stage).await;
    stage.post("/v1/vaults/bo/memories", json!({ "name": "diary" })).await;
    let key = stage.key_of("bo").await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    for path in [
        format!("/memories/{}", text(&victim.memory)),
        format!("/memories/{}/entries", text(&victim.memory)),
        format!("/memories/diary/entries/{}", text(&victim.entry)),
        format!("/memories/diary/conversations/{}", text(&victim.conversation)),
    ] {
        let response = stage.ask("GET", &format!("/v1/vaults/bo{path}")).key(&key).response().await;
        response.problem(404, "not_found");
    }
}

#[tokio::test]
async fn a_replay_tells_nothing_to_another_vault() {
    let stage = Stage::new().await;
    stage.post("/v1/vaults", json!({ "name": "ana" })).await;
    stage.post("/v1/vaults", json!({ "name": "bo" })).await;
    let key = stage.key_of("bo").await;
    let path = "/v1/vaults/ana";
    stage.ask("DELETE", path).key(TOKEN).once("gone").response().await.with(200);
    stage.ask("DELETE", path).key(&key).once("gone").response().await.problem(404, "not_found");
    let again = stage.ask("DELETE", path).key(TOKEN).once("gone").response().await;
    assert!(again.replayed());
    assert_eq!(again.with(200)["vaults"], 1);
}

/// Arguments for a tool made from its schema: ids and names of the victim wherever one fits.
fn arguments(tool: &Value, victim: &Victim, by_name: bool) -> Value {
    let empty = serde_json::Map::new();
    let fields = tool["inputSchema"]["properties"].as_object().unwrap_or(&empty);
    let value = |name: &str, shape: &Value| match name {
        "vault" | "vault_id" if by_name => json!("ana"),
        "vault" | "vault_id" => victim.vault.clone(),
        "memory" | "memory_id" if by_name => json!("diary"),
        "memory" | "memory_id" => victim.memory.clone(),
        "id" | "entry_id" | "entry" | "corrects" | "first" | "second" | "from" | "to" => {
            victim.entry.clone()
        }
        "conversation_id" | "conversation" => victim.conversation.clone(),
        "role" => json!("user"),
        "after" | "before" | "conversation_time" => json!("2025-05-01T10:00:00Z"),
        "raw_entry" | "content" | "query" | "reason" | "name" | "title" => json!("intruder"),
        _ if shape["type"] == "integer" => json!(3),
        _ => Value::Null,
    };
    let filled = fields.iter().map(|(name, shape)| (name.clone(), value(name, shape)));
    Value::Object(filled.filter(|(_, value)| !value.is_null()).collect())
}

async fn mcp(stage: &Stage, address: &str, key: &str, method: &str, params: Value) -> Value {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let ask = stage.ask("POST", address).key(key).json(&message);
    let ask = ask.header("host", "localhost:3939").header("mcp-protocol-version", "2025-11-25");
    ask.header("accept", "application/json, text/event-stream").response().await.with(200)
}

#[tokio::test]
async fn no_tool_shows_or_changes_another_vault() {
    let stage = Stage::new().await;
    let victim = victim(&stage).await;
    stage.post("/v1/vaults", json!({ "name": "bo" })).await;
    let before = everything(&stage).await;
    let key = stage.key_of("bo").await;
    let mut tried = 0;
    for address in ["/mcp?tools=full", "/mcp?profile=graph"] {
        let listed = mcp(&stage, address, &key, "tools/list", json!({})).await;
        for tool in listed["result"]["tools"].as_array().unwrap() {
            for by_name in [false, true] {
                let call =
                    json!({ "name": tool["name"], "arguments": arguments(tool, &victim, by_name) });
                let response = mcp(&stage, address, &key, "tools/call", call).await;
                assert!(!response.to_string().contains("private"), "{}: {response}", tool["name"]);
                tried += 1;
            }
        }
        let resources = mcp(&stage, address, &key, "resources/list", json!({})).await;
        assert!(!resources.to_string().contains("ana"), "{resources}");
    }
    assert!(tried >= 2 * 25, "{tried}");
    assert_eq!(everything(&stage).await, before, "nothing was changed");
}

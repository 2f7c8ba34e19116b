//! Keys at the proxy: ours, and those meant for the upstream.

use serde_json::json;

use crate::stage::{Stage, TOKEN, chat};

const PATH: &str = "/v1/chat/completions";

#[tokio::test]
async fn without_keys_the_clients_own_credential_travels() {
    let stage = Stage::new().await;
    stage.post(PATH, &chat(&["u:hi"])).memory("m").key("sk-mine").response().await;
    assert_eq!(stage.upstream.last().headers["authorization"], "Bearer sk-mine");
    stage.post(PATH, &chat(&["u:hi"])).memory("m").header("x-api-key", "sk-mine").response().await;
    assert_eq!(stage.upstream.last().headers["x-api-key"], "sk-mine");
}

#[tokio::test]
async fn once_there_are_keys_one_is_needed_and_stays_here() {
    let stage = Stage::new().await;
    let key = stage.key("ana", &json!({})).await;
    let refused = stage.post(PATH, &chat(&["u:hi"])).key("sk-mine").response().await;
    assert_eq!(refused.status, 401);
    assert!(refused.json()["error"]["message"].as_str().unwrap().contains("key"));
    assert!(stage.upstream.sent().is_empty());

    for ask in [
        stage.post(PATH, &chat(&["u:hi"])).memory("m").key(&key),
        stage.post(PATH, &chat(&["u:hi"])).memory("m").header("x-api-key", &key),
        stage.post(PATH, &chat(&["u:hi"])).memory("m").key(TOKEN),
    ] {
        assert_eq!(ask.response().await.status, 200);
        let sent = stage.upstream.last();
        assert!(
            !sent.headers.contains_key("authorization") && !sent.headers.contains_key("x-api-key")
        );
    }
    let ask = stage.post(PATH, &chat(&["u:hi"])).memory("m").header("x-everwhen-key", &key);
    assert_eq!(ask.key("sk-mine").response().await.status, 200);
    assert_eq!(stage.upstream.last().headers["authorization"], "Bearer sk-mine");
    assert!(!stage.upstream.last().headers.contains_key("x-everwhen-key"));
}

#[tokio::test]
async fn an_upstreams_key_takes_the_place_of_the_clients() {
    let settings = r#"
[[upstream]]
base_url = "UPSTREAM/v1"
key = "sk-ours"
[[upstream]]
kind = "anthropic"
base_url = "UPSTREAM"
key = "sk-ant"
"#;
    let stage = Stage::with(settings).await;
    stage.post(PATH, &chat(&["u:hi"])).memory("m").key("sk-mine").response().await;
    assert_eq!(stage.upstream.last().headers["authorization"], "Bearer sk-ours");
    stage.post("/v1/messages", &chat(&["u:hi"])).memory("m").key("sk-mine").response().await;
    let sent = stage.upstream.last();
    assert_eq!(sent.headers["x-api-key"], "sk-ant");
    assert!(!sent.headers.contains_key("authorization"));
}

#[tokio::test]
async fn a_key_writes_into_its_own_vault_and_no_other() {
    let stage = Stage::new().await;
    let key = stage.key("ana", &json!({})).await;
    let ask = stage.post(PATH, &chat(&["u:hi"])).memory("m").key(&key);
    assert_eq!(ask.header("x-everwhen-vault", "ben").response().await.status, 200);
    stage.state.settle().await;
    let entries = stage.get("/v1/vaults/ana/memories/m/entries").key(&key).response().await.json();
    assert_eq!(entries["data"].as_array().unwrap().len(), 2);
    assert_eq!(stage.get("/v1/vaults/ben").key(TOKEN).response().await.status, 404);
}

#[tokio::test]
async fn lists_need_a_key_too() {
    let stage = Stage::new().await;
    stage.key("ana", &json!({})).await;
    assert_eq!(stage.get("/v1/models").response().await.status, 401);
    assert_eq!(stage.post("/v1/embeddings", "{}").response().await.status, 401);
    assert!(stage.upstream.sent().is_empty());
}

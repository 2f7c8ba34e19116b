//! Who may come in, and how they say who they are.

use everwhen::key::NewKey;
use everwhen::memory::Address;
use serde_json::json;

use crate::stage::{DIARY, Stage, TOKEN, column};

#[tokio::test]
async fn requests_without_a_key_are_rejected_from_the_first_key_on() {
    let stage = Stage::new().await;
    stage.say("2025-05-01T10:00:00Z", "one").await;
    let key = stage.key_of("ana").await;
    let nameless = stage.ask("GET", DIARY).response().await;
    assert!(nameless.problem(401, "unauthenticated").contains("an API key is required"));
    assert_eq!(nameless.headers["www-authenticate"], "Bearer");
    stage.ask("GET", DIARY).key(&key).response().await.with(200);
    let keys = stage.ask("GET", "/v1/keys").key(TOKEN).response().await.with(200);
    let path = format!("/v1/keys/{}", column(&keys, "id")[0].as_str().unwrap());
    stage.ask("DELETE", &path).key(TOKEN).response().await.with(200);
    stage.ask("GET", DIARY).key(&key).response().await.problem(401, "unauthenticated");
    stage.ask("GET", DIARY).response().await.problem(401, "unauthenticated");
    stage.ask("GET", DIARY).key(TOKEN).response().await.with(200);
    stage.ask("DELETE", &path).key(TOKEN).response().await.problem(404, "not_found");
}

#[tokio::test]
async fn a_key_is_read_from_either_header() {
    let stage = Stage::new().await;
    stage.say("2025-05-01T10:00:00Z", "one").await;
    let key = stage.key_of("ana").await;
    let ask = |name: &str, value: &str| stage.ask("GET", DIARY).header(name, value).response();
    for (name, value) in [
        ("authorization", format!("bearer {key}")),
        ("authorization", format!("BEARER  {key}")),
        ("x-api-key", key.clone()),
    ] {
        ask(name, &value).await.with(200);
    }
    for (name, value) in [
        ("authorization", format!("Basic {key}")),
        ("authorization", key.clone()),
        ("authorization", "Bearer ".into()),
        ("x-api-key", key[1..].into()),
        ("x-api-key", String::new()),
    ] {
        ask(name, &value).await.problem(401, "unauthenticated");
    }
}

#[tokio::test]
async fn a_key_is_shown_once_and_kept_without_its_text() {
    let stage = Stage::new().await;
    stage.say("2025-05-01T10:00:00Z", "one").await;
    let body = json!({ "vault": "ana", "label": "laptop", "trusted": true });
    let made = stage.ask("POST", "/v1/keys").key(TOKEN).json(&body).response().await.with(201);
    let text = made["key"].as_str().unwrap();
    assert!(text.starts_with("ew_") && made["trusted"] == true && made["label"] == "laptop");
    let keys = stage.ask("GET", "/v1/keys").key(TOKEN).response().await;
    assert!(!keys.text.contains(&text[3..]));
    assert_eq!(keys.body["data"][0]["id"], made["id"]);
    assert_eq!(keys.body["data"][0].get("key"), None);
    let once = stage.ask("POST", "/v1/keys").key(TOKEN).json(&body).once("k1").response().await;
    assert!(once.problem(400, "invalid").contains("shown once"));
    let nowhere = json!({ "vault": "nobody" });
    let response = stage.ask("POST", "/v1/keys").key(TOKEN).json(&nowhere).response().await;
    response.problem(404, "not_found");
}

#[tokio::test]
async fn the_holder_of_a_key_has_one_vault() {
    let stage = Stage::new().await;
    let ana = stage.post("/v1/vaults", json!({ "name": "ana" })).await;
    stage.post("/v1/vaults", json!({ "name": "bo" })).await;
    let key = stage.key_of("ana").await;
    let list = stage.ask("GET", "/v1/vaults").key(&key).response().await.with(200);
    assert_eq!(column(&list, "id"), [&ana["id"]]);
    let new = json!({ "name": "another" });
    let response = stage.ask("POST", "/v1/vaults").key(&key).json(&new).response().await;
    response.problem(403, "denied");
    let entry = json!({ "role": "user", "content": "x" });
    let path = "/v1/vaults/another/memories/m/entries";
    stage.ask("POST", path).key(&key).json(&entry).response().await.problem(404, "not_found");
    let all = stage.ask("GET", "/v1/vaults").key(TOKEN).response().await.with(200);
    assert_eq!(column(&all, "name"), ["ana", "bo"]);
}

#[tokio::test]
async fn only_the_operator_keeps_house() {
    let stage = Stage::new().await;
    stage.post("/v1/vaults", json!({ "name": "ana" })).await;
    let job = "/v1/jobs/job_01jh2m8z5qf3v9k7c4x0tnwr6e/retry";
    let key_path = "/v1/keys/key_01jh2m8z5qf3v9k7c4x0tnwr6e";
    let routes = [
        ("GET", "/v1/keys"),
        ("POST", "/v1/keys"),
        ("DELETE", key_path),
        ("GET", "/v1/doctor"),
        ("POST", job),
        ("POST", "/v1/jobs/retry"),
        ("POST", "/v1/settle"),
    ];
    for (method, path) in routes {
        stage.ask(method, path).response().await.problem(401, "unauthenticated");
    }
    let key = stage.key_of("ana").await;
    for (method, path) in routes {
        stage.ask(method, path).key(&key).response().await.problem(403, "denied");
    }
    let doctor = stage.ask("GET", "/v1/doctor").key(TOKEN).response().await.with(200);
    assert_eq!(doctor["problems"], json!([]));
    assert_eq!(doctor["jobs"], json!({ "waiting": 0, "groups": [], "set_aside": [] }));
    assert_eq!(doctor["version"], env!("CARGO_PKG_VERSION"));
    stage.ask("POST", job).key(TOKEN).response().await.problem(404, "not_found");
}

#[tokio::test]
async fn a_job_can_be_tried_again() {
    let stage = Stage::new().await;
    stage.say("2025-06-01T11:50:00Z", "one").await;
    let jobs = stage.engine.jobs(9).await.unwrap();
    assert_eq!(jobs.len(), 1);
    let path = format!("/v1/jobs/{}/retry", jobs[0].id);
    let response = stage.ask("POST", &path).key(TOKEN).response().await.with(200);
    assert_eq!(response, json!({ "id": jobs[0].id.to_string() }));
    assert_eq!(stage.engine.jobs(9).await.unwrap()[0].due_at, stage.engine.now());
}

#[tokio::test]
async fn a_key_that_another_process_added_is_seen() {
    let stage = Stage::new().await;
    stage.say("2025-05-01T10:00:00Z", "one").await;
    let ana = Address::read("vault", "ana").unwrap();
    let id = stage.engine.vault(ana).await.unwrap().id();
    let (_, key) = stage.engine.add_key(NewKey::of(id)).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    stage.ask("GET", DIARY).key(&key).response().await.with(200);
    stage.ask("GET", DIARY).response().await.problem(401, "unauthenticated");
}

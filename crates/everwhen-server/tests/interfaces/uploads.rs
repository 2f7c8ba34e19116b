//! Files that are uploaded and imported in the background.

use std::time::Duration;

use serde_json::{Value, json};

use crate::stage::{Stage, TOKEN};

const FILE: &str = "application/octet-stream";

/// Messages of a chat, as JSON lines with a time each.
fn chat(messages: usize) -> Vec<u8> {
    let line = |number: usize| {
        let (hour, minute) = (number / 60 % 24, number % 60);
        json!({ "id": format!("m{number}"), "role": "user", "content": format!("message {number}"),
                "timestamp": format!("2024-05-{:02}T{hour:02}:{minute:02}:00Z", 1 + number / 1440) })
    };
    let messages: Vec<Value> = (0..messages).map(line).collect();
    json!([{ "conversation_id": "c1", "title": "t", "messages": messages }])
        .to_string()
        .into_bytes()
}

/// Uploads a file and waits until it is imported.
pub(crate) async fn import(stage: &Stage, vault: &str, query: &str, file: Vec<u8>) -> Value {
    let path = format!("/v1/vaults/{vault}/imports?{query}");
    let run = stage.ask("POST", &path).raw(FILE, file).response().await.with(202);
    wait(stage, vault, &run).await
}

/// Waits until an import has ended.
async fn wait(stage: &Stage, vault: &str, run: &Value) -> Value {
    let path = format!("/v1/vaults/{vault}/imports/{}", run["id"].as_str().unwrap());
    loop {
        let run = stage.get(&path).await;
        if run["state"] != "running" {
            return run;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_file_is_imported_once_and_its_report_is_kept() {
    let stage = Stage::new().await;
    let dry = import(&stage, "ana", "dry_run=true&name=chat.json", chat(50)).await;
    assert_eq!(
        (&dry["state"], &dry["stored"], &dry["dry_run"]),
        (&json!("done"), &json!(50), &json!(true)),
        "{dry}"
    );
    assert_eq!(dry["file"], "chat.json");
    stage.ask("GET", "/v1/vaults/ana").response().await.problem(404, "not_found");
    let first = import(&stage, "ana", "memory=diary", chat(50)).await;
    assert_eq!((&first["stored"], &first["known"]), (&json!(50), &json!(0)), "{first}");
    assert_eq!(first["found"]["messages"], 50);
    assert_eq!(first["found"]["first"], "2024-05-01T00:00:00Z");
    assert_eq!(first["found"]["time_from"], json!({ "stated": 50 }));
    let grown = import(&stage, "ana", "memory=diary", chat(60)).await;
    assert_eq!((&grown["stored"], &grown["known"]), (&json!(10), &json!(50)), "{grown}");
    let list = stage.get("/v1/vaults/ana/imports").await;
    assert_eq!(list["data"].as_array().unwrap().len(), 3);
    assert_eq!(list["data"][0]["id"], grown["id"]);
}

#[tokio::test]
async fn a_cancelled_import_keeps_what_it_stored_and_can_go_on() {
    let stage = Stage::new().await;
    let run =
        stage.ask("POST", "/v1/vaults/ana/imports?memory=diary").raw(FILE, chat(30_000)).response();
    let run = run.await.with(202);
    let path = format!("/v1/vaults/ana/imports/{}", run["id"].as_str().unwrap());
    stage.ask("DELETE", &path).response().await.with(200);
    let ended = wait(&stage, "ana", &run).await;
    assert_eq!(ended["state"], "cancelled", "{ended}");
    let stored = ended["stored"].as_u64().unwrap();
    let again = import(&stage, "ana", "memory=diary", chat(30_000)).await;
    assert_eq!(again["known"].as_u64().unwrap(), stored, "{again}");
    assert_eq!(again["stored"].as_u64().unwrap(), 30_000 - stored, "{again}");
}

/// The rest of the file would make the memory again.
#[tokio::test]
async fn forgetting_a_memory_ends_the_import_into_it() {
    let stage = Stage::new().await;
    let conversation = |number: usize| {
        let message = |at: usize| {
            json!({ "id": format!("m{number}-{at}"), "role": "user", "content": format!("message {at}"),
                    "timestamp": format!("2024-{number:02}-01T{:02}:{:02}:00Z", at / 60 % 24, at % 60) })
        };
        let messages: Vec<Value> = (0..1_400).map(message).collect();
        json!({ "conversation_id": format!("c{number}"), "title": "t", "messages": messages })
    };
    let all: Vec<Value> = (1..=12).map(conversation).collect();
    let upload = stage.ask("POST", "/v1/vaults/ana/imports?memory=diary");
    let run = upload.raw(FILE, json!(all).to_string().into_bytes()).response().await.with(202);
    let path = format!("/v1/vaults/ana/imports/{}", run["id"].as_str().unwrap());
    while stage.get(&path).await["stored"] == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    stage.ask("DELETE", "/v1/vaults/ana/memories/diary").response().await.with(200);
    let ended = wait(&stage, "ana", &run).await;
    assert_eq!(ended["state"], "cancelled", "{ended}");
    let memory = stage.ask("GET", "/v1/vaults/ana/memories/diary").response().await;
    memory.problem(404, "not_found");
}

#[tokio::test]
async fn what_is_no_file_to_import_is_refused_with_a_reason() {
    let stage = Stage::new().await;
    let path = "/v1/vaults/ana/imports";
    let wrong = stage.ask("POST", path).json(&json!({})).response().await;
    assert!(wrong.problem(415, "unsupported_media_type").contains("octet-stream"));
    let empty = stage.ask("POST", path).raw(FILE, Vec::new()).response().await;
    assert!(empty.problem(400, "invalid").contains("empty"));
    let zone =
        stage.ask("POST", &format!("{path}?timezone=Mars")).raw(FILE, chat(1)).response().await;
    assert!(zone.problem(400, "invalid").contains("timezone"));
    let run = import(&stage, "ana", "name=notes.bin", b"\x00\x01 no known program".to_vec()).await;
    assert_eq!(run["state"], "failed");
    let problem = run["problem"].as_str().unwrap();
    assert!(problem.contains("notes.bin") && problem.contains("no program"), "{problem}");
    let other = import(&stage, "ana", "from=whatsapp", chat(1)).await;
    assert!(other["problem"].as_str().unwrap().contains("WhatsApp"), "{other}");
    let cut = import(&stage, "ana", "name=my+chat!.json", chat(1)[..60].to_vec()).await;
    let told = cut.to_string();
    assert!(told.contains("\"my chat!.json: ") && !told.contains("upload"), "{told}");
    stage.ask("GET", &format!("{path}/imp_0")).response().await.problem(404, "not_found");
}

#[tokio::test]
async fn an_import_belongs_to_its_vault() {
    let stage = Stage::new().await;
    for vault in ["ana", "bob"] {
        let new = json!({ "name": vault });
        stage.ask("POST", "/v1/vaults").key(TOKEN).json(&new).response().await.with(201);
    }
    let (ana, bob) = (stage.key_of("ana").await, stage.key_of("bob").await);
    let reader = stage.key_with(json!({ "vault": "ana", "scope": "read" })).await;
    let path = "/v1/vaults/ana/imports";
    let ask = |key: &str| stage.ask("POST", path).key(key).raw(FILE, chat(3)).response();
    ask(&bob).await.problem(404, "not_found");
    ask(&reader).await.problem(403, "denied");
    let run = ask(&ana).await.with(202);
    let one = format!("{path}/{}", run["id"].as_str().unwrap());
    stage.ask("GET", &one).key(&bob).response().await.problem(404, "not_found");
    stage.ask("DELETE", &one).key(&reader).response().await.problem(403, "denied");
    stage.ask("GET", &one).key(&reader).response().await.with(200);
    stage.ask("GET", "/v1/vaults/ana/export").key(&bob).response().await.problem(404, "not_found");
    let export = stage.ask("GET", "/v1/vaults/ana/export").key(&reader).response().await;
    assert_eq!(export.status, 200);
}

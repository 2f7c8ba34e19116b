//! The few routes that an agent's hook needs answer as they do among all others.

use everwhen_server::{ServerState, brief_router};
use serde_json::json;

use crate::stage::{DIARY, Stage, TOKEN};

/// The routes of a hook over the memory of another server.
async fn brief(whole: &Stage) -> Stage {
    let state = ServerState::new(whole.engine.clone(), Some(TOKEN.into())).await.unwrap();
    let (engine, clock) = (whole.engine.clone(), whole.clock.clone());
    Stage::with_router(brief_router(state), engine, clock)
}

#[tokio::test]
async fn a_hook_is_answered_as_everybody_is() {
    let whole = Stage::new().await;
    let brief = brief(&whole).await;
    brief.say("2025-01-08T12:49:00Z", "I visited the museum with Zoë.").await;
    brief.say("2025-01-15T12:49:00Z", "The boiler was repaired.").await;
    whole
        .ask("PUT", &format!("{DIARY}/context"))
        .json(&json!({ "content": "Ana likes museums." }))
        .response()
        .await;
    for path in [
        "/v1/vaults/ana".to_owned(),
        format!("{DIARY}/entries?limit=1&order=desc"),
        format!("{DIARY}/context"),
        format!("{DIARY}/conversations?limit=5"),
        "/v1/vaults/nobody".to_owned(),
        "/v1/vaults/ana/memories/other/entries".to_owned(),
    ] {
        let (one, other) =
            (whole.ask("GET", &path).response().await, brief.ask("GET", &path).response().await);
        assert_eq!((one.status, one.body), (other.status, other.body), "{path}");
    }
    let question =
        json!({ "query": "when was I in the museum?", "limit": 6, "budget_tokens": 800 });
    let path = format!("{DIARY}/recall");
    let response = brief.post(&path, question.clone()).await;
    assert!(
        response["briefing"].as_str().is_some_and(|text| text.contains("museum")),
        "{response}"
    );
    assert_eq!(response, whole.post(&path, question).await);
}

#[tokio::test]
async fn a_hook_can_do_nothing_else() {
    let whole = Stage::new().await;
    let brief = brief(&whole).await;
    brief.say("2025-01-08T12:49:00Z", "I visited the museum.").await;
    for (method, path) in [
        ("DELETE", "/v1/vaults/ana"),
        ("DELETE", DIARY),
        ("GET", "/v1/keys"),
        ("GET", "/metrics"),
        ("POST", "/mcp"),
        ("GET", "/ui"),
    ] {
        let response = brief.ask(method, path).key(TOKEN).response().await;
        assert!([404, 405].contains(&response.status), "{method} {path}: {}", response.status);
    }
    let foreign = brief.ask("GET", "/v1/vaults/ana").header("origin", "https://evil.example");
    assert_eq!(foreign.response().await.status, 403, "the gate stands before it as well");
}

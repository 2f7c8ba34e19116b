//! What operators of the server see: health, metrics, the document and its page.

use std::collections::BTreeSet;
use std::sync::Arc;

use everwhen::WorkerStatus;
use everwhen::memory::{Address, Name};
use everwhen::ports::Store;
use everwhen_server::ServerState;
use everwhen_testkit::{PlainStore, SplitStore};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::stage::{DIARY, Stage, TOKEN};

#[test]
fn the_document_in_the_repository_is_this_one() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi.json");
    let kept = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        kept == everwhen_server::openapi(),
        "openapi.json is not what the server says; look at the difference, and if it is meant run\n\
         cargo run -q -p everwhen-server --example openapi > openapi.json"
    );
}

#[tokio::test]
async fn it_lives_and_is_ready_and_tells_what_it_can_do() {
    let stage = Stage::new().await;
    for path in ["/healthz", "/readyz"] {
        assert_eq!(stage.get(path).await, json!({ "status": "ok" }));
    }
    let response = stage.ask("GET", "/openapi.json").response().await;
    assert_eq!(response.text, everwhen_server::openapi());
    assert_eq!(response.with(200)["openapi"], "3.1.0");
}

#[tokio::test]
async fn metrics_count_routes_and_entries_but_no_names() {
    let stage = Stage::new().await;
    stage.say("2025-05-01T10:00:00Z", "private").await;
    stage.clock.advance(jiff::SignedDuration::from_mins(1));
    stage.ask("GET", "/v1/vaults/nobody").response().await;
    stage.ask("BREW", "/nowhere").response().await;
    let response = stage.ask("GET", "/metrics").response().await;
    assert!(response.headers["content-type"].to_str().unwrap().starts_with("text/plain"));
    for line in [
        "everwhen_entries_remembered_total 1",
        r#"everwhen_http_requests_total{method="GET",route="/v1/vaults/{vault}",status="404"} 1"#,
        r#"everwhen_http_requests_total{method="other",route="unknown",status="404"} 1"#,
        r#"everwhen_jobs_due 2"#,
        r#"everwhen_jobs_set_aside 0"#,
    ] {
        assert!(
            response.text.lines().any(|one| one == line),
            "{line} is not in\n{}",
            response.text
        );
    }
    assert!(response.text.contains("everwhen_http_request_duration_seconds_bucket{"));
    assert!(!response.text.contains("nobody") && !response.text.contains("private"));
}

#[tokio::test]
async fn a_worker_that_gets_nothing_done_is_told_everywhere() {
    let mut stage = Stage::new().await;
    let state = ServerState::new(stage.engine.clone(), Some(TOKEN.into())).await.unwrap();
    // One that was never started.
    stage.router = everwhen_server::router(state.with_worker(WorkerStatus::default()));
    stage.say("2025-05-01T10:00:00Z", "hello").await;
    let ready = stage.get("/readyz").await;
    assert_eq!(ready["status"], "degraded");
    assert!(ready["detail"].as_str().unwrap().contains("(quick) does not run"), "{ready}");
    let response = stage.ask("GET", "/metrics").response().await;
    for line in [
        r#"everwhen_worker_up{task="quick"} 0"#,
        r#"everwhen_worker_restarts_total{task="quick"} 0"#,
        r#"everwhen_jobs{kind="distill",reason="failed"} 0"#,
    ] {
        assert!(
            response.text.lines().any(|one| one == line),
            "{line} is not in\n{}",
            response.text
        );
    }
    let report = stage.ask("GET", "/v1/doctor").key(TOKEN).response().await.with(200);
    assert_eq!(report["worker"].as_array().unwrap().len(), 5);
    assert_eq!(report["worker"][0]["running"], false);
    assert_eq!(report["warnings"].as_array().unwrap().len(), 5, "{report}");
    let groups = report["jobs"]["groups"].as_array().unwrap();
    let counted: u64 = groups.iter().map(|group| group["count"].as_u64().unwrap()).sum();
    assert_eq!(counted, report["jobs"]["waiting"].as_u64().unwrap());
    assert!(groups.iter().all(|group| group["next_at"].is_string()), "{groups:?}");
}

#[tokio::test]
async fn vaults_that_cannot_be_reached_are_told_and_fail_nothing_else() {
    let store = Arc::new(SplitStore::new(Arc::new(PlainStore::new())));
    let stage = Stage::over(Arc::clone(&store) as Arc<dyn Store>).await;
    stage.say("2025-05-01T10:00:00Z", "hello").await;
    let entry =
        json!({ "role": "user", "content": "hi", "conversation_time": "2025-05-01T10:00:00Z" });
    stage.post("/v1/vaults/bo/memories/diary/entries", entry).await;
    let lines = async |prefix: &str| {
        let metrics = stage.ask("GET", "/metrics").response().await;
        assert_eq!(metrics.status, 200, "{}", metrics.text);
        let all = metrics.text.lines().filter(|line| line.starts_with(prefix));
        all.map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let line = async |line: &str| lines(line).await.contains(line);
    assert!(line("everwhen_vaults_unreached 0").await && line("everwhen_jobs_counted 1").await);
    let counted = lines("everwhen_jobs{").await;
    assert!(counted.iter().any(|line| line.ends_with(" 2")), "{counted:?}");
    let bo = stage.engine.vault(Address::Name(Name::new("vault", "bo").unwrap())).await.unwrap();
    store.lose(bo.id());
    stage.clock.advance(jiff::SignedDuration::from_mins(1));
    stage.engine.settle().await.unwrap();
    let ready = stage.get("/readyz").await;
    assert_eq!(ready["status"], "degraded");
    let told = "1 vault cannot be reached, and its jobs wait";
    assert!(ready["detail"].as_str().unwrap().contains(told), "{ready}");
    assert!(line("everwhen_vaults_unreached 1").await && line("everwhen_jobs_counted 0").await);
    assert_eq!(lines("everwhen_jobs{").await, counted, "what was counted last");
    let doctor = stage.ask("GET", "/v1/doctor").key(TOKEN).response().await.with(200);
    assert!(doctor["warnings"].to_string().contains(told), "{doctor}");
    let retry = stage.ask("POST", "/v1/jobs/retry").key(TOKEN).response().await;
    assert!(retry.problem(503, "unavailable").contains("1 vault cannot be reached"));
    stage.ask("POST", "/v1/settle").key(TOKEN).response().await.with(200);
    store.find();
    stage.clock.advance(jiff::SignedDuration::from_mins(1));
    stage.engine.settle().await.unwrap();
    assert_eq!(stage.get("/readyz").await, json!({ "status": "ok" }));
    assert!(line("everwhen_vaults_unreached 0").await && line("everwhen_jobs_counted 1").await);
}

#[tokio::test]
async fn a_clock_that_ran_back_is_told() {
    let stage = Stage::new().await;
    let path = format!("{DIARY}/entries");
    let entry = json!({ "role": "user", "content": "hello" });
    stage.clock.advance(jiff::SignedDuration::from_hours(24 * 3650));
    stage.post(&path, entry.clone()).await;
    stage.clock.advance(-jiff::SignedDuration::from_hours(24 * 3650));
    let warnings = async || {
        let report = stage.ask("GET", "/v1/doctor").key(TOKEN).response().await.with(200);
        report["warnings"].to_string()
    };
    let ahead = "the memory diary of the vault ana was last written at 2035";
    let before = warnings().await;
    assert!(before.contains(ahead), "{before}");
    let said = stage.post(&path, entry).await;
    assert!(!said["conversation_time"].as_str().unwrap().starts_with("203"), "{said}");
    let after = warnings().await;
    assert!(after.contains("the clock ran back 1 times"), "{after}");
    assert!(!after.contains(ahead), "{after}");
}

#[tokio::test]
async fn the_page_needs_nothing_from_elsewhere() {
    let stage = Stage::new().await;
    let moved = stage.ask("GET", "/docs").response().await;
    assert_eq!((moved.status, &moved.headers["location"]), (303, &"/docs/".parse().unwrap()));
    let page = stage.ask("GET", "/docs/").response().await;
    assert_eq!(page.status, 200);
    let files = ["swagger-ui.css", "index.css", "swagger-initializer.js", "swagger-ui-bundle.js"];
    for file in files {
        assert!(page.text.contains(file), "{file}");
        assert_eq!(
            stage.ask("GET", &format!("/docs/{file}")).response().await.status,
            200,
            "{file}"
        );
    }
    let start = stage.ask("GET", "/docs/swagger-initializer.js").response().await;
    assert!(start.text.contains(r#""url": "/openapi.json""#));
    assert!(start.text.contains(r#""validatorUrl": "none""#));
    for text in [page.text, start.text] {
        assert!(!text.contains("http://") && !text.contains("https://"), "{text}");
    }
}

#[tokio::test]
async fn it_serves_on_a_socket_until_told_to_stop() {
    let stage = Stage::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let shutdown = async move { stopped.await.unwrap_or_default() };
    let limits = everwhen::ServerLimits::default();
    let router = stage.router.clone();
    let server = tokio::spawn(everwhen_server::serve(router, listener, limits, shutdown));
    let mut client = TcpStream::connect(address).await.unwrap();
    client
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .await
        .unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with(r#"{"status":"ok"}"#));
    stop.send(()).unwrap();
    server.await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err(), "nobody listens any more");
}

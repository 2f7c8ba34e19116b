//! Whatever goes wrong is a problem document: bodies, routes, methods, faults, panics.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use everwhen::ports::{Reading, Store, Wait, Writing};
use everwhen_testkit::{Fault, FaultMode, Faults, FaultyStore, PlainStore};
use serde_json::json;

use crate::stage::{DIARY, Stage};

#[tokio::test]
async fn a_body_that_is_not_what_it_should_be() {
    let stage = Stage::new().await;
    let path = format!("{DIARY}/entries");
    let send = async |kind: &str, body: &[u8]| {
        stage.ask("POST", &path).raw(kind, body.to_vec()).response().await
    };
    let json = "application/json";
    let cut = send(json, br#"{"role": "user""#).await;
    assert!(cut.problem(400, "invalid").contains("not JSON: EOF"), "{}", cut.text);
    assert!(send(json, b"").await.problem(400, "invalid").contains("not JSON"));
    let missing = send(json, br#"{"role": "user"}"#).await;
    assert!(missing.problem(400, "invalid").contains("missing field `content`"));
    let latin = send(json, b"{\"role\": \"user\", \"content\": \"caf\xe9\"}").await;
    assert!(latin.problem(400, "invalid").contains("not valid UTF-8, from byte 32"));
    let half = send(json, br#"{"role": "user", "content": "\ud800"}"#).await;
    assert!(half.problem(400, "invalid").contains("not JSON"), "{}", half.text);
    let entry = br#"{"role": "user", "content": "x"}"#;
    assert!(
        send("text/plain", entry).await.problem(415, "unsupported_media_type").contains("JSON")
    );
    assert_eq!(send("Application/JSON; charset=utf-8", entry).await.status, 201);
    let bare = stage.ask("POST", &path).response().await;
    bare.problem(415, "unsupported_media_type");
}

#[tokio::test]
async fn a_body_that_is_too_long_is_refused_unread_and_read() {
    let stage = Stage::new().await;
    let path = format!("{DIARY}/entries/batch");
    let declared = stage.ask("POST", &path).json(&json!({})).header("content-length", "67108865");
    assert!(declared.response().await.problem(413, "too_large").contains("67108864 bytes"));
    let long = vec![b' '; 64 * 1024 * 1024 + 1];
    let response = stage.ask("POST", &path).raw("application/json", long).response().await;
    assert!(response.problem(413, "too_large").contains("67108864 bytes"));
}

#[tokio::test]
async fn a_deep_body_does_not_break_the_server() {
    let stage = Stage::new().await;
    let deep =
        format!(r#"{{"role":"user","content":"x","metadata":{{"a":{}}}}}"#, "[".repeat(9999));
    let path = format!("{DIARY}/entries");
    let response =
        stage.ask("POST", &path).raw("application/json", deep.into_bytes()).response().await;
    response.problem(400, "invalid");
    let nested = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let whole = format!(r#"{{"role":"user","content":"x","metadata":{{"a":{nested}}}}}"#);
    let response =
        stage.ask("POST", &path).raw("application/json", whole.into_bytes()).response().await;
    assert!(
        response.problem(400, "invalid").contains("deeper than 128 levels"),
        "{}",
        response.text
    );
}

#[tokio::test]
async fn no_route_and_no_method() {
    let stage = Stage::new().await;
    for path in ["/", "/v1", "/v2/vaults", "/v1/vaults/", "/docs/nothing.js", "/v1/vaults/a/b"] {
        stage.ask("GET", path).response().await.problem(404, "not_found");
    }
    for (method, path, allow) in [
        ("PUT", "/v1/vaults", "GET,HEAD,POST"),
        ("POST", "/v1/vaults/ana", "GET,HEAD,PATCH,DELETE"),
        ("DELETE", "/healthz", "GET,HEAD"),
        ("BREW", "/v1/settle", "POST"),
        ("OPTIONS", "/docs", "GET,HEAD"),
    ] {
        let response = stage.ask(method, path).response().await;
        response.problem(405, "method_not_allowed");
        assert_eq!(response.headers["allow"], allow, "{method} {path}");
    }
}

#[tokio::test]
async fn a_path_that_is_not_utf8() {
    let stage = Stage::new().await;
    let response = stage.ask("GET", "/v1/vaults/%ff").response().await;
    assert!(response.problem(400, "invalid").contains("cannot read the path"), "{}", response.text);
    let long = "x".repeat(201);
    stage.ask("GET", &format!("/v1/vaults/{long}")).response().await.problem(400, "invalid");
    stage.ask("GET", "/v1/vaults/a%00b").response().await.problem(400, "invalid");
}

#[tokio::test]
async fn a_store_that_cannot_be_used() {
    let faults = Faults::new(None);
    let store = FaultyStore::new(Arc::new(PlainStore::new()), faults.clone());
    let stage = Stage::over(Arc::new(store)).await;
    for path in ["/readyz", "/metrics", "/v1/vaults"] {
        faults.set(Some(Fault { call: faults.calls() + 1, mode: FaultMode::BeforeWork }));
        stage.ask("GET", path).response().await.problem(503, "unavailable");
        assert_eq!(stage.ask("GET", path).response().await.status, 200, "{path} recovers");
    }
}

#[tokio::test]
async fn an_answer_that_got_lost_is_told_again() {
    let faults = Faults::new(None);
    let store = FaultyStore::new(Arc::new(PlainStore::new()), faults.clone());
    let stage = Stage::over(Arc::new(store)).await;
    let path = format!("{DIARY}/entries");
    let body = json!({ "role": "user", "content": "once" });
    faults.set(Some(Fault { call: faults.calls() + 1, mode: FaultMode::AnswerLost }));
    let lost = stage.ask("POST", &path).json(&body).once("k1").response().await;
    lost.problem(503, "unavailable");
    let again = stage.ask("POST", &path).json(&body).once("k1").response().await;
    assert!(again.replayed());
    again.with(201);
    assert_eq!(stage.get(&path).await["data"].as_array().unwrap().len(), 1);
}

/// A store that panics from a moment on.
struct Trap {
    inner: PlainStore,
    sprung: Arc<AtomicBool>,
}

impl Store for Trap {
    fn write(&self, work: Writing) -> Wait<'_, ()> {
        self.inner.write(work)
    }

    fn read(&self, work: Reading) -> Wait<'_, ()> {
        assert!(!self.sprung.load(Ordering::SeqCst), "the trap is sprung");
        self.inner.read(work)
    }

    fn check(&self) -> Wait<'_, Vec<String>> {
        self.inner.check()
    }
}

#[tokio::test]
async fn a_panic_is_told_without_its_words() {
    let sprung = Arc::new(AtomicBool::new(false));
    let trap = Trap { inner: PlainStore::new(), sprung: Arc::clone(&sprung) };
    let stage = Stage::over(Arc::new(trap)).await;
    sprung.store(true, Ordering::SeqCst);
    let response = stage.ask("GET", "/v1/vaults").response().await;
    assert!(!response.problem(500, "damaged").contains("trap"));
    sprung.store(false, Ordering::SeqCst);
    assert_eq!(stage.ask("GET", "/v1/vaults").response().await.status, 200);
}

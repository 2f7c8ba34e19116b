//! What the server writes into its log. In a program of its own, because whether a line is logged is
//! decided once per process.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::io;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use everwhen_server::{ServerState, router};
use everwhen_testkit::{PlainStore, engine_over};
use tower::ServiceExt;

/// Where the log goes.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

async fn send(router: &Router, method: &str, path: &str, body: &str) {
    let request = Request::builder().method(method).uri(path);
    let request = request.header("content-type", "application/json");
    let request = request.header("authorization", "Bearer operator-secret");
    router.clone().oneshot(request.body(Body::from(body.to_owned())).unwrap()).await.unwrap();
}

#[tokio::test]
async fn the_log_names_routes_and_never_what_was_said() {
    let log = Log::default();
    let writer = log.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .init();
    let (engine, _) = engine_over(Arc::new(PlainStore::new()));
    let router = router(ServerState::new(engine, Some("operator-secret".into())).await.unwrap());
    let path = "/v1/vaults/ana/memories/diary/entries";
    send(&router, "POST", path, r#"{"role": "user", "content": "my secret"}"#).await;
    send(&router, "POST", path, r#"{"role": "my secret", "content": "my secret"}"#).await;
    send(&router, "GET", &format!("{path}?tag=secret"), "").await;
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let route = "/v1/vaults/{vault}/memories/{memory}/entries";
    for (method, status) in [("POST", 201), ("POST", 400), ("GET", 200)] {
        let line = format!("method=\"{method}\" route=\"{route}\" status={status} milliseconds=");
        assert!(text.contains(&line), "{line} is not in\n{text}");
    }
    assert!(!text.contains("secret") && !text.contains("diary"), "{text}");
}

//! The server of these tests: a router without a socket, requests, and their responses.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, header};
use everwhen::Engine;
use everwhen::ports::{Llm, Store};
use everwhen::time::ManualClock;
use everwhen_server::{ServerState, router};
use everwhen_store::{SqliteOptions, SqliteStore};
use everwhen_testkit::engine_over;
use http_body_util::BodyExt;
use serde_json::Value;
use tempfile::TempDir;
use tower::ServiceExt;

/// The operator token of these tests.
pub(crate) const TOKEN: &str = "operator-token";

/// A memory to talk about.
pub(crate) const DIARY: &str = "/v1/vaults/ana/memories/diary";

/// A server, and what a test may reach behind its back.
pub(crate) struct Stage {
    pub(crate) router: Router,
    pub(crate) engine: Engine,
    pub(crate) clock: Arc<ManualClock>,
    _directory: Option<TempDir>,
}

impl Stage {
    /// A fresh server over an empty database.
    pub(crate) async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("everwhen.db");
        let store = SqliteStore::open(&file, SqliteOptions::default()).unwrap();
        let stage = Self::over(Arc::new(store)).await;
        Self { _directory: Some(directory), ..stage }
    }

    /// A server over this store.
    pub(crate) async fn over(store: Arc<dyn Store>) -> Self {
        let (engine, clock) = engine_over(store);
        Self { router: interfaces(&engine).await, engine, clock, _directory: None }
    }

    /// A server with other routes.
    pub(crate) fn with_router(router: Router, engine: Engine, clock: Arc<ManualClock>) -> Self {
        Self { router, engine, clock, _directory: None }
    }

    /// The same server with a language model.
    pub(crate) async fn with_llm(self, llm: Arc<dyn Llm>) -> Self {
        let engine = self.engine.with_llm(llm);
        Self { router: interfaces(&engine).await, engine, ..self }
    }

    /// A request.
    pub(crate) fn ask(&self, method: &str, path: &str) -> Ask {
        let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        Ask { router: self.router.clone(), request }
    }

    /// What is at this path.
    pub(crate) async fn get(&self, path: &str) -> Value {
        self.ask("GET", path).response().await.with(200)
    }

    /// Sends a body there; it must succeed.
    pub(crate) async fn post(&self, path: &str, body: Value) -> Value {
        let response = self.ask("POST", path).json(&body).response().await;
        assert!(
            response.status == 200 || response.status == 201,
            "{path}: {} {}",
            response.status,
            response.text
        );
        response.body
    }

    /// Something the user said in the diary.
    pub(crate) async fn say(&self, time: &str, content: &str) -> Value {
        let entry =
            serde_json::json!({ "role": "user", "content": content, "conversation_time": time });
        self.post(&format!("{DIARY}/entries"), entry).await
    }

    /// A new key of a vault, with the usual scope.
    pub(crate) async fn key_of(&self, vault: &str) -> String {
        self.key_with(serde_json::json!({ "vault": vault })).await
    }

    /// A new key.
    pub(crate) async fn key_with(&self, body: Value) -> String {
        let made = self.ask("POST", "/v1/keys").key(TOKEN).json(&body).response().await.with(201);
        made["key"].as_str().unwrap().to_owned()
    }
}

async fn interfaces(engine: &Engine) -> Router {
    router(ServerState::new(engine.clone(), Some(TOKEN.into())).await.unwrap())
}

/// A request on its way.
pub(crate) struct Ask {
    router: Router,
    request: Request<Body>,
}

impl Ask {
    /// With this JSON.
    pub(crate) fn json(self, body: &Value) -> Self {
        self.raw("application/json", body.to_string().into_bytes())
    }

    /// With these bytes, said to be of this type.
    pub(crate) fn raw(mut self, kind: &str, body: Vec<u8>) -> Self {
        *self.request.body_mut() = Body::from(body);
        self.header(header::CONTENT_TYPE.as_str(), kind)
    }

    /// With this key.
    pub(crate) fn key(self, key: &str) -> Self {
        self.header("authorization", &format!("Bearer {key}"))
    }

    /// With this idempotency key.
    pub(crate) fn once(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    /// With this header.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        let name: header::HeaderName = name.parse().unwrap();
        self.request.headers_mut().insert(name, value.parse().unwrap());
        self
    }

    /// What comes back.
    pub(crate) async fn response(self) -> HttpResponse {
        let response = self.router.oneshot(self.request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        HttpResponse { status: parts.status.as_u16(), headers: parts.headers, body, text }
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
    pub(crate) text: String,
}

impl HttpResponse {
    /// The body of an answer that must have this status.
    pub(crate) fn with(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.headers["content-type"], "application/json");
        self.body
    }

    /// The sentence of a refusal that must be a whole problem document of this status and kind.
    pub(crate) fn problem(&self, status: u16, kind: &str) -> String {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.headers["content-type"], "application/problem+json", "{}", self.text);
        assert_eq!(self.body["status"], status);
        assert_eq!(self.body["kind"], kind, "{}", self.text);
        assert_eq!(self.body["type"], format!("urn:everwhen:problem:{kind}"));
        assert!(self.body["title"].as_str().is_some_and(|title| !title.is_empty()));
        self.body["detail"].as_str().unwrap().to_owned()
    }

    /// Whether it is an old answer told again.
    pub(crate) fn replayed(&self) -> bool {
        self.headers.get("idempotency-replayed").is_some_and(|value| value == "true")
    }
}

/// The values of one field of every row of a page.
pub(crate) fn column<'a>(page: &'a Value, field: &str) -> Vec<&'a Value> {
    page["data"].as_array().unwrap().iter().map(|row| &row[field]).collect()
}

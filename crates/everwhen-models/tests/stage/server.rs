//! A server on this machine that answers as configured and remembers what it was asked.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

/// What a request was.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

type Behaviour = Box<dyn Fn(usize, &Value) -> Response + Send + Sync>;

/// A server that answers as configured and remembers what it was asked.
pub(crate) struct Server {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

struct Host {
    behaviour: Behaviour,
    count: AtomicUsize,
    asked: Arc<Mutex<Vec<Asked>>>,
    /// It reads requests and never answers.
    is_silent: bool,
}

impl Server {
    pub(crate) async fn start(
        behaviour: impl Fn(usize, &Value) -> Response + Send + Sync + 'static,
    ) -> Self {
        Self::serve(false, Box::new(behaviour)).await
    }

    /// A server that reads requests and never answers, so a client waits until its own timeout.
    pub(crate) async fn silent() -> Self {
        Self::serve(true, Box::new(|_, _| StatusCode::NO_CONTENT.into_response())).await
    }

    async fn serve(is_silent: bool, behaviour: Behaviour) -> Self {
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let host = Arc::new(Host {
            behaviour,
            count: AtomicUsize::new(0),
            asked: asked.clone(),
            is_silent,
        });
        let router = Router::new().fallback(answer).with_state(host);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, asked }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

async fn answer(
    State(host): State<Arc<Host>>,
    uri: Uri,
    headers: HeaderMap,
    body: String,
) -> Response {
    let body: Value = serde_json::from_str(&body).unwrap();
    let asked = Asked { path: uri.path().to_owned(), headers, body: body.clone() };
    host.asked.lock().unwrap().push(asked);
    if host.is_silent {
        std::future::pending::<()>().await;
    }
    (host.behaviour)(host.count.fetch_add(1, Ordering::SeqCst), &body)
}

impl Asked {
    /// A header, if it was sent.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// An answer with a status.
pub(crate) fn refusal(status: u16, body: &str) -> Response {
    (StatusCode::from_u16(status).unwrap(), body.to_owned()).into_response()
}

//! A server on a socket, an upstream behind it that remembers what it was sent, and plain requests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use everwhen::{Config, Environment, Flags};
use everwhen_server::{Proxy, ServerState, listen, router, serve};
use everwhen_testkit::{PlainStore, engine_over};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) const TOKEN: &str = "operator-token";
/// A chat, as small as it can be.
pub(crate) const CHAT: &str = r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#;
/// What everything is about.
pub(crate) const ENTRIES: &str = "/v1/vaults/default/memories/ana/entries";

/// A server with an upstream.
pub(crate) struct Stage {
    pub(crate) address: SocketAddr,
    pub(crate) state: ServerState,
    /// Paths that the upstream was sent.
    passed: Arc<Mutex<Vec<String>>>,
    pub(crate) stop: Option<oneshot::Sender<()>>,
    pub(crate) server: JoinHandle<std::io::Result<()>>,
    _directory: TempDir,
}

impl Stage {
    /// A server with this configuration; `UPSTREAM` in it is the address of the upstream, which is
    /// otherwise the only one.
    pub(crate) async fn with(settings: &str) -> Self {
        let passed = Arc::<Mutex<Vec<String>>>::default();
        let upstream = upstream(Arc::clone(&passed)).await;
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("config.toml");
        let settings = match settings.contains("UPSTREAM") {
            true => settings.replace("UPSTREAM", &format!("http://{upstream}")),
            false => format!("upstream = \"http://{upstream}/v1\"\n{settings}"),
        };
        std::fs::write(&file, settings).unwrap();
        let data = Some(directory.path().display().to_string());
        let flags = Flags { config: Some(file), data, ..Flags::default() };
        let config = Config::load(&Environment::default(), &flags).unwrap();
        let (engine, _) = engine_over(Arc::new(PlainStore::new()));
        let proxy = Proxy::new(&config, Some(directory.path())).unwrap();
        let state = ServerState::new(engine, Some(TOKEN.into())).await.unwrap();
        let state = state.with_server(&config.server, &config.listen.value).with_proxy(proxy);
        let listener = listen("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let watched = state.clone();
        let shutdown = async move {
            stopped.await.unwrap_or_default();
            watched.end_watching();
        };
        let router = router(state.clone());
        let serving = serve(router, listener, config.server.limits(), shutdown);
        let server = tokio::spawn(serving);
        Self { address, state, passed, stop: Some(stop), server, _directory: directory }
    }

    /// A server as it comes.
    pub(crate) async fn new() -> Self {
        Self::with("").await
    }

    /// A request with these headers, `Host` among them unless the test names one.
    pub(crate) async fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> HttpResponse {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        self.raw(&format!("{text}\r\n{body}")).await
    }

    /// These bytes, and whatever comes back until the server hangs up.
    pub(crate) async fn raw(&self, text: &str) -> HttpResponse {
        let mut client = self.connect().await;
        client.write_all(text.as_bytes()).await.unwrap();
        read(&mut client).await
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Keeps one entry for the tests to look for.
    pub(crate) async fn remember(&self) {
        let json = ("Content-Type", "application/json");
        let entry = r#"{"role":"user","content":"my secret"}"#;
        assert_eq!(self.ask("POST", ENTRIES, &[json], entry).await.status, 201);
    }

    /// What is stored, asked for as its owner would.
    pub(crate) async fn stored(&self) -> Vec<String> {
        self.state.settle().await;
        let mut found = Vec::new();
        let memories = self.ask("GET", "/v1/vaults/default/memories", &[], "").await;
        for memory in memories.json()["data"].as_array().into_iter().flatten() {
            let name = memory["name"].as_str().unwrap();
            let path = format!("/v1/vaults/default/memories/{name}/entries");
            let entries = self.ask("GET", &path, &[], "").await.json();
            let entries = entries["data"].as_array().unwrap().iter();
            found.extend(entries.map(|entry| entry["content"].as_str().unwrap().to_owned()));
        }
        found
    }

    /// How many requests the upstream was sent.
    pub(crate) fn passed(&self) -> usize {
        self.passed.lock().unwrap().len()
    }
}

/// All that a server says until it hangs up.
pub(crate) async fn read(client: &mut TcpStream) -> HttpResponse {
    let mut bytes = Vec::new();
    // A connection may be closed hard after a refusal; what arrived before counts.
    let _ = client.read_to_end(&mut bytes).await;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    HttpResponse { status, head: head.to_lowercase(), body: body.to_owned() }
}

async fn upstream(passed: Arc<Mutex<Vec<String>>>) -> SocketAddr {
    let router = Router::new().fallback(answer).with_state(passed);
    let listener = listen("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    address
}

/// Says "Noted.", with the CORS headers that some upstreams send; never answers where it is asked to.
async fn answer(State(passed): State<Arc<Mutex<Vec<String>>>>, request: Request) -> Response {
    passed.lock().unwrap().push(request.uri().path().to_owned());
    let body = axum::body::to_bytes(request.into_body(), usize::MAX).await.unwrap();
    if String::from_utf8_lossy(&body).contains("never answer") {
        std::future::pending::<()>().await;
    }
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_CREDENTIALS, "true"),
    ];
    let reply = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Noted."}}]}"#;
    (headers, reply).into_response()
}

/// What came back.
#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    /// In lower case.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl HttpResponse {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    /// The value of a header; in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let prefix = format!("{name}: ");
        self.head.lines().find_map(|line| line.strip_prefix(&prefix))
    }
}

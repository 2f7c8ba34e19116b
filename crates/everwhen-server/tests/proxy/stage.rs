//! Where clients meet the proxy: a server without a socket before a recording upstream.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request};
use everwhen::memory::{Address, Entry, Name};
use everwhen::ports::{EntryQuery, Reading, Store, Wait, Writing};
use everwhen::time::ManualClock;
use everwhen::{Config, Engine, Environment, Error, Flags, NewVault};
use everwhen_server::{Proxy, ServerState, router};
use everwhen_store::{SqliteOptions, SqliteStore};
use everwhen_testkit::engine_over;
use http_body_util::BodyExt;
use jiff::SignedDuration;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::{Notify, watch};
use tower::ServiceExt;

use crate::recorder::Recorder;

pub(crate) const TOKEN: &str = "operator-token";

/// A store that can be down or damaged, or hang.
pub(crate) struct Moody {
    inner: SqliteStore,
    pub(crate) down: AtomicBool,
    pub(crate) damaged: AtomicBool,
    /// Readings do not end.
    pub(crate) reads_hang: AtomicBool,
    /// It does the work, and then says that it could not.
    pub(crate) loses_answers: AtomicBool,
    /// Calls hang until it is back, and fail then.
    pub(crate) hangs: AtomicBool,
    /// Calls that have hung so far.
    held: watch::Sender<usize>,
    /// Calls panic.
    pub(crate) panics: AtomicBool,
    /// Told to calls that hang when it is back.
    back: Notify,
}

/// How a store fails, for tests that run against each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It fails at once.
    Fails,
    /// Its calls hang until it is back, and fail then.
    Hangs,
    /// It panics.
    Panics,
    /// It does the work and says that it failed.
    LosesAnswers,
}

impl Fault {
    pub(crate) const ALL: [Self; 4] = [Self::Fails, Self::Hangs, Self::Panics, Self::LosesAnswers];
}

impl Moody {
    /// Lets it fail in this way, or no longer.
    pub(crate) fn fail(&self, fault: Fault, fails: bool) {
        let flag = match fault {
            Fault::Fails => &self.down,
            Fault::Hangs => &self.hangs,
            Fault::Panics => &self.panics,
            Fault::LosesAnswers => &self.loses_answers,
        };
        flag.store(fails, Ordering::SeqCst);
        if !fails {
            self.back.notify_waiters();
        }
    }

    /// Waits until a call hangs that came after this was asked for.
    pub(crate) fn next_held(&self) -> impl Future<Output = ()> + use<> {
        let mut held = self.held.subscribe();
        async move { held.changed().await.unwrap() }
    }

    fn mood<'a>(&'a self, call: Wait<'a, ()>) -> Wait<'a, ()> {
        if self.panics.load(Ordering::SeqCst) {
            return Box::pin(async { panic_quietly() });
        }
        if self.hangs.load(Ordering::SeqCst) {
            return Box::pin(async move {
                let back = self.back.notified();
                self.held.send_modify(|calls| *calls += 1);
                back.await;
                Err(Error::unavailable("the store did not answer"))
            });
        }
        if self.damaged.load(Ordering::SeqCst) {
            return Box::pin(async { Err(Error::damaged("a page of the file is torn")) });
        }
        if self.down.load(Ordering::SeqCst) {
            return Box::pin(async { Err(Error::unavailable("the disk is on fire")) });
        }
        let lost = self.loses_answers.load(Ordering::SeqCst);
        Box::pin(async move {
            call.await?;
            if lost { Err(Error::unavailable("the answer was lost")) } else { Ok(()) }
        })
    }
}

/// Panics without the panic hook, so that no backtrace is printed: reading the symbols of a test
/// binary for one takes longer than the deadlines under test.
fn panic_quietly() -> ! {
    std::panic::resume_unwind(Box::new("the store panics because the test told it to"))
}

impl Store for Moody {
    fn write(&self, work: Writing) -> Wait<'_, ()> {
        self.mood(self.inner.write(work))
    }

    fn read(&self, work: Reading) -> Wait<'_, ()> {
        match self.reads_hang.load(Ordering::SeqCst) {
            true => Box::pin(std::future::pending()),
            false => self.mood(self.inner.read(work)),
        }
    }

    fn check(&self) -> Wait<'_, Vec<String>> {
        self.inner.check()
    }
}

/// A server, its upstream, and what a test may reach behind its back.
pub(crate) struct Stage {
    pub(crate) router: Router,
    pub(crate) state: ServerState,
    pub(crate) engine: Engine,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) upstream: Recorder,
    pub(crate) store: Arc<Moody>,
    pub(crate) directory: Arc<TempDir>,
}

impl Stage {
    /// A proxy before one upstream of OpenAI's kind that adds nothing but stamps.
    pub(crate) async fn new() -> Self {
        Self::with("[proxy]\nnow = 'off'\ncontext = 'off'\nbriefing = 'off'\n").await
    }

    /// A proxy with this configuration; `UPSTREAM` in it is the upstream's address.
    pub(crate) async fn with(settings: &str) -> Self {
        Self::on(Arc::new(tempfile::tempdir().unwrap()), settings).await
    }

    /// The same over a store that is opened like this, in memory where the system has files there:
    /// the outbox waits for the disk with every exchange.
    pub(crate) async fn over(settings: &str, options: SqliteOptions) -> Self {
        let in_memory = tempfile::tempdir_in("/dev/shm");
        let directory = in_memory.or_else(|_| tempfile::tempdir()).unwrap();
        Self::build(Arc::new(directory), settings, options).await
    }

    /// The same, on what is in this directory.
    pub(crate) async fn on(directory: Arc<TempDir>, settings: &str) -> Self {
        Self::build(directory, settings, SqliteOptions::default()).await
    }

    async fn build(directory: Arc<TempDir>, settings: &str, options: SqliteOptions) -> Self {
        let upstream = Recorder::start().await;
        let file = directory.path().join("config.toml");
        let settings = if settings.contains("UPSTREAM") {
            settings.replace("UPSTREAM", &upstream.url)
        } else {
            format!("upstream = \"{}/v1\"\n{settings}", upstream.url)
        };
        let settings = patient(settings);
        std::fs::write(&file, settings).unwrap();
        let data = Some(directory.path().display().to_string());
        let flags = Flags { config: Some(file), data, ..Flags::default() };
        let config = Config::load(&Environment::default(), &flags).unwrap();
        let path = directory.path().join("everwhen.db");
        let inner = SqliteStore::open(&path, options).unwrap();
        let store = Arc::new(Moody {
            inner,
            down: AtomicBool::default(),
            damaged: AtomicBool::default(),
            reads_hang: AtomicBool::default(),
            loses_answers: AtomicBool::default(),
            hangs: AtomicBool::default(),
            held: watch::Sender::new(0),
            panics: AtomicBool::default(),
            back: Notify::new(),
        });
        let (engine, clock) = engine_over(store.clone());
        let engine = engine.with_spending_cap(config.llm.cap_nanos());
        let proxy = Proxy::new(&config, Some(directory.path())).unwrap();
        let state =
            ServerState::new(engine.clone(), Some(TOKEN.into())).await.unwrap().with_proxy(proxy);
        let router = router(state.clone());
        Self { router, state, engine, clock, upstream, store, directory }
    }

    /// Waits until nothing is left in the outbox.
    pub(crate) async fn drained(&self) {
        while self.outbox("rows").await != 0.0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// A number of the outbox in the metrics; reading it does not wait for the store.
    pub(crate) async fn outbox(&self, what: &str) -> f64 {
        self.state.flush().await;
        let metrics = self.get("/metrics").response().await.text;
        let name = format!("everwhen_outbox_{what} ");
        let value = metrics.lines().find_map(|line| line.strip_prefix(&name));
        value.unwrap_or_else(|| panic!("no {name} in {metrics}")).parse().unwrap()
    }

    /// Whether any file of the outbox holds this text.
    pub(crate) async fn outbox_holds(&self, text: &str) -> bool {
        self.state.flush().await;
        let files = std::fs::read_dir(self.directory.path()).unwrap().map(|file| file.unwrap());
        let mut of_outbox =
            files.filter(|file| file.file_name().to_string_lossy().starts_with("proxy-"));
        of_outbox.any(|file| {
            let bytes = std::fs::read(file.path()).unwrap_or_default();
            bytes.windows(text.len()).any(|window| window == text.as_bytes())
        })
    }

    /// Lets time pass.
    pub(crate) fn wait(&self, minutes: i64) {
        self.clock.advance(SignedDuration::from_mins(minutes));
    }

    /// A request to a path.
    pub(crate) fn post(&self, path: &str, body: &str) -> Ask {
        let request = Request::post(path).header("content-type", "application/json");
        Ask { router: self.router.clone(), request: request.body(body.to_owned().into()).unwrap() }
    }

    /// A request to remove something.
    pub(crate) fn delete(&self, path: &str) -> Ask {
        let request = Request::delete(path).body(Body::empty()).unwrap();
        Ask { router: self.router.clone(), request }
    }

    /// A request with this method.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &str) -> Ask {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("content-type", "application/json");
        Ask { router: self.router.clone(), request: request.body(body.to_owned().into()).unwrap() }
    }

    /// A request without a body.
    pub(crate) fn get(&self, path: &str) -> Ask {
        let request = Request::get(path).body(Body::empty()).unwrap();
        Ask { router: self.router.clone(), request }
    }

    /// Sends a chat of `u:` and `a:` and `s:` lines in the memory `m`; answers what the upstream
    /// was sent.
    pub(crate) async fn chat(&self, lines: &[&str]) -> String {
        let response = self.post("/v1/chat/completions", &chat(lines)).memory("m").response().await;
        assert_eq!(response.status, 200, "{}", response.text);
        self.state.settle().await;
        self.upstream.last().body
    }

    /// The same; answers the messages that the upstream was sent.
    pub(crate) async fn messages(&self, lines: &[&str]) -> Vec<String> {
        contents(&self.chat(lines).await)
    }

    /// The entries of a memory in the usual vault, oldest first.
    pub(crate) async fn entries(&self, memory: &str) -> Vec<Entry> {
        self.state.settle().await;
        let vault = Address::Name(Name::new("vault", "default").unwrap());
        let vault = self.engine.vault(vault).await.unwrap();
        let memory = Address::read("memory", memory).unwrap();
        vault.entries(memory, None, EntryQuery::default()).await.unwrap().data
    }

    /// What was said in a memory: `12:00 user hi`.
    pub(crate) async fn said(&self, memory: &str) -> Vec<String> {
        let entries = self.entries(memory).await;
        let line = |entry: &Entry| {
            let time = entry.conversation_time.strftime("%H:%M");
            format!("{time} {} {}", entry.role.as_str(), entry.content.as_str())
        };
        entries.iter().map(line).collect()
    }

    /// The names of all memories in the usual vault.
    pub(crate) async fn memories(&self) -> Vec<String> {
        let vault = Address::Name(Name::new("vault", "default").unwrap());
        let Ok(vault) = self.engine.vault(vault).await else { return Vec::new() };
        let page = vault.memories(None, None).await.unwrap();
        page.data.iter().map(|memory| memory.name.to_string()).collect()
    }

    /// A new key of a vault.
    pub(crate) async fn key(&self, vault: &str, body: &Value) -> String {
        let name = Name::new("vault", vault).unwrap();
        let new = NewVault { name, description: None, zone: None, settings: None };
        self.engine.create_vault(new, None).await.unwrap();
        let mut body = body.clone();
        body["vault"] = json!(vault);
        let response = self.post("/v1/keys", &body.to_string()).key(TOKEN).response().await;
        assert_eq!(response.status, 201, "{}", response.text);
        response.json()["key"].as_str().unwrap().to_owned()
    }
}

/// The same settings, with all the time that memory may need on a busy machine; a test that is about
/// the deadline sets its own.
fn patient(settings: String) -> String {
    const PATIENCE: &str = "[proxy]\ndeadline_ms = 60000\n";
    if settings.contains("deadline_ms") {
        return settings;
    }
    match settings.contains("[proxy]\n") {
        true => settings.replacen("[proxy]\n", PATIENCE, 1),
        false => format!("{settings}\n{PATIENCE}"),
    }
}

/// A chat completion of `u:` and `a:` and `s:` lines.
pub(crate) fn chat(lines: &[&str]) -> String {
    let message = |line: &&str| {
        let role = match &line[..2] {
            "u:" => "user",
            "a:" => "assistant",
            "s:" => "system",
            _ => panic!("{line}"),
        };
        format!("{{\"role\":\"{role}\",\"content\":{}}}", json!(&line[2..]))
    };
    let messages: Vec<String> = lines.iter().map(message).collect();
    format!("{{\"model\":\"m\",\"messages\":[{}]}}", messages.join(","))
}

/// The contents of the messages of a body.
pub(crate) fn contents(body: &str) -> Vec<String> {
    let body: Value = serde_json::from_str(body).unwrap();
    let messages = body["messages"].as_array().unwrap();
    messages.iter().map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

/// A request on its way.
pub(crate) struct Ask {
    router: Router,
    request: Request<Body>,
}

impl Ask {
    pub(crate) fn header(self, name: &str, value: &str) -> Self {
        self.header_of(name, value.as_bytes())
    }

    /// A header with these bytes, in whatever encoding.
    pub(crate) fn header_of(mut self, name: &str, value: &[u8]) -> Self {
        let name: axum::http::HeaderName = name.parse().unwrap();
        let value = axum::http::HeaderValue::from_bytes(value).unwrap();
        self.request.headers_mut().insert(name, value);
        self
    }

    pub(crate) fn memory(self, name: &str) -> Self {
        self.header("x-everwhen-memory", name)
    }

    pub(crate) fn key(self, key: &str) -> Self {
        self.header("authorization", &format!("Bearer {key}"))
    }

    /// The answer with its body on its way.
    pub(crate) async fn begun(self) -> (u16, HeaderMap, Body) {
        let response = self.router.oneshot(self.request).await.unwrap();
        let (parts, body) = response.into_parts();
        (parts.status.as_u16(), parts.headers, body)
    }

    /// The whole answer.
    pub(crate) async fn response(self) -> HttpResponse {
        let (status, headers, body) = self.begun().await;
        let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
        HttpResponse { status, headers, text }
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl HttpResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }
}

//! How a command reaches the API: inside this process, or at a server.
//!
//! The process that holds the data directory answers. If none does, this process locks the
//! directory, builds the router of a server, and unlocks the directory afterwards.

mod address;
mod events;
mod jobs;
mod liveness;

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, StatusCode, header};
use everwhen::{Config, Engine, Environment, Everwhen, FarLeases, LockHolder, Opened, limits};
use everwhen_server::McpSettings;
use futures_util::{StreamExt, TryStreamExt};
use http_body_util::BodyExt;
use serde_json::Value;
use tokio::io::AsyncReadExt;
use tower::ServiceExt;

use self::address::check_path;
pub(crate) use self::address::server_url;
pub(crate) use self::events::Events;
use crate::args::CommonArgs;
use crate::failure::{Failure, Result};
use crate::output;

/// How long to wait for another command to release the data directory.
const PATIENCE: Duration = Duration::from_secs(5);
/// Jobs that fall due within this time are reported, but not waited for.
const SOON: Duration = Duration::from_secs(30);
/// How long a command that reads runs jobs whose results it shows.
const CATCH_UP: Duration = Duration::from_secs(10);
/// Polling interval meanwhile.
const LOOK: Duration = Duration::from_millis(25);

/// The media type of a file.
const FILE: &str = "application/octet-stream";

/// A connection to the API.
pub(crate) enum Client {
    /// The router, in this process.
    Local(Box<Local>),
    /// A server.
    Remote(Remote),
}

/// How much of the API this process answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// All of it.
    Whole,
    /// What an agent's hook needs.
    Brief,
}

/// The data directory, opened in this process.
pub(crate) struct Local {
    router: Router,
    everwhen: Everwhen,
}

/// A server, and the key for it.
pub(crate) struct Remote {
    http: reqwest::Client,
    url: String,
    key: Option<String>,
    /// Whether it holds our data directory.
    here: bool,
}

/// One request to the API.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    method: Method,
    path: String,
    query: Vec<(&'static str, String)>,
    headers: Vec<(&'static str, String)>,
    body: Option<String>,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    /// Whether it is an event stream.
    pub(crate) is_stream: bool,
    /// Whether it repeats the receipt of an earlier request.
    pub(crate) replayed: bool,
    /// The body.
    pub(crate) text: String,
}

impl Request {
    /// A request without a body.
    pub(crate) fn new(method: Method, path: impl Into<String>) -> Self {
        let (query, headers) = (Vec::new(), Vec::new());
        Self { method, path: path.into(), query, headers, body: None }
    }

    /// A GET request.
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    /// A POST request with a JSON body.
    pub(crate) fn post(path: impl Into<String>, body: &Value) -> Self {
        Self::new(Method::POST, path).body(body.to_string())
    }

    /// A POST request whose body is sent as a stream.
    pub(crate) fn post_file(path: impl Into<String>) -> Self {
        Self::new(Method::POST, path)
    }

    /// A PUT request with a JSON body.
    pub(crate) fn put(path: impl Into<String>, body: &Value) -> Self {
        Self::new(Method::PUT, path).body(body.to_string())
    }

    /// Sets the JSON body.
    #[must_use]
    pub(crate) fn body(mut self, json: String) -> Self {
        self.body = Some(json);
        self
    }

    /// Adds a query parameter, if there is a value.
    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, value: Option<impl Into<String>>) -> Self {
        self.query.extend(value.map(|value| (name, value.into())));
        self
    }

    /// Sets the idempotency key.
    #[must_use]
    pub(crate) fn once(self, key: Option<String>) -> Self {
        self.header("idempotency-key", key)
    }

    /// Adds a header, if there is a value.
    #[must_use]
    pub(crate) fn header(mut self, name: &'static str, value: Option<String>) -> Self {
        self.headers.extend(value.map(|value| (name, value)));
        self
    }

    /// Path and query, percent-encoded.
    fn target(&self) -> String {
        let pairs = self.query.iter().map(|(name, value)| format!("{name}={}", escape(value)));
        let query: Vec<String> = pairs.collect();
        if query.is_empty() {
            self.path.clone()
        } else {
            format!("{}?{}", self.path, query.join("&"))
        }
    }
}

impl Reply {
    fn new(status: StatusCode, headers: &HeaderMap, text: String) -> Self {
        let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let is_stream = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
        Self { status, is_stream, replayed: headers.contains_key("idempotency-replayed"), text }
    }

    /// The response, or the failure that it describes.
    pub(crate) fn success(self) -> Result<Self> {
        let Self { status, text, .. } = &self;
        if status.is_success() { Ok(self) } else { Err(Failure::refused(*status, text)) }
    }

    /// The body as JSON, or nothing if what was asked for does not exist.
    pub(crate) fn found(self) -> Result<Option<Value>> {
        if matches!(self.status, StatusCode::NOT_FOUND | StatusCode::CONFLICT) {
            return Ok(None);
        }
        self.success()?.value().map(Some)
    }

    /// Why the request was rejected, if a retry would be rejected again.
    pub(crate) fn refusal(&self) -> Option<String> {
        let refusals =
            [StatusCode::BAD_REQUEST, StatusCode::CONFLICT, StatusCode::PAYLOAD_TOO_LARGE];
        let refused = refusals.contains(&self.status);
        refused.then(|| Failure::refused(self.status, &self.text).message).flatten()
    }

    /// The body as JSON.
    pub(crate) fn value(&self) -> Result<Value> {
        serde_json::from_str(&self.text).map_err(|_| Failure::foreign("its answer is not JSON"))
    }
}

/// Text, percent-encoded for a URL.
pub(crate) fn escape(text: &str) -> String {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
    const PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    utf8_percent_encode(text, PART).to_string()
}

impl Client {
    /// Connects to the named server, else to the process that holds the data directory, else opens
    /// it. Work that fell due while nothing ran is done first.
    pub(crate) async fn connect(
        config: &Config,
        environment: &Environment,
        common: &CommonArgs,
    ) -> Result<Self> {
        let client = Self::connect_at_once(config, environment, common).await?;
        if let Self::Local(local) = &client {
            local.catch_up(config).await?;
        }
        Ok(client)
    }

    /// Connects as [`Self::connect`] does, without doing any work first.
    pub(crate) async fn connect_at_once(
        config: &Config,
        environment: &Environment,
        common: &CommonArgs,
    ) -> Result<Self> {
        Self::find(config, environment, common, Reach::Whole).await
    }

    /// Connects as [`Self::connect_at_once`] does, to what [`everwhen_server::brief_router`] answers. The
    /// outbox, which takes longer to open than entries take to read, stays closed.
    pub(crate) async fn connect_briefly(
        config: &Config,
        environment: &Environment,
        common: &CommonArgs,
    ) -> Result<Self> {
        Self::find(config, environment, common, Reach::Brief).await
    }

    async fn find(
        config: &Config,
        environment: &Environment,
        common: &CommonArgs,
        reach: Reach,
    ) -> Result<Self> {
        let key = common.key.clone().or_else(|| environment.get("EVERWHEN_KEY").map(Into::into));
        // A location given on the command line overrides the environment.
        let named = common.data.is_some() || common.store.is_some();
        let usual = environment.get("EVERWHEN_SERVER").filter(|_| !named);
        if let Some(url) = common.server.as_deref().or(usual) {
            return Remote::new(url, key, false).map(Self::Remote);
        }
        match open_patiently(config).await? {
            Opened::Here(everwhen) => Self::open(*everwhen, config, reach).await,
            Opened::Elsewhere(LockHolder { server: Some(server), .. }) => {
                Remote::new(&server.url, Some(server.token), true).map(Self::Remote)
            }
            Opened::Elsewhere(holder) => Err(holder.refusal(&config.data.value).into()),
        }
    }

    /// Answers here. Work that fell due while nothing ran is done first.
    pub(crate) async fn local(everwhen: Everwhen, config: &Config) -> Result<Self> {
        let client = Self::open(everwhen, config, Reach::Whole).await?;
        if let Self::Local(local) = &client {
            local.catch_up(config).await?;
        }
        Ok(client)
    }

    async fn open(everwhen: Everwhen, config: &Config, reach: Reach) -> Result<Self> {
        let token = everwhen.operator_token().to_owned();
        let state =
            everwhen_server::ServerState::new(everwhen.engine().clone(), Some(token)).await?;
        let state = state.requiring_key().with_mcp(McpSettings::of(config));
        let state = state.with_server(&config.server, &config.listen.value);
        let router = match reach {
            Reach::Brief => everwhen_server::brief_router(state),
            // A running server has its own outbox.
            Reach::Whole if everwhen.is_shared() => everwhen_server::router(state),
            Reach::Whole => {
                everwhen_server::router(state.with_outbox(config, everwhen.directory())?)
            }
        };
        Ok(Self::Local(Box::new(Local { router, everwhen })))
    }

    /// Sends a request; a response that is no success becomes a failure.
    pub(crate) async fn send(&self, request: Request) -> Result<Reply> {
        self.attempt(request).await?.success()
    }

    /// Sends a request and returns any response.
    pub(crate) async fn attempt(&self, request: Request) -> Result<Reply> {
        check_path(&request.path)?;
        match self {
            Self::Local(local) => local.send(request).await,
            Self::Remote(remote) => remote.send(request).await,
        }
    }

    /// Sends a file as the body of a request, as a stream.
    pub(crate) async fn upload(&self, request: Request, file: &Path) -> Result<Reply> {
        check_path(&request.path)?;
        let open = tokio::fs::File::open(file).await;
        let open = open.map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
        match self {
            Self::Local(local) => local.upload(request, open).await,
            Self::Remote(remote) => remote.upload(request, open).await,
        }
        .and_then(Reply::success)
    }

    /// Writes the body of a response into a file, as a stream. Returns its bytes.
    pub(crate) async fn download(&self, request: Request, file: &mut dyn Write) -> Result<u64> {
        check_path(&request.path)?;
        match self {
            Self::Local(local) => local.download(request, file).await,
            Self::Remote(remote) => remote.download(request, file).await,
        }
    }

    /// The engine, where this process answers.
    pub(crate) fn engine(&self) -> Option<&Engine> {
        match self {
            Self::Local(local) => Some(local.everwhen.engine()),
            Self::Remote(_) => None,
        }
    }

    /// Opens the configured embedder, if the API is in this process.
    pub(crate) async fn open_embedder(&self) -> Result<()> {
        match self {
            Self::Local(local) => Ok(local.everwhen.embedding().open().await?),
            Self::Remote(_) => Ok(()),
        }
    }

    /// Opens an event stream; only a running server has one.
    pub(crate) async fn watch(&self, request: Request) -> Result<Events> {
        match self {
            Self::Local(_) => Err(Failure::new(
                "no server runs on this data directory; start one with: everwhen serve --upstream URL",
            )),
            Self::Remote(remote) => remote.watch(request).await,
        }
    }

    /// Does all work that is due, where this process answers.
    pub(crate) async fn settle(&self) -> Result<()> {
        if let Self::Local(local) = self {
            local.everwhen.engine().settle().await?;
        }
        Ok(())
    }

    /// Runs due jobs before a command that reads, where this process answers. Jobs that ask a model
    /// are left; the number of those that are due is returned.
    pub(crate) async fn catch_up(&self) -> Result<u64> {
        let Self::Local(local) = self else { return Ok(0) };
        let engine = local.everwhen.engine();
        jobs::run_for(engine, CATCH_UP).await?;
        // Jobs wait a moment for more entries; those that are about to run are reported, too.
        let now = engine.now() + SOON;
        let counts = engine.count_jobs(now).await?.unwrap_or_default();
        Ok(counts.iter().map(|one| one.due).sum())
    }

    /// Runs the jobs that the command caused, so that the next command sees their results.
    pub(crate) async fn finish(self) -> Result<()> {
        if let Self::Local(local) = self {
            let engine = local.everwhen.engine();
            engine.free_stuck_jobs(&mut FarLeases::default()).await?;
            jobs::run_due(engine).await?;
            jobs::embed_a_little(engine).await?;
            if let (_, Some(step)) = engine.clock_steps().noted() {
                output::note(&step.to_string());
            }
            engine.keep_indexes(limits::UNKEPT_ENTRIES).await?;
        }
        Ok(())
    }
}

/// Opens the data directory; waits a little if another command holds it.
async fn open_patiently(config: &Config) -> Result<Opened> {
    let mut waited = Duration::ZERO;
    loop {
        match Everwhen::open_or_find(config)? {
            Opened::Elsewhere(LockHolder { server: None, .. }) if waited < PATIENCE => {}
            opened => return Ok(opened),
        }
        tokio::time::sleep(LOOK).await;
        waited += LOOK;
    }
}

impl Local {
    /// Applies the configured rules, and does work that fell due while nothing ran.
    async fn catch_up(&self, config: &Config) -> Result<()> {
        self.everwhen.apply_conversation_rules(config).await?;
        jobs::run_due(self.everwhen.engine()).await
    }

    /// The router that answers.
    pub(crate) fn router(&self) -> Router {
        self.router.clone()
    }

    /// The open data directory.
    pub(crate) fn everwhen(&self) -> &Everwhen {
        &self.everwhen
    }

    pub(crate) async fn send(&self, request: Request) -> Result<Reply> {
        let is_json = request.body.is_some();
        let body = request.body.clone().map_or_else(Body::empty, Body::from);
        let answer = self.answer(request, body, is_json.then_some("application/json")).await?;
        whole(answer).await
    }

    async fn upload(&self, request: Request, file: tokio::fs::File) -> Result<Reply> {
        let body = Body::from_stream(chunks(file));
        whole(self.answer(request, body, Some(FILE)).await?).await
    }

    async fn download(&self, request: Request, file: &mut dyn Write) -> Result<u64> {
        let answer = self.answer(request, Body::empty(), None).await?;
        if !answer.status().is_success() {
            let reply = whole(answer).await?;
            return Err(Failure::refused(reply.status, &reply.text));
        }
        let (mut chunks, mut bytes) = (answer.into_body().into_data_stream(), 0);
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|error| Failure::new(error.to_string()))?;
            file.write_all(&chunk)?;
            bytes += chunk.len() as u64;
        }
        Ok(bytes)
    }

    async fn answer(
        &self,
        request: Request,
        body: Body,
        kind: Option<&'static str>,
    ) -> Result<axum::response::Response> {
        let mut parts = axum::http::Request::builder()
            .method(request.method.clone())
            .uri(request.target())
            .header(header::HOST, "localhost")
            .header(header::AUTHORIZATION, format!("Bearer {}", self.everwhen.operator_token()));
        for (name, value) in &request.headers {
            parts = parts.header(*name, value);
        }
        if let Some(kind) = kind {
            parts = parts.header(header::CONTENT_TYPE, kind);
        }
        let ready = parts.body(body).map_err(|error| Failure::usage(error.to_string()))?;
        let Ok(answer) = self.router.clone().oneshot(ready).await;
        Ok(answer)
    }
}

/// A response whose body has arrived.
async fn whole(answer: axum::response::Response) -> Result<Reply> {
    let (head, body) = answer.into_parts();
    let body = body.collect().await;
    let body = body.map_err(|error| Failure::new(error.to_string()))?.to_bytes();
    let text = String::from_utf8_lossy(&body).into_owned();
    Ok(Reply::new(head.status, &head.headers, text))
}

/// A file in parts.
fn chunks(
    file: tokio::fs::File,
) -> impl futures_util::Stream<Item = std::io::Result<Bytes>> + Send + Sync {
    futures_util::stream::try_unfold(file, |mut file| async move {
        let mut chunk = vec![0; 128 * 1024];
        let read = file.read(&mut chunk).await?;
        chunk.truncate(read);
        Ok((read > 0).then(|| (chunk.into(), file)))
    })
}

impl Remote {
    fn new(url: &str, key: Option<String>, here: bool) -> Result<Self> {
        let url = server_url(url)?;
        let http = everwhen::models::client_builder(&url)
            .connect_timeout(Duration::from_secs(5))
            .no_proxy()
            // Connections on this machine are cheap, and a new one shows for certain whether the
            // server still runs.
            .pool_max_idle_per_host(if here { 0 } else { usize::MAX })
            .build()
            .map_err(|error| Failure::new(error.to_string()))?;
        Ok(Self { http, url, key, here })
    }

    async fn watch(&self, request: Request) -> Result<Events> {
        let answer = self.answered(self.call(request)).await?;
        if answer.status().is_success() {
            return Ok(Events::new(answer));
        }
        let status = answer.status();
        Err(Failure::refused(status, &answer.text().await.unwrap_or_default()))
    }

    async fn send(&self, request: Request) -> Result<Reply> {
        self.answered(self.try_send(request)).await
    }

    /// Sends a request; the error says whether the server was reached.
    pub(crate) async fn try_send(&self, request: Request) -> Result<Reply, reqwest::Error> {
        let answer = self.call(request).await?;
        let (status, headers) = (answer.status(), answer.headers().clone());
        let text = answer.text().await?;
        Ok(Reply::new(status, &headers, text))
    }

    async fn upload(&self, request: Request, file: tokio::fs::File) -> Result<Reply> {
        let frames = chunks(file).map_ok(http_body::Frame::data);
        let body = reqwest::Body::wrap(http_body_util::StreamBody::new(Box::pin(frames)));
        let call = self.begin(&request).header(header::CONTENT_TYPE, FILE).body(body);
        let answer = self.answered(call.send()).await?;
        let (status, headers) = (answer.status(), answer.headers().clone());
        let text = answer.text().await.map_err(|error| self.unreachable(&error))?;
        Ok(Reply::new(status, &headers, text))
    }

    async fn download(&self, request: Request, file: &mut dyn Write) -> Result<u64> {
        let answer = self.answered(self.call(request)).await?;
        if !answer.status().is_success() {
            let status = answer.status();
            return Err(Failure::refused(status, &answer.text().await.unwrap_or_default()));
        }
        let (mut answer, mut bytes) = (answer, 0);
        while let Some(chunk) = self.answered(answer.chunk()).await? {
            file.write_all(&chunk)?;
            bytes += chunk.len() as u64;
        }
        Ok(bytes)
    }

    /// The request without its body.
    fn begin(&self, request: &Request) -> reqwest::RequestBuilder {
        let url = format!("{}{}", self.url, request.target());
        let mut call = self.http.request(request.method.clone(), url);
        if let Some(key) = &self.key {
            call = call.bearer_auth(key);
        }
        for (name, value) in &request.headers {
            call = call.header(*name, value);
        }
        call
    }

    async fn call(&self, request: Request) -> Result<reqwest::Response, reqwest::Error> {
        let mut call = self.begin(&request);
        if let Some(body) = request.body {
            call = call.header(header::CONTENT_TYPE, "application/json").body(body);
        }
        call.send().await
    }

    /// The URL of the server.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Whether it holds our data directory.
    pub(crate) fn is_here(&self) -> bool {
        self.here
    }

    /// The failure for a server that cannot be reached.
    pub(crate) fn unreachable(&self, error: &reqwest::Error) -> Failure {
        let mut cause: &dyn std::error::Error = error;
        while let Some(deeper) = cause.source() {
            cause = deeper;
        }
        Failure::new(format!("cannot reach the server at {}: {cause}", self.url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_kinds_fit_into_a_url() {
        assert_eq!(escape("Ana's notes/日"), "Ana%27s%20notes%2F%E6%97%A5");
        let request = Request::get("/v1/vaults")
            .with("after", Some("2023-01-08T12:49:00+01:00"))
            .with("before", None::<String>);
        assert_eq!(request.target(), "/v1/vaults?after=2023-01-08T12%3A49%3A00%2B01%3A00");
    }
}

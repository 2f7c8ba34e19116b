//! The model providers: which one answers, and how it is asked.
//!
//! A request is answered by an upstream, or by something local that is called like a model. Both
//! are an [`Answerer`], and those who ask do not know which.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, Method, StatusCode};
use everwhen::ledger::Commit;
use everwhen::{Error, Result, Upstream, UpstreamKind};

use super::headers::{self, API_KEY};
use super::refusal::Refusal;
use super::relay::deepest;
use super::workflow::Talk;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// What is asked.
pub(crate) struct Call {
    pub(crate) method: Method,
    /// The path below the upstream's root, with its query.
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    /// Whether the headers' credentials are meant for whoever answers.
    pub(crate) with_credentials: bool,
    pub(crate) body: Bytes,
    /// What something local is asked with.
    pub(crate) talk: Option<Talk>,
}

/// What comes back; the body may still be on its way.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: axum::body::Body,
}

/// An answer that somebody waits for.
pub(crate) type Answering = Pin<Box<dyn Future<Output = Result<Answer, Refusal>> + Send>>;

/// Somebody who answers as a model provider does.
pub(crate) trait Answerer: Send + Sync {
    /// What it is called.
    fn name(&self) -> &str;

    /// Which language it speaks.
    fn kind(&self) -> UpstreamKind;

    /// Whether it is something local, called like this model. It is told when messages were said
    /// instead of being sent stamps and an aside, and says itself how the time of its reply is settled.
    fn local(&self, _model: &str) -> Option<Commit> {
        None
    }

    /// Asks it.
    fn ask(&self, call: Call) -> Answering;
}

/// A model provider behind an address.
pub(crate) struct Provider {
    upstream: Upstream,
    client: reqwest::Client,
}

impl Provider {
    /// A provider with connections of its own.
    pub(crate) fn new(upstream: Upstream) -> Result<Self> {
        let builder = everwhen::models::client_builder(&upstream.root)
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(upstream.timeout)
            .redirect(reqwest::redirect::Policy::none());
        // A proxy of the system's is for the world, not for this machine.
        let builder = if is_local(&upstream.root) { builder.no_proxy() } else { builder };
        let client = builder.build().map_err(|error| {
            Error::unavailable(format!("no client for the upstream {:?}: {error}", upstream.name))
        })?;
        Ok(Self { upstream, client })
    }

    fn headers(&self, call: &Call) -> HeaderMap {
        let Some(key) = &self.upstream.key else {
            return headers::for_upstream(&call.headers, call.with_credentials);
        };
        let mut sent = headers::for_upstream(&call.headers, false);
        match self.upstream.kind {
            UpstreamKind::Anthropic => sent.insert(API_KEY, key.plain()),
            UpstreamKind::OpenAi | UpstreamKind::Ollama => sent.insert(AUTHORIZATION, key.bearer()),
        };
        sent
    }
}

fn is_local(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    ["localhost", "127.", "[::1]"].iter().any(|local| host.starts_with(local))
}

impl Answerer for Provider {
    fn name(&self) -> &str {
        &self.upstream.name
    }

    fn kind(&self) -> UpstreamKind {
        self.upstream.kind
    }

    fn ask(&self, call: Call) -> Answering {
        let headers = self.headers(&call);
        let url = format!("{}{}", self.upstream.root, call.path);
        let request = self.client.request(call.method, url).headers(headers).body(call.body);
        let name = self.upstream.name.clone();
        Box::pin(async move {
            let answered = request.send().await.map_err(|error| unreachable(&name, error))?;
            let (parts, body) = axum::http::Response::from(answered).into_parts();
            let body = axum::body::Body::new(body);
            Ok(Answer { status: parts.status, headers: parts.headers, body })
        })
    }
}

fn unreachable(name: &str, error: reqwest::Error) -> Refusal {
    let error = error.without_url();
    if error.is_timeout() && !error.is_connect() {
        return Refusal::too_slow(format!("the upstream {name:?} does not answer in time"));
    }
    Refusal::unreachable(format!("the upstream {name:?} does not answer: {}", deepest(&error)))
}

/// Everybody who answers, the usual one first.
#[derive(Default)]
pub(crate) struct Answerers(Vec<Arc<dyn Answerer>>);

/// Who answers a request, and what the model is called there.
pub(crate) struct Chosen {
    pub(crate) answerer: Arc<dyn Answerer>,
    /// The model without the name of its provider, if that stood before it.
    pub(crate) model: Option<String>,
}

impl Answerers {
    /// Providers for these upstreams.
    pub(crate) fn new(upstreams: &[Upstream]) -> Result<Self> {
        let provider = |one: &Upstream| Ok(Arc::new(Provider::new(one.clone())?) as Arc<_>);
        Ok(Self(upstreams.iter().map(provider).collect::<Result<_>>()?))
    }

    /// The same, with somebody who answers only when named.
    #[must_use]
    pub(crate) fn with(mut self, local: Option<Arc<dyn Answerer>>) -> Self {
        self.0.extend(local);
        self
    }

    /// Whether nobody answers.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Who answers: the one that is named, by a header or before a model's name, else the first
    /// that speaks one of these languages, the best first.
    pub(crate) fn choose(
        &self,
        header: Option<&str>,
        model: Option<&str>,
        kinds: &[UpstreamKind],
    ) -> Result<Chosen, Refusal> {
        if self.0.is_empty() {
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "no_upstream", NO_UPSTREAM));
        }
        let able = |one: &&Arc<dyn Answerer>| kinds.contains(&one.kind());
        if let Some(name) = header {
            let named = self.0.iter().filter(able).find(|one| one.name() == name);
            let answerer = named.cloned().ok_or_else(|| self.unknown(name, kinds))?;
            return Ok(Chosen { answerer, model: None });
        }
        let split = model.and_then(|model| model.split_once('/'));
        let named = split.and_then(|(name, model)| {
            let answerer = self.0.iter().filter(able).find(|one| one.name() == name)?;
            Some(Chosen { answerer: Arc::clone(answerer), model: Some(model.to_owned()) })
        });
        let others = self.0.iter().filter(|one| one.local("").is_none());
        let usual = kinds.iter().find_map(|kind| others.clone().find(|one| one.kind() == *kind));
        named
            .or_else(|| Some(Chosen { answerer: Arc::clone(usual?), model: None }))
            .ok_or_else(|| self.speechless(kinds))
    }

    /// All that speak one of these languages, the usual one first; or the one that is named.
    pub(crate) fn able(
        &self,
        header: Option<&str>,
        kinds: &[UpstreamKind],
    ) -> Result<Vec<Arc<dyn Answerer>>, Refusal> {
        let usual = self.choose(header, None, kinds)?.answerer;
        let others = self.0.iter().filter(|one| header.is_none() && kinds.contains(&one.kind()));
        let others = others.filter(|one| !Arc::ptr_eq(one, &usual)).cloned();
        Ok(std::iter::once(Arc::clone(&usual)).chain(others).collect())
    }

    fn unknown(&self, name: &str, kinds: &[UpstreamKind]) -> Refusal {
        let able = self.0.iter().filter(|one| kinds.contains(&one.kind()));
        let names: Vec<&str> = able.map(|one| one.name()).collect();
        let known = names.join(", ");
        Refusal::not_found(format!("no upstream {name:?} answers this; there are: {known}"))
    }

    fn speechless(&self, kinds: &[UpstreamKind]) -> Refusal {
        let wanted: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        Refusal::not_found(format!(
            "no upstream of kind {} is configured; add an [[upstream]] of that kind",
            wanted.join(" or ")
        ))
    }
}

const NO_UPSTREAM: &str = "no upstream is configured; start with: everwhen serve --upstream \
                           http://localhost:8080/v1";

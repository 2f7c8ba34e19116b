//! The gate: one layer before every interface, so that no route can be forgotten.
//!
//! A web page that a user happens to open can make the browser send requests to this server. Such a
//! request can be recognised by a `Host` that is not ours (DNS rebinding), by an `Origin` that is
//! not allowed, or by `Sec-Fetch-Site`. It is rejected here, before anything is read, stored or
//! forwarded. Pages whose origin is allowed get the CORS headers that their browser asks for.
//!
//! The gate also limits what one request and all requests together may use: requests in flight,
//! bytes of bodies in memory, the time a body takes to arrive, the nesting depth of JSON.

mod body;
mod cors;
mod depth;
mod query_key;
mod refused;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::{
    CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, ORIGIN,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use everwhen::{AllowedHost, AllowedOrigin, HostName, ServerConfig, ServerLimits, WebOrigin};
use everwhen_protocols::Protocol;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use self::body::{BodyKind, BodyStatus, Budget, CheckedBody};
use self::refused::{ErrorFormat, Rejection};
use crate::access::{Access, Caller};
use crate::body_with::BodyWith;
use crate::error;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
/// Health checks. They are answered under any host name and at any load.
const HEALTH: [&str; 2] = ["/healthz", "/readyz"];
/// The local address that a connection was made to; the serving loop adds it to requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalAddress(pub(crate) IpAddr);

/// The interfaces behind the gate; each has its own error format and accepts its own kinds of
/// bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interface {
    /// REST, health checks and metrics.
    Rest,
    /// MCP.
    Mcp,
    /// The page that documents the API.
    Docs,
    /// The web interface.
    Ui,
    /// The provider protocols.
    Proxy,
}

/// Which requests are accepted, and how many at once.
pub(crate) struct Gate {
    hosts: Vec<AllowedHost>,
    origins: Vec<AllowedOrigin>,
    limits: ServerLimits,
    requests: Arc<Semaphore>,
    buffered: Arc<Budget>,
}

impl Default for Gate {
    fn default() -> Self {
        Self::new(&ServerConfig::default(), "")
    }
}

impl Gate {
    /// The gate of a server that listens on this address.
    pub(crate) fn new(config: &ServerConfig, listen: &str) -> Self {
        let limits = config.limits();
        let listen = AllowedHost::of_listen_address(listen);
        Self {
            hosts: config.allowed_hosts().into_iter().chain(listen).collect(),
            origins: config.allowed_origins(),
            limits,
            requests: Arc::new(Semaphore::new(limits.max_requests)),
            buffered: Arc::new(Budget::new(limits.max_buffered)),
        }
    }

    /// Acquires a permit for a request in flight. Health checks need none.
    fn begin(&self, path: &str) -> Result<Option<OwnedSemaphorePermit>, Rejection> {
        if HEALTH.contains(&path) {
            return Ok(None);
        }
        let permit = Arc::clone(&self.requests).try_acquire_owned();
        permit.map(Some).map_err(|_| Rejection::Requests(self.limits.max_requests))
    }

    /// Whether a request names this server by a host name that a foreign web page cannot use.
    fn is_named_rightly(&self, request: &Request) -> bool {
        let local = request.extensions().get::<LocalAddress>().map(|local| local.0.to_canonical());
        let is_ours = |host: &HostName| {
            host.is_loopback()
                || (local.is_some() && host.address() == local)
                || self.hosts.iter().any(|allowed| allowed.allows(host))
        };
        hosts(request).all(|host| host.is_some_and(|host| is_ours(&host)))
    }

    /// The allowed origin of another site; `None` for requests that no other site sent.
    fn other_site<'a>(
        &self,
        interface: Interface,
        request: &'a Request,
    ) -> Result<Option<&'a HeaderValue>, Rejection> {
        let any = self.origins.iter().any(AllowedOrigin::is_any);
        let mut origins = request.headers().get_all(ORIGIN).iter();
        let Some(value) = origins.next() else {
            let refused = !any && is_cross_site(request) && !is_visit(interface, request);
            return if refused { Err(Rejection::CrossSite) } else { Ok(None) };
        };
        let origin = value.to_str().ok().and_then(WebOrigin::read);
        let is_own = |origin: &WebOrigin| {
            hosts(request).flatten().next().is_some_and(|host| origin.is_of(&host))
        };
        let is_allowed = |origin: &WebOrigin| {
            origin.is_loopback() || self.origins.iter().any(|one| one.allows(origin))
        };
        match origin {
            _ if origins.next().is_some() => Err(Rejection::origin(value)),
            Some(origin) if is_own(&origin) => Ok(None),
            Some(origin) if any || is_allowed(&origin) => Ok(Some(value)),
            None if any => Ok(Some(value)),
            _ => Err(Rejection::origin(value)),
        }
    }

    /// Wraps the body so that limits are enforced while it is read.
    fn watch_body(
        &self,
        request: Request,
    ) -> Result<(Request, Option<Arc<BodyStatus>>), Rejection> {
        if request.body().is_end_stream() {
            return Ok((request, None));
        }
        let declared = request.headers().get(CONTENT_LENGTH);
        let declared = declared.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        let is_upload = is_upload(&request);
        let most = if is_upload { self.limits.max_upload } else { self.limits.max_body };
        if declared.is_some_and(|length| length > most) {
            return Err(Rejection::TooLarge(most));
        }
        let received = Arc::new(BodyStatus::new(Arc::clone(&self.buffered)));
        let is_json = essence(request.headers()).is_some_and(is_json);
        let kind = match (is_upload, is_json) {
            (true, _) => BodyKind::Upload,
            (false, true) => BodyKind::Json,
            (false, false) => BodyKind::Other,
        };
        let watched = |body| CheckedBody::new(body, self.limits, kind, Arc::clone(&received));
        let request = request.map(|body| Body::new(watched(body)));
        Ok((request, Some(received)))
    }
}

/// What the gate checks requests with.
#[derive(Clone)]
pub(crate) struct GateChecks {
    pub(crate) gate: Arc<Gate>,
    pub(crate) access: Arc<Access>,
    /// How long an unknown key is looked for.
    pub(crate) key_timeout: Duration,
}

/// Puts the gate before these routes and before their method-not-allowed response.
pub(crate) fn before(routes: Router, checks: &GateChecks, interface: Interface) -> Router {
    let state = (checks.clone(), interface);
    routes.method_not_allowed_fallback(error::wrong_method).layer(from_fn_with_state(state, guard))
}

async fn guard(
    State((checks, interface)): State<(GateChecks, Interface)>,
    request: Request,
    next: Next,
) -> Response {
    let shape = ErrorFormat::of(interface, &request);
    let has_body = !request.body().is_end_stream();
    let answered = pass(&checks, interface, request, next).await;
    answered.unwrap_or_else(|refused| {
        tracing::debug!(%refused, "refused at the gate");
        let mut response = refused.to_response(shape);
        if has_body {
            close(&mut response);
        }
        response
    })
}

/// Says that the connection ends with this answer: what is left of a body that was not read stands in the way
/// of the next request, which would otherwise find the connection closed without notice.
fn close(response: &mut Response) {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
}

async fn pass(
    checks: &GateChecks,
    interface: Interface,
    mut request: Request,
    next: Next,
) -> Result<Response, Rejection> {
    if interface == Interface::Proxy {
        query_key::move_to_header(&mut request);
    }
    let gate = &*checks.gate;
    let permit = gate.begin(request.uri().path())?;
    let origin = gate.other_site(interface, &request)?.cloned();
    // A preflight request carries no key.
    if let Some(origin) = origin.as_ref().filter(|_| cors::is_preflight(&request)) {
        return Ok(cors::preflight(origin, request.headers()));
    }
    if !gate.is_named_rightly(&request) {
        require_key(checks, request.uri().path(), request.headers()).await?;
    }
    check_kind_of_body(interface, &mut request)?;
    let shape = ErrorFormat::of(interface, &request);
    let (request, received) = gate.watch_body(request)?;
    let mut response = next.run(request).await;
    if let Some(refused) = received.as_ref().and_then(|received| received.refused()) {
        response = refused.to_response(shape);
    }
    if received.as_ref().is_some_and(|received| !received.is_whole()) {
        close(&mut response);
    }
    if let Some(origin) = &origin {
        cors::allow(&mut response, origin);
    }
    // What the request took is held until its response is sent.
    Ok(response.map(|body| Body::new(BodyWith::new(body, (permit, received)))))
}

/// Requests under a foreign host name need a key: a web page has none.
async fn require_key(
    checks: &GateChecks,
    path: &str,
    headers: &HeaderMap,
) -> Result<(), Rejection> {
    if HEALTH.contains(&path) {
        return Ok(());
    }
    match checks.access.proxy_caller(headers, checks.key_timeout).await {
        Ok(caller) if caller.caller != Caller::Anyone => Ok(()),
        _ => Err(Rejection::host(headers.get(HOST))),
    }
}

/// Every host that a request names; `None` for one that cannot be parsed. Programs may name none,
/// browsers always do.
fn hosts(request: &Request) -> impl Iterator<Item = Option<HostName>> {
    let in_address = request.uri().authority().map(|authority| authority.as_str());
    let in_headers = request.headers().get_all(HOST).iter().map(|value| value.to_str().ok());
    let all = in_address.map(Some).into_iter().chain(in_headers);
    all.map(|text| text.and_then(HostName::read))
}

/// Whether a request sends a file to import, which is written to disk as it arrives.
fn is_upload(request: &Request) -> bool {
    let mut parts = request.uri().path().split('/').skip(1);
    let path = [parts.next(), parts.next(), parts.nth(1), parts.next()];
    request.method() == Method::POST && path == [Some("v1"), Some("vaults"), Some("imports"), None]
}

/// Whether the browser says that another site made it send this request.
fn is_cross_site(request: &Request) -> bool {
    let site = request.headers().get(SEC_FETCH_SITE);
    site.is_some_and(|site| ["cross-site", "same-site"].iter().any(|foreign| site == foreign))
}

/// Whether the browser navigates to a page of ours; the page that links to it cannot read the
/// response.
fn is_visit(interface: Interface, request: &Request) -> bool {
    let says = |name, value: &str| request.headers().get(name).is_some_and(|said| said == value);
    [Interface::Docs, Interface::Ui].contains(&interface)
        && [Method::GET, Method::HEAD].contains(request.method())
        && says(SEC_FETCH_MODE, "navigate")
        && says(SEC_FETCH_DEST, "document")
}

/// Rejects encoded bodies, and requires JSON for chats: a web page cannot send JSON without a
/// preflight request. A program that is not a browser may omit the content type, as LiteLLM does for
/// Ollama; the body counts as JSON then.
fn check_kind_of_body(interface: Interface, request: &mut Request) -> Result<(), Rejection> {
    let encoding = request.headers().get(CONTENT_ENCODING);
    if let Some(encoding) =
        encoding.filter(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity"))
    {
        return Err(Rejection::encoding(encoding));
    }
    let writes = [Method::POST, Method::PUT, Method::PATCH].contains(request.method());
    if interface != Interface::Proxy || !writes {
        return Ok(());
    }
    let chats = Protocol::is_chat(request.uri().path());
    match essence(request.headers()) {
        Some(kind) if is_json(kind) => Ok(()),
        Some("multipart/form-data" | "application/octet-stream") if !chats => Ok(()),
        None if !chats && request.body().is_end_stream() => Ok(()),
        None if !request.headers().contains_key(CONTENT_TYPE) && !is_from_browser(request) => {
            request
                .headers_mut()
                .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            Ok(())
        }
        _ => Err(Rejection::MediaType),
    }
}

/// Whether a browser sent the request: browsers name the origin of the page, or its relation to this site.
fn is_from_browser(request: &Request) -> bool {
    request.headers().contains_key(ORIGIN) || request.headers().contains_key(SEC_FETCH_SITE)
}

/// The media type of a body, without its parameters.
fn essence(headers: &HeaderMap) -> Option<&str> {
    let declared = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    declared.split(';').next().map(str::trim)
}

fn is_json(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

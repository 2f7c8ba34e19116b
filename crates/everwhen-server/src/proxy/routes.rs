//! Routes of the proxy, made from the calls that each protocol lists. The same routes are below
//! `/m/{memory}`, for clients that have a field for a base URL and for nothing else.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{RawPathParams, Request, State};
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, VARY};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{MethodRouter, any, get};
use everwhen_protocols::{Effect, Endpoint, Protocol};

use super::{lists, passthrough, tail, talk};
use crate::error;
use crate::proxy::ProxyState;

/// All routes of the proxy.
pub(crate) fn routes() -> Router<ProxyState> {
    Router::new()
        .route("/", get(hello))
        .route("/proxy/tail", get(tail::watch))
        .route("/proxy/traces", get(tail::traces))
        .route("/proxy/traces/{id}", get(tail::trace))
        .merge(calls())
        .nest("/m/{memory}", calls())
}

/// The calls at one route; those with the model in the path differ by the verb behind it.
type Calls = Arc<[&'static Endpoint]>;

fn calls() -> Router<ProxyState> {
    let mut routes: BTreeMap<&'static str, Vec<&'static Endpoint>> = BTreeMap::new();
    let adapters = Protocol::ALL.into_iter().map(Protocol::adapter);
    for endpoint in adapters.clone().flat_map(|adapter| adapter.endpoints()) {
        let paths = [Some(endpoint.route()), endpoint.route_without_version()];
        for path in paths.into_iter().flatten() {
            routes.entry(path).or_default().push(endpoint);
        }
    }
    let mut prefixes: Vec<&str> = adapters.map(|adapter| adapter.prefix()).collect();
    prefixes.sort_unstable();
    prefixes.dedup();
    let unlisted = prefixes.into_iter().fold(Router::new(), |router, prefix| {
        router.route(&format!("{prefix}/{{*rest}}"), any(passthrough::unlisted))
    });
    routes
        .into_iter()
        .fold(unlisted, |router, (path, calls)| router.route(path, answer(calls.into())))
}

fn answer(calls: Calls) -> MethodRouter<ProxyState> {
    any(async move |State(state): State<ProxyState>, params: RawPathParams, request: Request| {
        let path = request.uri().path();
        let verbs_first = calls.iter().filter(|one| one.verb().is_some() && one.is_meant_by(path));
        let plain = calls.iter().filter(|one| one.verb().is_none());
        match verbs_first.chain(plain).next() {
            Some(endpoint) => respond(state, endpoint, memory(&params), request).await,
            None => passthrough::unlisted(request).await,
        }
    })
}

/// Answers one call: some are known here, all others are passed on.
async fn respond(
    state: ProxyState,
    endpoint: &'static Endpoint,
    memory: Option<String>,
    request: Request,
) -> Response {
    match (endpoint.effect(request.method().as_str()), endpoint.path) {
        (Some(Effect::Chat(chat)), _) => talk(state, chat, memory, request).await,
        (Some(Effect::ListModels), _) => lists::models(&state, request).await,
        (Some(Effect::CountTokens), _) => {
            lists::counted(&state.clone(), passthrough::listed(state, endpoint, request).await)
        }
        (Some(_), "/api/show") => lists::show(state, request).await,
        (Some(_), "/api/version") => lists::version(state, request).await,
        _ => passthrough::listed(state, endpoint, request).await,
    }
}

/// Sends browsers to the web interface. Ollama's clients look here to see whether it runs.
async fn hello(State(state): State<ProxyState>, headers: HeaderMap) -> Response {
    let accepts = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    if accepts.into_iter().any(|value| value.contains("text/html")) {
        return ([(VARY, "accept")], Redirect::temporary(everwhen_ui::HOME)).into_response();
    }
    if state.proxy.responders.is_empty() {
        return error::no_route().await.into_response();
    }
    "Ollama is running".into_response()
}

fn memory(params: &RawPathParams) -> Option<String> {
    params.iter().find(|(name, _)| *name == "memory").map(|(_, memory)| memory.to_owned())
}

//! Routes of the proxy, made from the table in [`super::calls`]. The same routes stand below
//! `/m/{memory}`, for clients that have a field for a base URL and for nothing else.

use axum::Router;
use axum::extract::{RawPathParams, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, get, post};
use everwhen::UpstreamKind;

use super::allowed_calls::{AllowedCall, TABLE};
use super::route::Route;
use super::translate::lists;
use super::{passthrough, tail, talk, workflow};
use crate::{ServerState, error};

/// All routes of the proxy.
pub(crate) fn routes() -> Router<ServerState> {
    Router::new()
        .route("/", get(hello))
        .route("/proxy/tail", get(tail::watch))
        .route("/proxy/traces/{id}", get(tail::trace))
        .merge(calls())
        .nest("/m/{memory}", calls())
}

fn calls() -> Router<ServerState> {
    let router = TABLE.iter().fold(Router::new(), |router, listed| {
        let router = router.route(listed.path, answer(listed));
        match listed.without_version() {
            Some(path) => router.route(path, answer(listed)),
            None => router,
        }
    });
    router
        .route("/v1/{*rest}", any(passthrough::unlisted))
        .route("/api/{*rest}", any(passthrough::unlisted))
}

/// What answers at a path: something that knows it, and for all else whoever passes it on.
fn answer(listed: &'static AllowedCall) -> MethodRouter<ServerState> {
    let passed = async move |State(state): State<ServerState>, request: Request| {
        passthrough::listed(state, listed, request).await
    };
    let known = match (listed.chat(), listed.path) {
        (Some(route), _) => said(route),
        (None, "/v1/models") => get(models),
        (None, "/api/tags") => get(tags),
        (None, "/api/show") => post(lists::show),
        (None, "/api/version") => get(lists::version),
        (None, "/v1/messages/count_tokens") => {
            return any(async move |State(state): State<ServerState>, request: Request| {
                lists::counted(&state.clone(), passthrough::listed(state, listed, request).await)
            });
        }
        (None, _) => return any(passed),
    };
    known.fallback(passed)
}

/// What Ollama's clients look for to see whether it is there.
async fn hello(State(state): State<ServerState>) -> Response {
    if state.proxy.responders.is_empty() {
        return error::no_route().await.into_response();
    }
    "Ollama is running".into_response()
}

/// A route on which something is said.
fn said(route: &'static Route) -> MethodRouter<ServerState> {
    post(async move |State(state): State<ServerState>, params: RawPathParams, request: Request| {
        talk(state, route, memory(&params), request).await
    })
}

fn memory(params: &RawPathParams) -> Option<String> {
    params.iter().find(|(name, _)| *name == "memory").map(|(_, memory)| memory.to_owned())
}

/// OpenAI and Anthropic list their models at the same place.
async fn models(State(state): State<ServerState>, request: Request) -> Response {
    if request.headers().contains_key("anthropic-version") {
        return lists::told(&state, UpstreamKind::Anthropic, request).await;
    }
    let others = lists::told(&state, UpstreamKind::OpenAi, request).await;
    workflow::listed(&state, UpstreamKind::OpenAi, others).await
}

/// What Ollama calls its models.
async fn tags(State(state): State<ServerState>, request: Request) -> Response {
    let others = lists::told(&state, UpstreamKind::Ollama, request).await;
    workflow::listed(&state, UpstreamKind::Ollama, others).await
}

//! The table of contents of the proxy. The same routes stand below `/m/{memory}`, for clients that
//! have a box for a base URL and for nothing else.

use axum::Router;
use axum::extract::{OriginalUri, RawPathParams, Request, State};
use axum::http::Uri;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, get, post};
use everwhen::UpstreamKind;

use super::route::{CHAT, COMPLETIONS, MESSAGES, OLLAMA_CHAT, OLLAMA_GENERATE, RESPONSES, Route};
use super::translate::lists;
use super::{pass, tail, talk, workflow};
use crate::{Door, problem};

/// All routes of the proxy.
pub(crate) fn routes() -> Router<Door> {
    Router::new()
        .route("/", get(hello))
        .route("/proxy/tail", get(tail::watch))
        .route("/proxy/traces/{id}", get(tail::trace))
        .merge(doors())
        .nest("/m/{memory}", doors())
}

#[rustfmt::skip]
fn doors() -> Router<Door> {
    Router::new()
        // OpenAI's
        .route("/v1/chat/completions", said(&CHAT))
        .route("/v1/completions", said(&COMPLETIONS))
        .route("/v1/responses", said(&RESPONSES))
        .route("/v1/responses/{*rest}", any(pass_on))
        .route("/v1/models", get(models))
        .route("/v1/models/{*model}", any(pass_on))
        .route("/v1/embeddings", any(pass_on))
        .route("/v1/moderations", any(pass_on))
        .route("/v1/audio/{*rest}", any(pass_on))
        .route("/v1/images/{*rest}", any(pass_on))
        // Anthropic's
        .route("/v1/messages", said(&MESSAGES))
        .route("/v1/messages/count_tokens", post(lists::count))
        // Ollama's
        .route("/api/chat", said(&OLLAMA_CHAT))
        .route("/api/generate", said(&OLLAMA_GENERATE))
        .route("/api/tags", get(tags))
        .route("/api/show", post(lists::show))
        .route("/api/version", get(lists::version))
        .route("/api/{*rest}", any(pass_on))
}

/// What Ollama's clients look for to see whether it is there.
async fn hello(State(door): State<Door>) -> Response {
    if door.proxy.answerers.is_empty() {
        return problem::no_route().await.into_response();
    }
    "Ollama is running".into_response()
}

/// A route on which something is said.
fn said(route: &'static Route) -> MethodRouter<Door> {
    post(async move |State(door): State<Door>, params: RawPathParams, request: Request| {
        talk(door, route, memory(&params), request).await
    })
}

fn memory(params: &RawPathParams) -> Option<String> {
    params.iter().find(|(name, _)| *name == "memory").map(|(_, memory)| memory.to_owned())
}

/// Passes a request on to whoever speaks its language.
async fn pass_on(State(door): State<Door>, request: Request) -> Response {
    let (kind, path) = below_root(&request);
    pass::pass(door, kind, path, request).await
}

/// OpenAI and Anthropic list their models at the same place.
async fn models(State(door): State<Door>, request: Request) -> Response {
    if request.headers().contains_key("anthropic-version") {
        return lists::told(&door, UpstreamKind::Anthropic, request).await;
    }
    let others = lists::told(&door, UpstreamKind::OpenAi, request).await;
    workflow::listed(&door, UpstreamKind::OpenAi, others).await
}

/// What Ollama calls its models.
async fn tags(State(door): State<Door>, request: Request) -> Response {
    let others = lists::told(&door, UpstreamKind::Ollama, request).await;
    workflow::listed(&door, UpstreamKind::Ollama, others).await
}

/// The language of a request, and its path below the root of an upstream that speaks it.
fn below_root(request: &Request) -> (UpstreamKind, String) {
    let uri: &Uri = request.extensions().get::<OriginalUri>().map_or(request.uri(), |uri| &uri.0);
    let path = uri.path();
    let start = ["/v1/", "/api/"].into_iter().filter_map(|root| path.find(root)).min();
    let path = &path[start.unwrap_or(0)..];
    let anthropic =
        path.starts_with("/v1/messages") || request.headers().contains_key("anthropic-version");
    match path.strip_prefix("/v1") {
        Some(_) if anthropic => (UpstreamKind::Anthropic, path.to_owned()),
        Some(rest) => (UpstreamKind::OpenAi, rest.to_owned()),
        None => (UpstreamKind::Ollama, path.to_owned()),
    }
}

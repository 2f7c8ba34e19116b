//! Routes of the proxy, made from the table in [`super::calls`]. The same routes stand below
//! `/m/{memory}`, for clients that have a field for a base URL and for nothing else.

use axum::Router;
use axum::extract::{RawPathParams, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, get, post};
use everwhen::UpstreamKind;

use super::calls::{Listed, TABLE};
use super::route::Route;
use super::translate::lists;
use super::{pass, tail, talk, workflow};
use crate::{Door, problem};

/// All routes of the proxy.
pub(crate) fn routes() -> Router<Door> {
    Router::new()
        .route("/", get(hello))
        .route("/proxy/tail", get(tail::watch))
        .route("/proxy/traces/{id}", get(tail::trace))
        .merge(calls())
        .nest("/m/{memory}", calls())
}

fn calls() -> Router<Door> {
    let router = TABLE.iter().fold(Router::new(), |router, listed| {
        let router = router.route(listed.path, answer(listed));
        match listed.without_version() {
            Some(path) => router.route(path, answer(listed)),
            None => router,
        }
    });
    router.route("/v1/{*rest}", any(pass::unlisted)).route("/api/{*rest}", any(pass::unlisted))
}

/// What answers at a path: something that knows it, and for all else whoever passes it on.
fn answer(listed: &'static Listed) -> MethodRouter<Door> {
    let passed = async move |State(door): State<Door>, request: Request| {
        pass::listed(door, listed, request).await
    };
    let known = match (listed.chat(), listed.path) {
        (Some(route), _) => said(route),
        (None, "/v1/models") => get(models),
        (None, "/api/tags") => get(tags),
        (None, "/api/show") => post(lists::show),
        (None, "/api/version") => get(lists::version),
        (None, "/v1/messages/count_tokens") => {
            return any(async move |State(door): State<Door>, request: Request| {
                lists::counted(&door.clone(), pass::listed(door, listed, request).await)
            });
        }
        (None, _) => return any(passed),
    };
    known.fallback(passed)
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

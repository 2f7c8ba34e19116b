//! The interface of mem0, under `/mem0`: an app written for it changes `host=`.
//!
//! Both sets of paths are known: those of the hosted service (`/v1`, `/v2`, `/v3`), which its clients use, and
//! those of the server one can host oneself. A *memory* of mem0 is an entry here: an update is a
//! correction, so its history and any earlier state stay readable, and `timestamp` is when it was said. The
//! memories of a user, agent, app or run are one memory here. Nothing is inferred: what was said is what is found.

mod answers;
mod call;
mod filter;
mod record;
mod scope;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use everwhen::ErrorKind;
use serde_json::{Value, json};

use self::call::Mem0Call;
use crate::ServerState;
use crate::access::Caller;
use crate::error::{Cause, RequestError};

/// What a request is answered with, in mem0's words.
type Mem0Result<T> = Result<T, RequestError>;

/// All routes.
pub(crate) fn routes() -> Router<ServerState> {
    Router::new().route("/mem0", any(answer)).route("/mem0/{*path}", any(answer))
}

async fn answer(State(state): State<ServerState>, request: Request) -> Response {
    match run(state, request).await {
        Ok(value) => axum::Json(value).into_response(),
        Err(error) => refusal(error),
    }
}

/// An error as mem0's clients read it: they look for `detail` in JSON of the plain type.
fn refusal(error: RequestError) -> Response {
    let (status, kind, detail) = error.parts();
    let message = match status {
        StatusCode::NOT_FOUND => "Memory not found!",
        _ => detail.as_str(),
    };
    (status, axum::Json(json!({ "error": message, "detail": detail, "kind": kind })))
        .into_response()
}

async fn run(state: ServerState, request: Request) -> Mem0Result<Value> {
    use axum::extract::FromRequestParts;
    let (mut parts, body) = request.into_parts();
    let caller = match Caller::from_request_parts(&mut parts, &state).await {
        // Its clients always send a key; where none is needed, any will do.
        Err(_) if state.access.is_open() => Caller::Anyone,
        caller => caller?,
    };
    let bytes = to_bytes(body, usize::MAX).await.map_err(|error| {
        RequestError::invalid(format!("the body did not arrive whole: {error}"))
    })?;
    let body = match bytes.as_ref() {
        [] => Value::Null,
        bytes => serde_json::from_slice(bytes)
            .map_err(|error| RequestError::invalid(format!("the body is not JSON: {error}")))?,
    };
    let query = axum::extract::Query::try_from_uri(&parts.uri)
        .map_err(|rejection| RequestError::invalid(rejection.body_text()))?;
    let call = Mem0Call::new(state, caller, query.0, body);
    let path = parts.uri.path().trim_start_matches("/mem0").trim_matches('/');
    let words: Vec<String> = path.split('/').map(decoded).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    dispatch(&call, &parts.method, &words).await
}

fn decoded(part: &str) -> String {
    percent_encoding::percent_decode_str(part).decode_utf8_lossy().into_owned()
}

/// The table of all calls. Versions differ in their paths and hardly in what they mean.
async fn dispatch(call: &Mem0Call, method: &Method, words: &[&str]) -> Mem0Result<Value> {
    let path = match words {
        [version, rest @ ..] if ["v1", "v2", "v3"].contains(version) => rest,
        rest => rest,
    };
    match (method.as_str(), path) {
        // The Python client insists on both ids and does nothing with them.
        ("GET", ["ping"] | [""]) => {
            let own = "everwhen";
            Ok(json!({ "status": "ok", "org_id": own, "project_id": own, "user_email": null }))
        }
        ("POST", ["memories", "add"]) => call.add().await,
        // In the later versions this lists.
        ("POST", ["memories"]) if call.has_messages() => call.add().await,
        ("POST" | "GET", ["memories"]) => call.list().await,
        ("POST", ["memories", "search"] | ["search"]) => call.search().await,
        ("DELETE", ["memories"]) => call.delete_all().await,
        ("GET", ["memories", id]) => call.get(id).await,
        ("PUT" | "PATCH", ["memories", id]) => call.update(id).await,
        ("DELETE", ["memories", id]) => call.delete(id).await,
        ("GET", ["memories", id, "history"]) => call.history(id).await,
        ("GET", ["entities"]) => call.entities().await,
        ("DELETE", ["entities", kind, name]) => call.delete_entity(kind, name).await,
        ("PUT", ["batch"]) => call.update_batch().await,
        ("DELETE", ["batch"]) => call.delete_batch().await,
        ("GET", ["event", id]) => call.event(id).await,
        ("POST", ["reset"]) => call.reset().await,
        _ => Err(RequestError::new(
            Cause::Engine(ErrorKind::NotFound),
            format!("{method} /{} is no call of mem0 that Everwhen answers", words.join("/")),
        )),
    }
}

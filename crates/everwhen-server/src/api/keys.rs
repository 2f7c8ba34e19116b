//! API keys: the operator creates, lists and removes them.

use axum::extract::State;
use axum::http::HeaderMap;
use everwhen::key::Key;
use everwhen::ports::Removed;

use super::extract::{JsonBody, KeyInPath};
use super::response::{ApiResult, JsonResponse};
use super::wire;
use crate::ServerState;
use crate::access::{Caller, Operator};
use crate::error::RequestError;

/// List keys
///
/// Without their text, which is not stored. `last_used_at` is exact on the server that was used,
/// and about a minute late on others. Operator only.
#[utoipa::path(
    get, path = "/v1/keys", tag = "operator",
    responses((status = 200, description = "All keys", body = wire::Page<wire::Key>)),
)]
pub(super) async fn list_keys(
    _: Operator,
    State(state): State<ServerState>,
) -> ApiResult<wire::Page<wire::Key>> {
    let (keys, used) = (state.engine.keys().await?, state.access.last_uses());
    let with_last_use = |mut key: Key| {
        key.last_used_at = key.last_used_at.max(used.get(&key.id).copied());
        wire::Key::from(key)
    };
    Ok(JsonResponse::ok(wire::Page::whole(keys.into_iter().map(with_last_use).collect())))
}

/// Create a key
///
/// The response contains the text of the key, which is shown only once; so this request cannot be
/// replayed and takes no idempotency key. Once there is a key, requests without one are rejected.
/// Operator only.
#[utoipa::path(
    post, path = "/v1/keys", tag = "operator",
    request_body = wire::NewKey,
    responses((status = 201, description = "The key", body = wire::MadeKey)),
)]
pub(super) async fn add_key(
    _: Operator,
    State(state): State<ServerState>,
    headers: HeaderMap,
    JsonBody { body, .. }: JsonBody<wire::NewKey>,
) -> ApiResult<wire::MadeKey> {
    if headers.contains_key("idempotency-key") {
        let detail = "a key is shown once and cannot be shown again; leave Idempotency-Key out";
        return Err(RequestError::invalid(detail));
    }
    let vault = Caller::Operator.vault(&state.engine, body.vault()?).await?;
    let (key, text) = state.engine.add_key(body.read(vault.id())?).await?;
    state.access.added(&key);
    Ok(JsonResponse::created(wire::MadeKey { made: key.into(), key: text }))
}

/// Remove a key
///
/// Operator only.
#[utoipa::path(
    delete, path = "/v1/keys/{id}", tag = "operator",
    responses((status = 200, description = "What was removed", body = wire::Removed)),
)]
pub(super) async fn remove_key(
    _: Operator,
    State(state): State<ServerState>,
    KeyInPath(id): KeyInPath,
) -> ApiResult<wire::Removed> {
    state.engine.remove_key(id).await?;
    state.access.removed(id);
    Ok(JsonResponse::ok(Removed { keys: 1, ..Removed::default() }.into()))
}

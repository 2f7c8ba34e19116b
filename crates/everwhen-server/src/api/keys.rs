//! API keys: the operator makes, lists and removes them.

use axum::extract::State;
use axum::http::HeaderMap;
use everwhen::key::Key;
use everwhen::ports::Removed;

use super::answer::{Answer, Answered};
use super::ask::{KeyAt, Sent};
use super::wire;
use crate::Door;
use crate::access::{Caller, Operator};
use crate::problem::Problem;

/// List keys
///
/// Without their text, which is not stored. `last_used_at` is exact on the server that was used, and
/// about a minute late on others. Operator only.
#[utoipa::path(
    get, path = "/v1/keys", tag = "operator",
    responses((status = 200, description = "All keys", body = wire::Page<wire::Key>)),
)]
pub(super) async fn list_keys(
    _: Operator,
    State(door): State<Door>,
) -> Answered<wire::Page<wire::Key>> {
    let (keys, used) = (door.engine.keys().await?, door.access.last_uses());
    let told = |mut key: Key| {
        key.last_used_at = key.last_used_at.max(used.get(&key.id).copied());
        wire::Key::from(key)
    };
    Ok(Answer::ok(wire::Page::whole(keys.into_iter().map(told).collect())))
}

/// Make a key
///
/// The answer holds its text, which is shown this once; so this write cannot be replayed and takes
/// no idempotency key. From the first key on, requests without one are rejected. Operator only.
#[utoipa::path(
    post, path = "/v1/keys", tag = "operator",
    request_body = wire::NewKey,
    responses((status = 201, description = "The key", body = wire::MadeKey)),
)]
pub(super) async fn add_key(
    _: Operator,
    State(door): State<Door>,
    headers: HeaderMap,
    Sent { body, .. }: Sent<wire::NewKey>,
) -> Answered<wire::MadeKey> {
    if headers.contains_key("idempotency-key") {
        let detail = "a key is shown once and cannot be shown again; leave Idempotency-Key out";
        return Err(Problem::invalid(detail));
    }
    let vault = Caller::Operator.vault(&door.engine, body.vault()?).await?;
    let (key, text) = door.engine.add_key(body.read(vault.id())?).await?;
    door.access.added(&key);
    Ok(Answer::created(wire::MadeKey { made: key.into(), key: text }))
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
    State(door): State<Door>,
    KeyAt(id): KeyAt,
) -> Answered<wire::Removed> {
    door.engine.remove_key(id).await?;
    door.access.removed(id);
    Ok(Answer::ok(Removed { keys: 1, ..Removed::default() }.into()))
}

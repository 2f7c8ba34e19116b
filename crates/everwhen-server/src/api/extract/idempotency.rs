//! The idempotency key: the caller's name for one write.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use everwhen::memory::Name;
use everwhen::receipt::Idempotency;

use crate::ServerState;
use crate::error::RequestError;

/// The header that carries the key.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("idempotency-key");

/// The idempotency key of a write that has no body, if the caller sent one.
pub(crate) struct IdempotencyKey(pub(crate) Option<Idempotency>);

impl FromRequestParts<ServerState> for IdempotencyKey {
    type Rejection = RequestError;

    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, RequestError> {
        read(parts, &[]).map(Self)
    }
}

/// The key, with a digest of the request it belongs to.
pub(crate) fn read(parts: &Parts, body: &[u8]) -> Result<Option<Idempotency>, RequestError> {
    let Some(key) = key(&parts.headers)? else { return Ok(None) };
    let (method, path) = (parts.method.as_str(), parts.uri.path());
    Ok(Some(Idempotency::new(key, &[method.as_bytes(), path.as_bytes(), body])))
}

fn key(headers: &HeaderMap) -> Result<Option<Name>, RequestError> {
    let mut values = headers.get_all(HEADER).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(RequestError::invalid("Idempotency-Key was sent twice; send one"));
    }
    let text = value.to_str().map_err(|_| {
        RequestError::invalid("Idempotency-Key is not plain ASCII; use letters, digits and dashes")
    })?;
    Ok(Some(Name::new("Idempotency-Key", text)?))
}

//! The query of a request.

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::error::RequestError;

/// The query, parsed into `T`. An unknown parameter is an error.
pub(crate) struct QueryParams<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryParams<T> {
    type Rejection = RequestError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, RequestError> {
        if !is_utf8(parts.uri.query().unwrap_or_default()) {
            return Err(RequestError::invalid("the query is not valid UTF-8 once %XX is decoded"));
        }
        match Query::try_from_uri(&parts.uri) {
            Ok(Query(asked)) => Ok(Self(asked)),
            Err(rejection) => Err(RequestError::invalid(rejection.body_text())),
        }
    }
}

/// Whether the query is UTF-8 once percent-decoded; the parser would replace invalid bytes
/// silently.
fn is_utf8(query: &str) -> bool {
    let mut bytes = Vec::with_capacity(query.len());
    let mut rest = query.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        match (first, hex(behind)) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            _ => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    std::str::from_utf8(&bytes).is_ok()
}

fn hex(text: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(text.get(..2)?).ok()?;
    u8::from_str_radix(digits, 16).ok()
}

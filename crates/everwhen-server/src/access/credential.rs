//! Where a request carries its key or token.

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;

use super::unauthenticated;
use crate::error::RequestError;

/// Headers for clients that cannot set `Authorization`: Anthropic's and Google's clients send these.
const API_KEYS: [&str; 2] = ["x-api-key", "x-goog-api-key"];
/// The header for clients whose `Authorization` is for the model provider behind the proxy.
pub(super) const OWN_KEY: &str = "x-everwhen-key";

/// Whether a key follows this word: mem0's clients write `Token`.
fn is_known(scheme: &str) -> bool {
    ["bearer", "token"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// The key or token a request carries.
pub(super) fn credential(headers: &HeaderMap) -> Result<Option<&str>, RequestError> {
    if let Some(value) = headers.get(AUTHORIZATION) {
        let (scheme, text) = value.to_str().ok().and_then(|text| text.split_once(' ')).unzip();
        return match (scheme, text.map(str::trim)) {
            (Some(scheme), Some(text)) if is_known(scheme) => Ok(Some(text)),
            _ => Err(unauthenticated("cannot read Authorization; write \"Bearer KEY\"")),
        };
    }
    let found = API_KEYS.iter().find_map(|name| Some((name, headers.get(*name)?)));
    let Some((name, value)) = found else { return Ok(None) };
    let unreadable =
        |_| unauthenticated(format!("cannot read {name}; write the key as it was shown"));
    value.to_str().map(Some).map_err(unreadable)
}

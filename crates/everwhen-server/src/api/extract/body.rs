//! The JSON body of a request, parsed strictly.

use axum::body::{Bytes, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use everwhen::receipt::Idempotency;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use super::idempotency;
use crate::ServerState;
use crate::error::{Cause, RequestError};

/// A JSON body, and the idempotency key of the request.
pub(crate) struct JsonBody<T> {
    pub(crate) body: T,
    pub(crate) once: Option<Idempotency>,
}

/// A JSON body that may be absent.
pub(crate) struct OptionalJsonBody<T>(pub(crate) JsonBody<T>);

impl<T: DeserializeOwned> FromRequest<ServerState> for JsonBody<T> {
    type Rejection = RequestError;

    async fn from_request(request: Request, _: &ServerState) -> Result<Self, RequestError> {
        let (parts, bytes) = read(request).await?;
        parse(&parts, &bytes)
    }
}

impl<T: DeserializeOwned + Default> FromRequest<ServerState> for OptionalJsonBody<T> {
    type Rejection = RequestError;

    async fn from_request(request: Request, _: &ServerState) -> Result<Self, RequestError> {
        let (parts, bytes) = read(request).await?;
        if bytes.is_empty() {
            let once = idempotency::read(&parts, &bytes)?;
            return Ok(Self(JsonBody { body: T::default(), once }));
        }
        parse(&parts, &bytes).map(Self)
    }
}

/// Reads the whole body; the gate limits its size.
async fn read(request: Request) -> Result<(Parts, Bytes), RequestError> {
    let (parts, body) = request.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.map_err(|error| {
        RequestError::invalid(format!("the body did not arrive whole: {error}"))
    })?;
    Ok((parts, bytes))
}

fn parse<T: DeserializeOwned>(parts: &Parts, bytes: &[u8]) -> Result<JsonBody<T>, RequestError> {
    if !is_json(&parts.headers) {
        let detail = "the body must be JSON; send it with \"Content-Type: application/json\"";
        return Err(RequestError::new(Cause::UnsupportedMediaType, detail));
    }
    let once = idempotency::read(parts, bytes)?;
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let place = error.valid_up_to();
        RequestError::invalid(format!("the body is not valid UTF-8, from byte {place} on"))
    })?;
    let body = serde_json::from_str(text).map_err(|error| match error.classify() {
        Category::Data => {
            RequestError::invalid(format!("the body does not match the schema: {error}"))
        }
        _ => RequestError::invalid(format!("the body is not JSON: {error}")),
    })?;
    Ok(JsonBody { body, once })
}

fn is_json(headers: &HeaderMap) -> bool {
    let declared = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = declared.and_then(|text| text.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

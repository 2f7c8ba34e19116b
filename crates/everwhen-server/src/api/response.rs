//! What a handler returns: a status, a JSON body, and whether an idempotent write was replayed.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use everwhen::Error;
use serde::Serialize;

use crate::error::RequestError;

/// What every handler returns.
pub(crate) type ApiResult<T> = Result<JsonResponse<T>, RequestError>;

/// Set when an earlier request with the same idempotency key did the write.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// A JSON response.
pub(crate) struct JsonResponse<T> {
    status: StatusCode,
    body: T,
    replayed: bool,
}

impl<T> JsonResponse<T> {
    /// 200: the requested data.
    pub(crate) fn ok(body: T) -> Self {
        Self { status: StatusCode::OK, body, replayed: false }
    }

    /// 201: something was created.
    pub(crate) fn created(body: T) -> Self {
        Self { status: StatusCode::CREATED, body, replayed: false }
    }

    /// 202: something will be done in the background.
    pub(crate) fn accepted(body: T) -> Self {
        Self { status: StatusCode::ACCEPTED, body, replayed: false }
    }

    /// Marks the response as replayed, or not.
    pub(crate) fn replayed(self, replayed: bool) -> Self {
        Self { replayed, ..self }
    }
}

impl<T: Serialize> IntoResponse for JsonResponse<T> {
    fn into_response(self) -> Response {
        let json = match serde_json::to_vec(&self.body) {
            Ok(json) => json,
            Err(error) => {
                let broken = Error::damaged(format!("cannot write the answer as JSON: {error}"));
                return RequestError::from(broken).into_response();
            }
        };
        let json_type = [(header::CONTENT_TYPE, "application/json")];
        let mut response = (self.status, json_type, json).into_response();
        if self.replayed {
            response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
        }
        response
    }
}

/// The error for a receipt of the wrong kind, which would be a bug.
pub(crate) fn wrong_receipt() -> RequestError {
    Error::damaged("the receipt is that of another kind of write").into()
}

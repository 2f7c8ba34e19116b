//! What a handler answers: a status, JSON, and whether it is an old answer told again.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use everwhen::Error;
use serde::Serialize;

use crate::error::RequestError;

/// What every handler returns.
pub(crate) type ApiResult<T> = Result<JsonResponse<T>, RequestError>;

/// Says that nothing was done now: an earlier request with the same idempotency key did it.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// A JSON answer.
pub(crate) struct JsonResponse<T> {
    status: StatusCode,
    body: T,
    replayed: bool,
}

impl<T> JsonResponse<T> {
    /// Here it is.
    pub(crate) fn ok(body: T) -> Self {
        Self { status: StatusCode::OK, body, replayed: false }
    }

    /// It has been made.
    pub(crate) fn created(body: T) -> Self {
        Self { status: StatusCode::CREATED, body, replayed: false }
    }

    /// It will be done.
    pub(crate) fn accepted(body: T) -> Self {
        Self { status: StatusCode::ACCEPTED, body, replayed: false }
    }

    /// The same, told again or not.
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

/// A receipt of the wrong sort: the store answered for another kind of write.
pub(crate) fn wrong_receipt() -> RequestError {
    Error::damaged("the receipt is that of another kind of write").into()
}

//! Our own errors, in the shape that the client's protocol has for them.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use everwhen_protocols::{Protocol, Unsupported};

/// Why a request got no answer from an upstream.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    /// A short name, as programs read it.
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into() }
    }

    /// What was asked for is not there.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found_error", message)
    }

    /// The request is wrong.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", message)
    }

    /// The upstream cannot be reached.
    pub(crate) fn unreachable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_GATEWAY, "upstream_unreachable", message)
    }

    /// The upstream does not answer in time.
    pub(crate) fn too_slow(message: impl Into<String>) -> Self {
        Self::new(StatusCode::GATEWAY_TIMEOUT, "upstream_timeout", message)
    }

    /// The refusal in the shape of a protocol.
    pub(crate) fn response_for(self, protocol: Protocol) -> Response {
        let Self { status, code, message } = self;
        let body = protocol.adapter().error(status.as_u16(), code, &message);
        (status, Json(body)).into_response()
    }
}

impl From<Unsupported> for Refusal {
    fn from(unsupported: Unsupported) -> Self {
        Self::invalid(unsupported.0)
    }
}

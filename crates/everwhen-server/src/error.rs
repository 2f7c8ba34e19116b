//! Every error that the server answers with: one table, one format, `application/problem+json`.

mod problem;

use std::any::Any;

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use everwhen::{ConflictReason, Error, ErrorKind};

use self::problem::ProblemDocument;

/// Maximum length of the detail, in characters: a parser may quote its input.
const DETAIL_CHARS: usize = 600;
/// The media type of a problem document.
const DOCUMENT: &str = "application/problem+json";

/// Why a request is rejected, with a sentence for the caller.
#[derive(Debug)]
pub(crate) struct RequestError {
    cause: Cause,
    reason: Option<ConflictReason>,
    detail: String,
}

/// The kind of an error: those of the engine, and those that only HTTP knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    Engine(ErrorKind),
    Unauthenticated,
    MethodNotAllowed,
    UnsupportedMediaType,
    Timeout,
    Panicked,
}

impl Cause {
    /// The table: status, name in the JSON, title.
    fn row(self) -> (StatusCode, &'static str, &'static str) {
        use ErrorKind as Kind;
        match self {
            Self::Engine(Kind::Invalid) => (StatusCode::BAD_REQUEST, "invalid", "Invalid request"),
            Self::Engine(Kind::NotFound) => (StatusCode::NOT_FOUND, "not_found", "Not found"),
            Self::Engine(Kind::Denied) => (StatusCode::FORBIDDEN, "denied", "Not allowed"),
            Self::Engine(Kind::Conflict) => {
                (StatusCode::CONFLICT, "conflict", "Conflict with the current state")
            }
            Self::Engine(Kind::TooLarge) => {
                (StatusCode::PAYLOAD_TOO_LARGE, "too_large", "Too large")
            }
            Self::Engine(Kind::Busy) => (StatusCode::SERVICE_UNAVAILABLE, "busy", "Too busy"),
            Self::Engine(Kind::Unavailable) => {
                (StatusCode::SERVICE_UNAVAILABLE, "unavailable", "The store cannot be used")
            }
            Self::Engine(Kind::Damaged) | Self::Panicked => {
                (StatusCode::INTERNAL_SERVER_ERROR, "damaged", "Internal error")
            }
            Self::Unauthenticated => {
                (StatusCode::UNAUTHORIZED, "unauthenticated", "API key required")
            }
            Self::MethodNotAllowed => {
                (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "Method not allowed")
            }
            Self::UnsupportedMediaType => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                "Unsupported media type",
            ),
            Self::Timeout => {
                (StatusCode::REQUEST_TIMEOUT, "timeout", "The request took too long to arrive")
            }
        }
    }
}

impl RequestError {
    /// An error with a sentence that says what was wrong and what would be right.
    pub(crate) fn new(cause: Cause, detail: impl Into<String>) -> Self {
        Self { cause, reason: None, detail: detail.into() }
    }

    /// An error for an invalid request.
    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(Cause::Engine(ErrorKind::Invalid), detail)
    }

    /// The status, the kind and the sentence, for interfaces with another error format.
    pub(crate) fn parts(self) -> (StatusCode, &'static str, String) {
        let (status, kind, _) = self.cause.row();
        (status, kind, self.detail)
    }

    /// Whether the error says that something does not exist.
    pub(crate) fn is_not_found(&self) -> bool {
        self.cause == Cause::Engine(ErrorKind::NotFound)
    }
}

impl From<Error> for RequestError {
    fn from(error: Error) -> Self {
        if error.kind() == ErrorKind::Damaged {
            tracing::error!(%error, "the engine found something broken");
        }
        let reason = error.reason();
        Self { reason, ..Self::new(Cause::Engine(error.kind()), error.message()) }
    }
}

impl RequestError {
    /// The problem document as JSON.
    fn document(&self) -> Vec<u8> {
        let (status, kind, title) = self.cause.row();
        let written = ProblemDocument {
            r#type: format!("urn:everwhen:problem:{kind}"),
            title,
            status: status.as_u16(),
            detail: self.detail.chars().take(DETAIL_CHARS).collect(),
            kind,
            reason: self.reason.map(ConflictReason::as_str),
        };
        serde_json::to_vec(&written).expect("strings and a number are always JSON")
    }

    /// The header that goes with the status.
    fn header(&self) -> Option<(HeaderName, &'static str)> {
        match self.cause {
            Cause::Unauthenticated => Some((WWW_AUTHENTICATE, "Bearer")),
            Cause::Engine(ErrorKind::Busy) => Some((RETRY_AFTER, "1")),
            _ => None,
        }
    }

    /// A complete HTTP/1.1 response, for a connection on which no request was read.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let (status, ..) = self.cause.row();
        let document = self.document();
        let header = self.header().map(|(name, value)| format!("{name}: {value}\r\n"));
        let head = format!(
            "HTTP/1.1 {status}\r\n{}content-type: {DOCUMENT}\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n",
            header.unwrap_or_default(),
            document.len()
        );
        [head.into_bytes(), document].concat()
    }
}

impl IntoResponse for RequestError {
    fn into_response(self) -> Response {
        let (status, ..) = self.cause.row();
        let mut response = (status, self.document()).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(DOCUMENT));
        headers.extend(self.header().map(|(name, value)| (name, HeaderValue::from_static(value))));
        response
    }
}

/// The response to a request whose handler panicked; the panic itself is in the log.
pub(crate) fn panicked(_: Box<dyn Any + Send>) -> Response {
    tracing::error!("a handler panicked");
    let detail = "this is a bug in the server; what was asked for may not have been done";
    RequestError::new(Cause::Panicked, detail).into_response()
}

/// The response where no route matches.
pub(crate) async fn no_route() -> RequestError {
    let detail = "nothing is at this address; /docs and /openapi.json list what there is";
    RequestError::new(Cause::Engine(ErrorKind::NotFound), detail)
}

/// The response where the route has other methods; the router adds `Allow`.
pub(crate) async fn wrong_method() -> RequestError {
    let detail = "this address has other methods; the Allow header names them";
    RequestError::new(Cause::MethodNotAllowed, detail)
}

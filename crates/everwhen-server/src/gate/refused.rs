//! Why a request did not pass the gate, said in the form that its interface uses for errors.

use std::fmt;
use std::time::Duration;

use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use everwhen::ErrorKind;
use everwhen_protocols::Protocol;

use super::Interface;
use crate::error::{Cause, RequestError};
use crate::proxy::Refusal;

/// How much of a header is repeated in an error.
const QUOTED_CHARS: usize = 100;

/// Why a request did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rejection {
    /// Its `Host` is not ours.
    Host(String),
    /// Its `Origin` is not allowed.
    Origin(String),
    /// A browser says that another site sent it.
    CrossSite,
    /// Its body is not of a type that is read.
    MediaType,
    /// Its body is packed.
    Encoding(String),
    /// Its body has more bytes than this.
    TooLarge(usize),
    /// Its JSON is nested deeper than this.
    TooDeep(usize),
    /// Its body took too long.
    Slow(Duration),
    /// All bodies together have more bytes than this.
    Buffered(usize),
    /// There are as many requests in flight as there may be.
    Requests(usize),
}

impl Rejection {
    /// This host is not ours.
    pub(super) fn host(value: Option<&HeaderValue>) -> Self {
        Self::Host(quoted(value))
    }

    /// This origin is not allowed.
    pub(super) fn origin(value: &HeaderValue) -> Self {
        Self::Origin(quoted(Some(value)))
    }

    /// Bodies that are packed like this are not read.
    pub(super) fn encoding(value: &HeaderValue) -> Self {
        Self::Encoding(quoted(Some(value)))
    }

    /// The refusal as clients of the interface expect errors.
    pub(super) fn to_response(&self, shape: ErrorFormat) -> Response {
        let problem = RequestError::new(self.cause(), self.to_string());
        let mut response = match shape {
            ErrorFormat::RequestError => problem.into_response(),
            ErrorFormat::Provider(kind) => Refusal::from(problem).response_for(kind),
        };
        if matches!(self, Self::Buffered(_) | Self::Requests(_)) {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }

    fn cause(&self) -> Cause {
        match self {
            Self::Host(_) | Self::Origin(_) | Self::CrossSite => Cause::Engine(ErrorKind::Denied),
            Self::MediaType | Self::Encoding(_) => Cause::UnsupportedMediaType,
            Self::TooLarge(_) => Cause::Engine(ErrorKind::TooLarge),
            Self::TooDeep(_) => Cause::Engine(ErrorKind::Invalid),
            Self::Slow(_) => Cause::Timeout,
            Self::Buffered(_) | Self::Requests(_) => Cause::Engine(ErrorKind::Busy),
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(host) => write!(
                f,
                "the Host {host} is not a name of this server; send a key, or allow it with \
                 server.allowed_hosts in the configuration"
            ),
            Self::Origin(origin) => write!(
                f,
                "web pages of {origin} may not send requests here; allow the origin with \
                 server.allowed_origins in the configuration"
            ),
            Self::CrossSite => f.write_str(
                "another web site made the browser send this; requests of other sites must carry \
                 an Origin that server.allowed_origins in the configuration allows",
            ),
            Self::MediaType => f.write_str(
                "the body must be JSON; send it with \"Content-Type: application/json\"",
            ),
            Self::Encoding(encoding) => write!(
                f,
                "bodies with Content-Encoding {encoding} are not read; send it without one"
            ),
            Self::TooLarge(most) => {
                write!(f, "the body is longer than {most} bytes; send less at once")
            }
            Self::TooDeep(most) => {
                write!(f, "the JSON is nested deeper than {most} levels; send it flatter")
            }
            Self::Slow(pause) => write!(
                f,
                "the body did not arrive in time: it may pause for {pause:?}, and take ten times \
                 as long"
            ),
            Self::Buffered(most) => write!(
                f,
                "the request bodies being read have {most} bytes together, which is the limit; \
                 try again soon"
            ),
            Self::Requests(most) => {
                write!(f, "{most} requests are being answered, which is the limit; try again soon")
            }
        }
    }
}

fn quoted(value: Option<&HeaderValue>) -> String {
    let text = value.map(|value| String::from_utf8_lossy(value.as_bytes())).unwrap_or_default();
    format!("{:?}", text.chars().take(QUOTED_CHARS).collect::<String>())
}

/// How an error is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorFormat {
    /// As a problem document.
    RequestError,
    /// As a model provider does that speaks this protocol.
    Provider(Protocol),
}

impl ErrorFormat {
    /// The error format that the client of this request expects.
    pub(super) fn of(interface: Interface, request: &Request) -> Self {
        let path = request.uri().path();
        if interface != Interface::Proxy || path == "/" || path.starts_with("/proxy/") {
            return Self::RequestError;
        }
        let has_header = |name: &str| request.headers().contains_key(name);
        Self::Provider(Protocol::of_request(without_memory(path), has_header))
    }
}

/// The path of a call of the proxy without the memory that it may name first.
pub(super) fn without_memory(path: &str) -> &str {
    let rest = path.strip_prefix("/m/").and_then(|rest| rest.split_once('/'));
    rest.map_or(path, |(memory, _)| &path["/m/".len() + memory.len()..])
}

//! Why a command failed: a message and an exit code, from one table of kinds and one of statuses.

use std::io;

use axum::http::StatusCode;
use everwhen::import::forgotten_meanwhile;
use everwhen::memory::Address;
use everwhen::{ConflictReason, ErrorKind};
use serde_json::Value;

/// What every step of a command returns.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// A failure as the shell and its user see it.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) code: u8,
    /// The message; `None` if standard output was closed early.
    pub(crate) message: Option<String>,
}

/// What the type of every problem document of the API begins with.
const PROBLEM: &str = "urn:everwhen:problem:";

/// Something did not work, though nothing that was given is wrong.
const FAILED: u8 = 1;
/// What was given is wrong: arguments, settings or a file.
const USAGE: u8 = 2;
/// Not found.
const NOT_FOUND: u8 = 3;
/// The state of the memory forbids it now.
const CONFLICT: u8 = 4;

/// Reasons of a conflict that lie in what was given, whatever the state of the memory.
const GIVEN: [ConflictReason; 3] =
    [ConflictReason::FutureTime, ConflictReason::PastTime, ConflictReason::InconsistentValues];

/// The exit code for an error of this kind. Its reason, if there is one, as in the API.
fn code(kind: ErrorKind, reason: Option<&str>) -> u8 {
    match kind {
        ErrorKind::Invalid | ErrorKind::TooLarge => USAGE,
        ErrorKind::NotFound => NOT_FOUND,
        ErrorKind::Conflict if GIVEN.iter().any(|given| reason == Some(given.as_str())) => USAGE,
        ErrorKind::Conflict => CONFLICT,
        ErrorKind::Denied | ErrorKind::Busy | ErrorKind::Unavailable | ErrorKind::Damaged => FAILED,
    }
}

/// The kind of error that the API answers with this status; `None` for those of HTTP alone.
fn kind(status: StatusCode) -> Option<ErrorKind> {
    match status {
        StatusCode::BAD_REQUEST => Some(ErrorKind::Invalid),
        StatusCode::PAYLOAD_TOO_LARGE => Some(ErrorKind::TooLarge),
        StatusCode::NOT_FOUND => Some(ErrorKind::NotFound),
        StatusCode::CONFLICT => Some(ErrorKind::Conflict),
        _ => None,
    }
}

impl Failure {
    /// A failure.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { code: FAILED, message: Some(message.into()) }
    }

    /// A failure because what was given is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { code: USAGE, message: Some(message.into()) }
    }

    /// A failure from the problem document and the status of a rejected request.
    pub(crate) fn refused(status: StatusCode, body: &str) -> Self {
        let problem: Value = serde_json::from_str(body).unwrap_or_default();
        // What is not there by the word of another program may be there for Everwhen.
        if !problem["type"].as_str().is_some_and(|kind| kind.starts_with(PROBLEM)) {
            return match status.is_server_error() {
                // A proxy before the server may say so.
                true => Self::new(format!("the server answered {status}")),
                false => Self::new(format!(
                    "what answers there is no Everwhen server, or a proxy before one: it refused \
                     with {status} in words of its own"
                )),
            };
        }
        let said = problem["detail"].as_str().or_else(|| problem["title"].as_str());
        let message = said.map_or_else(|| format!("the server answered {status}"), Into::into);
        let code = kind(status).map_or(FAILED, |kind| code(kind, problem["reason"].as_str()));
        Self { code, message: Some(message) }
    }

    /// A failure because an answer is not as Everwhen writes it.
    pub(crate) fn foreign(why: &str) -> Self {
        Self::new(format!(
            "what answers there is no Everwhen server: {why}; name one with --server URL"
        ))
    }

    /// A failure because a memory was forgotten while files were imported into it.
    pub(crate) fn forgotten_meanwhile(memory: &str) -> Self {
        let said = Address::read("memory", memory).map(|memory| forgotten_meanwhile(&memory));
        Self { code: CONFLICT, message: Some(said.unwrap_or_else(|error| error.to_string())) }
    }

    /// Whether something does not exist.
    pub(crate) fn is_not_found(&self) -> bool {
        self.code == NOT_FOUND
    }

    /// Whether standard output was closed early.
    pub(crate) fn is_reader_gone(&self) -> bool {
        self.message.is_none()
    }

    /// Changes the message.
    pub(crate) fn reword(self, change: impl FnOnce(String) -> String) -> Self {
        Self { code: self.code, message: self.message.map(change) }
    }
}

impl From<everwhen::Error> for Failure {
    fn from(error: everwhen::Error) -> Self {
        let code = code(error.kind(), error.reason().map(ConflictReason::as_str));
        Self { code, message: Some(error.to_string()) }
    }
}

impl From<everwhen::time::Error> for Failure {
    fn from(error: everwhen::time::Error) -> Self {
        everwhen::Error::from(error).into()
    }
}

/// A reader who left early (`| head`) is no failure.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self { code: 0, message: None },
            _ => Self::new(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_problem_document_becomes_its_detail() {
        let body = r#"{"type": "urn:everwhen:problem:not_found", "detail": "vault not found: x"}"#;
        let failure = Failure::refused(StatusCode::NOT_FOUND, body);
        assert!(failure.is_not_found());
        assert_eq!(failure.message.unwrap(), "vault not found: x");
        let failure = Failure::refused(StatusCode::BAD_GATEWAY, "<html>");
        assert_eq!(failure.code, 1);
        assert_eq!(failure.message.unwrap(), "the server answered 502 Bad Gateway");
        for body in ["<html>", r#"{"detail": "Not Found"}"#] {
            let failure = Failure::refused(StatusCode::NOT_FOUND, body);
            assert_eq!(failure.code, 1, "another program's word says nothing of a memory");
            assert!(failure.message.unwrap().contains("no Everwhen server"));
        }
    }

    #[test]
    fn one_table_gives_kinds_and_statuses_their_codes() {
        let by_status = |status, reason: &str| {
            let body = json!({ "type": "urn:everwhen:problem:x", "reason": reason });
            Failure::refused(status, &body.to_string()).code
        };
        for (status, expected) in [
            (400, 2),
            (401, 1),
            (403, 1),
            (404, 3),
            (405, 1),
            (409, 4),
            (413, 2),
            (500, 1),
            (503, 1),
        ] {
            assert_eq!(by_status(StatusCode::from_u16(status).unwrap(), ""), expected, "{status}");
        }
        for reason in ConflictReason::ALL {
            let expected = if GIVEN.contains(&reason) { 2 } else { 4 };
            assert_eq!(by_status(StatusCode::CONFLICT, reason.as_str()), expected, "{reason:?}");
            let error = everwhen::Error::conflict("x").because(reason);
            assert_eq!(Failure::from(error).code, expected, "{reason:?}");
        }
        assert_eq!(Failure::from(everwhen::Error::invalid("x")).code, 2);
        assert_eq!(Failure::from(everwhen::Error::unavailable("x")).code, 1);
    }

    #[test]
    fn a_reader_who_left_early_is_no_failure() {
        let failure = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!((failure.code, failure.message), (0, None));
    }
}

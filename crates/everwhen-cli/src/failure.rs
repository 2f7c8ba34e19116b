//! Why a command failed: a message and an exit code.

use std::io;

use axum::http::StatusCode;
use everwhen::ErrorKind;
use everwhen::import::forgotten_meanwhile;
use everwhen::memory::Address;
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

/// Failure.
const FAILED: u8 = 1;
/// Invalid arguments.
const USAGE: u8 = 2;
/// Not found.
const NOT_FOUND: u8 = 3;
/// Conflict.
const CONFLICT: u8 = 4;

impl Failure {
    /// A failure.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { code: FAILED, message: Some(message.into()) }
    }

    /// A failure for invalid arguments.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { code: USAGE, message: Some(message.into()) }
    }

    /// A failure from the problem document and the status of a rejected request.
    pub(crate) fn refused(status: StatusCode, body: &str) -> Self {
        let problem: Value = serde_json::from_str(body).unwrap_or_default();
        let said = problem["detail"].as_str().or_else(|| problem["title"].as_str());
        let message = said.map_or_else(|| format!("the server answered {status}"), Into::into);
        let code = match status {
            StatusCode::NOT_FOUND => NOT_FOUND,
            StatusCode::CONFLICT => CONFLICT,
            _ => FAILED,
        };
        Self { code, message: Some(message) }
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

    /// Changes the message.
    pub(crate) fn reword(self, change: impl FnOnce(String) -> String) -> Self {
        Self { code: self.code, message: self.message.map(change) }
    }
}

impl From<everwhen::Error> for Failure {
    fn from(error: everwhen::Error) -> Self {
        let code = match error.kind() {
            ErrorKind::NotFound => NOT_FOUND,
            ErrorKind::Conflict => CONFLICT,
            _ => FAILED,
        };
        Self { code, message: Some(error.to_string()) }
    }
}

/// A reader who left early (`| head`) is no failure.
impl From<everwhen::time::Error> for Failure {
    fn from(error: everwhen::time::Error) -> Self {
        everwhen::Error::from(error).into()
    }
}

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
    use super::*;

    #[test]
    fn a_problem_document_becomes_its_detail() {
        let body = r#"{"title": "Not found", "detail": "vault not found: x", "status": 404}"#;
        let failure = Failure::refused(StatusCode::NOT_FOUND, body);
        assert!(failure.is_not_found());
        assert_eq!(failure.message.unwrap(), "vault not found: x");
        let failure = Failure::refused(StatusCode::BAD_GATEWAY, "<html>");
        assert_eq!(failure.code, 1);
        assert_eq!(failure.message.unwrap(), "the server answered 502 Bad Gateway");
    }

    #[test]
    fn a_reader_who_left_early_is_no_failure() {
        let failure = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!((failure.code, failure.message), (0, None));
    }
}

//! Errors of PostgreSQL as errors of the engine, and whether to retry.

use std::error::Error as _;

use everwhen_engine::{Error, ErrorKind};
use tokio_postgres::error::SqlState;

/// What to do about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// A retry would fail in the same way.
    GiveUp,
    /// Another transaction was faster; the same one may succeed now.
    Retry,
    /// The connection is broken; the same transaction may succeed on another.
    Reconnect,
}

/// A failure, with the error for the caller and what to do about it.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(super) error: Error,
    pub(super) remedy: Remedy,
    /// Whether the database reported it; else it is unknown how far it came.
    is_reported: bool,
}

impl Failure {
    /// The database did not answer in time.
    pub(super) fn timed_out() -> Self {
        let error = Error::unavailable("the database does not answer");
        Self { error, remedy: Remedy::Reconnect, is_reported: false }
    }

    /// There can be no connection at all.
    pub(super) fn of_runtime(error: &std::io::Error) -> Self {
        let error = Error::unavailable(format!("no connection can be driven: {error}"));
        Self { error, remedy: Remedy::GiveUp, is_reported: true }
    }

    /// A value does not fit the statement it was given to.
    pub(super) fn of_value(error: &(dyn std::error::Error + Sync + Send)) -> Self {
        let error = Error::damaged(format!("a value cannot be stored: {error}"));
        Self { error, remedy: Remedy::GiveUp, is_reported: true }
    }

    /// Whether the database reported it, as opposed to a connection that broke.
    pub(super) fn is_reported(&self) -> bool {
        self.is_reported
    }

    /// The error that a caller gets when retrying did not help either.
    pub(super) fn final_error(self) -> Error {
        match self.remedy {
            Remedy::GiveUp => self.error,
            Remedy::Retry | Remedy::Reconnect => Error::new(
                self.error.kind(),
                format!("{}; nothing was stored; try again", self.error.message()),
            ),
        }
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        let (remedy, kind, sentence) = match error.code() {
            Some(_) if is_outdated(&error) => LOST,
            Some(code) => judge(code),
            None if is_distrusted(&error) => DISTRUSTED,
            None if error.is_closed() || is_broken(&error) => LOST,
            None => (Remedy::GiveUp, ErrorKind::Damaged, "the database was misunderstood"),
        };
        let is_reported = error.code().is_some() || remedy == Remedy::GiveUp;
        Self {
            error: Error::new(kind, format!("{sentence} ({})", outcome(&error))),
            remedy,
            is_reported,
        }
    }
}

const LOST: (Remedy, ErrorKind, &str) =
    (Remedy::Reconnect, ErrorKind::Unavailable, "the database cannot be reached");

const DISTRUSTED: (Remedy, ErrorKind, &str) = (
    Remedy::GiveUp,
    ErrorKind::Unavailable,
    "no encrypted connection to the database, as sslmode asks for: its certificate must name the host \
     and be trusted by the system or signed by one in the file that sslrootcert=… names",
);

/// Whether encryption failed for a reason that will not go away.
fn is_distrusted(error: &tokio_postgres::Error) -> bool {
    let is_broken = |cause: &std::io::Error| cause.kind() != std::io::ErrorKind::InvalidData;
    error.to_string().starts_with("error performing TLS handshake")
        && !error.source().and_then(|it| it.downcast_ref()).is_some_and(is_broken)
}

/// Whether the connection, not the statement, is at fault: there is an I/O error underneath.
fn is_broken(error: &tokio_postgres::Error) -> bool {
    let mut cause = error.source();
    while let Some(deeper) = cause {
        if deeper.is::<std::io::Error>() {
            return true;
        }
        cause = deeper.source();
    }
    error.to_string().starts_with("error connecting")
}

/// Whether a migration by a newer server changed what a prepared statement means. Its code alone says
/// less: clusters use it for whatever they cannot do.
fn is_outdated(error: &tokio_postgres::Error) -> bool {
    error.code() == Some(&SqlState::FEATURE_NOT_SUPPORTED)
        && error.as_db_error().is_some_and(|complaint| complaint.message().contains("cached plan"))
}

fn judge(code: &SqlState) -> (Remedy, ErrorKind, &'static str) {
    let lost = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::READ_ONLY_SQL_TRANSACTION,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        SqlState::INVALID_SQL_STATEMENT_NAME,
    ];
    let raced = [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::UNIQUE_VIOLATION,
    ];
    let slow = [SqlState::QUERY_CANCELED, SqlState::LOCK_NOT_AVAILABLE];
    let full = [SqlState::DISK_FULL, SqlState::OUT_OF_MEMORY];
    if code.code().starts_with("08") {
        // The database itself says so: it answers, and a node of its cluster does not. Waiting here would
        // take connections from vaults on other nodes.
        (Remedy::GiveUp, ErrorKind::Unavailable, "a node of the cluster cannot be reached")
    } else if lost.contains(code) {
        LOST
    } else if raced.contains(code) {
        (Remedy::Retry, ErrorKind::Busy, "others were writing the same at the same time")
    } else if slow.contains(code) {
        (Remedy::GiveUp, ErrorKind::Busy, "the database took too long; nothing was stored")
    } else if full.contains(code) {
        (Remedy::GiveUp, ErrorKind::Unavailable, "the database is full; nothing was stored")
    } else if code.code().starts_with("28") || code.code().starts_with("3D") {
        (Remedy::GiveUp, ErrorKind::Unavailable, "the database does not let us in")
    } else {
        (Remedy::GiveUp, ErrorKind::Damaged, "the database refused")
    }
}

/// The complaint without its details: those may hold the text of entries.
fn outcome(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(complaint) => format!("{}: {}", complaint.code().code(), complaint.message()),
        None => {
            let mut cause: &dyn std::error::Error = error;
            while let Some(deeper) = cause.source() {
                cause = deeper;
            }
            cause.to_string()
        }
    }
}

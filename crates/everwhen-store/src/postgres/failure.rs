//! What PostgreSQL complains about, in the engine's words, and whether to begin anew.

use std::error::Error as _;

use everwhen_engine::{Error, ErrorKind};
use tokio_postgres::error::SqlState;

/// What to do about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Nothing would be different the next time.
    GiveUp,
    /// Somebody else was faster; the same transaction may succeed now.
    Again,
    /// The connection is of no more use; the same transaction may succeed on another.
    Reconnect,
}

/// A failure: for whoever waits, and for whoever tries again.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(super) error: Error,
    pub(super) remedy: Remedy,
    /// The database itself said so; else nobody knows how far it came.
    is_heard: bool,
}

impl Failure {
    /// The database did not answer in time.
    pub(super) fn silence() -> Self {
        let error = Error::unavailable("the database does not answer");
        Self { error, remedy: Remedy::Reconnect, is_heard: false }
    }

    /// There can be no connection at all.
    pub(super) fn of_runtime(error: &std::io::Error) -> Self {
        let error = Error::unavailable(format!("no connection can be driven: {error}"));
        Self { error, remedy: Remedy::GiveUp, is_heard: true }
    }

    /// A value does not fit the statement it was given to.
    pub(super) fn of_value(error: &(dyn std::error::Error + Sync + Send)) -> Self {
        let error = Error::damaged(format!("a value cannot be stored: {error}"));
        Self { error, remedy: Remedy::GiveUp, is_heard: true }
    }

    /// Whether the database itself said so, and not only the connection fell silent.
    pub(super) fn is_heard(&self) -> bool {
        self.is_heard
    }

    /// What a caller is told when trying again did not help either.
    pub(super) fn at_last(self) -> Error {
        match self.remedy {
            Remedy::GiveUp => self.error,
            Remedy::Again | Remedy::Reconnect => Error::new(
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
        let is_heard = error.code().is_some() || remedy == Remedy::GiveUp;
        Self { error: Error::new(kind, format!("{sentence} ({})", told(&error))), remedy, is_heard }
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
    if lost.contains(code) || code.code().starts_with("08") {
        LOST
    } else if raced.contains(code) {
        (Remedy::Again, ErrorKind::Busy, "others were writing the same at the same time")
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

/// The complaint without its details: those may hold what somebody said.
fn told(error: &tokio_postgres::Error) -> String {
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

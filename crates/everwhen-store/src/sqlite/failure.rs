//! What SQLite complains about, in the engine's words.

use everwhen_engine::{Error, ErrorKind};
use rusqlite::ErrorCode;

/// How an error begins that says a page of the file cannot be read.
const DAMAGED: &str = "the file is not a healthy SQLite database";

/// Whether an error says that a page of the file cannot be read.
pub(super) fn is_damage(error: &Error) -> bool {
    error.kind() == ErrorKind::Damaged && error.message().starts_with(DAMAGED)
}

/// A failure of SQLite, or of the engine's own work inside a transaction.
pub(super) fn store_error(error: rusqlite::Error) -> Error {
    let Some(code) = error.sqlite_error_code() else {
        return Error::damaged(format!("a row could not be read: {error}"));
    };
    let (kind, sentence) = match code {
        ErrorCode::DiskFull => (
            ErrorKind::Unavailable,
            "the disk, or the size allowed to the database, is full; nothing was stored. Free some space or raise [store] max_size_mb",
        ),
        ErrorCode::ReadOnly => (
            ErrorKind::Unavailable,
            "the database cannot be written: its file or directory is read-only",
        ),
        ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
            (ErrorKind::Unavailable, "the database file cannot be opened")
        }
        ErrorCode::SystemIoFailure => (ErrorKind::Unavailable, "the disk failed"),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            (ErrorKind::Busy, "another program is using the database")
        }
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => (ErrorKind::Damaged, DAMAGED),
        _ => (ErrorKind::Damaged, "the database refused"),
    };
    Error::new(kind, format!("{sentence} ({error})"))
}

/// Shortens the conversion at every call.
pub(crate) trait Stored<T> {
    /// Converts the error into one of the engine.
    fn stored(self) -> everwhen_engine::Result<T>;
}

impl<T> Stored<T> for rusqlite::Result<T> {
    fn stored(self) -> everwhen_engine::Result<T> {
        self.map_err(store_error)
    }
}

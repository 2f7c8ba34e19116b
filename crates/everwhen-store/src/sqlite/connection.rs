//! Opening connections, with the settings each kind needs.

use std::path::Path;
use std::time::Duration;

use everwhen_engine::{Error, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::failure::Stored;
use super::{SqliteOptions, Synchronous, schema};

/// Prepared statements each connection keeps.
const STATEMENTS: usize = 128;

/// The one connection that writes.
pub(super) fn open_writer(path: &Path, options: SqliteOptions) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = open(path, flags)?;
    // Before anything is changed, even the journal mode: is this file ours to change?
    schema::version(&connection).map_err(|error| error.at(path.display()))?;
    let mode: String = connection
        .query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))
        .stored()
        .map_err(|error| error.at(path.display()))?;
    if mode != "wal" {
        return Err(Error::unavailable(format!(
            "{}: the file system does not support SQLite's write-ahead log (got {mode:?})",
            path.display()
        )));
    }
    let synchronous = match options.synchronous {
        Synchronous::Full if !options.syncs_beside() => "FULL",
        // The syncer makes commits durable, or they are not durable.
        Synchronous::Full | Synchronous::Normal => "NORMAL",
    };
    connection.pragma_update(None, "synchronous", synchronous).stored()?;
    // What is forgotten is overwritten, not only unlinked.
    connection.pragma_update(None, "secure_delete", true).stored()?;
    connection.pragma_update(None, "cache_size", -8192).stored()?;
    limit_size(&connection, options.max_bytes)?;
    Ok(connection)
}

/// The connection that copies the log into the file.
pub(super) fn open_checkpointer(path: &Path) -> Result<Connection> {
    open(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

/// A connection that reads.
pub(super) fn open_reader(path: &Path) -> Result<Connection> {
    let connection =
        open(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.pragma_update(None, "cache_size", -4096).stored()?;
    Ok(connection)
}

/// A connection that reads a few rows at a time, from all over: the pages on the way to them stay at
/// hand, those of some hundred thousand entries.
pub(super) fn open_direct_reader(path: &Path) -> Result<Connection> {
    let connection = open_reader(path)?;
    connection.pragma_update(None, "cache_size", -16384).stored()?;
    Ok(connection)
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection> {
    let connection = Connection::open_with_flags(path, flags)
        .stored()
        .map_err(|error| error.at(path.display()))?;
    connection.busy_timeout(Duration::from_secs(5)).stored()?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Else a statement is planned again whenever a time bound to it changes, which is every time.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).stored()?;
    connection.pragma_update(None, "temp_store", "MEMORY").stored()?;
    Ok(connection)
}

fn limit_size(connection: &Connection, max_bytes: Option<u64>) -> Result<()> {
    let Some(bytes) = max_bytes else { return Ok(()) };
    let page: i64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0)).stored()?;
    let pages = i64::try_from(bytes).unwrap_or(i64::MAX) / page;
    connection.pragma_update(None, "max_page_count", pages.max(1)).stored()
}

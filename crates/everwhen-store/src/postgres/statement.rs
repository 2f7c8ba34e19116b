//! Running a statement: prepared once for each connection, and with the engine's errors.

use everwhen_engine::{Error, Result};
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, ToSql};
use uuid::Uuid;

use super::connection::Connection;

/// The values a statement compares with or writes.
pub(crate) type Values<'v> = &'v [&'v (dyn ToSql + Sync)];

/// A column's value.
pub(crate) fn get<'r, T: FromSql<'r>>(row: &'r Row, column: usize) -> Result<T> {
    row.try_get(column).map_err(|error| Error::damaged(format!("a row could not be read: {error}")))
}

/// An id from its column.
pub(super) fn get_id<T: From<Uuid>>(row: &Row, column: usize) -> Result<T> {
    get::<Uuid>(row, column).map(T::from)
}

/// The first row a statement finds.
pub(super) fn first<T>(
    connection: &Connection,
    sql: &str,
    values: Values<'_>,
    read: impl FnOnce(&Row) -> Result<T>,
) -> Result<Option<T>> {
    connection.query(sql, values)?.first().map(read).transpose()
}

/// All rows a statement finds.
pub(super) fn all<T>(
    connection: &Connection,
    sql: &str,
    values: Values<'_>,
    read: impl Fn(&Row) -> Result<T>,
) -> Result<Vec<T>> {
    connection.query(sql, values)?.iter().map(read).collect()
}

/// Runs a statement; answers how many rows it changed.
pub(super) fn run(connection: &Connection, sql: &str, values: Values<'_>) -> Result<u64> {
    connection.execute(sql, values)
}

/// Sends a statement whose answer nobody needs. If it fails, so does the transaction.
pub(super) fn send(connection: &Connection, sql: &str, values: Values<'_>) -> Result<()> {
    connection.send(sql, values)
}

/// Runs a statement that must change exactly one row.
pub(super) fn run_one(connection: &Connection, sql: &str, values: Values<'_>) -> Result<()> {
    match run(connection, sql, values)? {
        1 => Ok(()),
        changed => Err(Error::damaged(format!("one row was to change, but {changed} did"))),
    }
}

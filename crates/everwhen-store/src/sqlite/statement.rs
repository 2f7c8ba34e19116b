//! Running a statement: prepared once, cached, and with the engine's errors.

use everwhen_engine::{Error, Result};
use rusqlite::{Connection, Params, Row, Statement, ToSql};

use super::failure::Stored;

/// A column's value.
pub(super) fn get<T: rusqlite::types::FromSql>(row: &Row<'_>, column: usize) -> Result<T> {
    row.get(column).stored()
}

/// The first row a statement finds.
pub(super) fn first<T>(
    connection: &Connection,
    sql: &str,
    values: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let mut statement = connection.prepare_cached(sql).stored()?;
    let mut rows = statement.query(values).stored()?;
    let found = rows.next().stored()?.map(read).transpose();
    drop(rows);
    count(&statement);
    found
}

/// The first row a statement finds for each of several values.
pub(super) fn first_of_each<T, V: Params>(
    connection: &Connection,
    sql: &str,
    values: impl Iterator<Item = V>,
    read: impl Fn(&Row<'_>) -> Result<T>,
) -> Result<Vec<Option<T>>> {
    let mut statement = connection.prepare_cached(sql).stored()?;
    let mut find = |values: V| {
        let mut rows = statement.query(values).stored()?;
        rows.next().stored()?.map(&read).transpose()
    };
    values.map(&mut find).collect()
}

/// All rows a statement finds.
pub(super) fn all<T>(
    connection: &Connection,
    sql: &str,
    values: impl Params,
    read: impl Fn(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut statement = connection.prepare_cached(sql).stored()?;
    let mut rows = statement.query(values).stored()?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().stored()? {
        found.push(read(row)?);
    }
    drop(rows);
    count(&statement);
    Ok(found)
}

/// Runs a statement; answers how many rows it changed.
pub(super) fn run(connection: &Connection, sql: &str, values: impl Params) -> Result<u64> {
    let mut statement = connection.prepare_cached(sql).stored()?;
    let changed = statement.execute(values).stored()?;
    count(&statement);
    Ok(changed as u64)
}

/// Counts what SQLite did for a statement, where a test wants to know.
fn count(_statement: &Statement<'_>) {
    #[cfg(test)]
    super::steps::count(_statement);
}

/// Updates a row in the usual way, or runs the statement that also makes it or changes its keys.
/// Both take the same values.
pub(super) fn update_or_insert(
    connection: &Connection,
    update: &str,
    upsert: &str,
    values: &[&dyn ToSql],
) -> Result<()> {
    match run(connection, update, values)? {
        0 => run(connection, upsert, values).map(drop),
        _ => Ok(()),
    }
}

/// Runs a statement that must change exactly one row.
pub(super) fn run_one(connection: &Connection, sql: &str, values: impl Params) -> Result<()> {
    match run(connection, sql, values)? {
        1 => Ok(()),
        changed => Err(Error::damaged(format!("one row was to change, but {changed} did"))),
    }
}

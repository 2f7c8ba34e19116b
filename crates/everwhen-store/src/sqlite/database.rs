//! Running the tables' statements on SQLite: each is prepared once and kept by the connection.

use everwhen_engine::{Error, Result};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, MAIN_DB, StatementStatus, ToSql, params_from_iter};

use super::failure::Stored;
use crate::row::names_json;
use crate::tables::{Cell, Database, Dialect, More, Query, Row, Take, Value};

impl Database for Connection {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn query(&self, query: Query<'_>) -> Result<()> {
        let Query { sql, values, each, take } = query;
        let mut statement = self.prepare_cached(sql).stored()?;
        let Some(each) = each else {
            find(&mut statement, values.iter(), take)?;
            return Ok(());
        };
        for one in &each {
            if find(&mut statement, values.iter().chain([one]), take)? == More::Enough {
                break;
            }
        }
        Ok(())
    }

    fn run(&self, sql: &str, values: &[Value<'_>]) -> Result<u64> {
        change(&mut self.prepare_cached(sql).stored()?, values.iter())
    }

    fn run_each(&self, sql: &str, values: &[Value<'_>], each: Vec<Value<'_>>) -> Result<u64> {
        let mut statement = self.prepare_cached(sql).stored()?;
        each.iter().map(|one| change(&mut statement, values.iter().chain([one]))).sum()
    }

    fn send(&self, sql: &str, values: &[Value<'_>]) -> Result<()> {
        self.run(sql, values).map(drop)
    }

    fn blob(
        &self,
        table: &str,
        column: &str,
        row: i64,
        first: fn([u8; 8], usize) -> usize,
    ) -> Result<[Vec<u8>; 2]> {
        let blob = self.blob_open(MAIN_DB, table, column, row, true).stored()?;
        let mut beginning = [0; 8];
        let Some(len) = blob.len().checked_sub(beginning.len()) else {
            return Ok([Vec::new(), Vec::new()]);
        };
        blob.read_at_exact(&mut beginning, 0).stored()?;
        let first = first(beginning, len).min(len);
        let mut parts = [vec![0; first], vec![0; len - first]];
        blob.read_at_exact(&mut parts[0], beginning.len()).stored()?;
        blob.read_at_exact(&mut parts[1], beginning.len() + first).stored()?;
        Ok(parts)
    }

    fn update_or_insert(&self, update: &str, upsert: &str, values: &[Value<'_>]) -> Result<()> {
        match self.run(update, values)? {
            0 => self.send(upsert, values),
            _ => Ok(()),
        }
    }
}

/// Hands over the rows that a statement finds.
fn find<'v>(
    statement: &mut CachedStatement<'_>,
    values: impl Iterator<Item = &'v Value<'v>>,
    take: Take<'_>,
) -> Result<More> {
    let mut rows = statement.query(params_from_iter(values)).stored()?;
    let mut more = More::Wanted;
    while more == More::Wanted
        && let Some(row) = rows.next().stored()?
    {
        more = take(row)?;
    }
    drop(rows);
    trace_steps(statement);
    Ok(more)
}

/// Runs a statement; answers how many rows it changed.
fn change<'v>(
    statement: &mut CachedStatement<'_>,
    values: impl Iterator<Item = &'v Value<'v>>,
) -> Result<u64> {
    let changed = statement.execute(params_from_iter(values)).stored()?;
    trace_steps(statement);
    Ok(changed as u64)
}

/// Traces how many steps of its machine SQLite needed: a measure that is the same on every computer.
fn trace_steps(statement: &CachedStatement<'_>) {
    if tracing::enabled!(tracing::Level::TRACE) {
        let steps = statement.reset_status(StatementStatus::VmStep);
        tracing::trace!(steps, "a statement ran");
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Value::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Value::Bool(flag) => ToSqlOutput::Borrowed(ValueRef::Integer((*flag).into())),
            Value::Number(number) => ToSqlOutput::Borrowed(ValueRef::Integer(*number)),
            Value::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Value::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            Value::Id(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            Value::NoVault => ToSqlOutput::Borrowed(ValueRef::Blob(&[])),
            Value::Names(names) => match names_json(names) {
                Some(json) => ToSqlOutput::from(json),
                None => ToSqlOutput::Borrowed(ValueRef::Null),
            },
            Value::List(_) => {
                let error = "several values cannot be one parameter here".into();
                return Err(rusqlite::Error::ToSqlConversionFailure(error));
            }
        })
    }
}

impl Row for rusqlite::Row<'_> {
    fn cell(&self, index: usize) -> Result<Cell<'_>> {
        let value = self.get_ref(index).stored()?;
        Ok(match value {
            ValueRef::Null => Cell::Null,
            ValueRef::Integer(number) => Cell::Number(number),
            ValueRef::Real(_) => return Err(Error::damaged("a column holds a fraction")),
            ValueRef::Text(_) => {
                Cell::Text(value.as_str().map_err(rusqlite::Error::from).stored()?)
            }
            ValueRef::Blob(bytes) => Cell::Bytes(bytes),
        })
    }
}

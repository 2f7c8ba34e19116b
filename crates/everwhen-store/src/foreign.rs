//! SQLite files of other programs: read without changing or locking them, or created for an export.

use std::path::Path;

use everwhen_engine::{Error, Result};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OpenFlags};

/// A value of a foreign table.
#[derive(Debug, Clone, PartialEq)]
pub enum ForeignValue {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// The tables of a file.
pub fn tables(path: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table'";
    rows(path, sql, &mut |row| {
        if let Some(ForeignValue::Text(name)) = row.into_iter().next() {
            names.push(name);
        }
        Ok(true)
    })?;
    Ok(names)
}

/// Tells each row that a statement selects, until `take` answers false. The file is opened for
/// reading only.
pub fn rows(
    path: &Path,
    sql: &str,
    take: &mut dyn FnMut(Vec<ForeignValue>) -> Result<bool>,
) -> Result<()> {
    let unreadable = |error: rusqlite::Error| {
        Error::invalid(format!(
            "{}: the database cannot be read ({error}); end the program that uses it, or copy the file \
             together with its -wal file",
            path.display()
        ))
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(unreadable)?;
    let mut statement = connection.prepare(sql).map_err(unreadable)?;
    let columns = statement.column_count();
    let mut found = statement.query([]).map_err(unreadable)?;
    while let Some(row) = found.next().map_err(unreadable)? {
        let values = (0..columns).map(|column| {
            Ok(match row.get_ref(column)? {
                ValueRef::Null => ForeignValue::Null,
                ValueRef::Integer(number) => ForeignValue::Integer(number),
                ValueRef::Real(real) => ForeignValue::Real(real),
                ValueRef::Text(text) => {
                    ForeignValue::Text(String::from_utf8_lossy(text).into_owned())
                }
                ValueRef::Blob(bytes) => ForeignValue::Bytes(bytes.to_vec()),
            })
        });
        let values = values.collect::<rusqlite::Result<_>>().map_err(unreadable)?;
        if !take(values)? {
            break;
        }
    }
    Ok(())
}

/// Makes a database of another program: `tables`, then each statement with its values, all or nothing. A
/// file that is there is replaced.
pub fn create(path: &Path, tables: &str, rows: &[(&str, Vec<ForeignValue>)]) -> Result<()> {
    let unwritable =
        |error: &dyn std::fmt::Display| Error::invalid(format!("{}: {error}", path.display()));
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(unwritable(&error));
        }
        _ => {}
    }
    let fill = || -> rusqlite::Result<()> {
        let mut connection = Connection::open(path)?;
        let transaction = connection.transaction()?;
        transaction.execute_batch(tables)?;
        for (sql, values) in rows {
            let values = values.iter().map(|value| match value {
                ForeignValue::Null => Value::Null,
                ForeignValue::Integer(number) => Value::Integer(*number),
                ForeignValue::Real(real) => Value::Real(*real),
                ForeignValue::Text(text) => Value::Text(text.clone()),
                ForeignValue::Bytes(bytes) => Value::Blob(bytes.clone()),
            });
            transaction.prepare_cached(sql)?.execute(rusqlite::params_from_iter(values))?;
        }
        transaction.commit()
    };
    fill().map_err(|error| unwritable(&error))
}

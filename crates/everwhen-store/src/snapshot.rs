//! A copy of a SQLite store at one moment, made while it is in use.

use std::path::Path;

use everwhen_engine::{Error, Result};
use rusqlite::{Connection, OpenFlags};

use crate::sqlite::Stored;

/// Copies the database at `from` into the new file `to`. The copy has everything that was
/// acknowledged before the call; writers go on meanwhile.
pub fn snapshot(from: &Path, to: &Path) -> Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(from, flags).stored()?;
    connection.busy_timeout(std::time::Duration::from_secs(60)).stored()?;
    let target = to.to_str().ok_or_else(|| Error::invalid("the path of the copy is not UTF-8"))?;
    connection.execute("VACUUM INTO ?1", [target]).stored()?;
    Ok(())
}

/// Checks that a database file is whole, and counts the rows of its tables.
pub fn examine(path: &Path) -> Result<Vec<(String, u64)>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).stored()?;
    let verdict: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).stored()?;
    if verdict != "ok" {
        return Err(Error::damaged(format!("{}: {verdict}", path.display())));
    }
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
    let mut statement = connection.prepare(sql).stored()?;
    let names = statement.query_map([], |row| row.get::<_, String>(0)).stored()?;
    let names: Vec<String> = names.collect::<rusqlite::Result<_>>().stored()?;
    names
        .into_iter()
        .map(|name| {
            let sql = format!("SELECT count(*) FROM \"{name}\"");
            let count: i64 = connection.query_row(&sql, [], |row| row.get(0)).stored()?;
            Ok((name, u64::try_from(count).unwrap_or_default()))
        })
        .collect()
}

//! The plain SQLite loop: only rusqlite, with the same tables, indexes, journal and durability.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};

/// A database that looks like Everwhen's and knows nothing of it.
pub(super) struct BareLoop {
    source: Connection,
    target: Connection,
}

impl BareLoop {
    /// Copies the schema of the database in `data` into an empty file in `directory`.
    pub(super) fn like(data: &Path, directory: &Path) -> Result<Self> {
        let source = Connection::open_with_flags(
            data.join(everwhen::DATABASE_FILE),
            OpenFlags::SQLITE_OPEN_READ_ONLY,
        )?;
        let target = Connection::open(directory.join("bare.db"))?;
        target.pragma_update(None, "journal_mode", "WAL")?;
        for pragma in ["synchronous", "wal_autocheckpoint"] {
            let value: i64 = match pragma {
                "synchronous" => 2,
                _ => 4096,
            };
            target.pragma_update(None, pragma, value)?;
        }
        target.pragma_update(None, "cache_size", -8192)?;
        let mut statement =
            source.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")?;
        let tables = statement.query_map([], |row| row.get::<_, String>(0))?;
        for sql in tables {
            target.execute_batch(&sql?)?;
        }
        drop(statement);
        Ok(Self { source, target })
    }

    /// Seconds to insert the entries from `skip` on, `batch` to a transaction.
    pub(super) fn insert_round(&mut self, skip: usize, count: usize, batch: usize) -> Result<f64> {
        let rows = self.rows(skip, count)?;
        let marks = vec!["?"; rows[0].len()].join(", ");
        let sql = format!("INSERT INTO entry VALUES ({marks})");
        let began = Instant::now();
        for rows in rows.chunks(batch) {
            let transaction = self.target.transaction()?;
            {
                let mut insert = transaction.prepare_cached(&sql)?;
                for row in rows {
                    insert.execute(params_from_iter(row))?;
                }
            }
            transaction.commit()?;
        }
        Ok(began.elapsed().as_secs_f64())
    }

    fn rows(&self, skip: usize, count: usize) -> Result<Vec<Vec<Value>>> {
        let sql = "SELECT * FROM entry ORDER BY row LIMIT ?2 OFFSET ?1";
        let mut statement = self.source.prepare(sql)?;
        let columns = statement.column_count();
        let rows = statement.query_map([skip as i64, count as i64], |row| {
            (0..columns).map(|column| row.get(column)).collect()
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

/// Commits of one row each per second, in a file beside the data.
pub(super) fn commits_per_second(directory: &Path, seconds: f64) -> Result<f64> {
    let connection = Connection::open(directory.join("commits.db"))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", 2)?;
    connection.execute_batch("CREATE TABLE said (id INTEGER PRIMARY KEY, content TEXT)")?;
    let text = crate::harness::dialogue::message(1).content;
    let began = Instant::now();
    let mut done = 0u32;
    while began.elapsed().as_secs_f64() < seconds {
        connection.prepare_cached("INSERT INTO said (content) VALUES (?1)")?.execute([&text])?;
        done += 1;
    }
    Ok(f64::from(done) / began.elapsed().as_secs_f64())
}

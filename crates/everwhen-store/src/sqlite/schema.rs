//! The schema and how an older file is brought up to it.
//!
//! `user_version` counts the migrations a file has seen. Each runs once, in order, all in one
//! transaction. A file that has seen more than this program knows is left alone.

use everwhen_engine::{Error, Result};
use rusqlite::{Connection, TransactionBehavior};

use super::failure::Stored;
use crate::schema::{SHARED, statements};
use crate::tables::Dialect;

/// Marks a file as ours: "EvWh".
const APPLICATION: i64 = 0x4576_5768;
/// SQLite's own migrations, in order. They are released; what comes now is added to [`SHARED`].
const OWN: &[&str] = &[
    include_str!("schema/0001_init.sql"),
    include_str!("schema/0002_recall.sql"),
    include_str!("schema/0003_jobs.sql"),
    include_str!("schema/0004_ledger.sql"),
    include_str!("schema/0005_segments.sql"),
    include_str!("schema/0006_models.sql"),
    include_str!("schema/0007_facts.sql"),
    include_str!("schema/0008_chapters.sql"),
    include_str!("schema/0009_distilled.sql"),
    include_str!("schema/0010_context.sql"),
    include_str!("schema/0011_lifecycle.sql"),
    include_str!("schema/0012_followed.sql"),
    include_str!("schema/0013_proof.sql"),
    include_str!("schema/0014_key_scopes.sql"),
    include_str!("schema/0015_person.sql"),
];

/// The version of a file that has seen all of them.
const LATEST: usize = OWN.len() + SHARED.len();

/// Brings the file up to date.
pub(super) fn migrate(connection: &mut Connection) -> Result<()> {
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).stored()?;
    let seen = version(&transaction)?;
    for migration in OWN.iter().skip(seen) {
        transaction.execute_batch(migration).stored()?;
    }
    for migration in SHARED.iter().skip(seen.saturating_sub(OWN.len())) {
        for statement in statements(Dialect::Sqlite, migration) {
            transaction.execute_batch(&statement).stored()?;
        }
    }
    if seen < LATEST {
        transaction.pragma_update(None, "application_id", APPLICATION).stored()?;
        transaction.pragma_update(None, "user_version", LATEST as i64).stored()?;
    }
    transaction.commit().stored()
}

/// How many migrations the file has seen, if it is ours and not from the future.
pub(super) fn version(connection: &Connection) -> Result<usize> {
    let pragma = |name: &str| -> Result<i64> {
        connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).stored()
    };
    let (application, seen) = (pragma("application_id")?, pragma("user_version")?);
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .stored()?;
    if tables > 0 && application != APPLICATION {
        return Err(Error::damaged("this SQLite file does not belong to Everwhen; name another"));
    }
    match usize::try_from(seen) {
        Ok(seen) if seen <= LATEST => Ok(seen),
        _ => Err(Error::unavailable(format!(
            "this database was written by a newer Everwhen (schema {seen}, this program knows {LATEST}); \
             use that version or a later one"
        ))),
    }
}

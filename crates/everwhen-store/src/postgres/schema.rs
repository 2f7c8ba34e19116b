//! Migrations: the schema this program needs, reached step by step.
//!
//! The table `everwhen_schema` counts the migrations a database has seen. Each runs once, in order,
//! all in one transaction that one server at a time may hold. A database that has seen more than
//! this program knows is left alone.

use everwhen_engine::{Error, Result};

use super::connection::{CommitError, Connection, TransactionMode};
use super::database::get;
use crate::schema::{SHARED, statements};
use crate::tables::Dialect;

/// PostgreSQL's own migrations, in order. They are released; what comes now is added to [`SHARED`].
const OWN: &[&str] = &[
    include_str!("schema/0001_init.sql"),
    include_str!("schema/0002_ledger.sql"),
    include_str!("schema/0003_segments.sql"),
    include_str!("schema/0004_models.sql"),
    include_str!("schema/0005_facts.sql"),
    include_str!("schema/0006_chapters.sql"),
    include_str!("schema/0007_distilled.sql"),
    include_str!("schema/0008_context.sql"),
    include_str!("schema/0009_lifecycle.sql"),
    include_str!("schema/0010_followed.sql"),
    include_str!("schema/0011_proof.sql"),
    include_str!("schema/0012_key_scopes.sql"),
    include_str!("schema/0013_person.sql"),
];
/// The version of a database that has seen all of them.
const LATEST: usize = OWN.len() + SHARED.len();
/// The number of the lock that migrating servers take, made of "EvWh".
const LOCK: i64 = 0x4576_5768;

/// Brings the database up to date; says whether anything was to do.
pub(super) fn migrate(connection: &Connection) -> Result<bool> {
    connection.begin(TransactionMode::Write);
    let done = steps(connection);
    if done.is_err() {
        connection.roll_back();
        return done;
    }
    match connection.commit() {
        Ok(()) => done,
        Err(CommitError::Rejected(failure)) => Err(failure.error),
        Err(CommitError::Unknown(error)) => Err(error),
    }
}

fn steps(connection: &Connection) -> Result<bool> {
    connection.query("SELECT pg_advisory_xact_lock($1)", &[&LOCK])?;
    connection
        .run_script("CREATE TABLE IF NOT EXISTS everwhen_schema (version bigint PRIMARY KEY)")?;
    let seen = version(connection)?;
    for migration in OWN.iter().chain(SHARED).skip(seen) {
        for statement in statements(Dialect::Postgres, migration) {
            connection.run_script(&statement)?;
        }
    }
    if seen < LATEST {
        connection.execute("DELETE FROM everwhen_schema", &[])?;
        let sql = "INSERT INTO everwhen_schema (version) VALUES ($1)";
        connection.execute(sql, &[&(LATEST as i64)])?;
    }
    Ok(seen < LATEST)
}

/// How many migrations the database has seen, if it is not from the future.
fn version(connection: &Connection) -> Result<usize> {
    let rows = connection.query("SELECT version FROM everwhen_schema", &[])?;
    let seen: i64 = rows.first().map_or(Ok(0), |row| get(row, "version"))?;
    match usize::try_from(seen) {
        Ok(seen) if seen <= LATEST => Ok(seen),
        _ => Err(Error::unavailable(format!(
            "this database was written by a newer Everwhen (schema {seen}, this program knows {LATEST}); \
             use that version or a later one"
        ))),
    }
}

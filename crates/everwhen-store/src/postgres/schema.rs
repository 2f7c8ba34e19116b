//! Migrations: the schema this program needs, reached step by step.
//!
//! The table `everwhen_schema` counts the migrations a database has seen. Each runs once, in order,
//! all in one transaction that one server at a time may hold. A database that has seen more than
//! this program knows is left alone.

use everwhen_engine::{Error, Result};

use super::connection::{Connection, Purpose, Uncommitted};
use super::statement::{all, get, run};

/// Every migration, in order, statement by statement. Never change one that has been released; add
/// another.
const MIGRATIONS: &[&str] = &[
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
/// The number of the lock that migrating servers take, made of "EvWh".
const LOCK: i64 = 0x4576_5768;

/// Brings the database up to date; says whether anything was to do.
pub(super) fn migrate(connection: &Connection) -> Result<bool> {
    connection.begin(Purpose::Write);
    let done = steps(connection);
    if done.is_err() {
        connection.roll_back();
        return done;
    }
    match connection.commit() {
        Ok(()) => done,
        Err(Uncommitted::Refused(failure)) => Err(failure.error),
        Err(Uncommitted::Unknown(error)) => Err(error),
    }
}

fn steps(connection: &Connection) -> Result<bool> {
    all(connection, "SELECT pg_advisory_xact_lock($1)", &[&LOCK], |_| Ok(()))?;
    connection.say("CREATE TABLE IF NOT EXISTS everwhen_schema (version bigint PRIMARY KEY)")?;
    let seen = version(connection)?;
    for migration in &MIGRATIONS[seen..] {
        statements(migration).try_for_each(|statement| connection.say(statement))?;
    }
    if seen < MIGRATIONS.len() {
        run(connection, "DELETE FROM everwhen_schema", &[])?;
        let sql = "INSERT INTO everwhen_schema (version) VALUES ($1)";
        run(connection, sql, &[&(MIGRATIONS.len() as i64)])?;
    }
    Ok(seen < MIGRATIONS.len())
}

/// How many migrations the database has seen, if it is not from the future.
fn version(connection: &Connection) -> Result<usize> {
    let seen = all(connection, "SELECT version FROM everwhen_schema", &[], |row| get(row, 0))?;
    let seen: i64 = seen.first().copied().unwrap_or(0);
    match usize::try_from(seen) {
        Ok(seen) if seen <= MIGRATIONS.len() => Ok(seen),
        _ => Err(Error::unavailable(format!(
            "this database was written by a newer Everwhen (schema {seen}, this program knows {}); \
             use that version or a later one",
            MIGRATIONS.len()
        ))),
    }
}

/// The statements of a migration. In these files a semicolon at the end of a line ends one.
fn statements(migration: &str) -> impl Iterator<Item = &str> {
    migration.split(";\n").map(str::trim).filter(|statement| !statement.is_empty())
}

//! Every story on SQLite and on PostgreSQL: the same answers as on the oracle store, and a restart
//! that is one.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::process::ExitCode;
use std::sync::Arc;

use everwhen_engine::Result;
use everwhen_engine::ports::Store;
use everwhen_store::{PostgresOptions, PostgresStore, SqliteOptions, SqliteStore};
use everwhen_testkit::story::{Backend, run_all};

#[path = "postgres/schemas.rs"]
#[expect(dead_code, reason = "shared with the conformance cases, which use all of it")]
mod schemas;

use schemas::Schema;

/// A database file in a folder that goes when the story has ended.
struct Sqlite(tempfile::TempDir);

impl Sqlite {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder can be made"))
    }
}

impl Backend for Sqlite {
    fn open(&self) -> Result<Arc<dyn Store>> {
        let file = self.0.path().join("everwhen.db");
        Ok(Arc::new(SqliteStore::open(&file, SqliteOptions::default())?))
    }

    fn reopen(&self, old: Arc<dyn Store>) -> Result<Arc<dyn Store>> {
        assert_eq!(Arc::strong_count(&old), 1, "somebody still holds the store");
        drop(old);
        self.open()
    }
}

/// A schema of the tests' database.
struct Postgres(Schema);

impl Backend for Postgres {
    fn open(&self) -> Result<Arc<dyn Store>> {
        let options = PostgresOptions { connections: 1, ..PostgresOptions::default() };
        Ok(Arc::new(PostgresStore::open(&self.0.to_string(), options)?))
    }

    fn reopen(&self, old: Arc<dyn Store>) -> Result<Arc<dyn Store>> {
        drop(old);
        self.open()
    }
}

fn main() -> ExitCode {
    let sqlite = run_all(|| Box::new(Sqlite::new()));
    let postgres = run_all(|| Box::new(Postgres(Schema::empty())));
    if sqlite == ExitCode::SUCCESS { postgres } else { sqlite }
}

//! Every story on SQLite and on PostgreSQL: the same answers as on the oracle store, and a restart
//! that is one.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use everwhen_engine::Result;
use everwhen_engine::ports::Store;
use everwhen_store::{PostgresOptions, PostgresStore, SqliteOptions, SqliteStore};
use everwhen_testkit::story::{Backend, run_all};
use everwhen_testkit::{sql, test_database};

/// A database file in a folder that goes when the story is told.
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

/// A schema of the tests' database; its URL.
struct Postgres(String);

impl Postgres {
    fn new() -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let number = MADE.fetch_add(1, Ordering::SeqCst);
        let (name, database) = (format!("story_{}_{number}", std::process::id()), test_database());
        sql(&database, &format!("CREATE SCHEMA {name}"));
        let sign = if database.contains('?') { '&' } else { '?' };
        Self(format!("{database}{sign}options=-csearch_path%3D{name}"))
    }
}

impl Backend for Postgres {
    fn open(&self) -> Result<Arc<dyn Store>> {
        let options = PostgresOptions { connections: 1, ..PostgresOptions::default() };
        Ok(Arc::new(PostgresStore::open(&self.0, options)?))
    }

    fn reopen(&self, old: Arc<dyn Store>) -> Result<Arc<dyn Store>> {
        drop(old);
        self.open()
    }
}

fn main() -> ExitCode {
    let sqlite = run_all(|| Box::new(Sqlite::new()));
    let postgres = run_all(|| Box::new(Postgres::new()));
    if sqlite == ExitCode::SUCCESS { postgres } else { sqlite }
}

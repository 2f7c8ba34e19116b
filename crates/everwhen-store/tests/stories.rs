//! Every story on SQLite: the same answers as on the oracle store, and a restart that is one.

use std::process::ExitCode;
use std::sync::Arc;

use everwhen_engine::Result;
use everwhen_engine::ports::Store;
use everwhen_store::{SqliteOptions, SqliteStore};
use everwhen_testkit::story::{Backend, run_all};

/// A database file in a folder that goes when the story is told.
struct Sqlite(tempfile::TempDir);

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

fn main() -> ExitCode {
    run_all(|| Box::new(Sqlite(tempfile::tempdir().expect("a temporary folder can be made"))))
}

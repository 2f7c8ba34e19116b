//! The backends, each empty and ready, and how to run a case on them.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use everwhen_engine::ports::{Snapshot, Store, Tx};
use everwhen_engine::{Error, Result};
use everwhen_store::{SqliteOptions, SqliteStore, Synchronous};
use everwhen_testkit::{PlainStore, block_on};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestRunner};

use tempfile::TempDir;

use crate::schemas::Schema;

/// Makes an empty store.
pub(crate) type Open = fn() -> Bed;

/// An empty store and where it lies, which goes, or is used again, after it.
pub(crate) struct Bed {
    pub(crate) store: Arc<dyn Store>,
    place: Option<Box<dyn Any>>,
}

/// The oracle.
pub(crate) fn plain() -> Bed {
    Bed { store: Arc::new(PlainStore::new()), place: None }
}

/// SQLite in a file. No power fails in these tests.
pub(crate) fn sqlite() -> Bed {
    let directory = tempfile::tempdir().unwrap();
    let options = SqliteOptions { synchronous: Synchronous::Normal, ..SqliteOptions::default() };
    let store = SqliteStore::open(&directory.path().join("everwhen.db"), options).unwrap();
    Bed { store: Arc::new(store), place: Some(Box::new(directory)) }
}

/// PostgreSQL in a schema that others have used before and will use again.
pub(crate) fn postgres() -> Bed {
    let schema = Schema::empty();
    Bed { store: (&schema).into(), place: Some(Box::new(schema)) }
}

impl Bed {
    /// Whether it is the oracle, which writes nothing down.
    pub(crate) fn is_plain(&self) -> bool {
        self.place.is_none()
    }

    /// Where a word is in anything the store has written: files, or tables.
    pub(crate) fn places_of(&self, word: &str) -> Vec<String> {
        let place = self.place.as_deref();
        if let Some(directory) = place.and_then(|place| place.downcast_ref::<TempDir>()) {
            let files = std::fs::read_dir(directory.path()).unwrap();
            let paths = files.map(|file| file.unwrap().path());
            let holds = |path: &PathBuf| {
                String::from_utf8_lossy(&std::fs::read(path).unwrap()).contains(word)
            };
            return paths.filter(holds).map(|path| path.display().to_string()).collect();
        }
        let schema = place.and_then(|place| place.downcast_ref::<Schema>());
        schema.map_or_else(Vec::new, |schema| schema.places_of(word))
    }

    /// Whether bytes are in anything the store has written, as they are or in hexadecimal digits.
    pub(crate) fn holds_bytes(&self, bytes: &[u8]) -> bool {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let place = self.place.as_deref();
        let Some(directory) = place.and_then(|place| place.downcast_ref::<TempDir>()) else {
            // Columns of bytes are shown in digits there.
            return !self.places_of(&digits).is_empty();
        };
        std::fs::read_dir(directory.path()).unwrap().any(|file| {
            let text = std::fs::read(file.unwrap().path()).unwrap();
            let holds = |part: &[u8]| text.windows(part.len()).any(|window| window == part);
            holds(bytes) || holds(digits.as_bytes())
        })
    }

    /// Looks something up.
    pub(crate) fn look<T, F>(&self, work: F) -> T
    where
        T: Send + 'static,
        F: Fn(&dyn Snapshot) -> Result<T> + Send + 'static,
    {
        block_on(self.store.look(work)).unwrap()
    }

    /// Writes something.
    pub(crate) fn write<T, F>(&self, work: F) -> T
    where
        T: Send + 'static,
        F: Fn(&mut dyn Tx) -> Result<T> + Send + 'static,
    {
        block_on(self.store.transact(work)).unwrap()
    }

    /// Writes something that the store must refuse, and leaves nothing of it.
    pub(crate) fn refuse<F>(&self, work: F) -> Error
    where
        F: Fn(&mut dyn Tx) -> Result<()> + Send + 'static,
    {
        block_on(self.store.transact(work)).expect_err("the store must refuse this")
    }
}

/// Runs a property over this many random values; a failure shows the smallest one found.
pub(crate) fn for_all<S: Strategy>(cases: u32, strategy: S, property: impl Fn(S::Value)) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let run = TestRunner::new(config).run(&strategy, |value| {
        property(value);
        Ok(())
    });
    run.unwrap();
}

//! The backends, each empty and ready, and how to run a case on them.

use std::any::Any;
use std::sync::Arc;

use everwhen_engine::ports::{Snapshot, Store, Tx};
use everwhen_engine::{Error, Result};
use everwhen_store::{SqliteOptions, SqliteStore, Synchronous};
use everwhen_testkit::{PlainStore, block_on};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestRunner};

use crate::schemas::Schema;

/// Makes an empty store.
pub(crate) type Open = fn() -> Bed;

/// An empty store and where it lies, which goes, or is used again, after it.
pub(crate) struct Bed {
    pub(crate) store: Arc<dyn Store>,
    _place: Option<Box<dyn Any>>,
}

/// The oracle.
pub(crate) fn plain() -> Bed {
    Bed { store: Arc::new(PlainStore::new()), _place: None }
}

/// SQLite in a file. Nobody pulls the plug in these tests.
pub(crate) fn sqlite() -> Bed {
    let directory = tempfile::tempdir().unwrap();
    let options = SqliteOptions { synchronous: Synchronous::Normal, ..SqliteOptions::default() };
    let store = SqliteStore::open(&directory.path().join("everwhen.db"), options).unwrap();
    Bed { store: Arc::new(store), _place: Some(Box::new(directory)) }
}

/// PostgreSQL in a schema that others have used before and will use again.
pub(crate) fn postgres() -> Bed {
    let schema = Schema::empty();
    Bed { store: (&schema).into(), _place: Some(Box::new(schema)) }
}

impl Bed {
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

/// Runs a property over so many random values; a failure shows the smallest one found.
pub(crate) fn for_all<S: Strategy>(cases: u32, strategy: S, property: impl Fn(S::Value)) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let run = TestRunner::new(config).run(&strategy, |value| {
        property(value);
        Ok(())
    });
    run.unwrap();
}

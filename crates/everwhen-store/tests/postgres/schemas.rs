//! Empty PostgreSQL stores for tests: schemas of one database, emptied and used again.
//!
//! Making a database for each of a thousand cases would take longer than the cases.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use everwhen_engine::ports::Store;
use everwhen_store::{PostgresOptions, PostgresStore};
use everwhen_testkit::{block_on, test_database};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls};

/// Those that nobody uses at the moment.
static FREE: Mutex<Vec<Kept>> = Mutex::new(Vec::new());
static MADE: AtomicUsize = AtomicUsize::new(0);

/// An empty store, until it is dropped.
pub(crate) struct Schema(Option<Kept>);

struct Kept {
    store: Arc<PostgresStore>,
    hand: Hand,
}

/// Somebody who sends plain SQL.
struct Hand {
    client: Client,
    runtime: Runtime,
}

impl Schema {
    /// A store with nothing in it.
    pub(crate) fn empty() -> Self {
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let kept = free.unwrap_or_else(Kept::make);
        kept.empty();
        Self(Some(kept))
    }

    fn kept(&self) -> &Kept {
        self.0.as_ref().expect("it is there until it is dropped")
    }

    /// The store.
    pub(crate) fn store(&self) -> Arc<dyn Store> {
        let store: Arc<PostgresStore> = Arc::clone(&self.kept().store);
        store
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        let kept = self.0.take();
        FREE.lock().unwrap_or_else(PoisonError::into_inner).extend(kept);
    }
}

impl Kept {
    fn make() -> Self {
        let number = MADE.fetch_add(1, Ordering::SeqCst);
        let name = format!("everwhen_test_{}_{number}", std::process::id());
        let database = test_database();
        Hand::at(&database).say(&format!("CREATE SCHEMA {name}"));
        let sign = if database.contains('?') { '&' } else { '?' };
        let url = format!("{database}{sign}options=-csearch_path%3D{name}");
        let options = PostgresOptions { connections: 1, ..PostgresOptions::default() };
        let store = Arc::new(PostgresStore::open(&url, options).unwrap());
        let hand = Hand::at(&url);
        if hand.says_yes("SELECT count(*) > 0 FROM pg_extension WHERE extname = 'citus'") {
            block_on(store.distribute()).unwrap();
        }
        Self { store, hand }
    }

    fn empty(&self) {
        let tables = self.hand.texts(
            "SELECT tablename::text FROM pg_tables
             WHERE schemaname = current_schema() AND tablename <> 'everwhen_schema'",
        );
        for table in tables {
            self.hand.say(&format!("DELETE FROM {table}"));
        }
    }
}

impl Hand {
    fn at(url: &str) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let client = runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
            tokio::spawn(connection);
            client
        });
        Self { client, runtime }
    }

    fn say(&self, sql: &str) {
        self.runtime.block_on(self.client.batch_execute(sql)).unwrap();
    }

    fn texts(&self, sql: &str) -> Vec<String> {
        let rows = self.runtime.block_on(self.client.query(sql, &[])).unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }

    fn says_yes(&self, sql: &str) -> bool {
        self.runtime.block_on(self.client.query_one(sql, &[])).unwrap().get(0)
    }
}

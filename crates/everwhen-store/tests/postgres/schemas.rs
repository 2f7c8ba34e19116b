//! Empty PostgreSQL stores for tests: schemas of one database, emptied and used again.
//!
//! Making a database for each of a thousand cases would take longer than the cases. On a Citus
//! cluster the tables of each schema are spread first, so that every case runs on spread tables. A
//! schema belongs to the process that holds its lock, so that several may test on one database; the
//! next process that gets it makes it again, so that there are never more than run at once.

use std::sync::{Arc, Mutex, PoisonError};

use everwhen_engine::ports::Store;
use everwhen_store::{PostgresOptions, PostgresStore};
use everwhen_testkit::{block_on, test_database};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls};

#[path = "spread.rs"]
pub(crate) mod spread;

/// Those that no process uses at the moment.
static FREE: Mutex<Vec<Kept>> = Mutex::new(Vec::new());
/// Most schemas in one database.
const SCHEMAS: i32 = 256;
/// The family of locks by which schemas are taken, made of "EvTe".
const LOCKS: i32 = 0x4576_5465;

/// An empty store, until it is dropped.
pub(crate) struct Schema(Option<Kept>);

struct Kept {
    store: Arc<PostgresStore>,
    url: String,
    hand: Hand,
}

/// A connection that sends plain SQL.
struct Hand {
    client: Client,
    runtime: Runtime,
}

impl Schema {
    /// A store with nothing in it.
    pub(crate) fn empty() -> Self {
        spread::watch();
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let kept = free.unwrap_or_else(Kept::make);
        kept.empty();
        Self(Some(kept))
    }

    /// The tables with a row that holds a word, in text or in bytes.
    pub(crate) fn places_of(&self, word: &str) -> Vec<String> {
        let bytes: String = word.bytes().map(|byte| format!("{byte:02x}")).collect();
        let hand = &self.kept().hand;
        let holds = |table: &String| {
            let row = "row_to_json(t)::text";
            hand.says_yes(&format!(
                "SELECT count(*) > 0 FROM {table} t
                 WHERE {row} LIKE '%{word}%' OR {row} LIKE '%{bytes}%'"
            ))
        };
        self.kept().tables().into_iter().filter(holds).collect()
    }

    fn kept(&self) -> &Kept {
        self.0.as_ref().expect("it is there until it is dropped")
    }
}

/// The store that is open already.
impl From<&Schema> for Arc<dyn Store> {
    fn from(schema: &Schema) -> Self {
        let store: Arc<PostgresStore> = Arc::clone(&schema.kept().store);
        store
    }
}

/// Its address, to open it again.
impl std::fmt::Display for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.kept().url)
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        let kept = self.0.take();
        FREE.lock().unwrap_or_else(PoisonError::into_inner).extend(kept);
        if !std::thread::panicking() {
            assert_eq!(spread::refused(), [""; 0], "a cluster could not run these");
        }
    }
}

impl Kept {
    fn make() -> Self {
        let database = test_database();
        let hand = Hand::at(&database);
        let free = (0..SCHEMAS).find(|number| {
            hand.says_yes(&format!("SELECT pg_try_advisory_lock({LOCKS}, {number})"))
        });
        let name = format!("everwhen_test_{}", free.expect("a schema is free"));
        hand.say(&format!("DROP SCHEMA IF EXISTS {name} CASCADE"));
        hand.say(&format!("CREATE SCHEMA {name}"));
        hand.say(&format!("SET search_path = {name}"));
        // Few parts are as good as many, and sooner made.
        let options = format!("-csearch_path%3D{name}%20-ccitus.shard_count%3D4");
        let sign = if database.contains('?') { '&' } else { '?' };
        let url = format!("{database}{sign}options={options}");
        let options = PostgresOptions { connections: 1, ..PostgresOptions::default() };
        let store = Arc::new(PostgresStore::open(&url, options).unwrap());
        if hand.says_yes("SELECT count(*) > 0 FROM pg_extension WHERE extname = 'citus'") {
            block_on(store.distribute()).unwrap();
        }
        Self { store, url, hand }
    }

    fn tables(&self) -> Vec<String> {
        self.hand.texts(
            "SELECT c.relname::text FROM pg_class c
             WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
               AND c.relname <> 'everwhen_schema' AND c.relname !~ '_[0-9]{5,}$'",
        )
    }

    fn empty(&self) {
        for table in self.tables() {
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

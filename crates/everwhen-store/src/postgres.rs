//! The PostgreSQL store: one database, as many servers before it as are needed.
//!
//! A verb that writes holds the row of its vault from its first look at it, so it decides on what
//! no other transaction changes meanwhile; verbs of other vaults run beside it. Every table begins with the
//! vault, so a cluster can spread all of them by it (`distribute`). No extension is needed, nothing
//! is ranked here, and nothing is numbered by the database.

mod address;
mod connection;
mod database;
mod distribute;
mod failure;
mod nodes;
mod pipeline;
mod pool;
mod reader;
mod retry;
mod schema;
mod statistics;
mod tls;
mod vault_names;
mod work_queue;
mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use everwhen_engine::ports::{Reading, Store, Wait, Writing};
use everwhen_engine::{Error, Result};
use tokio::sync::oneshot;

use address::Address;
pub(crate) use connection::{Connection, TransactionMode};
pub(crate) use database::get;
use nodes::NodeWatch;
use pool::{LazyConnection, Pool, PoolOptions, Work};
use retry::Retry;
use statistics::Statistics;
use vault_names::VaultNames;
use work_queue::QueueKey;
use writer::WriteRequest;

/// How to open the store.
#[derive(Debug, Clone, Copy)]
pub struct PostgresOptions {
    /// The number of connections of this process that write; half as many read.
    pub connections: usize,
    /// The longest time that a statement may take.
    pub statement_timeout: Duration,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self { connections: 8, statement_timeout: Duration::from_secs(30) }
    }
}

/// A store in a PostgreSQL database. Dropping it waits for writes that were begun.
pub struct PostgresStore {
    readers: Pool<Work>,
    writers: Pool<WriteRequest>,
    names: Arc<VaultNames>,
    statistics: Statistics,
    /// Whether the tables are distributed over a cluster, as far as was seen.
    is_spread: Arc<AtomicBool>,
    nodes: NodeWatch,
}

impl PostgresStore {
    /// Connects, and brings the database up to this version's schema.
    pub fn open(url: &str, options: PostgresOptions) -> Result<Self> {
        let address = Address::read(url, options)?;
        let is_spread = prepare(address.clone())?;
        let readers = options.connections.div_ceil(2).max(1);
        let run = |connection: &mut LazyConnection, works: Vec<Work>| {
            works.into_iter().for_each(|work| work(connection));
        };
        let readers = PoolOptions { name: "reader", threads: readers, batch: 1, run };
        let writers = PoolOptions {
            name: "writer",
            threads: options.connections.max(1),
            batch: writer::GROUP,
            run: writer::write_all,
        };
        Ok(Self {
            readers: Pool::start(&address, &readers)?,
            writers: Pool::start(&address, &writers)?,
            names: address.names(),
            statistics: Statistics::default(),
            is_spread: Arc::new(AtomicBool::new(is_spread)),
            nodes: NodeWatch::start(&address)?,
        })
    }

    /// Distributes the tables over a Citus cluster; returns those that were not distributed before.
    pub async fn distribute(&self) -> Result<Vec<String>> {
        let tables = self.readers.run(|connection| on(connection, distribute::distribute)).await?;
        self.is_spread.store(true, Ordering::Relaxed);
        Ok(tables)
    }
}

impl PostgresStore {
    fn write_as(&self, key: Option<QueueKey>, work: Writing) -> Wait<'_, ()> {
        if self.statistics.is_time() {
            // Without statistics the database is slower, not wrong.
            self.readers.run_later(|connection| drop(on(connection, statistics::gather)));
        }
        let (answer, result) = oneshot::channel();
        Box::pin(self.writers.submit(key, WriteRequest { work, answer }, result))
    }

    /// Fails if the database can store nothing; says which nodes of a cluster do not answer.
    async fn probe(&self) -> Result<Vec<String>> {
        let is_spread = Arc::clone(&self.is_spread);
        let probed = move |connection: &Connection| readiness(connection, &is_spread);
        self.readers.run(move |connection| on(connection, probed)).await?;
        match self.is_spread() {
            true => Ok(self.nodes.missing().await),
            false => Ok(Vec::new()),
        }
    }
}

impl Store for PostgresStore {
    fn write(&self, work: Writing) -> Wait<'_, ()> {
        self.write_as(None, work)
    }

    fn write_in(&self, vault: QueueKey, work: Writing) -> Wait<'_, ()> {
        self.write_as(Some(self.names.by_id(vault)), work)
    }

    fn read(&self, work: Reading) -> Wait<'_, ()> {
        Box::pin(self.readers.run(move |connection| reader::read(connection, &work)))
    }

    fn ready(&self) -> Wait<'_, Vec<String>> {
        Box::pin(self.probe())
    }

    fn is_spread(&self) -> bool {
        self.is_spread.load(Ordering::Relaxed)
    }

    fn check(&self) -> Wait<'_, Vec<String>> {
        Box::pin(self.readers.run(|connection| on(connection, examine)))
    }
}

/// Migrates on a thread of its own: a connection is driven by the thread that uses it, and the thread
/// that opens a store may be driving something else.
/// Says whether the tables are distributed over a cluster.
fn prepare(address: Address) -> Result<bool> {
    let thread = std::thread::spawn(move || distribute::is_spread(&connect_at(&address)?));
    thread.join().unwrap_or_else(|_| Err(Error::damaged("a bug: the migration panicked")))
}

/// A bare connection to a database that has this version's schema.
pub(crate) fn connect(url: &str, options: PostgresOptions) -> Result<Connection> {
    connect_at(&Address::read(url, options)?)
}

/// Waits for a database that is just starting.
fn connect_at(address: &Address) -> Result<Connection> {
    let mut retry = Retry::new();
    loop {
        match Connection::open(address) {
            Ok(connection) => return migrated(connection),
            Err(failure) if !retry.wait(failure.remedy) => {
                return Err(failure.error);
            }
            Err(_) => {}
        }
    }
}

fn migrated(connection: Connection) -> Result<Connection> {
    if schema::migrate(&connection)? && distribute::is_spread(&connection)? {
        distribute::distribute(&connection)?;
    }
    Ok(connection)
}

/// Runs statements outside the engine's transactions.
fn on<T>(
    connection: &mut LazyConnection,
    work: impl FnOnce(&Connection) -> Result<T>,
) -> Result<T> {
    work(connection.connection().map_err(|failure| failure.error)?)
}

/// Fails if the database can store nothing. Another process may have distributed the tables meanwhile, which is
/// noted.
fn readiness(connection: &Connection, is_spread: &AtomicBool) -> Result<()> {
    connection.begin(TransactionMode::Read);
    let sql = "SELECT pg_is_in_recovery() AS is_standby";
    let read = connection.query(sql, &[]).and_then(|rows| match rows.first() {
        Some(row) => get(row, "is_standby"),
        None => Ok(false),
    });
    let seen = read.and_then(|is_standby: bool| match is_standby {
        true => Err(Error::unavailable("the database is a standby; nothing can be stored")),
        false => Ok(is_spread.load(Ordering::Relaxed) || distribute::is_spread(connection)?),
    });
    connection.end_read();
    is_spread.store(seen?, Ordering::Relaxed);
    Ok(())
}

/// Indexes that a crash or a broken build left unusable.
fn examine(connection: &Connection) -> Result<Vec<String>> {
    connection.begin(TransactionMode::Read);
    let sql =
        "SELECT c.relname::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE NOT i.indisvalid AND c.relnamespace = current_schema()::regnamespace";
    let broken = connection.query(sql, &[]);
    connection.end_read();
    let sentence =
        |index: &str| format!("the index {index} is not valid; run REINDEX INDEX {index}");
    broken?.iter().map(|row| Ok(sentence(get(row, "name")?))).collect()
}

//! The PostgreSQL store: one database, as many servers before it as are needed.
//!
//! A verb that writes holds the row of its vault from its first look at it, so it decides on what
//! nobody else changes meanwhile; verbs of other vaults run beside it. Every table begins with the
//! vault, so a cluster can spread all of them by it (`distribute`). No extension is needed, nothing
//! is ranked here, and nothing is numbered by the database.

mod address;
mod ahead;
mod board;
mod connection;
mod database;
mod distribute;
mod failure;
mod names;
mod patience;
mod pool;
mod reader;
mod schema;
mod statistics;
mod tls;
mod writer;

use std::sync::Arc;
use std::time::Duration;

use everwhen_engine::ports::{Reading, Store, Wait, Writing};
use everwhen_engine::{Error, Result};
use tokio::sync::oneshot;

use address::Address;
use board::Turn;
pub(crate) use connection::{Connection, Purpose};
pub(crate) use database::get;
use names::Names;
use patience::Patience;
use pool::{Crew, Line, Pool, Work};
use statistics::Statistics;
use writer::Request;

/// How to open the store.
#[derive(Debug, Clone, Copy)]
pub struct PostgresOptions {
    /// So many connections of this process may write, and half as many read.
    pub connections: usize,
    /// No statement may take longer.
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
    writers: Pool<Request>,
    names: Arc<Names>,
    statistics: Statistics,
}

impl PostgresStore {
    /// Connects, and brings the database up to this version's schema.
    pub fn open(url: &str, options: PostgresOptions) -> Result<Self> {
        let address = Address::read(url, options)?;
        prepare(address.clone())?;
        let readers = options.connections.div_ceil(2).max(1);
        let serve = |line: &mut Line, works: Vec<Work>| works.into_iter().for_each(|it| it(line));
        let readers = Crew { name: "reader", threads: readers, together: 1, serve };
        let writers = Crew {
            name: "writer",
            threads: options.connections.max(1),
            together: writer::GROUP,
            serve: writer::write_all,
        };
        Ok(Self {
            readers: Pool::start(&address, &readers)?,
            writers: Pool::start(&address, &writers)?,
            names: address.names(),
            statistics: Statistics::default(),
        })
    }

    /// Spreads the tables over a Citus cluster; says which were not spread before.
    pub async fn distribute(&self) -> Result<Vec<String>> {
        self.readers.run(|line| on(line, distribute::distribute)).await
    }
}

impl PostgresStore {
    fn write_as(&self, turn: Option<Turn>, work: Writing) -> Wait<'_, ()> {
        if self.statistics.is_time() {
            // Without statistics the database is slower, not wrong.
            self.readers.leave_to(|line| drop(on(line, statistics::gather)));
        }
        let (answer, answered) = oneshot::channel();
        Box::pin(self.writers.have_done(turn, Request { work, answer }, answered))
    }
}

impl Store for PostgresStore {
    fn write(&self, work: Writing) -> Wait<'_, ()> {
        self.write_as(None, work)
    }

    fn write_in(&self, vault: Turn, work: Writing) -> Wait<'_, ()> {
        self.write_as(Some(self.names.plain(vault)), work)
    }

    fn read(&self, work: Reading) -> Wait<'_, ()> {
        Box::pin(self.readers.run(move |line| reader::read(line, &work)))
    }

    fn check(&self) -> Wait<'_, Vec<String>> {
        Box::pin(self.readers.run(|line| on(line, examine)))
    }
}

/// Migrates on a thread of its own: a connection is driven by the thread that uses it, and whoever
/// opens a store may be driving something else.
fn prepare(address: Address) -> Result<()> {
    let thread = std::thread::spawn(move || connect_at(&address).map(drop));
    thread.join().unwrap_or_else(|_| Err(Error::damaged("a bug: the migration panicked")))
}

/// A bare connection to a database that has this version's schema.
pub(crate) fn connect(url: &str, options: PostgresOptions) -> Result<Connection> {
    connect_at(&Address::read(url, options)?)
}

/// Waits for a database that is just starting.
fn connect_at(address: &Address) -> Result<Connection> {
    let mut patience = Patience::new();
    loop {
        match Connection::open(address) {
            Ok(connection) => return migrated(connection),
            Err(failure) if !patience.wait(failure.remedy) => {
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
fn on<T>(line: &mut Line, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    let connection = line.connection().map_err(|failure| failure.error)?;
    work(connection)
}

/// Indexes that a crash or a broken build left unusable.
fn examine(connection: &Connection) -> Result<Vec<String>> {
    connection.begin(Purpose::Read);
    let sql =
        "SELECT c.relname::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE NOT i.indisvalid AND c.relnamespace = current_schema()::regnamespace";
    let broken = connection.query(sql, &[]);
    connection.leave();
    let sentence =
        |index: &str| format!("the index {index} is not valid; run REINDEX INDEX {index}");
    broken?.iter().map(|row| Ok(sentence(get(row, "name")?))).collect()
}

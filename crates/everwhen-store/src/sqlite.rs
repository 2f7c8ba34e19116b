//! The SQLite store: one file, one writer thread, readers beside it.
//!
//! Writers queue up; the writer thread runs all that wait inside one transaction and commits once
//! for all of them (group commit). A second thread syncs the log to disk while the writer
//! continues with the next group. So a durable write costs one fsync, shared by all writes that arrived
//! meanwhile, and no caller is answered before it.

mod checkpoint;
mod connection;
mod database;
mod failure;
mod health;
mod reader;
mod repair;
mod schema;
mod syncer;
mod wal_tail;
mod writer;

use std::path::Path;
use std::sync::Arc;

use everwhen_engine::Result;
use everwhen_engine::ports::{Reading, Store, Wait, Writing};

use crate::tables::jobs;

use checkpoint::Checkpointer;
pub(crate) use failure::Stored;
use health::StoreHealth;
use reader::Readers;
use syncer::{Syncer, WalFile};
use writer::SqliteWriter;

/// Whether a commit waits for the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Synchronous {
    /// Every commit is on the disk before it is answered.
    #[default]
    Full,
    /// A power failure may lose the last commits; a crash of the program does not.
    Normal,
}

/// How to open the store.
#[derive(Debug, Clone, Copy)]
pub struct SqliteOptions {
    /// Whether commits wait for the disk.
    pub synchronous: Synchronous,
    /// The maximum size of the database.
    pub max_bytes: Option<u64>,
    /// The most waiting writes that share one commit.
    pub commit_group: usize,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { synchronous: Synchronous::Full, max_bytes: None, commit_group: 32 }
    }
}

impl SqliteOptions {
    /// Whether the log is synced beside the writing. A writer that commits every work alone waits
    /// for the disk itself.
    fn syncs_beside(self) -> bool {
        self.synchronous == Synchronous::Full && self.commit_group > 1
    }
}

/// A store in one SQLite file. Dropping it waits for writes that were begun.
pub struct SqliteStore {
    // Fields drop in this order: readers end before the writer copies the log into the file.
    readers: Readers,
    writer: SqliteWriter,
    health: Arc<StoreHealth>,
    /// Works as long as the writer does.
    _checkpointer: Checkpointer,
}

impl SqliteStore {
    /// Opens the file, makes it if it is absent, and brings it up to this version's schema.
    pub fn open(path: &Path, options: SqliteOptions) -> Result<Self> {
        let health = Arc::new(StoreHealth::default());
        // SQLite leaves out what it cannot read of the log, and removes it.
        examine_log(path, &health);
        let mut connection = connection::open_writer(path, options)?;
        health.opened(path);
        schema::migrate(&mut connection)?;
        // The file belongs to one process, so every worker that claimed a job in it is gone.
        jobs::release(&connection)?;
        let readers = Readers::start(path, Arc::clone(&health))?;
        let syncer = match options.syncs_beside() {
            true => {
                let mut log = WalFile::of(path);
                Some(Syncer::start(Arc::clone(&health), move || log.sync())?)
            }
            false => None,
        };
        let checkpointer = Checkpointer::start(path, &mut connection, checkpoint::LONG)?;
        let group = options.commit_group;
        let writer = SqliteWriter::start(connection, group, syncer, Arc::clone(&health))?;
        Ok(Self { readers, writer, health, _checkpointer: checkpointer })
    }

    async fn probe(&self) -> Result<Vec<String>> {
        if self.health.may_be_repaired() {
            self.writer.probe().await?;
        }
        self.health.check_damage()?;
        self.readers.probe().await?;
        if self.health.is_unknown() {
            self.writer.probe().await?;
        }
        Ok(Vec::new())
    }
}

/// Notes if the log of a database has an end that cannot be read.
fn examine_log(path: &Path, health: &StoreHealth) {
    let log = WalFile::of(path);
    match wal_tail::unreadable_pages(log.path()) {
        Ok(0) => {}
        Ok(pages) => health.found(format!(
            "the last {pages} pages of {} could not be read and were left out: after a power failure \
             that is what no caller was told was stored; otherwise the disk is damaged, and what was \
             stored last is missing",
            log.path().display()
        )),
        Err(error) => tracing::warn!(%error, "the log of the database cannot be examined"),
    }
}

impl Store for SqliteStore {
    fn write(&self, work: Writing) -> Wait<'_, ()> {
        Box::pin(self.writer.run(work))
    }

    fn read(&self, work: Reading) -> Wait<'_, ()> {
        Box::pin(self.readers.run(work))
    }

    fn glance(&self, work: Reading) -> Wait<'_, ()> {
        Box::pin(self.readers.read_few(work))
    }

    fn ready(&self) -> Wait<'_, Vec<String>> {
        Box::pin(self.probe())
    }

    fn check(&self) -> Wait<'_, Vec<String>> {
        Box::pin(self.readers.check())
    }
}

//! The outbox: a small SQLite file with work that was accepted and is not in the store yet.
//!
//! One thread owns the file. Callers send it commands over a channel; it runs all that wait in one
//! transaction and answers after the commit, which is synced. What a row means is its owner's affair:
//! the file knows its place in a queue, to whom it belongs, and its bytes. Parts that several rows
//! share, such as the messages of a history that is sent again with every request, are kept once.

mod parts;
mod place;
mod table;
mod writer;

use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use everwhen_engine::{Error, Result};
use jiff::Timestamp;
use tokio::sync::oneshot;

use place::Place;
use table::Table;
use writer::{Change, Command, Read, Writer};

/// Where a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowState {
    /// Accepted; more of it is to come.
    Open,
    /// Whole, and waiting to be stored.
    Complete,
    /// It can never be stored; it waits for a person, or for its age.
    SetAside,
}

/// One piece of accepted work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxRow {
    /// Its place in the order of arrival; see [`Outbox::next_id`].
    pub id: i64,
    /// Rows of one lane are stored in their order.
    pub lane: String,
    /// The vault it is for, by id or name.
    pub vault: String,
    /// The memory it is for, by id or name, if that is known.
    pub memory: Option<String>,
    /// Where it stands.
    pub state: RowState,
    /// When it was accepted.
    pub accepted_at: Timestamp,
    /// What it says.
    pub head: Vec<u8>,
    /// What it says beside that, in order; equal parts of several rows are kept once.
    pub parts: Vec<Arc<[u8]>>,
}

/// A row without its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Its id.
    pub id: i64,
    /// Its lane.
    pub lane: String,
    /// The vault it is for.
    pub vault: String,
}

/// A row that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Its id.
    pub id: i64,
    /// The vault it was for.
    pub vault: String,
    /// The memory it was for, if that is known.
    pub memory: Option<String>,
    /// When it was accepted.
    pub accepted_at: Timestamp,
    /// Why it was set aside.
    pub reason: String,
}

/// Whose rows to erase.
#[derive(Debug, Clone)]
pub struct Erase {
    /// Ids and names of the vault.
    pub vaults: Vec<String>,
    /// Ids and names of the memory; all of the vault's if absent. Rows whose memory is not known go, too.
    pub memories: Option<Vec<String>>,
    /// If only a part of the memory was forgotten: when the first of it was said. Then the rows go that were set
    /// aside and accepted at that time or later, because each may hold the whole chat up to then. All others stay:
    /// what is accepted later cannot be in one, and the store does not take what it knows to be forgotten.
    pub part_since: Option<Timestamp>,
}

/// How full the outbox is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutboxStats {
    /// Rows that wait, open ones included.
    pub rows: u64,
    /// Rows that were set aside.
    pub set_aside: u64,
    /// Bytes in use.
    pub bytes: u64,
    /// Bytes that may be used.
    pub max_bytes: u64,
    /// When the oldest row that waits was accepted.
    pub oldest: Option<Timestamp>,
    /// Why the file cannot be written, since the last attempt failed.
    pub failure: Option<String>,
}

/// An answer that comes after the commit.
pub type Ack<T = ()> = oneshot::Receiver<Result<T>>;

/// The outbox of this process.
pub struct Outbox {
    queue: Option<Sender<Command>>,
    thread: Option<JoinHandle<()>>,
    stats: Arc<Mutex<OutboxStats>>,
    next: AtomicI64,
    /// Locked until it is dropped.
    _place: Place,
}

impl Outbox {
    /// Opens the first outbox in this directory that no other process has, and makes directory and
    /// file if they do not exist. Rows that a process left which is gone are taken over.
    pub fn open(directory: &Path, max_bytes: u64) -> Result<Self> {
        let place = Place::take(directory)?;
        let mut table = Table::open(&place.file)?;
        for orphan in Place::orphans(directory, &place) {
            table.adopt(&orphan)?;
        }
        let next = AtomicI64::new(table.last_id()? + 1);
        let stats = Arc::new(Mutex::new(OutboxStats { max_bytes, ..OutboxStats::default() }));
        let (queue, commands) = channel();
        let writer = Writer::new(table, Arc::clone(&stats))?;
        let thread = std::thread::Builder::new()
            .name("everwhen-outbox".into())
            .spawn(move || writer.run(&commands))
            .map_err(|error| Error::unavailable(format!("no thread for the outbox: {error}")))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), stats, next, _place: place })
    }

    /// An id behind all others.
    pub fn next_id(&self) -> i64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Puts a row, in place of one with its id. A new row that does not fit is refused.
    pub fn put(&self, row: OutboxRow) -> Ack {
        self.change(|answer| Change::Put(Box::new(row), answer))
    }

    /// Removes a row that is stored. No caller waits for it: a row that comes back after a crash is
    /// stored again without effect.
    pub fn remove(&self, id: i64) {
        if let Some(queue) = &self.queue {
            // The thread ends after the last sender.
            let _ = queue.send(Command::Remove(id));
        }
    }

    /// Notes which memory rows are for, and the head of each then.
    pub fn assign(&self, memory: String, rows: Vec<(i64, Vec<u8>)>) -> Ack {
        self.change(|answer| Change::Assign { memory, rows, answer })
    }

    /// Sets a row aside.
    pub fn set_aside(&self, id: i64, reason: String) -> Ack {
        self.change(|answer| Change::SetAside { id, reason, answer })
    }

    /// Erases a row, also from the write-ahead log.
    pub fn discard(&self, id: i64) -> Ack {
        self.change(|answer| Change::Discard(id, answer))
    }

    /// Erases rows, also from the write-ahead log; answers how many.
    pub fn erase(&self, erase: Erase) -> Ack<u64> {
        self.change(|answer| Change::Erase(erase, answer))
    }

    /// Removes every row that was accepted before this time; answers how many were waiting.
    pub fn expire(&self, before: Timestamp) -> Ack<u64> {
        self.change(|answer| Change::Expire(before, answer))
    }

    /// These rows, as far as they are there. Parts that they share are one allocation.
    pub fn load(&self, ids: Vec<i64>) -> Ack<Vec<OutboxRow>> {
        self.read(|answer| Read::Load(ids, answer))
    }

    /// All rows that wait, in order.
    pub fn waiting(&self) -> Ack<Vec<Waiting>> {
        self.read(Read::Waiting)
    }

    /// The newest rows that were set aside.
    pub fn list_set_aside(&self, limit: u32) -> Ack<Vec<SetAside>> {
        self.read(|answer| Read::SetAside(limit, answer))
    }

    /// Answers once everything that was sent before is durable.
    pub fn flush(&self) -> Ack {
        self.change(Change::Flush)
    }

    /// How full it is.
    pub fn stats(&self) -> OutboxStats {
        self.stats.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change<T>(&self, change: impl FnOnce(oneshot::Sender<Result<T>>) -> Change) -> Ack<T> {
        self.send(|answer| Command::Change(change(answer)))
    }

    fn read<T>(&self, read: impl FnOnce(oneshot::Sender<Result<T>>) -> Read) -> Ack<T> {
        self.send(|answer| Command::Read(read(answer)))
    }

    fn send<T>(&self, command: impl FnOnce(oneshot::Sender<Result<T>>) -> Command) -> Ack<T> {
        let (answer, ack) = oneshot::channel();
        if let Some(queue) = &self.queue {
            // A thread that is gone drops the answer, which the caller hears.
            let _ = queue.send(command(answer));
        }
        ack
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // The callers of a thread that panicked have got an error.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;

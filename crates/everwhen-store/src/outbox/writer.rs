//! The thread that owns the file: commands that wait together share one commit.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use everwhen_engine::{Error, Result};
use jiff::Timestamp;
use tokio::sync::oneshot;

use super::table::Table;
use super::{Erase, OutboxRow, OutboxStats, RowState, SetAside, Waiting};
use crate::sqlite::Stored;

/// Most commands that share a commit.
const GROUP: usize = 512;
/// Removals that nothing else comes with are committed after this long.
const REMOVALS: Duration = Duration::from_millis(100);
/// Most removals that share a commit: callers that put rows wait for it.
const REMOVED_AT_ONCE: usize = 64;
/// The log is emptied after so long without a command.
const IDLE: Duration = Duration::from_secs(5);

type Answer<T = ()> = oneshot::Sender<Result<T>>;

/// What the thread can be told.
pub(super) enum Command {
    Change(Change),
    /// Removes a row; no caller waits for it.
    Remove(i64),
    Read(Read),
}

/// What is answered after a commit.
pub(super) enum Change {
    Put(Box<OutboxRow>, Answer),
    Assign { memory: String, rows: Vec<(i64, Vec<u8>)>, answer: Answer },
    SetAside { id: i64, reason: String, answer: Answer },
    Discard(i64, Answer),
    Erase(Erase, Answer<u64>),
    Expire(Timestamp, Answer<u64>),
    Flush(Answer),
}

/// What changes nothing.
pub(super) enum Read {
    Load(Vec<i64>, Answer<Vec<OutboxRow>>),
    Waiting(Answer<Vec<Waiting>>),
    SetAside(u32, Answer<Vec<SetAside>>),
}

impl Change {
    /// Whether nothing of what it removes may linger in the log.
    fn erases(&self) -> bool {
        matches!(self, Self::Discard(..) | Self::Erase(..) | Self::Expire(..))
    }
}

/// Tells a caller what came of its command, once it is known what came of the commit.
type CommitCallback = Box<dyn FnOnce(&Result<()>)>;

/// The thread's side.
pub(super) struct Writer {
    table: Table,
    stats: Arc<Mutex<OutboxStats>>,
    known: BTreeMap<i64, (RowState, i64)>,
    /// Rows to remove with the next commit.
    removals: Vec<i64>,
    /// Whether the log may hold what was removed.
    is_dirty: bool,
}

impl Writer {
    pub(super) fn new(table: Table, stats: Arc<Mutex<OutboxStats>>) -> Result<Self> {
        let known = table.known()?.into_iter().map(|(id, state, at)| (id, (state, at))).collect();
        let writer = Self { table, stats, known, removals: Vec::new(), is_dirty: false };
        writer.publish(&Ok(()));
        Ok(writer)
    }

    /// Serves until the last sender is gone.
    pub(super) fn run(mut self, commands: &Receiver<Command>) {
        loop {
            let pause = if self.removals.is_empty() { IDLE } else { REMOVALS };
            match commands.recv_timeout(pause) {
                Ok(first) => {
                    let more = commands.try_iter().take(GROUP - 1);
                    let batch = std::iter::once(first).chain(more).collect();
                    self.serve(batch);
                }
                Err(RecvTimeoutError::Timeout) => self.rest(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        while !self.removals.is_empty() && self.commit(Vec::new()).is_ok() {}
        // What stays in the log is read by the next start.
        let _ = self.table.tidy();
    }

    /// No caller waits: removes what is to be removed, else tidies up.
    fn rest(&mut self) {
        if !self.removals.is_empty() {
            // What cannot be removed now is removed with the next commit.
            let _ = self.commit(Vec::new());
        } else if self.is_dirty {
            self.is_dirty = self.table.tidy().is_err();
        }
    }

    /// Runs commands: what changes something in one transaction, then what reads. Removals wait for a
    /// transaction that something else needs, or until there are many.
    fn serve(&mut self, batch: Vec<Command>) {
        let (mut changes, mut reads) = (Vec::new(), Vec::new());
        for command in batch {
            match command {
                Command::Change(change) => changes.push(change),
                Command::Read(read) => reads.push(read),
                Command::Remove(id) if self.may_have(id, &changes) => self.removals.push(id),
                Command::Remove(_) => {}
            }
        }
        if !changes.is_empty() || self.removals.len() >= REMOVED_AT_ONCE {
            // Callers that wait get whether it succeeded.
            let _ = self.commit(changes);
        }
        reads.into_iter().for_each(|read| self.read(read));
    }

    /// Whether a row is in the file, or will be.
    fn may_have(&self, id: i64, changes: &[Change]) -> bool {
        let puts = |change: &Change| matches!(change, Change::Put(row, _) if row.id == id);
        self.known.contains_key(&id) || changes.iter().any(puts)
    }

    /// Runs commands in one transaction and answers after its commit.
    fn commit(&mut self, batch: Vec<Change>) -> Result<()> {
        let erases = batch.iter().any(Change::erases);
        let mut callbacks: Vec<CommitCallback> = Vec::new();
        // What is stored goes with what is erased: nothing of either may be left afterwards.
        let most = if erases { usize::MAX } else { REMOVED_AT_ONCE };
        let now = self.removals.len().min(most);
        let removals: Vec<i64> = self.removals.drain(..now).collect();
        let done = self.transact(batch, &removals, &mut callbacks);
        match &done {
            Err(_) => {
                // Nothing of it happened: what is known comes from the file again.
                let _ = self.table.connection.execute_batch("ROLLBACK");
                self.removals.extend(removals);
                self.read_again();
            }
            Ok(()) => self.is_dirty = true,
        }
        if erases && done.is_ok() {
            self.is_dirty = self.table.tidy().is_err();
        }
        self.publish(&done);
        callbacks.into_iter().for_each(|callback| callback(&done));
        done
    }

    fn read(&self, read: Read) {
        match read {
            Read::Load(ids, answer) => send_answer(answer, self.table.load(&ids)),
            Read::Waiting(answer) => send_answer(answer, self.table.waiting()),
            Read::SetAside(limit, answer) => send_answer(answer, self.table.list_set_aside(limit)),
        }
    }

    fn transact(
        &mut self,
        batch: Vec<Change>,
        removals: &[i64],
        callbacks: &mut Vec<CommitCallback>,
    ) -> Result<()> {
        self.table.connection.execute_batch("BEGIN IMMEDIATE").stored()?;
        let mut failed = None;
        for change in batch {
            failed = failed.or(self.change(change, callbacks).err());
        }
        // After what came before them.
        for id in removals {
            failed = failed.or(self.remove(*id).err());
        }
        match failed {
            Some(error) => Err(error),
            None => self.table.connection.execute_batch("COMMIT").stored(),
        }
    }

    /// Makes one change. An error here is one of the file, and fails the whole transaction.
    fn change(&mut self, change: Change, callbacks: &mut Vec<CommitCallback>) -> Result<()> {
        match change {
            Change::Put(row, answer) => {
                let put = self.put(&row);
                let fits = put.as_ref().map_or(Ok(()), |fits| fits.clone());
                callbacks.push(after(answer, fits));
                put.map(drop)
            }
            Change::Assign { memory, rows, answer } => {
                callbacks.push(after(answer, Ok(())));
                rows.iter().try_for_each(|(id, head)| self.table.assign(*id, &memory, head))
            }
            Change::SetAside { id, reason, answer } => {
                callbacks.push(after(answer, Ok(())));
                if let Some((state, _)) = self.known.get_mut(&id) {
                    *state = RowState::SetAside;
                }
                self.table.set_aside(id, &reason)
            }
            Change::Discard(id, answer) => {
                callbacks.push(after(answer, Ok(())));
                self.remove(id)
            }
            Change::Erase(erase, answer) => {
                let doomed = self.table.doomed(&erase)?;
                callbacks.push(after(answer, Ok(doomed.len() as u64)));
                doomed.into_iter().try_for_each(|id| self.remove(id))
            }
            Change::Expire(before, answer) => {
                let (doomed, waiting) = self.older_than(before);
                callbacks.push(after(answer, Ok(waiting)));
                doomed.into_iter().try_for_each(|id| self.remove(id))
            }
            Change::Flush(answer) => {
                callbacks.push(after(answer, Ok(())));
                Ok(())
            }
        }
    }

    /// Puts a row; inside, whether it fits. The end of a row that is known always does.
    fn put(&mut self, row: &OutboxRow) -> Result<Result<()>> {
        let max = self.stats.lock().unwrap_or_else(PoisonError::into_inner).max_bytes;
        let size = row.head.len() + row.parts.iter().map(|part| part.len()).sum::<usize>();
        let is_new = !self.known.contains_key(&row.id);
        if is_new && self.table.bytes()? + size as u64 > max {
            return Ok(Err(Error::unavailable(format!(
                "the outbox is full: it may have {max} bytes (proxy.outbox_bytes), and what waits \
                 in it must be stored first"
            ))));
        }
        self.table.put(row)?;
        self.known.insert(row.id, (row.state, row.accepted_at.as_microsecond()));
        Ok(Ok(()))
    }

    fn remove(&mut self, id: i64) -> Result<()> {
        self.known.remove(&id);
        self.table.remove(id)
    }

    /// Rows that are neither open nor younger, and how many of them were waiting.
    fn older_than(&self, before: Timestamp) -> (Vec<i64>, u64) {
        let old = |(_, (state, at)): &(&i64, &(RowState, i64))| {
            *state != RowState::Open && *at < before.as_microsecond()
        };
        let doomed: Vec<_> = self.known.iter().filter(old).collect();
        let waiting = doomed.iter().filter(|(_, (state, _))| *state == RowState::Complete).count();
        (doomed.iter().map(|(id, _)| **id).collect(), waiting as u64)
    }

    fn read_again(&mut self) {
        // A file that cannot be read now is read after the next transaction.
        let _ = self.table.count_parts();
        if let Ok(known) = self.table.known() {
            self.known = known.into_iter().map(|(id, state, at)| (id, (state, at))).collect();
        }
    }

    fn publish(&self, done: &Result<()>) {
        let waiting = || self.known.values().filter(|(state, _)| *state != RowState::SetAside);
        let rows = waiting().count() as u64;
        let oldest = waiting().map(|(_, at)| *at).min();
        let mut stats = self.stats.lock().unwrap_or_else(PoisonError::into_inner);
        stats.rows = rows;
        stats.set_aside = self.known.len() as u64 - rows;
        stats.oldest = oldest.and_then(|at| Timestamp::from_microsecond(at).ok());
        stats.bytes = self.table.bytes().unwrap_or(stats.bytes);
        stats.failure = done.as_ref().err().map(|error| error.message().to_owned());
    }
}

/// Sends a caller what was read. Sending fails if the caller has stopped waiting.
fn send_answer<T>(answer: Answer<T>, read: Result<T>) {
    let _ = answer.send(read);
}

/// Tells a caller this if the commit succeeds, else why it did not.
fn after<T: 'static>(answer: Answer<T>, result: Result<T>) -> CommitCallback {
    Box::new(move |done| {
        // Sending fails if the caller has stopped waiting.
        let _ = answer.send(done.clone().and(result));
    })
}

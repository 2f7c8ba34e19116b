//! The writer thread: group commit.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use everwhen_engine::ports::Writing;
use everwhen_engine::{Error, Result};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::failure::{Stored, is_damage};
use super::health::StoreHealth;
use super::repair::remove_damaged_segments;
use super::syncer::{CommittedGroup, Syncer, WriteAnswer};
use crate::transaction::Transaction;

/// The length of the queue above which callers wait to add more.
const QUEUE: usize = 4096;
/// A group is committed after this long, even if more writes wait.
const GROUP_TIME: Duration = Duration::from_millis(50);

/// A write may need this many new pages.
const LEAST_PAGES: i64 = 8;

/// How long to wait for another checkpoint to end.
const CHECKPOINT_TIME: Duration = Duration::from_secs(5);

/// The message that the operator gets after a repair.
const REPAIRED: &str = "a page of the saved search indexes was damaged; they were removed and are built again when they \
                        are needed; the disk may be failing";

struct QueuedWrite {
    work: QueuedWork,
    answer: WriteAnswer,
}

/// What is to be written.
enum QueuedWork {
    Engine(Writing),
    /// A page as it is, to learn whether anything can be written.
    Probe,
}

/// A write that was executed and waits for the commit.
struct ExecutedWrite {
    request: QueuedWrite,
    outcome: Result<()>,
    wrote: bool,
    /// Whether it removed something permanently.
    purges: bool,
}

/// The thread that writes.
pub(super) struct SqliteWriter {
    queue: Option<mpsc::Sender<QueuedWrite>>,
    thread: Option<JoinHandle<()>>,
}

/// The state of the thread.
struct WriteLoop {
    connection: Connection,
    /// The most writes that share a commit.
    group: usize,
    /// Makes commits durable, unless SQLite does.
    syncer: Option<Syncer>,
    health: Arc<StoreHealth>,
}

impl SqliteWriter {
    /// Starts the thread on its connection. With a syncer, commits are answered once it has made
    /// them durable; without one, at once.
    pub(super) fn start(
        connection: Connection,
        group: usize,
        syncer: Option<Syncer>,
        health: Arc<StoreHealth>,
    ) -> Result<Self> {
        let (queue, requests) = mpsc::channel(QUEUE);
        let write_loop = WriteLoop { connection, group, syncer, health };
        let thread = std::thread::Builder::new()
            .name("everwhen-writer".into())
            .spawn(move || write_loop.write_until_closed(requests))
            .map_err(|error| Error::unavailable(format!("no writer thread: {error}")))?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Runs the work in a transaction; answers once it is durable.
    pub(super) async fn run(&self, work: Writing) -> Result<()> {
        self.enqueue(QueuedWork::Engine(work)).await
    }

    /// Writes a page as it is; answers once it is durable.
    pub(super) async fn probe(&self) -> Result<()> {
        self.enqueue(QueuedWork::Probe).await
    }

    async fn enqueue(&self, work: QueuedWork) -> Result<()> {
        let gone = || Error::unavailable("the store is closed");
        let (answer, answered) = oneshot::channel();
        let queue = self.queue.as_ref().ok_or_else(gone)?;
        queue.send(QueuedWrite { work, answer }).await.map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
}

impl Drop for SqliteWriter {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // The caller has got an error for the panic already.
            let _ = thread.join();
        }
    }
}

impl WriteLoop {
    fn write_until_closed(self, mut requests: mpsc::Receiver<QueuedWrite>) {
        while let Some(first) = requests.blocking_recv() {
            match self.syncer.as_ref().and_then(Syncer::failure) {
                Some(error) => {
                    self.health.failed(&error);
                    drop(first.answer.send(Err(error)));
                }
                None => self.write_group(first, &mut requests),
            }
        }
        // Copied into the file now, so that the next start need not do it.
        self.empty_log();
    }

    /// Copies all of the log into the file and empties it. Waits for another checkpoint that is
    /// running, which SQLite does not do by itself.
    fn empty_log(&self) {
        let began = Instant::now();
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        let is_busy =
            || self.connection.query_row(checkpoint, [], |row| row.get(0)).unwrap_or(false);
        while is_busy() && began.elapsed() < CHECKPOINT_TIME {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Runs the first write and those that wait behind it, up to `group` in all, commits once, and
    /// answers every caller.
    fn write_group(&self, first: QueuedWrite, requests: &mut mpsc::Receiver<QueuedWrite>) {
        let connection = &self.connection;
        if self.health.may_be_repaired() {
            self.repair();
        }
        let begun = self.health.check_file().and_then(|()| run_sql(connection, "BEGIN IMMEDIATE"));
        if let Err(error) = begun {
            self.health.failed(&error);
            let _ = first.answer.send(Err(error));
            return;
        }
        let began = Instant::now();
        let mut all: Vec<ExecutedWrite> = Vec::new();
        let mut next = Some(first);
        while let Some(request) = next.take() {
            let ran = run(connection, request);
            let failed_midway = ran.outcome.is_err() && ran.wrote;
            let met_damage = ran.outcome.as_ref().is_err_and(is_damage);
            all.push(ran);
            if connection.is_autocommit() {
                return self.fail_all(all);
            }
            if met_damage {
                return self.repair_and_write_again(all);
            }
            if failed_midway {
                let failed = all.pop();
                return self.write_again(all, failed);
            }
            if all.len() < self.group && began.elapsed() < GROUP_TIME {
                next = requests.try_recv().ok();
            }
        }
        self.commit(all);
    }

    /// Rolls back a group whose last write met a damaged page. If that can be repaired, all run again, else the others.
    fn repair_and_write_again(&self, mut all: Vec<ExecutedWrite>) {
        let rolled_back = run_sql(&self.connection, "ROLLBACK");
        let is_repaired = rolled_back.is_ok() && !self.health.is_final() && self.repair();
        let failed = if is_repaired { None } else { all.pop() };
        self.write_again(all, failed);
    }

    /// Removes saved indexes if a page of them is damaged; says whether that was so. Runs between transactions.
    fn repair(&self) -> bool {
        let repaired = remove_damaged_segments(&self.connection);
        if let Err(error) = &repaired {
            tracing::error!(%error, "saved search indexes cannot be repaired");
        }
        let is_repaired = repaired.unwrap_or(false);
        if is_repaired {
            self.health.repaired(REPAIRED.to_owned());
            // It has the whole file now, which was written again.
            self.empty_log();
        } else {
            self.health.cannot_be_repaired();
        }
        is_repaired
    }

    /// Rolls back a group of which one write failed after its first change, and runs the others again,
    /// each in a savepoint of its own. That is rare; savepoints for all would slow every write down.
    fn write_again(&self, mut all: Vec<ExecutedWrite>, failed: Option<ExecutedWrite>) {
        let connection = &self.connection;
        let rolled_back =
            if connection.is_autocommit() { Ok(()) } else { run_sql(connection, "ROLLBACK") };
        let restarted = rolled_back.and_then(|()| run_sql(connection, "BEGIN IMMEDIATE"));
        if let Err(error) = restarted {
            all.extend(failed);
            return committed(all).answer(&Err(error));
        }
        let mut again = Vec::with_capacity(all.len() + 1);
        for ExecutedWrite { request, .. } in all {
            again.push(run_alone(connection, request));
            if connection.is_autocommit() {
                again.extend(failed);
                return self.fail_all(again);
            }
        }
        again.extend(failed);
        self.commit(again);
    }

    fn commit(&self, all: Vec<ExecutedWrite>) {
        all.iter().filter_map(|ran| ran.outcome.as_ref().err()).for_each(|error| {
            self.health.read_failed(error, self.health.repairs());
        });
        let result = commit(&self.connection);
        match &result {
            // With a syncer it is not known yet.
            Ok(()) if self.syncer.is_none() && all.iter().any(|ran| ran.wrote) => {
                self.health.stored();
            }
            Ok(()) => {}
            Err(error) => self.health.failed(error),
        }
        if result.is_ok() && all.iter().any(|ran| ran.purges) {
            // Forgotten text must not stay in the log.
            self.empty_log();
        }
        match &self.syncer {
            Some(syncer) if result.is_ok() => syncer.answer_when_durable(committed(all)),
            _ => committed(all).answer(&result),
        }
    }

    /// Answers every caller with the error after SQLite rolled back the whole transaction, as it does
    /// when the disk is full. The log is copied into the file then, as far as there is room, and emptied.
    fn fail_all(&self, all: Vec<ExecutedWrite>) {
        let cause = all.iter().find_map(|ran| ran.outcome.as_ref().err().cloned());
        let cause = cause.unwrap_or_else(|| Error::unavailable("the transaction was rolled back"));
        self.health.failed(&cause);
        self.empty_log();
        committed(all).answer(&Err(cause));
    }
}

fn committed(all: Vec<ExecutedWrite>) -> CommittedGroup {
    let wrote = all.iter().any(|ran| ran.wrote);
    let answers = all.into_iter().map(|ran| (ran.request.answer, ran.outcome)).collect();
    CommittedGroup { answers, wrote }
}

fn run(connection: &Connection, request: QueuedWrite) -> ExecutedWrite {
    let changes = connection.total_changes();
    let QueuedWork::Engine(work) = &request.work else {
        let outcome = write_same_page(connection);
        let wrote = outcome.is_ok();
        return ExecutedWrite { request, outcome, wrote, purges: false };
    };
    let mut transaction = Transaction::new(connection);
    let work = AssertUnwindSafe(|| work(&mut transaction).and_then(|()| transaction.finish()));
    let outcome = std::panic::catch_unwind(work)
        .unwrap_or_else(|_| Err(Error::damaged("a bug: the work inside a transaction panicked")));
    let (wrote, purges) = (connection.total_changes() != changes, transaction.purges());
    ExecutedWrite { request, outcome, wrote, purges }
}

/// Runs one write in a savepoint of its own, so that its failure undoes nothing else.
fn run_alone(connection: &Connection, request: QueuedWrite) -> ExecutedWrite {
    if let Err(error) = run_sql(connection, "SAVEPOINT work") {
        return ExecutedWrite { request, outcome: Err(error), wrote: false, purges: false };
    }
    let mut ran = run(connection, request);
    let finished = if connection.is_autocommit() {
        Ok(())
    } else if ran.outcome.is_ok() {
        run_sql(connection, "RELEASE work")
    } else {
        run_sql(connection, "ROLLBACK TO work").and_then(|()| run_sql(connection, "RELEASE work"))
    };
    ran.outcome = ran.outcome.and(finished);
    ran
}

/// Runs a statement that every transaction needs; it is prepared once.
fn run_sql(connection: &Connection, sql: &str) -> Result<()> {
    connection.prepare_cached(sql).and_then(|mut said| said.execute([])).stored().map(drop)
}

fn commit(connection: &Connection) -> Result<()> {
    let committed = run_sql(connection, "COMMIT");
    if committed.is_err() && !connection.is_autocommit() {
        let _ = run_sql(connection, "ROLLBACK");
    }
    committed
}

/// Writes the first page as it is. Fails if the size allowed to the database is reached, too: then a
/// page that is there already can be written and no other.
fn write_same_page(connection: &Connection) -> Result<()> {
    let pragma = |name: &str| -> Result<i64> {
        connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).stored()
    };
    let free = pragma("max_page_count")? - pragma("page_count")? + pragma("freelist_count")?;
    if free < LEAST_PAGES {
        return Err(Error::unavailable("the size allowed to the database is reached"));
    }
    let version = pragma("user_version")?;
    connection.pragma_update(None, "user_version", version).stored()
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::sqlite::{SqliteOptions, connection};

    #[tokio::test]
    async fn after_a_failed_sync_the_store_says_that_it_stores_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("failed.db");
        let connection = connection::open_writer(&path, SqliteOptions::default()).unwrap();
        let health = Arc::new(StoreHealth::default());
        let failing = || Err(io::Error::from_raw_os_error(5));
        let syncer = Syncer::start(Arc::clone(&health), failing).unwrap();
        let writer =
            SqliteWriter::start(connection, 32, Some(syncer), Arc::clone(&health)).unwrap();
        for _ in 0..2 {
            let error = writer.probe().await.unwrap_err();
            assert!(error.message().contains("did not keep what was written"), "{error}");
            assert!(health.is_unknown(), "the next question has to try again");
        }
    }
}

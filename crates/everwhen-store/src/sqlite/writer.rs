//! The writer thread: group commit.

use std::panic::AssertUnwindSafe;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use everwhen_engine::ports::Writing;
use everwhen_engine::{Error, Result};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::failure::Stored;
use super::syncer::{CommittedGroup, Syncer, WriteAnswer};
use crate::transaction::Transaction;

/// The length of the queue above which callers wait to add more.
const QUEUE: usize = 4096;
/// A group is committed after this long, even if more writes wait.
const GROUP_TIME: Duration = Duration::from_millis(50);

/// How long to wait for another checkpoint to end.
const CHECKPOINT_TIME: Duration = Duration::from_secs(5);

struct QueuedWrite {
    work: Writing,
    answer: WriteAnswer,
}

/// A write that was executed and waits for the commit.
struct ExecutedWrite {
    request: QueuedWrite,
    outcome: Result<()>,
    wrote: bool,
    /// Whether it removed something for good.
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
}

impl SqliteWriter {
    /// Starts the thread on its connection. With a syncer, commits are answered once it has made
    /// them durable; without one, at once.
    pub(super) fn start(
        connection: Connection,
        group: usize,
        syncer: Option<Syncer>,
    ) -> Result<Self> {
        let (queue, requests) = mpsc::channel(QUEUE);
        let write_loop = WriteLoop { connection, group, syncer };
        let thread = std::thread::Builder::new()
            .name("everwhen-writer".into())
            .spawn(move || write_loop.write_until_closed(requests))
            .map_err(|error| Error::unavailable(format!("no writer thread: {error}")))?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Runs the work in a transaction; answers once it is durable.
    pub(super) async fn run(&self, work: Writing) -> Result<()> {
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
            // The caller has been told of a panic already.
            let _ = thread.join();
        }
    }
}

impl WriteLoop {
    fn write_until_closed(self, mut requests: mpsc::Receiver<QueuedWrite>) {
        while let Some(first) = requests.blocking_recv() {
            match self.syncer.as_ref().and_then(Syncer::failure) {
                Some(error) => drop(first.answer.send(Err(error))),
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
        if let Err(error) = run_sql(connection, "BEGIN IMMEDIATE") {
            let _ = first.answer.send(Err(error));
            return;
        }
        let began = Instant::now();
        let mut all: Vec<ExecutedWrite> = Vec::new();
        let mut next = Some(first);
        while let Some(request) = next.take() {
            let ran = run(connection, request);
            let failed_midway = ran.outcome.is_err() && ran.wrote;
            all.push(ran);
            if connection.is_autocommit() {
                return fail_all(all);
            }
            if failed_midway {
                return self.write_again(all);
            }
            if all.len() < self.group && began.elapsed() < GROUP_TIME {
                next = requests.try_recv().ok();
            }
        }
        self.commit(all);
    }

    /// Rolls back a group whose last write failed after its first change, and runs the others again,
    /// each in a savepoint of its own. That is rare; savepoints for all would slow every write down.
    fn write_again(&self, mut all: Vec<ExecutedWrite>) {
        let connection = &self.connection;
        let failed = all.pop();
        let restarted =
            run_sql(connection, "ROLLBACK").and_then(|()| run_sql(connection, "BEGIN IMMEDIATE"));
        if let Err(error) = restarted {
            all.extend(failed);
            return committed(all).answer(&Err(error));
        }
        let mut again = Vec::with_capacity(all.len() + 1);
        for ExecutedWrite { request, .. } in all {
            again.push(run_alone(connection, request));
            if connection.is_autocommit() {
                again.extend(failed);
                return fail_all(again);
            }
        }
        again.extend(failed);
        self.commit(again);
    }

    fn commit(&self, all: Vec<ExecutedWrite>) {
        let result = commit(&self.connection);
        if result.is_ok() && all.iter().any(|ran| ran.purges) {
            // Forgotten text must not stay in the log.
            self.empty_log();
        }
        match &self.syncer {
            Some(syncer) if result.is_ok() => syncer.answer_when_durable(committed(all)),
            _ => committed(all).answer(&result),
        }
    }
}

fn committed(all: Vec<ExecutedWrite>) -> CommittedGroup {
    let wrote = all.iter().any(|ran| ran.wrote);
    let answers = all.into_iter().map(|ran| (ran.request.answer, ran.outcome)).collect();
    CommittedGroup { answers, wrote }
}

fn run(connection: &Connection, request: QueuedWrite) -> ExecutedWrite {
    let changes = connection.total_changes();
    let mut transaction = Transaction::new(connection);
    let work =
        AssertUnwindSafe(|| (request.work)(&mut transaction).and_then(|()| transaction.finish()));
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

/// Answers every caller with the error after SQLite rolled back the whole transaction, as it does when
/// the disk is full.
fn fail_all(all: Vec<ExecutedWrite>) {
    let cause = all.iter().find_map(|ran| ran.outcome.as_ref().err().cloned());
    let cause = cause.unwrap_or_else(|| Error::unavailable("the transaction was rolled back"));
    committed(all).answer(&Err(cause));
}

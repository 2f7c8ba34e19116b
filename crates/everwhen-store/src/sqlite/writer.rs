//! The writer thread: group commit.

use std::panic::AssertUnwindSafe;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use everwhen_engine::ports::Writing;
use everwhen_engine::{Error, Result};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::failure::Stored;
use super::syncer::{Answer, Committed, Syncer};
use crate::transaction::Transaction;

/// Writes that may wait before callers have to.
const QUEUE: usize = 4096;
/// A group is committed after this long, however many still wait.
const GROUP_TIME: Duration = Duration::from_millis(50);

/// How long to wait for another checkpoint to end.
const CHECKPOINT_TIME: Duration = Duration::from_secs(5);

struct Request {
    work: Writing,
    answer: Answer,
}

/// A work that ran and waits for the commit.
struct Ran {
    request: Request,
    outcome: Result<()>,
    wrote: bool,
    /// Whether it removed something for good.
    purges: bool,
}

/// The thread that writes.
pub(super) struct Writer {
    queue: Option<mpsc::Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread works with.
struct Desk {
    connection: Connection,
    /// So many works share a commit.
    group: usize,
    /// Makes commits durable, unless they are so already.
    syncer: Option<Syncer>,
}

impl Writer {
    /// Starts the thread on its connection. With a syncer, commits are answered once it has made
    /// them durable; without one, at once.
    pub(super) fn start(
        connection: Connection,
        group: usize,
        syncer: Option<Syncer>,
    ) -> Result<Self> {
        let (queue, requests) = mpsc::channel(QUEUE);
        let desk = Desk { connection, group, syncer };
        let thread = std::thread::Builder::new()
            .name("everwhen-writer".into())
            .spawn(move || desk.write_until_closed(requests))
            .map_err(|error| Error::unavailable(format!("no writer thread: {error}")))?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Runs the work in a transaction; answers once it is durable.
    pub(super) async fn run(&self, work: Writing) -> Result<()> {
        let gone = || Error::unavailable("the store is closed");
        let (answer, answered) = oneshot::channel();
        let queue = self.queue.as_ref().ok_or_else(gone)?;
        queue.send(Request { work, answer }).await.map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported to whoever waited for it.
            let _ = thread.join();
        }
    }
}

impl Desk {
    fn write_until_closed(self, mut requests: mpsc::Receiver<Request>) {
        while let Some(first) = requests.blocking_recv() {
            match self.syncer.as_ref().and_then(Syncer::failure) {
                Some(error) => drop(first.answer.send(Err(error))),
                None => self.write_group(first, &mut requests),
            }
        }
        // Copying the log into the file now spares the next start from doing it.
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

    /// Runs the first work and those that wait behind it, up to `group` in all, commits once, and
    /// answers everybody.
    fn write_group(&self, first: Request, requests: &mut mpsc::Receiver<Request>) {
        let connection = &self.connection;
        if let Err(error) = say(connection, "BEGIN IMMEDIATE") {
            let _ = first.answer.send(Err(error));
            return;
        }
        let began = Instant::now();
        let mut all: Vec<Ran> = Vec::new();
        let mut next = Some(first);
        while let Some(request) = next.take() {
            let ran = run(connection, request);
            let failed_midway = ran.outcome.is_err() && ran.wrote;
            all.push(ran);
            if connection.is_autocommit() {
                return abandon(all);
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

    /// Takes back a group whose last work failed midway, and runs the others again, each in a
    /// savepoint of its own. Works can be run again and seldom fail after their first change;
    /// savepoints for all would cost every one of them.
    fn write_again(&self, mut all: Vec<Ran>) {
        let connection = &self.connection;
        let failed = all.pop();
        let anew = say(connection, "ROLLBACK").and_then(|()| say(connection, "BEGIN IMMEDIATE"));
        if let Err(error) = anew {
            all.extend(failed);
            return committed(all).answer(&Err(error));
        }
        let mut again = Vec::with_capacity(all.len() + 1);
        for Ran { request, .. } in all {
            again.push(run_alone(connection, request));
            if connection.is_autocommit() {
                again.extend(failed);
                return abandon(again);
            }
        }
        again.extend(failed);
        self.commit(again);
    }

    fn commit(&self, all: Vec<Ran>) {
        let fate = commit(&self.connection);
        if fate.is_ok() && all.iter().any(|ran| ran.purges) {
            // Forgotten text must not linger in the log.
            self.empty_log();
        }
        match &self.syncer {
            Some(syncer) if fate.is_ok() => syncer.settle(committed(all)),
            _ => committed(all).answer(&fate),
        }
    }
}

fn committed(all: Vec<Ran>) -> Committed {
    let wrote = all.iter().any(|ran| ran.wrote);
    let answers = all.into_iter().map(|ran| (ran.request.answer, ran.outcome)).collect();
    Committed { answers, wrote }
}

fn run(connection: &Connection, request: Request) -> Ran {
    let changes = connection.total_changes();
    let mut transaction = Transaction::new(connection);
    let work = AssertUnwindSafe(|| (request.work)(&mut transaction));
    let outcome = std::panic::catch_unwind(work)
        .unwrap_or_else(|_| Err(Error::damaged("a bug: the work inside a transaction panicked")));
    let (wrote, purges) = (connection.total_changes() != changes, transaction.purges());
    Ran { request, outcome, wrote, purges }
}

/// Runs one work in a savepoint of its own, so that its failure takes nothing else along.
fn run_alone(connection: &Connection, request: Request) -> Ran {
    if let Err(error) = say(connection, "SAVEPOINT work") {
        return Ran { request, outcome: Err(error), wrote: false, purges: false };
    }
    let mut ran = run(connection, request);
    let finished = if connection.is_autocommit() {
        Ok(())
    } else if ran.outcome.is_ok() {
        say(connection, "RELEASE work")
    } else {
        say(connection, "ROLLBACK TO work").and_then(|()| say(connection, "RELEASE work"))
    };
    ran.outcome = ran.outcome.and(finished);
    ran
}

/// Runs a statement that every transaction needs; it is prepared once.
fn say(connection: &Connection, sql: &str) -> Result<()> {
    connection.prepare_cached(sql).and_then(|mut said| said.execute([])).stored().map(drop)
}

fn commit(connection: &Connection) -> Result<()> {
    let committed = say(connection, "COMMIT");
    if committed.is_err() && !connection.is_autocommit() {
        let _ = say(connection, "ROLLBACK");
    }
    committed
}

/// SQLite gave up the whole transaction, as it does when the disk is full: nothing of it stays.
fn abandon(all: Vec<Ran>) {
    let cause = all.iter().find_map(|ran| ran.outcome.as_ref().err().cloned());
    let cause = cause.unwrap_or_else(|| Error::unavailable("the transaction was rolled back"));
    committed(all).answer(&Err(cause));
}

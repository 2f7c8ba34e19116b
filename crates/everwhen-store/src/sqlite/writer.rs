//! The writer thread: group commit.

use std::panic::AssertUnwindSafe;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use everwhen_engine::ports::Writing;
use everwhen_engine::{Error, Result};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::failure::Stored;
use super::transaction::Transaction;

/// Writes that may wait before callers have to.
const QUEUE: usize = 4096;
/// A group is committed after this long, however many still wait.
const GROUP_TIME: Duration = Duration::from_millis(50);

struct Request {
    work: Writing,
    answer: oneshot::Sender<Result<()>>,
}

/// A work that ran and waits for the commit.
type Pending = (oneshot::Sender<Result<()>>, Result<()>);

/// The thread that writes.
pub(super) struct Writer {
    queue: Option<mpsc::Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread on its connection.
    pub(super) fn start(connection: Connection, group: usize) -> Result<Self> {
        let (queue, requests) = mpsc::channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("everwhen-writer".into())
            .spawn(move || write_until_closed(&connection, requests, group))
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

fn write_until_closed(
    connection: &Connection,
    mut requests: mpsc::Receiver<Request>,
    group: usize,
) {
    while let Some(first) = requests.blocking_recv() {
        write_group(connection, first, &mut requests, group);
    }
    // Folding the log into the file now spares the next start from doing it.
    let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
}

/// Runs the first work and those that wait behind it, up to `group` in all, commits once, and
/// answers everybody.
fn write_group(
    connection: &Connection,
    first: Request,
    requests: &mut mpsc::Receiver<Request>,
    group: usize,
) {
    if let Err(error) = say(connection, "BEGIN IMMEDIATE") {
        let _ = first.answer.send(Err(error));
        return;
    }
    let began = Instant::now();
    let mut pending: Vec<Pending> = Vec::new();
    let mut purged = false;
    let mut next = Some(first);
    while let Some(Request { work, answer }) = next.take() {
        let (outcome, purges) = run_alone(connection, work);
        purged |= purges;
        pending.push((answer, outcome));
        if connection.is_autocommit() {
            return abandon(pending);
        }
        if pending.len() < group && began.elapsed() < GROUP_TIME {
            next = requests.try_recv().ok();
        }
    }
    let committed = commit(connection);
    if purged && committed.is_ok() {
        // Forgotten text must not linger in the log.
        let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }
    for (answer, outcome) in pending {
        let _ = answer.send(outcome.and(committed.clone()));
    }
}

/// Runs one work in a savepoint of its own, so that its failure takes nothing else along. Says
/// also whether it removed something for good.
fn run_alone(connection: &Connection, work: Writing) -> (Result<()>, bool) {
    if let Err(error) = say(connection, "SAVEPOINT work") {
        return (Err(error), false);
    }
    let mut transaction = Transaction::new(connection);
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| work(&mut transaction)))
        .unwrap_or_else(|_| Err(Error::damaged("a bug: the work inside a transaction panicked")));
    let finished = if connection.is_autocommit() {
        Ok(())
    } else if outcome.is_ok() {
        say(connection, "RELEASE work")
    } else {
        say(connection, "ROLLBACK TO work").and_then(|()| say(connection, "RELEASE work"))
    };
    (outcome.and(finished), transaction.purges())
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
fn abandon(pending: Vec<Pending>) {
    let cause = pending.iter().find_map(|(_, outcome)| outcome.as_ref().err().cloned());
    let cause = cause.unwrap_or_else(|| Error::unavailable("the transaction was rolled back"));
    for (answer, outcome) in pending {
        let _ = answer.send(outcome.and(Err(cause.clone())));
    }
}

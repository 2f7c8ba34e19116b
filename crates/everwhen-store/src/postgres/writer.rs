//! Writes: each runs in one transaction and returns once that is durable. Several that wait for one
//! vault share a transaction.
//!
//! A write is retried only when it is certain that nothing of it was stored: before its commit was
//! sent, or when that was rejected. When the outcome of a commit is unknown, the caller gets an error that
//! says so; with an idempotency key the same call can be repeated safely.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use everwhen_engine::ports::Writing;
use everwhen_engine::{Error, Result};
use tokio::sync::oneshot;

use super::connection::{CommitError, Connection, TransactionMode};
use super::failure::{Failure, Remedy};
use super::pool::LazyConnection;
use super::retry::Retry;
use crate::transaction::Transaction;

/// The most writes that share a transaction.
pub(super) const GROUP: usize = 64;
/// A shared transaction is committed after this long, even if more writes wait.
const GROUP_TIME: Duration = Duration::from_millis(50);

/// A write, and the channel for its result.
pub(super) struct WriteRequest {
    pub(super) work: Writing,
    pub(super) answer: oneshot::Sender<Result<()>>,
}

/// Runs writes of one vault, in one transaction where none of them fails.
pub(super) fn write_all(connection: &mut LazyConnection, requests: Vec<WriteRequest>) {
    let mut waiting = VecDeque::from(requests);
    while waiting.len() > 1 {
        let Some((ran, outcome)) = together(connection, &waiting) else { break };
        for request in waiting.drain(..ran) {
            let _ = request.answer.send(outcome.clone());
        }
    }
    for request in waiting {
        let _ = request.answer.send(write(connection, &request.work));
    }
}

/// Runs as many as fit into one transaction; returns how many, and their common result. `None` if any
/// of them failed: then nothing was stored, and each has to be run alone.
fn together(
    connection: &mut LazyConnection,
    requests: &VecDeque<WriteRequest>,
) -> Option<(usize, Result<()>)> {
    let opened = connection.connection().ok()?;
    opened.begin(TransactionMode::Write);
    let began = Instant::now();
    let mut ran = 0;
    for request in requests {
        if run(opened, &request.work).is_err() || opened.first_failure().is_some() {
            roll_back(connection);
            return None;
        }
        ran += 1;
        if began.elapsed() > GROUP_TIME {
            break;
        }
    }
    commit(connection).ok().map(|outcome| (ran, outcome))
}

/// Runs the work in a transaction.
fn write(connection: &mut LazyConnection, work: &Writing) -> Result<()> {
    let mut retry = Retry::new();
    loop {
        let failure = match attempt(connection, work) {
            Ok(answer) => return answer,
            Err(failure) => failure,
        };
        if failure.remedy == Remedy::Reconnect {
            connection.disconnect();
        }
        if !retry.wait(failure.remedy) {
            return Err(failure.final_error());
        }
    }
}

/// The result, or why nothing was stored.
fn attempt(connection: &mut LazyConnection, work: &Writing) -> Result<Result<()>, Failure> {
    let opened = connection.connection()?;
    opened.begin(TransactionMode::Write);
    let outcome = run(opened, work);
    let first_failure = opened.first_failure();
    if outcome.is_ok() && first_failure.is_none() {
        return commit(connection);
    }
    roll_back(connection);
    first_failure.map_or(Ok(outcome), Err)
}

fn run(connection: &Connection, work: &Writing) -> Result<()> {
    let mut transaction = Transaction::new(connection);
    let work = || work(&mut transaction).and_then(|()| transaction.finish());
    std::panic::catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Error::damaged("a bug: the work inside a transaction panicked")))
}

fn roll_back(connection: &mut LazyConnection) {
    if !connection.connection().is_ok_and(Connection::roll_back) {
        connection.disconnect();
    }
}

fn commit(connection: &mut LazyConnection) -> Result<Result<()>, Failure> {
    match connection.connection().map(Connection::commit)? {
        Ok(()) => Ok(Ok(())),
        Err(CommitError::Rejected(failure)) => Err(failure),
        Err(CommitError::Unknown(error)) => {
            connection.disconnect();
            Ok(Err(Error::unavailable(format!(
                "the connection broke while the write was being committed, so it may or may not be \
                 stored; send it again with the same idempotency key ({error})"
            ))))
        }
    }
}

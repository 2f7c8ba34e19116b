//! Writing: one work, one transaction, answered once it is durable; and where several works wait for
//! one vault, one transaction for all of them.
//!
//! A work begins anew only when it is certain that nothing of it stayed: before its commit was sent,
//! or when that was refused. When the answer to a commit is lost, the caller is told so; with an
//! idempotency key the same call can be made again safely.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use everwhen_engine::ports::Writing;
use everwhen_engine::{Error, Result};
use tokio::sync::oneshot;

use super::connection::{Connection, Purpose, Uncommitted};
use super::failure::{Failure, Remedy};
use super::patience::Patience;
use super::pool::Line;
use crate::transaction::Transaction;

/// Works that may share a transaction.
pub(super) const GROUP: usize = 64;
/// A shared transaction is committed after this long, however many still wait.
const GROUP_TIME: Duration = Duration::from_millis(50);

/// A work, and whoever waits for it.
pub(super) struct Request {
    pub(super) work: Writing,
    pub(super) answer: oneshot::Sender<Result<()>>,
}

/// Runs works of one vault, those that get along in one transaction.
pub(super) fn write_all(line: &mut Line, requests: Vec<Request>) {
    let mut waiting = VecDeque::from(requests);
    while waiting.len() > 1 {
        let Some((ran, told)) = together(line, &waiting) else { break };
        for request in waiting.drain(..ran) {
            let _ = request.answer.send(told.clone());
        }
    }
    for request in waiting {
        let _ = request.answer.send(write(line, &request.work));
    }
}

/// Runs as many as fit into one transaction; says how many, and what all of them are told. Nothing if
/// any of them failed: then nothing of any stays, and each has to be run by itself.
fn together(line: &mut Line, requests: &VecDeque<Request>) -> Option<(usize, Result<()>)> {
    let connection = line.connection().ok()?;
    connection.begin(Purpose::Write);
    let began = Instant::now();
    let mut ran = 0;
    for request in requests {
        if run(connection, &request.work).is_err() || connection.trouble().is_some() {
            take_back(line);
            return None;
        }
        ran += 1;
        if began.elapsed() > GROUP_TIME {
            break;
        }
    }
    commit(line).ok().map(|told| (ran, told))
}

/// Runs the work in a transaction.
fn write(line: &mut Line, work: &Writing) -> Result<()> {
    let mut patience = Patience::new();
    loop {
        let failure = match attempt(line, work) {
            Ok(answer) => return answer,
            Err(failure) => failure,
        };
        if failure.remedy == Remedy::Reconnect {
            line.hang_up();
        }
        if !patience.wait(failure.remedy) {
            return Err(failure.at_last());
        }
    }
}

/// The answer, or why nothing stayed.
fn attempt(line: &mut Line, work: &Writing) -> Result<Result<()>, Failure> {
    let connection = line.connection()?;
    connection.begin(Purpose::Write);
    let outcome = run(connection, work);
    let trouble = connection.trouble();
    if outcome.is_ok() && trouble.is_none() {
        return commit(line);
    }
    take_back(line);
    trouble.map_or(Ok(outcome), Err)
}

fn run(connection: &Connection, work: &Writing) -> Result<()> {
    let mut transaction = Transaction::new(connection);
    std::panic::catch_unwind(AssertUnwindSafe(|| work(&mut transaction)))
        .unwrap_or_else(|_| Err(Error::damaged("a bug: the work inside a transaction panicked")))
}

fn take_back(line: &mut Line) {
    if !line.connection().is_ok_and(Connection::roll_back) {
        line.hang_up();
    }
}

fn commit(line: &mut Line) -> Result<Result<()>, Failure> {
    match line.connection().map(Connection::commit)? {
        Ok(()) => Ok(Ok(())),
        Err(Uncommitted::Refused(failure)) => Err(failure),
        Err(Uncommitted::Unknown(error)) => {
            line.hang_up();
            Ok(Err(Error::unavailable(format!(
                "the connection broke while the write was being committed, so it may or may not be \
                 stored; send it again with the same idempotency key ({error})"
            ))))
        }
    }
}

//! Writing: one work, one transaction, answered once it is durable.
//!
//! A work begins anew only when it is certain that nothing of it stayed: before its commit was sent,
//! or when that was refused. When the answer to a commit is lost, the caller is told so; with an
//! idempotency key the same call can be made again safely.

use std::panic::AssertUnwindSafe;

use everwhen_engine::ports::Writing;
use everwhen_engine::{Error, Result};

use super::connection::{Connection, Purpose, Uncommitted};
use super::failure::{Failure, Remedy};
use super::patience::Patience;
use super::pool::Line;
use super::transaction::Transaction;

/// Runs the work in a transaction.
pub(super) fn write(line: &mut Line, work: &Writing) -> Result<()> {
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
    let mut transaction = Transaction::new(connection);
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| work(&mut transaction)))
        .unwrap_or_else(|_| Err(Error::damaged("a bug: the work inside a transaction panicked")));
    let trouble = connection.trouble();
    if outcome.is_ok() && trouble.is_none() {
        return commit(line);
    }
    if !connection.roll_back() {
        line.hang_up();
    }
    trouble.map_or(Ok(outcome), Err)
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

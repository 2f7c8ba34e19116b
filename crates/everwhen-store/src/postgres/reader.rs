//! Reads: each runs in one snapshot. If the connection breaks, the read is run again on another one.
//! The pool ends the transaction after the result was delivered.

use everwhen_engine::Result;
use everwhen_engine::ports::Reading;

use super::connection::TransactionMode;
use super::failure::{Failure, Remedy};
use super::pool::LazyConnection;
use super::retry::Retry;
use crate::transaction::View;

/// Runs the work on one snapshot.
pub(super) fn read(connection: &mut LazyConnection, work: &Reading) -> Result<()> {
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
            return Err(failure.error);
        }
    }
}

/// The result of the work, or the failure of the database.
fn attempt(connection: &mut LazyConnection, work: &Reading) -> Result<Result<()>, Failure> {
    let opened = connection.connection()?;
    opened.begin(TransactionMode::Read);
    let answer = work(&View::new(opened));
    opened.first_failure().map_or(Ok(answer), Err)
}

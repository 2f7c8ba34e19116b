//! Reading: one work, one snapshot. A broken connection is replaced and the work begins anew. The end
//! of the transaction is sent after the answer, by whoever lent the line.

use everwhen_engine::Result;
use everwhen_engine::ports::Reading;

use super::connection::Purpose;
use super::failure::{Failure, Remedy};
use super::patience::Patience;
use super::pool::Line;
use crate::transaction::View;

/// Runs the work on one snapshot.
pub(super) fn read(line: &mut Line, work: &Reading) -> Result<()> {
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
            return Err(failure.error);
        }
    }
}

/// The work's own answer, or what went wrong with the database.
fn attempt(line: &mut Line, work: &Reading) -> Result<Result<()>, Failure> {
    let connection = line.connection()?;
    connection.begin(Purpose::Read);
    let answer = work(&View::new(connection));
    connection.trouble().map_or(Ok(answer), Err)
}

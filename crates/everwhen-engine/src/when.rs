//! What time means here.
//!
//! An instant is a [`jiff::Timestamp`], kept to the microsecond. It is shown in the vault's
//! [`Zone`]. A stretch of time is a [`Period`]. Nothing in the engine reads the clock: now is
//! an argument, and comes from a [`Clock`].

mod clock;
mod gap;
mod period;
pub mod phrase;
mod typed;
mod zone;

pub use clock::{Clock, HandClock};
pub use gap::{ago, gap, length};
pub use period::{Period, Precision};
pub use typed::{read_time, read_time_in};
pub use zone::Zone;

use jiff::Timestamp;

/// The last instant that can be counted in microseconds.
const LAST: Timestamp = Timestamp::constant(253_402_207_200, 0);

/// The instant without its nanoseconds, as every store keeps it.
pub fn to_microsecond(instant: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(instant.as_microsecond()).unwrap_or(LAST)
}

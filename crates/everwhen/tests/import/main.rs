//! The same tests for every source, over files made after its layout and with its traps.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod bad_input;
mod databases;
mod dates;
mod fixtures;
mod round_trip;
mod sixteen;
mod stage;
mod traps;

//! The gate from outside: requests over a real socket, as browsers, programs and attackers send them,
//! against a server with a recording upstream behind it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod bodies;
mod bounds;
mod cors;
mod foreign;
mod stage;
mod stopping;

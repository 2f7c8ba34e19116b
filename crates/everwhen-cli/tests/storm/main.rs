//! A server is killed with `kill -9` at any moment, again and again, on the same data: in a storm of
//! writes, and while a model distils what was said.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod distilling;
mod entries;
mod server;

//! The interfaces from outside: actors send requests and look at what comes back. The store is
//! SQLite in a directory of its own; the clock stands at noon on 2025-06-01 until it is moved.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod access;
mod bad_input;
mod brief;
mod context;
mod conversations;
mod density;
mod entries;
mod exports;
mod facts;
mod files;
mod forgetting;
mod health;
mod imports;
mod isolation;
mod mcp;
mod mem0;
mod misbehaving;
mod once;
mod page_api;
mod period;
mod problems;
mod recall;
mod scopes;
mod seeds;
mod stage;
mod uploads;
mod vaults;

//! The binary, run as a user would: in a fresh home, with real files, processes and signals.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod bad_imports;
mod connect;
mod conversations;
mod doctor;
mod entries;
mod facts;
mod first_minutes;
mod first_use;
mod growing;
mod guidance;
mod health;
mod holding;
mod hooks;
mod import;
mod keys;
mod log;
mod mcp;
mod models;
mod proxy;
mod run_measures;
mod runs;
mod seeds;
mod settings;
mod silent;
mod stage;
mod stopping;
mod transfer;
mod upkeep;
mod watching;
mod wilmer;
mod wilmer_times;
mod workflow;

//! Benchmarks of Everwhen as users run it: through the library and over HTTP.
//!
//! Figures are compared within one run, on the same machine and disk; absolute numbers
//! of a shared machine mean little.

pub mod distill;
pub mod exam;
mod harness;
pub mod import;
pub mod locomo;
pub mod longmemeval;
pub mod mcp;
mod peers;
pub mod proxy;
pub mod recall;
pub mod report;
pub mod run;
pub mod score;
pub mod store;
pub mod temporal;
pub mod tune;
pub mod workflow;

/// Why a measurement could not be made.
pub use anyhow::Error;
pub use harness::EmbedderChoice;
pub use peers::PeerChoice;

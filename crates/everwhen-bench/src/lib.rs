//! Benchmarks of Everwhen as users run it: through the library and over HTTP.
//!
//! Three products on one harness: [`run`] is a benchmark runner for users, [`quality`] measures what recall finds, [`speed`] how
//! fast everything is. `peers` are other systems that are measured beside it.
//!
//! Figures are compared within one run, on the same machine and disk; absolute numbers
//! of a shared machine mean little.

mod harness;
mod peers;
pub mod quality;
pub mod report;
pub mod run;
pub mod score;
pub mod speed;

/// Why a measurement could not be made.
pub use anyhow::Error;
pub use harness::EmbedderChoice;
pub use peers::PeerChoice;

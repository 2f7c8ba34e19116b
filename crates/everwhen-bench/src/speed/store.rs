//! `everwhen bench store`: how fast entries are kept and listed.
//!
//! Walk: batches beside a bare SQLite loop → single durable adds over HTTP with 1, 8 and 64
//! clients, with and without group commit → lists by time at two sizes → memory in use.

mod bare;
mod batches;
mod beside;
mod lists;
mod report;
mod singles;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;

use crate::report::OnProgress;

pub use beside::{BesideBench, BesideReport, run as run_beside};
pub use report::StoreReport;

/// What to measure, and how long.
#[derive(Debug, Clone)]
pub struct StoreBench {
    /// The program to start as a server.
    pub binary: PathBuf,
    /// Entries in the large list.
    pub large: usize,
    /// How long each number of clients adds entries.
    pub per_load: Duration,
}

/// Entries in the small list.
const SMALL: usize = 10_000;

/// Runs the benchmark; `on_progress` is called with each step.
pub async fn run(setup: &StoreBench, on_progress: OnProgress<'_>) -> Result<StoreReport> {
    on_progress("batches of 100, beside a bare SQLite loop");
    let batches = batches::measure().await?;
    on_progress("single durable adds over HTTP");
    let singles = singles::measure(setup, on_progress).await?;
    on_progress("lists by time range");
    let lists = lists::measure(setup, SMALL, on_progress).await?;
    Ok(StoreReport { batches, singles, lists })
}

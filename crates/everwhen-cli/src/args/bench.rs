//! What may be typed after `everwhen bench`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Measure Everwhen on this machine, beside what it is built on
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen bench store
  everwhen bench store --quick
  everwhen bench store --entries 200000 --out figures")]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    pub(crate) topic: BenchTopic,
}

/// What to measure.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchTopic {
    Store(StoreBenchArgs),
}

/// How fast entries are kept and listed, and how much memory that takes
///
/// Batches beside a bare SQLite loop that inserts the same rows; single durable adds over HTTP with
/// 1, 8 and 64 clients, with and without group commit; lists by time range in a small and a large
/// memory. Works in temporary directories and on the loopback address only.
#[derive(Debug, Args)]
pub(crate) struct StoreBenchArgs {
    /// Entries in the large memory
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = entries)]
    pub(crate) entries: usize,
    /// Seconds each number of clients adds entries
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub(crate) seconds: u64,
    /// A small run that shows that it works: 20000 entries, one second each
    #[arg(long, conflicts_with_all = ["entries", "seconds"])]
    pub(crate) quick: bool,
    /// Directory to write store.json into
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

fn entries(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(entries @ 20_000..=1_600_000) => Ok(entries),
        _ => Err("use a number from 20000 to 1600000".into()),
    }
}

//! `everwhen bench`: figures of this machine.

mod recall;

use std::path::Path;
use std::time::Duration;

use everwhen_bench::store::{self, StoreBench, StoreReport};

use crate::args::{BenchArgs, BenchTopic, StoreBenchArgs};

use crate::failure::{Failure, Result};
use crate::output;

const QUICK_ENTRIES: usize = 20_000;

/// Measures and prints; `home` is the data directory, where models are.
pub(crate) async fn run(home: &Path, args: &BenchArgs, json: bool) -> Result<()> {
    match &args.topic {
        BenchTopic::Store(args) => bench_store(args, json).await,
        BenchTopic::Longmemeval(args) => recall::longmemeval(home, args, json).await,
        BenchTopic::Locomo(args) => recall::locomo(home, args, json).await,
        BenchTopic::Temporal(args) => recall::temporal(home, args, json).await,
        BenchTopic::Recall(args) => recall::speed(args, json).await,
        BenchTopic::Tune(args) => recall::tune(home, args, json).await,
    }
}

async fn bench_store(args: &StoreBenchArgs, json: bool) -> Result<()> {
    let (large, seconds) =
        if args.quick { (QUICK_ENTRIES, 1) } else { (args.entries, args.seconds) };
    let setup = StoreBench {
        binary: std::env::current_exe()?,
        large,
        per_load: Duration::from_secs(seconds),
    };
    let report = store::run(&setup, &|what| output::note(what)).await.map_err(failed)?;
    if let Some(directory) = &args.out {
        write(directory, &report)?;
    }
    if json { output::json(&to_json(&report)?) } else { output::line(&report.to_string()) }
}

fn write(directory: &Path, report: &StoreReport) -> Result<()> {
    std::fs::create_dir_all(directory)?;
    Ok(std::fs::write(directory.join("store.json"), to_json(report)?)?)
}

fn to_json(report: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string_pretty(report).map_err(|error| Failure::new(error.to_string()))
}

fn failed(error: everwhen_bench::Error) -> Failure {
    Failure::new(format!("{error:#}"))
}

//! `everwhen bench`: benchmarks on this machine.

mod recall;
mod runner;

use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

use everwhen::Config;
use everwhen_bench::quality::locomo::LocomoSet;
use everwhen_bench::speed::distill::{self, DistillBench};
use everwhen_bench::speed::import::{self, ImportBench};
use everwhen_bench::speed::mcp;
use everwhen_bench::speed::proxy::{self, ProxyBench};
use everwhen_bench::speed::store::{self, BesideBench, StoreBench};
use everwhen_bench::speed::workflow::{self, WorkflowBench};
use serde::Serialize;

use crate::args::{
    BenchArgs, BenchTopic, CommonArgs, DistillBenchArgs, ImportBenchArgs, McpBenchArgs,
    ProxyBenchArgs, StoreBenchArgs, WorkflowBenchArgs,
};

use crate::failure::{Failure, Result};
use crate::output;

const QUICK_ENTRIES: usize = 20_000;
/// Entries in a quick comparison of stores, and the maximum in any.
const QUICK_BESIDE: usize = 2_000;
const MOST_BESIDE: usize = 10_000;

/// Runs a benchmark and prints its result.
pub(crate) async fn run(config: &Config, common: &CommonArgs, args: &BenchArgs) -> Result<()> {
    // Models are in the data directory.
    let (home, json) = (&config.data.value, common.json);
    if common.store.is_some() && !matches!(args.topic, BenchTopic::Store(_) | BenchTopic::Recall(_))
    {
        return Err(Failure::usage(
            "--store is for `bench store` and `bench recall`; the others make a store of their own",
        ));
    }
    match (&args.topic, common.store.as_deref()) {
        (BenchTopic::Store(args), Some(store)) => beside(store, args, json).await,
        (BenchTopic::Store(args), None) => bench_store(args, json).await,
        (BenchTopic::Longmemeval(args), _) => recall::longmemeval(home, args, json).await,
        (BenchTopic::Locomo(args), _) => recall::locomo(home, LocomoSet::Locomo, args, json).await,
        (BenchTopic::Realtalk(args), _) => {
            recall::locomo(home, LocomoSet::Realtalk, args, json).await
        }
        (BenchTopic::Beam(args), _) => recall::locomo(home, LocomoSet::Beam, args, json).await,
        (BenchTopic::Temporal(args), _) => recall::temporal(home, args, json).await,
        (BenchTopic::Recall(args), store) => recall::speed(home, store, args, json).await,
        (BenchTopic::Mcp(args), _) => bench_mcp(args, json).await,
        (BenchTopic::Proxy(args), _) => bench_proxy(args, json).await,
        (BenchTopic::Workflow(args), _) => bench_workflow(args, json).await,
        (BenchTopic::Import(args), _) => bench_import(args, json).await,
        (BenchTopic::Distill(args), _) => bench_distill(args, json).await,
        (BenchTopic::Exam(args), _) => recall::exam(home, args, json).await,
        (BenchTopic::Tune(args), _) => recall::tune(home, args, json).await,
        (BenchTopic::Run(args), _) => runner::run(config, common.key.as_deref(), args, json).await,
        (BenchTopic::Overhead(args), _) => runner::overhead(config, args, json).await,
        (BenchTopic::Verify(args), _) => runner::verify(args),
        (BenchTopic::Logs(args), _) => runner::logs(args, json),
        (BenchTopic::Compare(args), _) => runner::compare(args, json),
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
        write(directory, "store.json", &report)?;
    }
    if json { output::json(&to_json(&report)?) } else { output::line(&report.to_string()) }
}

async fn bench_mcp(args: &McpBenchArgs, json: bool) -> Result<()> {
    let setup = mcp::McpBench { binary: std::env::current_exe()?, calls: args.calls };
    let report = mcp::run(&setup, &|what| output::note(what)).await.map_err(failed)?;
    if json { output::json(&to_json(&report)?) } else { output::line(&report.to_string()) }
}

/// Compares a database with SQLite.
async fn beside(store: &str, args: &StoreBenchArgs, json: bool) -> Result<()> {
    let (entries, seconds) =
        if args.quick { (QUICK_BESIDE, 1) } else { (args.entries.min(MOST_BESIDE), args.seconds) };
    let per_load = Duration::from_secs(seconds);
    let setup = BesideBench { store: store.to_owned(), entries, per_load };
    let report = store::run_beside(&setup, &|what| output::note(what)).await.map_err(failed)?;
    if let Some(directory) = &args.out {
        write(directory, "beside.json", &report)?;
    }
    if json { output::json(&to_json(&report)?) } else { output::line(&report.to_string()) }
}

async fn bench_proxy(args: &ProxyBenchArgs, json: bool) -> Result<()> {
    let (sizes, exchanges, slow_streams) = match args.quick {
        true => (vec![0, 1_000], 5, 50),
        false => (args.sizes.clone(), args.exchanges, args.slow),
    };
    let setup = ProxyBench { binary: std::env::current_exe()?, sizes, exchanges, slow_streams };
    let report = proxy::run(&setup, &|what| output::note(what)).await.map_err(failed)?;
    if let Some(directory) = &args.out {
        write(directory, "proxy.json", &report)?;
    }
    if json { output::json(&to_json(&report)?) } else { output::line(&report.to_string()) }
}

async fn bench_workflow(args: &WorkflowBenchArgs, json: bool) -> Result<()> {
    let rounds = if args.quick { 10 } else { args.rounds.max(1) };
    let setup = WorkflowBench { binary: std::env::current_exe()?, rounds };
    let report = workflow::run(&setup, &|what| output::note(what)).await.map_err(failed)?;
    if let Some(directory) = &args.out {
        write(directory, "workflow.json", &report)?;
    }
    if json { output::json(&to_json(&report)?) } else { output::line(&report.to_string()) }
}

async fn bench_import(args: &ImportBenchArgs, json: bool) -> Result<()> {
    if let Some(data) = &args.into {
        let archive = args.archive.as_deref().unwrap_or(Path::new(""));
        let print = |line: &str| drop(output::line(line));
        return import::import_here(archive, data, &print).await.map_err(failed);
    }
    let setup = ImportBench { binary: std::env::current_exe()?, messages: args.messages };
    let report = import::run(&setup, &|what| output::note(what)).map_err(failed)?;
    if json { output::json(&to_json(&report)?) } else { output::line(&report.to_string()) }
}

async fn bench_distill(args: &DistillBenchArgs, json: bool) -> Result<()> {
    let setup = DistillBench {
        conversations: args.conversations,
        per_load: Duration::from_secs(args.seconds),
        model_takes: Duration::from_millis(args.model_takes),
    };
    let report = distill::run(&setup, &|what| output::note(what)).await.map_err(failed)?;
    if json { output::json(&to_json(&report)?) } else { output::line(&report.to_string()) }
}

fn write(directory: &Path, name: &str, report: &impl serde::Serialize) -> Result<()> {
    std::fs::create_dir_all(directory)?;
    Ok(std::fs::write(directory.join(name), to_json(report)?)?)
}

fn to_json(report: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string_pretty(report).map_err(|error| Failure::new(error.to_string()))
}

fn show<S: Serialize + Display>(summary: &S, json: bool) -> Result<()> {
    if json { output::json(&to_json(summary)?) } else { output::line(&summary.to_string()) }
}

fn failed(error: everwhen_bench::Error) -> Failure {
    Failure::new(format!("{error:#}"))
}

//! Benchmarks of recall: data in, a table on screen, `summary.json` and `questions.jsonl` out.

use std::fmt::Display;

use everwhen_bench::{EmbedderChoice, locomo, longmemeval, recall, report, temporal, tune};
use serde::Serialize;

use super::{failed, to_json};
use crate::args::{DatasetArgs, LongMemEvalArgs, RecallBenchArgs, TuneArgs};
use crate::failure::Result;
use crate::output;

pub(super) async fn longmemeval(args: &LongMemEvalArgs, json: bool) -> Result<()> {
    let setup = longmemeval::LongMemEval {
        data: args.dataset.data.clone().into(),
        ids: args.ids.clone(),
        pooled: args.pooled,
        embedder: embedder(&args.dataset),
    };
    let run = longmemeval::run(&setup, &bar()).await.map_err(failed)?;
    finish(&args.dataset, &run.summary, &run.questions, json)
}

pub(super) async fn locomo(args: &DatasetArgs, json: bool) -> Result<()> {
    let setup = locomo::Locomo { data: args.data.clone().into(), embedder: embedder(args) };
    let run = locomo::run(&setup, &bar()).await.map_err(failed)?;
    finish(args, &run.summary, &run.questions, json)
}

pub(super) async fn temporal(args: &DatasetArgs, json: bool) -> Result<()> {
    let setup = temporal::Temporal { data: args.data.clone().into(), embedder: embedder(args) };
    let run = temporal::run(&setup, &bar()).await.map_err(failed)?;
    finish(args, &run.summary, &run.questions, json)
}

pub(super) async fn speed(args: &RecallBenchArgs, json: bool) -> Result<()> {
    let setup = recall::RecallBench { sizes: args.entries.clone(), questions: args.questions };
    let report = recall::run(&setup, &|what| output::note(what)).await.map_err(failed)?;
    show(&report, json)
}

pub(super) async fn tune(args: &TuneArgs, json: bool) -> Result<()> {
    let setup = tune::Tune {
        data: args.dataset.data.clone().into(),
        ids: args.ids.clone(),
        embedder: embedder(&args.dataset),
        seed: args.seed,
        tries: args.tries,
    };
    let tuned = tune::run(&setup, &bar()).await.map_err(failed)?;
    show(&tuned, json)
}

fn embedder(args: &DatasetArgs) -> EmbedderChoice {
    if args.embedder == "none" { EmbedderChoice::None } else { EmbedderChoice::Static }
}

/// A bar that grows with the questions.
fn bar() -> impl Fn(usize, usize) + Sync {
    let bar = output::progress(0, "questions");
    move |done, of| {
        bar.set_length(of as u64);
        bar.set_position(done as u64);
    }
}

fn finish<S: Serialize + Display>(
    args: &DatasetArgs,
    summary: &S,
    questions: &[impl Serialize],
    json: bool,
) -> Result<()> {
    if let Some(directory) = &args.out {
        report::write(directory, summary, questions).map_err(failed)?;
    }
    show(summary, json)
}

fn show<S: Serialize + Display>(summary: &S, json: bool) -> Result<()> {
    if json { output::json(&to_json(summary)?) } else { output::line(&summary.to_string()) }
}

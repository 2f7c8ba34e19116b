//! Benchmark runs: run, verify, compare.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use everwhen::time::Clock;
use everwhen::{Config, SystemClock};
use everwhen_bench::run::{self, Mode, Options, Plan, ReportProgress, RunProgress};

use super::{failed, show};
use crate::args::{CompareArgs, LogsArgs, ModeArg, OverheadArgs, PlanArgs, RunArgs, VerifyArgs};
use crate::failure::{Failure, Result};
use crate::output;

pub(super) async fn run(
    config: &Config,
    key: Option<&str>,
    args: &RunArgs,
    json: bool,
) -> Result<()> {
    let mut options = options(&args.which)?;
    options.resume = args.resume;
    options.qa_only = args.qa_only;
    options.via = args.via.clone().map(|url| (url, key.map(str::to_owned)));
    let plan = &mut options.plan.run;
    plan.workers = args.workers.unwrap_or(plan.workers);
    plan.mode = args.mode.map_or(plan.mode, Mode::from);
    plan.metrics &= !args.no_metrics;
    let summary =
        run::run(&options, config, progress_reporter(args.monitor)).await.map_err(failed)?;
    output::note(&format!("{}", options.directory().display()));
    show(&summary, json)?;
    match summary.failures.len() {
        0 => Ok(()),
        failed => Err(Failure::new(format!(
            "{failed} of {} questions failed and count as wrong; --resume tries them again",
            summary.questions
        ))),
    }
}

pub(super) async fn overhead(config: &Config, args: &OverheadArgs, json: bool) -> Result<()> {
    let options = options(&args.which)?;
    let overhead = run::overhead(&options, config, args.rounds).await.map_err(failed)?;
    show(&overhead, json)
}

pub(super) fn verify(args: &VerifyArgs) -> Result<()> {
    let verified = run::verify(&args.run).map_err(failed)?;
    verified.problems.iter().try_for_each(|problem| output::line(problem))?;
    let (sessions, questions) = (verified.sessions, verified.questions);
    match verified.problems.len() {
        0 => output::line(&format!("{sessions} sessions and {questions} questions agree")),
        many => Err(Failure::new(format!("{many} measures are not what the events give"))),
    }
}

pub(super) fn logs(args: &LogsArgs, json: bool) -> Result<()> {
    show(&run::log_times(&args.logs).map_err(failed)?, json)
}

pub(super) fn compare(args: &CompareArgs, json: bool) -> Result<()> {
    show(&run::compare(&args.runs, args.seed).map_err(failed)?, json)
}

fn options(args: &PlanArgs) -> Result<Options> {
    let plan = Plan::read(Path::new(&args.plan)).map_err(failed)?;
    let begun = || SystemClock.now().strftime("%Y%m%dT%H%M%SZ").to_string();
    Ok(Options {
        plan,
        out: args.out.clone(),
        run_id: args.run_id.clone().unwrap_or_else(begun),
        resume: false,
        num_questions: args.num_questions,
        qa_only: false,
        via: None,
    })
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Ingest => Self::Ingest,
            ModeArg::Retrieval => Self::Retrieval,
            ModeArg::Qa => Self::Qa,
        }
    }
}

/// A progress bar on a terminal; with `lines`, one line per session and question.
fn progress_reporter(lines: bool) -> Arc<ReportProgress> {
    let (bar, began) = (output::progress(0, "questions"), Instant::now());
    Arc::new(move |standing: &RunProgress| {
        let (done, all) = standing.questions;
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        if lines {
            let elapsed = began.elapsed().as_secs_f64();
            let left = elapsed / done.max(1) as f64 * (all - done) as f64;
            bar.suspend(|| output::note(&line(standing, left)));
        }
    })
}

fn line(standing: &RunProgress, left: f64) -> String {
    let (done, all) = standing.questions;
    let RunProgress { sessions, active_ms, idle_ms, line, .. } = standing;
    format!(
        "{done}/{all} questions, {sessions} sessions, {active_ms} ms active, {idle_ms} ms idle, \
         {left:.0} s left · {line}"
    )
}

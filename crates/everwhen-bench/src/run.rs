//! `everwhen bench run`: a benchmark question by question, with the real dates.
//!
//! Walk: write down what is about to happen (`setup.json`) → per question a fresh memory: take in
//! each session at its own date, settle, look up, answer, judge → one line per question → summary
//! and report, which are pure functions of what was written down. A killed run goes on where it
//! stopped; doing a session again changes nothing.

mod answer;
mod bench;
mod chart;
mod clock;
mod compare;
mod events;
mod extractive;
mod judge;
mod origin_logs;
mod overhead;
mod page;
mod plan;
mod progress;
mod question;
mod source;
mod summary;
mod verify;
mod via;

use std::path::PathBuf;

use anyhow::{Result, bail};
use everwhen::Config;
use tokio::task::JoinSet;

pub use compare::{Comparison, compare};
pub use origin_logs::{LogSession, LogTimes, log_times};
pub use overhead::{Overhead, overhead};
pub use plan::{Mode, Plan};
pub use source::Form;
pub use summary::{RunSummary, Spread, Times};
pub use verify::{Verified, verify};

use bench::Bench;
use question::Outcome;

/// What was typed.
#[derive(Debug, Clone)]
pub struct Options {
    /// The plan.
    pub plan: Plan,
    /// Where runs are kept.
    pub out: PathBuf,
    /// The name of the run.
    pub run_id: String,
    /// Go on with a run that exists.
    pub resume: bool,
    /// Maximum number of questions.
    pub num_questions: Option<usize>,
    /// Only answer; all sessions were ingested before.
    pub qa_only: bool,
    /// Over the API of this server, with this key.
    pub via: Option<(String, Option<String>)>,
}

/// How far a run is.
#[derive(Debug, Clone, Default)]
pub struct RunProgress {
    /// Questions done, and all.
    pub questions: (usize, usize),
    /// Sessions done in this process.
    pub sessions: usize,
    /// Milliseconds in which models and tools were at work.
    pub active_ms: i64,
    /// Milliseconds of waiting.
    pub idle_ms: i64,
    /// What just happened.
    pub line: String,
}

/// Reports the progress of a run.
pub type ReportProgress = dyn Fn(&RunProgress) + Send + Sync;

impl Options {
    /// Where this run is kept.
    pub fn directory(&self) -> PathBuf {
        self.out.join(format!("run_{}", self.run_id))
    }
}

/// Runs the remaining questions and writes the summary.
pub async fn run(
    options: &Options,
    config: &Config,
    report: std::sync::Arc<ReportProgress>,
) -> Result<RunSummary> {
    let directory = options.directory();
    let questions = bench::questions(options)?;
    match (directory.exists(), options.resume) {
        (true, false) => {
            bail!("{} exists; go on with --resume, or name another --run-id", directory.display())
        }
        (false, true) => bail!("{} does not exist; nothing to resume", directory.display()),
        _ => std::fs::create_dir_all(&directory)?,
    }
    let opened = Bench::open(options, config, questions, report).await;
    if opened.is_err() && !options.resume {
        // Nothing was run, so that the same name can be used again.
        std::fs::remove_dir_all(&directory)?;
    }
    let bench = std::sync::Arc::new(opened?);
    bench.report_notes();
    let left = bench.left()?;
    let interrupted = ask_all(&bench, left).await?;
    bench.write_lines()?;
    let summary = RunSummary::of(&bench.directory)?;
    summary.write(&bench.directory)?;
    page::write(&bench.directory, &summary)?;
    if interrupted {
        bail!("interrupted; go on with --resume --run-id {}", options.run_id);
    }
    Ok(summary)
}

/// Runs the remaining questions with this parallelism. Returns whether the run was interrupted.
async fn ask_all(bench: &std::sync::Arc<Bench>, left: Vec<usize>) -> Result<bool> {
    let mut left = left.into_iter();
    let mut running: JoinSet<Result<Outcome>> = JoinSet::new();
    loop {
        while running.len() < bench.plan.run.workers.max(1) && !bench.is_cancelled() {
            let Some(position) = left.next() else { break };
            let bench = std::sync::Arc::clone(bench);
            running.spawn(async move { question::ask(&bench, position).await });
        }
        tokio::select! {
            done = running.join_next() => match done {
                None => return Ok(bench.is_cancelled()),
                Some(done) => drop(done??),
            },
            _ = tokio::signal::ctrl_c(), if !bench.is_cancelled() => bench.cancel(),
        }
    }
}

//! What may be typed about runs: `everwhen bench run`, `verify`, `compare`, `overhead`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Ask a benchmark question by question, with the real dates: take in, look up, answer, judge
///
/// A killed run goes on with --resume. What it leaves in OUT/run_ID can be recomputed by others: events.jsonl,
/// progress.db, hypotheses.jsonl, summary.json, report.html.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen bench run bench.toml
  everwhen bench run bench.toml --mode retrieval --num-questions 50 --workers 2
  everwhen bench run bench.toml --run-id first --resume --monitor

A PLAN
  [dataset]
  path = \"longmemeval_s_cleaned.json\"   # from where the plan lies
  form = \"longmemeval\"                  # or locomo, or dialogue: JSON lines of one's own
  [run]
  mode = \"qa\"                           # or retrieval, or ingest
  [answer]
  provider = \"openai\"                   # or anthropic, ollama, extractive (no model)
  model = \"gpt-4o-mini\"
  [judge]                                # beside the rules that need no model
  provider = \"openai\"
  model = \"gpt-4o\"")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) which: PlanArgs,
    /// Go on with a run that was broken off
    #[arg(long)]
    pub(crate) resume: bool,
    /// So many questions at once
    #[arg(long, short = 'w', value_name = "N")]
    pub(crate) workers: Option<usize>,
    /// How far each question is taken
    #[arg(long, value_enum)]
    pub(crate) mode: Option<ModeArg>,
    /// Only answer; the sessions were taken in before
    #[arg(long, requires = "resume")]
    pub(crate) qa_only: bool,
    /// Over the public API of this server (its key with --key) instead of the library
    #[arg(long, value_name = "URL")]
    pub(crate) via: Option<String>,
    /// Do not measure conversation time
    #[arg(long)]
    pub(crate) no_metrics: bool,
    /// Tell every session as it ends
    #[arg(long, short = 'm')]
    pub(crate) monitor: bool,
}

/// Which plan, and where its run is kept.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The plan
    #[arg(value_name = "BENCH.TOML")]
    pub(crate) plan: PathBuf,
    /// Directory that holds runs
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub(crate) out: PathBuf,
    /// Name of the run [default: the time it begins]
    #[arg(long, value_name = "ID")]
    pub(crate) run_id: Option<String>,
    /// Only the first so many questions
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) num_questions: Option<usize>,
}

/// How far a question is taken.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ModeArg {
    /// Its sessions are taken in.
    Ingest,
    /// And what it asks for is looked up.
    Retrieval,
    /// And it is answered and judged.
    Qa,
}

/// Compute every measure of a run anew from its events and compare
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen bench verify out/run_first

The exit code is 1 if anything differs by more than a second.")]
pub(crate) struct VerifyArgs {
    /// Directory of the run
    pub(crate) run: PathBuf,
}

/// Show runs beside the first of them, and whether the differences mean anything
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen bench compare out/run_first out/run_second")]
pub(crate) struct CompareArgs {
    /// Directories of runs
    #[arg(required = true, num_args = 2..)]
    pub(crate) runs: Vec<PathBuf>,
    /// Where chance begins
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Measure what measuring conversation time costs: the same retrieval run with and without, alternating
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen bench overhead bench.toml --run-id first")]
pub(crate) struct OverheadArgs {
    #[command(flatten)]
    pub(crate) which: PlanArgs,
    /// So often with and so often without
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) rounds: usize,
}

//! Arguments of benchmark runs: `everwhen bench run`, `verify`, `compare`, `overhead`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Run a benchmark with its real dates: ingest, retrieve, answer, judge
///
/// A run that was interrupted continues with --resume. Its results in OUT/run_ID can be recomputed
/// by others: events.jsonl, progress.db, hypotheses.jsonl, summary.json, report.html.
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
    /// Continue an interrupted run
    #[arg(long)]
    pub(crate) resume: bool,
    /// Number of questions processed in parallel
    #[arg(long, short = 'w', value_name = "N")]
    pub(crate) workers: Option<usize>,
    /// Last stage to run for each question
    #[arg(long, value_enum)]
    pub(crate) mode: Option<ModeArg>,
    /// Only answer; the sessions were ingested before
    #[arg(long, requires = "resume")]
    pub(crate) qa_only: bool,
    /// Use the public API of this server (with --key) instead of the library
    #[arg(long, value_name = "URL")]
    pub(crate) via: Option<String>,
    /// Do not measure conversation time
    #[arg(long)]
    pub(crate) no_metrics: bool,
    /// Print every session as it ends
    #[arg(long, short = 'm')]
    pub(crate) monitor: bool,
}

/// The plan of a run, and its directory.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// Plan file
    #[arg(value_name = "BENCH.TOML")]
    pub(crate) plan: PathBuf,
    /// Directory for runs
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub(crate) out: PathBuf,
    /// Id of the run [default: its start time]
    #[arg(long, value_name = "ID")]
    pub(crate) run_id: Option<String>,
    /// Maximum number of questions (the first ones)
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) num_questions: Option<usize>,
}

/// The stages of a run.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ModeArg {
    /// Ingest the sessions.
    Ingest,
    /// Also retrieve the evidence.
    Retrieval,
    /// Also answer and judge.
    Qa,
}

/// Recompute all measures of a run from its events and compare them
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen bench verify out/run_first

The exit code is 1 if anything differs by more than a second, or if any session has more active
than elapsed time.")]
pub(crate) struct VerifyArgs {
    /// Directory of the run
    pub(crate) run: PathBuf,
}

/// Conversation time from the logs of Mycelian's longmemeval-benchmarker
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen bench logs logs/run_1757000000
  everwhen bench logs logs/run_1757000000/gpt4_59149c77.log --json

Reads .log and .jsonl files, each named after its question. A model or tool is at work from
agent_invoke to agent_complete, from QA_INVOKE to QA_RESPONSE and from SEARCH_MEMORIES to
SEARCH_RESULT; times are UTC. Prints a CONV_TIME line for each session, in milliseconds.")]
pub(crate) struct LogsArgs {
    /// Directory of a run's logs, or one log file
    pub(crate) logs: PathBuf,
}

/// Compare runs with the first one, with significance tests
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen bench compare out/run_first out/run_second")]
pub(crate) struct CompareArgs {
    /// Directories of the runs
    #[arg(required = true, num_args = 2..)]
    pub(crate) runs: Vec<PathBuf>,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Measure the cost of measuring conversation time: alternating runs with and without it
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen bench overhead bench.toml --run-id first")]
pub(crate) struct OverheadArgs {
    #[command(flatten)]
    pub(crate) which: PlanArgs,
    /// Rounds per variant
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) rounds: usize,
}

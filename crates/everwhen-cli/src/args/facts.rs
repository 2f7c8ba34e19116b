//! Arguments of the commands about facts, chapters and summaries.

use clap::Args;

/// Show what is known: dated statements, distilled from conversations
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen facts
  everwhen facts --about 2025-04
  everwhen facts --as-of 2025-06-01 --tag health
  everwhen facts --history fct_01jh2m8z5qf3v9k7c4x0tnwr6e")]
pub(crate) struct FactsArgs {
    /// As the vault believed at this time
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<String>,
    /// What holds in a stretch of time: 2025, 2025-04, 2025-04-12, A/B, "last April"
    #[arg(long, value_name = "WHEN")]
    pub(crate) about: Option<String>,
    /// Those that were replaced, too
    #[arg(long)]
    pub(crate) all: bool,
    /// Only with this tag
    #[arg(long)]
    pub(crate) tag: Option<String>,
    /// Only those that are pinned
    #[arg(long)]
    pub(crate) pinned: bool,
    /// Everything that was believed of the same matter as this fact
    #[arg(long, value_name = "FACT", conflicts_with_all = ["as_of", "about", "all", "tag", "pinned"])]
    pub(crate) history: Option<String>,
    /// As text for a model, by month
    #[arg(long, conflicts_with_all = ["as_of", "about", "all", "tag", "pinned", "history"])]
    pub(crate) text: bool,
}

/// Let a fact stand first in every list
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen pin fct_01jh2m8z5qf3v9k7c4x0tnwr6e
  everwhen pin fct_01jh2m8z5qf3v9k7c4x0tnwr6e --off")]
pub(crate) struct PinArgs {
    /// The fact
    #[arg(value_name = "FACT")]
    pub(crate) fact: String,
    /// Take the pin out
    #[arg(long)]
    pub(crate) off: bool,
}

/// List chapters: what the memory was about, in order
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen chapters
  everwhen chapters --after 2025-03-01 --before 2025-04-01")]
pub(crate) struct ChaptersArgs {
    /// Only those with an entry at this time or later
    #[arg(long, value_name = "TIME")]
    pub(crate) after: Option<String>,
    /// Only those that began before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) before: Option<String>,
}

/// Show the rolling summary of the memory
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen summary
  everwhen summary --versions")]
pub(crate) struct SummaryArgs {
    /// List its versions instead, newest first
    #[arg(long)]
    pub(crate) versions: bool,
}

/// Turn finished conversations into facts, chapters and summaries now
///
/// Background work does this by itself; this command does it while you watch. It can be interrupted
/// at any time, and goes on where it was when it is called again.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen distill
  everwhen distill --all")]
pub(crate) struct DistillArgs {
    /// In all memories of the vault
    #[arg(long)]
    pub(crate) all: bool,
}

//! Arguments of the commands about facts, chapters and summaries.

use clap::Args;

/// List facts: dated statements distilled from conversations
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen facts
  everwhen facts --about 2025-04
  everwhen facts --as-of 2025-06-01 --tag health
  everwhen facts --text --all
  everwhen facts --history fct_01jh2m8z5qf3v9k7c4x0tnwr6e
  everwhen facts --correct fct_01jh2m8z5qf3v9k7c4x0tnwr6e 'My A1C was 7.2%'
  everwhen facts --remove fct_01jh2m8z5qf3v9k7c4x0tnwr6e")]
pub(crate) struct FactsArgs {
    /// Facts as they were believed at this time
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<String>,
    /// Only facts that hold in this period: 2025, 2025-04, 2025-04-12, A/B, "last April"
    #[arg(long, value_name = "WHEN")]
    pub(crate) about: Option<String>,
    /// Include facts that were superseded
    #[arg(long)]
    pub(crate) all: bool,
    /// Only facts with this tag
    #[arg(long)]
    pub(crate) tag: Option<String>,
    /// Only pinned facts
    #[arg(long)]
    pub(crate) pinned: bool,
    /// Show everything that was believed about the subject of this fact
    #[arg(long, value_name = "FACT", conflicts_with_all = ["as_of", "about", "all", "tag", "pinned"])]
    pub(crate) history: Option<String>,
    /// Show facts as text for a model, grouped by month; with --all, replaced ones too
    #[arg(long, conflicts_with_all = ["as_of", "about", "tag", "pinned", "history"])]
    pub(crate) text: bool,
    /// With --text: put the priority (CRITICAL, IMPORTANT or INFO) in brackets before each fact
    #[arg(long, requires = "text")]
    pub(crate) marks: bool,
    /// Put your own words in place of this fact; distilling again does not undo it
    #[arg(long, value_names = ["FACT", "STATEMENT"], num_args = 2, conflicts_with_all = [
        "as_of", "about", "all", "tag", "pinned", "history", "text", "marks", "remove",
    ])]
    pub(crate) correct: Option<Vec<String>>,
    /// Remove this fact; distilling the same words again does not bring it back
    #[arg(long, value_name = "FACT", conflicts_with_all = [
        "as_of", "about", "all", "tag", "pinned", "history", "text", "marks",
    ])]
    pub(crate) remove: Option<String>,
}

impl FactsArgs {
    /// The action, as the rest of "could not …".
    pub(crate) fn purpose(&self) -> &'static str {
        match (&self.correct, &self.remove) {
            (Some(_), _) => "correct the fact",
            (_, Some(_)) => "remove the fact",
            _ => "show facts",
        }
    }
}

/// Show the profile: the present values of everything that has some
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen profile
  everwhen profile --as-of 2025-06-01")]
pub(crate) struct ProfileArgs {
    /// Values as they were believed at this time
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<String>,
}

/// Pin a fact, so that it comes first in every list
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen pin fct_01jh2m8z5qf3v9k7c4x0tnwr6e
  everwhen pin fct_01jh2m8z5qf3v9k7c4x0tnwr6e --off")]
pub(crate) struct PinArgs {
    /// Id of the fact
    #[arg(value_name = "FACT")]
    pub(crate) fact: String,
    /// Remove the pin
    #[arg(long)]
    pub(crate) off: bool,
}

/// List chapters: summaries of a memory in chronological order
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen chapters
  everwhen chapters --after 2025-03-01 --before 2025-04-01")]
pub(crate) struct ChaptersArgs {
    /// Only chapters with an entry at or after this time
    #[arg(long, value_name = "TIME")]
    pub(crate) after: Option<String>,
    /// Only chapters that begin before this time
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
    /// List versions of the summary, newest first
    #[arg(long)]
    pub(crate) versions: bool,
}

/// Distil ended conversations into facts, chapters and summaries now
///
/// Background jobs do this automatically; this command runs them and waits. It can be interrupted
/// at any time and continues where it stopped when it is called again.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen distill
  everwhen distill --all")]
pub(crate) struct DistillArgs {
    /// Distil all memories of the vault
    #[arg(long)]
    pub(crate) all: bool,
}

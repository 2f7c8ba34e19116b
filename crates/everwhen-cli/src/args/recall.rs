//! What may be typed after `everwhen recall`.

use clap::Args;

/// Answer a question from what was said: the right entries with their dates, and why
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen recall \"when did I last see the dentist?\"
  everwhen recall \"what did we decide two weeks ago?\" --period filter
  everwhen recall \"where is the spare key?\" --explain
  everwhen recall \"what did I say about the trip?\" --all --role user --tag travel
  everwhen recall \"what about the interview?\" --briefing | llm")]
pub(crate) struct RecallArgs {
    /// The question
    pub(crate) question: String,
    /// When it is asked: \"last week\" counts from here [default: now]
    #[arg(long, value_name = "TIME")]
    pub(crate) asked_at: Option<String>,
    /// Only what was said at or after this time
    #[arg(long, value_name = "TIME")]
    pub(crate) after: Option<String>,
    /// Only what was said before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) before: Option<String>,
    /// As the memory stood at this time
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<String>,
    /// What to do with a period the question names
    #[arg(long, value_name = "USE", value_parser = ["boost", "filter", "ignore"])]
    pub(crate) period: Option<String>,
    /// Ask all memories of the vault
    #[arg(long, conflicts_with = "memory")]
    pub(crate) all: bool,
    /// Only what this role said; may be given several times
    #[arg(long, value_name = "ROLE", value_parser = ["user", "assistant", "system", "tool"])]
    pub(crate) role: Vec<String>,
    /// Only what has this tag; may be given several times
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Show conversations instead of single entries
    #[arg(long, conflicts_with = "briefing")]
    pub(crate) conversations: bool,
    /// So many items
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) limit: usize,
    /// Say what spoke for each item
    #[arg(long)]
    pub(crate) explain: bool,
    /// Print the briefing for a model instead
    #[arg(long)]
    pub(crate) briefing: bool,
    /// Tokens the briefing may have [default: 1000]
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<u32>,
}

//! Arguments of `everwhen recall`.

use clap::Args;

/// Answer a question with the matching entries, their dates and the reasons they were found
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
    /// Time the question is asked; "last week" is relative to it [default: now]
    #[arg(long, value_name = "TIME")]
    pub(crate) asked_at: Option<String>,
    /// Only entries said at or after this time
    #[arg(long, value_name = "TIME")]
    pub(crate) after: Option<String>,
    /// Only entries said before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) before: Option<String>,
    /// State of the memory at this time
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<String>,
    /// How to use a time period that the question names
    #[arg(long, value_name = "USE", value_parser = ["boost", "filter", "ignore"])]
    pub(crate) period: Option<String>,
    /// Search all memories of the vault
    #[arg(long, conflicts_with = "memory")]
    pub(crate) all: bool,
    /// Only entries of this role; may be given several times
    #[arg(long, value_name = "ROLE", value_parser = ["user", "assistant", "system", "tool"])]
    pub(crate) role: Vec<String>,
    /// Only entries with this tag; may be given several times
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Show conversations instead of single entries
    #[arg(long, conflicts_with = "briefing")]
    pub(crate) conversations: bool,
    /// Maximum number of results
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) limit: usize,
    /// Leave out entries of this conversation; may be given several times
    #[arg(long, value_name = "CONVERSATION")]
    pub(crate) except: Vec<String>,
    /// Only results that score at least this share of the best, 0 to 1
    #[arg(long, value_name = "SHARE")]
    pub(crate) min_score: Option<f32>,
    /// How much variety counts against score, 0 to 1
    #[arg(long, value_name = "SHARE")]
    pub(crate) diversity: Option<f32>,
    /// Show the score breakdown of each result
    #[arg(long)]
    pub(crate) explain: bool,
    /// Print the briefing for a model
    #[arg(long)]
    pub(crate) briefing: bool,
    /// Maximum length of the briefing in tokens [default: 1000]
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<u32>,
}

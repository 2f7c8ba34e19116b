//! What may be typed about conversations, context documents and the timeline.

use clap::{Args, Subcommand, ValueEnum};

/// List conversations: when they were, how long, what about
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen conversations
  everwhen conversations --state ended --limit 5
  everwhen conversations --archived --json")]
pub(crate) struct ConversationsArgs {
    /// Only those that go on, or only those that are over
    #[arg(long, value_enum)]
    pub(crate) state: Option<StateArg>,
    /// Those that have left the list
    #[arg(long)]
    pub(crate) archived: bool,
    /// The last so many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
}

/// Where a conversation stands.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum StateArg {
    /// It goes on.
    Open,
    /// It is over.
    Ended,
}

impl StateArg {
    /// As written on the wire.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Ended => "ended",
        }
    }
}

/// Show one conversation with its entries
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen conversation cnv_0695mmbd3hw97cyqkp9w4ny34r
  everwhen conversation my-own-name --json")]
pub(crate) struct ConversationArgs {
    /// Its id, or the name it has in its source
    #[arg(value_name = "CONVERSATION")]
    pub(crate) id: String,
}

/// End a conversation now instead of waiting for a pause
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen end
  everwhen end --reason \"changing the subject\"
  everwhen end --conversation-id cnv_0695mmbd3hw97cyqkp9w4ny34r")]
pub(crate) struct EndArgs {
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Which one [default: the active one]
    #[arg(long, value_name = "ID")]
    pub(crate) conversation_id: Option<String>,
}

/// Go back to an entry: what came after it is put aside on a branch
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen fork cnv_0695mmbd3hw97cyqkp9w4ny34r --after ent_0695mmbd3hw97cyqkp9w4ny34r")]
pub(crate) struct ForkArgs {
    /// The conversation
    #[arg(value_name = "CONVERSATION")]
    pub(crate) id: String,
    /// The last entry that stays
    #[arg(long, value_name = "ENTRY")]
    pub(crate) after: String,
}

/// Bring an archived conversation back into the list
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen conversations --archived
  everwhen restore cnv_0695mmbd3hw97cyqkp9w4ny34r")]
pub(crate) struct RestoreArgs {
    /// The conversation
    #[arg(value_name = "CONVERSATION")]
    pub(crate) id: String,
}

/// Read or write the memory's context document; every version is kept
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen context
  everwhen context put notes.md
  everwhen context versions
  everwhen context get --version 2")]
pub(crate) struct ContextArgs {
    #[command(subcommand)]
    pub(crate) action: Option<ContextAction>,
}

/// What to do with the context document.
#[derive(Debug, Subcommand)]
pub(crate) enum ContextAction {
    /// Show it
    Get {
        /// This version instead of the newest
        #[arg(long, value_name = "N", conflicts_with = "as_of")]
        version: Option<u64>,
        /// The version that was current at this time
        #[arg(long, value_name = "TIME")]
        as_of: Option<String>,
    },
    /// Write a new version from a file
    Put {
        /// The file; - reads standard input
        #[arg(value_name = "FILE|-")]
        file: String,
        /// The time up to which it tells the story [default: now]
        #[arg(long, value_name = "TIME")]
        at: Option<String>,
    },
    /// Have it written from what is known, and kept up to date
    Rebuild,
    /// List its versions, newest first
    Versions {
        /// At most so many
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
        limit: u16,
    },
}

impl ContextArgs {
    /// What is done, as the rest of "could not …".
    pub(crate) fn purpose(&self) -> &'static str {
        match self.action {
            None | Some(ContextAction::Get { .. }) => "show the context document",
            Some(ContextAction::Put { .. } | ContextAction::Rebuild) => {
                "write the context document"
            }
            Some(ContextAction::Versions { .. }) => "list versions of the context document",
        }
    }
}

/// Show what happened, one dated line each, with the days in between
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen timeline
  everwhen timeline --after 2023-01-01 --before 2024-01-01")]
pub(crate) struct TimelineArgs {
    /// Said at or after this time
    #[arg(long, value_name = "TIME")]
    pub(crate) after: Option<String>,
    /// Said before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) before: Option<String>,
}

//! Arguments of the commands for conversations, context documents and the timeline.

use clap::{Args, Subcommand, ValueEnum};

/// List conversations with their times, lengths and titles
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen conversations
  everwhen conversations --state ended --limit 5
  everwhen conversations --archived --json")]
pub(crate) struct ConversationsArgs {
    /// Only open or only ended conversations
    #[arg(long, value_enum)]
    pub(crate) state: Option<StateArg>,
    /// Show archived conversations
    #[arg(long)]
    pub(crate) archived: bool,
    /// Maximum number of conversations (the most recent)
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
}

/// State of a conversation.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum StateArg {
    /// It has not ended yet.
    Open,
    /// It has ended.
    Ended,
}

impl StateArg {
    /// The name in the API.
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
    /// Id of the conversation, or its name in the system it was imported from
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
    /// Reason for ending it
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Conversation to end [default: the active one]
    #[arg(long, value_name = "ID")]
    pub(crate) conversation_id: Option<String>,
    /// It is ended inside an exchange that is stored afterwards: the next entry that is no reply still
    /// belongs to it
    #[arg(long)]
    pub(crate) in_exchange: bool,
}

/// Show what the language model wrote when it looked back at conversations
///
/// It looks back at every conversation that ends if `conversations.retrospection` is set in the
/// configuration; --run does it now for past conversations.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen retrospection
  everwhen retrospection --run
  everwhen retrospection --run --again")]
pub(crate) struct RetrospectionArgs {
    /// Look back at the ended conversations at which it has not yet, and wait for it
    #[arg(long)]
    pub(crate) run: bool,
    /// With --run: look back at all ended conversations
    #[arg(long, requires = "run")]
    pub(crate) again: bool,
    /// Maximum number of conversations (the most recent)
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
}

/// Continue a conversation from an earlier entry: later entries move to a branch
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen fork cnv_0695mmbd3hw97cyqkp9w4ny34r --after ent_0695mmbd3hw97cyqkp9w4ny34r")]
pub(crate) struct ForkArgs {
    /// Id or name of the conversation
    #[arg(value_name = "CONVERSATION")]
    pub(crate) id: String,
    /// Last entry to keep
    #[arg(long, value_name = "ENTRY")]
    pub(crate) after: String,
}

/// Restore an archived conversation to the list
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen conversations --archived
  everwhen restore cnv_0695mmbd3hw97cyqkp9w4ny34r")]
pub(crate) struct RestoreArgs {
    /// Id or name of the conversation
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

/// Actions on the context document.
#[derive(Debug, Subcommand)]
pub(crate) enum ContextAction {
    /// Show the document
    Get {
        /// Version to show [default: the newest]
        #[arg(long, value_name = "N", conflicts_with = "as_of")]
        version: Option<u64>,
        /// Show the version that was current at this time
        #[arg(long, value_name = "TIME")]
        as_of: Option<String>,
    },
    /// Write a new version from a file
    Put {
        /// File to read; - reads standard input
        #[arg(value_name = "FILE|-")]
        file: String,
        /// Time up to which the document is complete [default: now]
        #[arg(long, value_name = "TIME")]
        at: Option<String>,
    },
    /// Write the document from facts, chapters and conversations, and keep it up to date
    Rebuild,
    /// List versions, newest first
    Versions {
        /// Maximum number of versions
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
        limit: u16,
    },
    /// Permanently remove one version; its number is not given again
    Delete {
        /// Number of the version, as shown by `everwhen context versions`
        #[arg(value_name = "VERSION")]
        version: u64,
    },
}

impl ContextArgs {
    /// The action, as the rest of "could not …".
    pub(crate) fn purpose(&self) -> &'static str {
        match self.action {
            None | Some(ContextAction::Get { .. }) => "show the context document",
            Some(ContextAction::Put { .. } | ContextAction::Rebuild) => {
                "write the context document"
            }
            Some(ContextAction::Versions { .. }) => "list versions of the context document",
            Some(ContextAction::Delete { .. }) => "delete a version of the context document",
        }
    }
}

/// Show one dated line per entry, with the number of days in between
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen timeline
  everwhen timeline --after 2023-01-01 --before 2024-01-01")]
pub(crate) struct TimelineArgs {
    /// Order by when things happened instead of when they were said: facts that name a time
    #[arg(long, conflicts_with_all = ["after", "before"])]
    pub(crate) events: bool,
    /// Said at or after this time
    #[arg(long, value_name = "TIME")]
    pub(crate) after: Option<String>,
    /// Said before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) before: Option<String>,
}

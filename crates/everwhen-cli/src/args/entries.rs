//! Arguments of the commands for entries: remember, list, show, correct, forget.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use everwhen::memory::Role;

/// Remember something said, now or at a given time
#[derive(Debug, Args)]
#[command(after_help = "\
Each line of a --file is one entry as JSON, such as
  {\"role\": \"user\", \"content\": \"Hello\", \"conversation_time\": \"2023-01-08T12:49:00Z\"}

EXAMPLES
  everwhen remember \"I started running again\"
  everwhen remember \"The museum was great\" --at \"2023-01-08 12:49\" --tag art
  everwhen remember \"Sounds lovely!\" --role assistant --memory chat-with-ana
  everwhen remember - < letter.txt
  everwhen remember --file history.jsonl")]
pub(crate) struct RememberArgs {
    /// Text of the entry; - reads it from standard input
    #[arg(value_name = "TEXT|-", required_unless_present = "file")]
    pub(crate) text: Option<String>,
    /// Role of the speaker
    #[arg(long, value_parser = role, default_value = "user")]
    pub(crate) role: Role,
    /// When it was said [default: now]
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
    /// Name of the speaker, if several people share the role
    #[arg(long, value_name = "NAME")]
    pub(crate) speaker: Option<String>,
    /// Tag; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Tool that was used; may be given several times
    #[arg(long = "tool", value_name = "NAME")]
    pub(crate) tools: Vec<String>,
    /// Short version of the text
    #[arg(long, value_name = "TEXT")]
    pub(crate) summary: Option<String>,
    /// Conversation it belongs to, by its id or by the name it has in its source
    #[arg(long, value_name = "ID")]
    pub(crate) conversation_id: Option<String>,
    /// JSON object to store with the entry
    #[arg(long, value_name = "JSON")]
    pub(crate) metadata: Option<String>,
    /// The entry is a question that waits for an answer (role assistant)
    #[arg(long)]
    pub(crate) question: bool,
    /// Accept a time in the future
    #[arg(long)]
    pub(crate) allow_future: bool,
    /// Idempotency key: a second write with the same key is not stored again
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
    /// File of entries, one JSON object per line
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "text", "role", "at", "speaker", "tags", "tools", "summary", "conversation_id",
        "metadata", "question", "allow_future",
    ])]
    pub(crate) file: Option<PathBuf>,
}

/// List entries by when they were said
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen entries
  everwhen entries --after 2023-01-01 --before 2023-02-01 --all
  everwhen entries --role user --tag art --newest
  everwhen entries --as-of \"2024-05-01 09:00\"
  everwhen entries --json --limit 100")]
pub(crate) struct EntriesArgs {
    /// Said at or after this time
    #[arg(long, value_name = "TIME")]
    pub(crate) after: Option<String>,
    /// Said before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) before: Option<String>,
    /// State of the memory at this time, without later entries and corrections
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<String>,
    /// Only entries with this role
    #[arg(long, value_parser = role)]
    pub(crate) role: Option<Role>,
    /// Only entries with this tag
    #[arg(long)]
    pub(crate) tag: Option<String>,
    /// Only entries of this conversation
    #[arg(long, value_name = "ID")]
    pub(crate) conversation_id: Option<String>,
    /// Maximum number of entries (the most recent)
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
    /// Show all entries, oldest first
    #[arg(long, conflicts_with_all = ["limit", "newest"])]
    pub(crate) all: bool,
    /// Show the newest entry first
    #[arg(long)]
    pub(crate) newest: bool,
}

/// Show one entry with all its fields
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen entry ent_0695mmbd3hw97cyqkp9w4ny34r
  everwhen entry ent_0695mmbd3hw97cyqkp9w4ny34r --json")]
pub(crate) struct EntryArgs {
    /// Id of the entry
    #[arg(value_name = "ENTRY")]
    pub(crate) id: String,
}

/// List the tags of the memory, or give an entry other tags
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen tags
  everwhen tags ent_0695mmbd3hw97cyqkp9w4ny34r art museum
  everwhen tags ent_0695mmbd3hw97cyqkp9w4ny34r --none")]
pub(crate) struct TagsArgs {
    /// Entry to change; without one, all tags are listed
    #[arg(value_name = "ENTRY")]
    pub(crate) id: Option<String>,
    /// Its tags, in place of those it has
    #[arg(value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Remove all tags of the entry
    #[arg(long, requires = "id", conflicts_with = "tags")]
    pub(crate) none: bool,
}

/// Correct an entry: a new entry replaces it, and the old one stays visible with --as-of
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen correct ent_0695mmbd3hw97cyqkp9w4ny34r \"I run 5 km\" --reason \"it was not 50\"
  everwhen correct ent_0695mmbd3hw97cyqkp9w4ny34r - --reason typo < fixed.txt")]
pub(crate) struct CorrectArgs {
    /// Id of the entry to correct
    #[arg(value_name = "ENTRY")]
    pub(crate) id: String,
    /// Corrected text; - reads it from standard input
    #[arg(value_name = "TEXT|-")]
    pub(crate) text: String,
    /// Reason for the correction
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Tag of the corrected entry instead of those it had; may be given several times
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Idempotency key: a second write with the same key is not stored again
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
}

/// Permanently remove an entry, a conversation, a period, a memory or a vault
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("what").required(true).multiple(true)
    .args(["entry", "conversation", "after", "before", "whole_memory", "whole_vault"])))]
#[command(after_help = "\
What is forgotten cannot be restored. On a terminal the command asks for confirmation; elsewhere it needs --yes.

EXAMPLES
  everwhen forget --entry ent_0695mmbd3hw97cyqkp9w4ny34r
  everwhen forget --after 2023-01-08 --before 2023-01-09
  everwhen forget --whole-memory --memory chat-with-ana --yes")]
pub(crate) struct ForgetArgs {
    /// Forget this entry, with its corrections
    #[arg(long, value_name = "ENTRY",
        conflicts_with_all = ["conversation", "after", "before", "whole_memory", "whole_vault"])]
    pub(crate) entry: Option<String>,
    /// Forget this conversation, with all its entries
    #[arg(long, value_name = "ID",
        conflicts_with_all = ["after", "before", "whole_memory", "whole_vault"])]
    pub(crate) conversation: Option<String>,
    /// Forget what was said at or after this time
    #[arg(long, value_name = "TIME", conflicts_with_all = ["whole_memory", "whole_vault"])]
    pub(crate) after: Option<String>,
    /// Forget what was said before this time
    #[arg(long, value_name = "TIME", conflicts_with_all = ["whole_memory", "whole_vault"])]
    pub(crate) before: Option<String>,
    /// Forget the whole memory
    #[arg(long, conflicts_with = "whole_vault")]
    pub(crate) whole_memory: bool,
    /// Forget the whole vault, with its keys
    #[arg(long)]
    pub(crate) whole_vault: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Parses a role.
fn role(text: &str) -> Result<Role, String> {
    Role::named(text).map_err(|error| error.to_string())
}

//! What may be typed about entries: remember, list, show, correct, forget.

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
    /// What was said; - reads it from standard input
    #[arg(value_name = "TEXT|-", required_unless_present = "file")]
    pub(crate) text: Option<String>,
    /// Who said it
    #[arg(long, value_parser = role, default_value = "user")]
    pub(crate) role: Role,
    /// When it was said [default: now]
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
    /// The speaker's name, where there are several
    #[arg(long, value_name = "NAME")]
    pub(crate) speaker: Option<String>,
    /// Label; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Tool that was used while saying it; may be given several times
    #[arg(long = "tool", value_name = "NAME")]
    pub(crate) tools: Vec<String>,
    /// A short version of it
    #[arg(long, value_name = "TEXT")]
    pub(crate) summary: Option<String>,
    /// Conversation it belongs to, by its id or by the name it has in its source
    #[arg(long, value_name = "ID")]
    pub(crate) conversation_id: Option<String>,
    /// JSON object to keep with it
    #[arg(long, value_name = "JSON")]
    pub(crate) metadata: Option<String>,
    /// It asks something and waits for the answer (role assistant)
    #[arg(long)]
    pub(crate) question: bool,
    /// Accept a time in the future
    #[arg(long)]
    pub(crate) allow_future: bool,
    /// Name for this write: the same name again stores nothing twice
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
    /// File of entries, one JSON object a line
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
    /// As they stood at this time: later entries and corrections do not count
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<String>,
    /// Only of this role
    #[arg(long, value_parser = role)]
    pub(crate) role: Option<Role>,
    /// Only with this label
    #[arg(long)]
    pub(crate) tag: Option<String>,
    /// Only of this conversation
    #[arg(long, value_name = "ID")]
    pub(crate) conversation_id: Option<String>,
    /// The last so many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
    /// All of them, oldest first
    #[arg(long, conflicts_with_all = ["limit", "newest"])]
    pub(crate) all: bool,
    /// Newest first
    #[arg(long)]
    pub(crate) newest: bool,
}

/// Show one entry with all that is known of it
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen entry ent_0695mmbd3hw97cyqkp9w4ny34r
  everwhen entry ent_0695mmbd3hw97cyqkp9w4ny34r --json")]
pub(crate) struct EntryArgs {
    /// Its id
    #[arg(value_name = "ENTRY")]
    pub(crate) id: String,
}

/// Correct an entry: a new one takes its place, the old one stays in the past
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen correct ent_0695mmbd3hw97cyqkp9w4ny34r \"I run 5 km\" --reason \"it was not 50\"
  everwhen correct ent_0695mmbd3hw97cyqkp9w4ny34r - --reason typo < fixed.txt")]
pub(crate) struct CorrectArgs {
    /// The entry to correct
    #[arg(value_name = "ENTRY")]
    pub(crate) id: String,
    /// What it should say; - reads it from standard input
    #[arg(value_name = "TEXT|-")]
    pub(crate) text: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Name for this write: the same name again stores nothing twice
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
}

/// Forget for good: an entry, a conversation, a period, a memory or a vault
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("what").required(true).multiple(true)
    .args(["entry", "conversation", "after", "before", "whole_memory", "whole_vault"])))]
#[command(after_help = "\
Nothing brings back what is forgotten. On a terminal you are asked first; elsewhere say --yes.

EXAMPLES
  everwhen forget --entry ent_0695mmbd3hw97cyqkp9w4ny34r
  everwhen forget --after 2023-01-08 --before 2023-01-09
  everwhen forget --whole-memory --memory chat-with-ana --yes")]
pub(crate) struct ForgetArgs {
    /// This entry, with its corrections
    #[arg(long, value_name = "ENTRY",
        conflicts_with_all = ["conversation", "after", "before", "whole_memory", "whole_vault"])]
    pub(crate) entry: Option<String>,
    /// This conversation, with all its entries
    #[arg(long, value_name = "ID",
        conflicts_with_all = ["after", "before", "whole_memory", "whole_vault"])]
    pub(crate) conversation: Option<String>,
    /// What was said at or after this time
    #[arg(long, value_name = "TIME", conflicts_with_all = ["whole_memory", "whole_vault"])]
    pub(crate) after: Option<String>,
    /// What was said before this time
    #[arg(long, value_name = "TIME", conflicts_with_all = ["whole_memory", "whole_vault"])]
    pub(crate) before: Option<String>,
    /// The memory and all in it
    #[arg(long, conflicts_with = "whole_vault")]
    pub(crate) whole_memory: bool,
    /// The vault and all in it, keys too
    #[arg(long)]
    pub(crate) whole_vault: bool,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Reads a role as it is written on every wire.
fn role(text: &str) -> Result<Role, String> {
    Role::named(text).map_err(|error| error.to_string())
}

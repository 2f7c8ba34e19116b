//! Arguments of `everwhen import` and `everwhen export`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Import chats and memories of other programs
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Files, folders and zip archives are recognised by their content: exports of ChatGPT, Claude.ai, \
Gemini, WhatsApp, Telegram, Discord and Slack, sessions of Claude Code, Codex, Gemini CLI, opencode \
and Copilot CLI, chats of SillyTavern, Open WebUI, LibreChat, LM Studio and Jan, memories of mem0, \
Graphiti, Letta and others, and any JSON, CSV or Markdown with a time per message. docs/import.md \
lists them all. A file of `everwhen export vault` gives back the same memories, with their ids and \
times.

The command shows what it found, asks on a terminal, and stores it. Every entry keeps its source and \
how well its time is known. Messages without a time are left out and listed, never dated now. \
Importing again stores only what is new, so running the command again continues an interrupted import.

EXAMPLES
  everwhen import ~/Downloads/chatgpt-export.zip
  everwhen import ~/Downloads/chatgpt-export.zip --dry-run
  everwhen import ~/.claude/projects --memory coding
  everwhen import chat.txt --timezone Europe/Berlin --date-order dmy
  everwhen import everything.jsonl --vault copy
  everwhen import log.csv --time-field sent --text-field body
  everwhen import smarthole data.json --skip-invalid
  everwhen import wilmer ~/WilmerAI/Public --dry-run
  everwhen import wilmer-timestamps Public/DiscussionIds --dry-run"
)]
pub(crate) struct ImportArgs {
    #[command(subcommand)]
    pub(crate) source: Option<ImportSource>,
    #[command(flatten)]
    pub(crate) files: ImportPathsArgs,
}

/// Files of other programs, and how they are read.
#[derive(Debug, Args)]
pub(crate) struct ImportPathsArgs {
    /// Files, folders or zip archives
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The program they are from, instead of recognising it
    #[arg(long, value_name = "SOURCE")]
    pub(crate) from: Option<String>,
    /// Report what would be imported, but store nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// List every message without a time and everything that cannot be read
    #[arg(long)]
    pub(crate) list: bool,
    /// Time zone of times that do not state one
    #[arg(long, value_name = "ZONE")]
    pub(crate) timezone: Option<String>,
    /// Order of day and month in dates such as 03/04/24: dmy, mdy or ymd
    #[arg(long, value_name = "ORDER")]
    pub(crate) date_order: Option<String>,
    /// Time of conversations without any time
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
    /// Only what was said at this time or later
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Only what was said before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// Your name in chats between people
    #[arg(long, value_name = "NAME")]
    pub(crate) me: Option<String>,
    /// Also import what tools answered
    #[arg(long)]
    pub(crate) tools: bool,
    /// Also import instructions to the model
    #[arg(long)]
    pub(crate) system: bool,
    /// Also import messages that the program did not show
    #[arg(long)]
    pub(crate) hidden: bool,
    /// Leave out branches: edited questions and answers that were regenerated
    #[arg(long)]
    pub(crate) drop_branches: bool,
    /// Field with the time, in JSON or CSV of no known program; a path such as metadata.date
    #[arg(long, value_name = "FIELD")]
    pub(crate) time_field: Option<String>,
    /// Field with the role of the speaker
    #[arg(long, value_name = "FIELD")]
    pub(crate) role_field: Option<String>,
    /// Field with the text
    #[arg(long, value_name = "FIELD")]
    pub(crate) text_field: Option<String>,
    /// Field with the name of the conversation
    #[arg(long, value_name = "FIELD")]
    pub(crate) conversation_field: Option<String>,
}

impl ImportPathsArgs {
    /// The first given option that an export of Everwhen, which is restored as a whole, has no use for.
    pub(crate) fn of_no_use_to_an_export(&self) -> Option<&'static str> {
        let given = [
            ("--timezone", self.timezone.is_some()),
            ("--date-order", self.date_order.is_some()),
            ("--at", self.at.is_some()),
            ("--since", self.since.is_some()),
            ("--until", self.until.is_some()),
            ("--me", self.me.is_some()),
            ("--drop-branches", self.drop_branches),
            ("--time-field", self.time_field.is_some()),
            ("--role-field", self.role_field.is_some()),
            ("--text-field", self.text_field.is_some()),
            ("--conversation-field", self.conversation_field.is_some()),
        ];
        given.into_iter().find_map(|(option, is_given)| is_given.then_some(option))
    }
}

/// The program to import from.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportSource {
    /// Conversations of the SmartHole plugin for Obsidian
    ///
    /// Reads the plugin's data.json: conversationData, or else the older conversationHistory, which
    /// becomes one conversation named conv-migrated. Titles, summaries, ends and branches are kept.
    /// The id of each message is kept in its metadata, and lastMigrated in the metadata of what the
    /// plugin migrated; conversations that are migrated here have their creation_time instead.
    Smarthole(ImportFileArgs),
    /// Memories, summaries, state documents and times of WilmerAI
    ///
    /// Reads the folder of a discussion, of all discussions, or the whole Public: memories.json,
    /// chat_summary.json, vector_memory.db, state_document.md and timestamps.json; each discussion is
    /// a memory. A memory is dated by its last message where timestamps.json has that; else it keeps
    /// its place and its date is marked as unknown. Importing again changes nothing.
    Wilmer(ImportWilmerArgs),
    /// Times of messages, as stored by WilmerAI
    ///
    /// Reads DISCUSSION/timestamps.json and DISCUSSION_timestamps.json, given as files or in
    /// directories; each discussion is a memory. The files contain no texts: a time applies to the
    /// message with the matching text when that arrives. Times are read in the vault's time zone.
    WilmerTimestamps(ImportTimesArgs),
}

/// Discussions of WilmerAI.
#[derive(Debug, Args)]
pub(crate) struct ImportWilmerArgs {
    /// Folder of a discussion, of all discussions, or Public
    #[arg(value_name = "DIR", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Report what would be imported, but store nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Time zone of the machine WilmerAI ran on; that of the vault if absent
    #[arg(long, value_name = "ZONE")]
    pub(crate) timezone: Option<String>,
    /// Time of memories without any, instead of that of the file
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
}

/// Files with times to import.
#[derive(Debug, Args)]
pub(crate) struct ImportTimesArgs {
    /// Files, or directories that contain them
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Check everything and report what would be imported, but store nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Export a vault, or a memory in another program's format
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen export vault everything.jsonl
  everwhen export messages chats.jsonl --memory chatgpt
  everwhen export chatgpt conversations.json --memory chatgpt
  everwhen export sillytavern chats.zip --memory ana
  everwhen export markdown ~/notes/chats --memory chatgpt
  everwhen export wilmer Public/DiscussionIds --memory 1234
  everwhen export wilmer-timestamps Public/DiscussionIds --memory 1234 --flat
  everwhen export smarthole data.json --memory vault-assistant")]
pub(crate) struct ExportArgs {
    #[command(subcommand)]
    pub(crate) target: ExportTarget,
}

/// The program to export for.
#[derive(Debug, Subcommand)]
pub(crate) enum ExportTarget {
    /// Everything in the vault as JSON lines; `everwhen import` creates the same vault from them
    ///
    /// Entries with both times and their origin, conversations, branches, corrections, facts, chapters,
    /// context documents. With --memory, only that memory. docs/export.md describes the format.
    Vault(ExportVaultArgs),
    /// Conversations as JSON lines of OpenAI messages, each with its time and id
    ///
    /// `everwhen import` reads the file, with the same times.
    Messages(ExportChatsArgs),
    /// Conversations as Markdown, a note each with front matter, as Obsidian reads it
    Markdown(ExportFolderArgs),
    /// Conversations as ChatGPT exports them: conversations.json, a tree with all branches
    ///
    /// Most viewers and chat programs read it. `everwhen import` gives back the same entries.
    Chatgpt(ExportChatsArgs),
    /// Conversations as Claude.ai exports them: conversations.json
    Claude(ExportChatsArgs),
    /// Conversations as Open WebUI exports and imports them
    OpenWebui(ExportChatsArgs),
    /// Conversations as chats of SillyTavern, in a zip archive with a folder for each character
    ///
    /// Other answers are swipes; a branch of several messages is a chat of its own.
    Sillytavern(ExportChatsArgs),
    /// Memories, summary, state document and times, as the folder of a WilmerAI discussion
    ///
    /// Writes memories.json, chat_summary.json, vector_memory.db, state_document.md and timestamps.json
    /// into DIR/MEMORY and replaces those that are there. What came from WilmerAI goes back as it was.
    Wilmer(ExportFolderArgs),
    /// Times of messages, in WilmerAI's format and the vault's time zone
    WilmerTimestamps(ExportTimesArgs),
    /// Conversations, settings and the waiting question, as the SmartHole plugin stores them
    ///
    /// Puts conversationData, conversationStates and the three settings about conversations into the
    /// plugin's data.json; everything else in the file stays. Without a file it is written.
    Smarthole(ExportFileArgs),
}

/// The file to write.
#[derive(Debug, Args)]
pub(crate) struct ExportFileArgs {
    /// data.json of the plugin; - writes to standard output
    #[arg(value_name = "FILE|-")]
    pub(crate) file: String,
}

/// Where a vault is written.
#[derive(Debug, Args)]
pub(crate) struct ExportVaultArgs {
    /// File to write, which must not exist; - writes to standard output
    #[arg(value_name = "FILE|-")]
    pub(crate) file: String,
}

/// Where the chats of a memory are written.
#[derive(Debug, Args)]
pub(crate) struct ExportChatsArgs {
    /// File to write, which must not exist; - writes to standard output
    #[arg(value_name = "FILE|-")]
    pub(crate) file: String,
}

/// A folder to write into.
#[derive(Debug, Args)]
pub(crate) struct ExportFolderArgs {
    /// Folder to write into
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

/// Where times are written.
#[derive(Debug, Args)]
pub(crate) struct ExportTimesArgs {
    /// Directory of discussions
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Write MEMORY_timestamps.json instead of MEMORY/timestamps.json
    #[arg(long)]
    pub(crate) flat: bool,
}

/// A file to import.
#[derive(Debug, Args)]
pub(crate) struct ImportFileArgs {
    /// File to read; - reads standard input
    #[arg(value_name = "FILE|-")]
    pub(crate) file: String,
    /// Check everything and report what would be imported, but store nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Skip invalid conversations instead of rejecting the whole file
    #[arg(long)]
    pub(crate) skip_invalid: bool,
}

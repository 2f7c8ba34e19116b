//! Arguments of `everwhen import` and `everwhen export`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Import conversations or times from another program
#[derive(Debug, Args)]
#[command(after_help = "\
Everything is checked before anything is stored. Importing a file again stores only what is new.

EXAMPLES
  everwhen import smarthole data.json --dry-run
  everwhen import smarthole data.json --memory vault-assistant
  everwhen import smarthole data.json --skip-invalid
  everwhen import wilmer-timestamps Public/DiscussionIds --dry-run")]
pub(crate) struct ImportArgs {
    #[command(subcommand)]
    pub(crate) source: ImportSource,
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
    /// Times of messages, as stored by WilmerAI
    ///
    /// Reads DISCUSSION/timestamps.json and DISCUSSION_timestamps.json, given as files or in
    /// directories; each discussion is a memory. The files contain no texts: a time applies to the
    /// message with the matching text when that arrives. Times are read in the vault's time zone.
    WilmerTimestamps(ImportTimesArgs),
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

/// Export data of a memory in another program's format
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen export wilmer-timestamps Public/DiscussionIds --memory 1234
  everwhen export wilmer-timestamps Public/DiscussionIds --memory 1234 --flat
  everwhen export smarthole data.json --memory vault-assistant")]
pub(crate) struct ExportArgs {
    #[command(subcommand)]
    pub(crate) target: ExportTarget,
}

/// The program to export for.
#[derive(Debug, Subcommand)]
pub(crate) enum ExportTarget {
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

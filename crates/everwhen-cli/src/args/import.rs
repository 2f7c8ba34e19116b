//! What may be typed to bring in history from elsewhere.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Bring in what another program kept
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

/// Who kept it.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportSource {
    /// Conversations of the SmartHole plugin for Obsidian
    ///
    /// Reads the plugin's data.json: conversationData, or else the older conversationHistory, which
    /// becomes one conversation, conv-migrated. Titles, summaries, ends and branches stay as they
    /// are. The id of each message is kept in its metadata, and lastMigrated in the metadata of what
    /// the plugin migrated; what is migrated here has its creation_time instead.
    Smarthole(ImportFileArgs),
    /// Times of messages as WilmerAI keeps them
    ///
    /// Reads DISCUSSION/timestamps.json and DISCUSSION_timestamps.json, given as files or in folders; each
    /// discussion is a memory. The files have no texts: a time holds for the message with that text
    /// when it comes, and is read in the vault's zone.
    WilmerTimestamps(ImportTimesArgs),
}

/// Files with times to import.
#[derive(Debug, Args)]
pub(crate) struct ImportTimesArgs {
    /// Files, or folders that hold them
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Check everything and say what would come in, but store nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Write a memory as another program keeps it
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen export wilmer-timestamps Public/DiscussionIds --memory 1234
  everwhen export wilmer-timestamps Public/DiscussionIds --memory 1234 --flat")]
pub(crate) struct ExportArgs {
    #[command(subcommand)]
    pub(crate) target: ExportTarget,
}

/// Who will read it.
#[derive(Debug, Subcommand)]
pub(crate) enum ExportTarget {
    /// Times of messages as WilmerAI keeps them, in the vault's zone
    WilmerTimestamps(ExportTimesArgs),
}

/// Where times are written to.
#[derive(Debug, Args)]
pub(crate) struct ExportTimesArgs {
    /// The folder of discussions
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Write MEMORY_timestamps.json instead of MEMORY/timestamps.json
    #[arg(long)]
    pub(crate) flat: bool,
}

/// A file to import, and how.
#[derive(Debug, Args)]
pub(crate) struct ImportFileArgs {
    /// The file; - reads standard input
    #[arg(value_name = "FILE|-")]
    pub(crate) file: String,
    /// Check everything and say what would come in, but store nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Leave out what is invalid instead of refusing the whole file
    #[arg(long)]
    pub(crate) skip_invalid: bool,
}

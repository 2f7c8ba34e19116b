//! What may be typed to bring in history from elsewhere.

use clap::{Args, Subcommand};

/// Bring in what another program kept
#[derive(Debug, Args)]
#[command(after_help = "\
Everything is checked before anything is stored. Importing a file again stores only what is new.

EXAMPLES
  everwhen import smarthole data.json --dry-run
  everwhen import smarthole data.json --memory vault-assistant
  everwhen import smarthole data.json --skip-invalid")]
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

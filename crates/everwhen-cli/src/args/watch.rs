//! Arguments of `everwhen watch`.

use clap::Args;

/// Follow folders of other programs and import what is new
#[derive(Debug, Args)]
#[command(after_help = "\
Several of these programs delete their sessions after 30 days; what was imported stays. Each program \
has a memory of its own name unless --memory names one. A running server does the same with `sources` \
in the table [watch] of its configuration. The command runs until it is stopped.

EXAMPLES
  everwhen watch
  everwhen watch claude-code codex gemini-cli opencode
  everwhen watch ~/SillyTavern/data/default-user --memory stories
  everwhen watch --once")]
pub(crate) struct WatchArgs {
    /// Programs (claude-code, codex, gemini-cli, opencode) or folders; all of these programs unless named
    #[arg(value_name = "PROGRAM|DIR")]
    pub(crate) sources: Vec<String>,
    /// Import what has changed since the last time, then end
    #[arg(long)]
    pub(crate) once: bool,
}

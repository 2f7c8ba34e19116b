//! Arguments of `everwhen connect`, `disconnect` and `hook`.

use clap::{Args, ValueEnum};

/// Connect a coding agent: an MCP server, and hooks that brief and remember by themselves
///
/// Adds to the agent's own configuration files and shows what is written. Every session then starts
/// with what matters from earlier ones, every prompt finds what was said about it, and all that is
/// said is stored with its time. Each project has a memory of its own, unless --memory names one.
/// Running it again changes nothing; `everwhen disconnect` restores the files byte by byte.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen connect claude-code
  everwhen connect codex --print
  everwhen connect cursor --scope project
  everwhen connect gemini-cli --memory work")]
pub(crate) struct ConnectArgs {
    /// The agent
    #[arg(value_enum)]
    pub(crate) agent: AgentName,
    /// Only show what would be written
    #[arg(long)]
    pub(crate) print: bool,
    /// Where to write: the user's configuration, or that of the project in the current folder
    #[arg(long, value_enum, default_value_t = ConnectScope::User)]
    pub(crate) scope: ConnectScope,
}

/// Undo `everwhen connect`
///
/// Files that have not changed since are restored byte by byte; from others only what connect added is
/// removed. What was remembered stays.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen disconnect claude-code
  everwhen disconnect cursor --scope project --print")]
pub(crate) struct DisconnectArgs {
    /// The agent
    #[arg(value_enum)]
    pub(crate) agent: AgentName,
    /// Only show what would be changed
    #[arg(long)]
    pub(crate) print: bool,
    /// Which configuration: the user's, or that of the project in the current folder
    #[arg(long, value_enum, default_value_t = ConnectScope::User)]
    pub(crate) scope: ConnectScope,
}

/// Answer an event of a coding agent, read as JSON from standard input
///
/// Agents run this command; `everwhen connect` tells them to. It never fails: whatever happens, the
/// exit code is 0 and the answer is one the agent accepts. Problems are reported on standard error.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen hook claude-code < event.json
  everwhen hook codex --memory project-x < event.json")]
pub(crate) struct HookArgs {
    /// The agent
    #[arg(value_enum)]
    pub(crate) agent: AgentName,
}

/// The coding agents that can be connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentName {
    /// Claude Code
    ClaudeCode,
    /// Codex
    Codex,
    /// Cursor
    Cursor,
    /// Gemini CLI
    GeminiCli,
    /// opencode
    Opencode,
}

impl AgentName {
    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::GeminiCli => "gemini-cli",
            Self::Opencode => "opencode",
        }
    }
}

/// Which configuration of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConnectScope {
    /// The user's, for all projects
    User,
    /// The one of the project in the current folder
    Project,
}

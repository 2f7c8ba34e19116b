//! Arguments of `everwhen mcp`.

use clap::{Args, ValueEnum};

/// Run an MCP server on standard input and output
///
/// Opens the data directory, or uses the server that holds it, or the one that --server names.
/// Several agents may run this command on one directory: the first process opens it, the others
/// connect to the first, and one of them takes over when it ends.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen mcp
  everwhen mcp --memory project-x --tools full
  everwhen mcp --profile graph
  everwhen mcp --server http://127.0.0.1:3939 --key KEY")]
pub(crate) struct McpArgs {
    /// Number of tools to offer; each costs the agent tokens
    #[arg(long, value_enum, default_value_t = ToolSet::Default)]
    pub(crate) tools: ToolSet,
    /// Set of tools to offer
    #[arg(long, value_enum, default_value_t = Profile::Conversations)]
    pub(crate) profile: Profile,
}

/// How many tools to offer.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ToolSet {
    /// The seven tools that an agent needs
    Default,
    /// All tools
    Full,
}

/// Which set of tools to offer.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Profile {
    /// Tools for entries and conversations
    Conversations,
    /// Tools for entries and conversations without recording, for an agent whose hooks record (`everwhen connect`)
    Recall,
    /// The nine tools of the reference knowledge-graph memory server
    Graph,
    /// Anthropic's memory tool: files that the model keeps for itself
    Files,
}

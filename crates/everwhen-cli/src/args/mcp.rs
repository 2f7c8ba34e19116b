//! What may be typed after `everwhen mcp`.

use clap::{Args, ValueEnum};

/// Give an agent a memory: speak MCP on standard input and output
///
/// Works on the data directory itself, or through the server that holds it, or through the one
/// that --server names. Several agents may run it on one directory: the first holds it, the others
/// go through the first, and one of them takes over when it ends.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen mcp
  everwhen mcp --memory project-x --tools full
  everwhen mcp --profile graph
  everwhen mcp --server http://127.0.0.1:3939 --key KEY")]
pub(crate) struct McpArgs {
    /// How many tools to show; each costs the agent tokens
    #[arg(long, value_enum, default_value_t = ToolSet::Default)]
    pub(crate) tools: ToolSet,
    /// Which family of tools to show
    #[arg(long, value_enum, default_value_t = Profile::Conversations)]
    pub(crate) profile: Profile,
}

/// How many tools to show.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ToolSet {
    /// The seven an agent needs
    Default,
    /// All of them
    Full,
}

/// Which family of tools to show.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Profile {
    /// Entries and conversations
    Conversations,
    /// The nine tools of the knowledge graph memory server
    Graph,
}

//! The query of the MCP URL: the options of a client.

use serde::Deserialize;

/// What a client chose for all its calls.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Choice {
    /// The vault that is meant when a call names none.
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
    /// The memory that is meant when a call names none.
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    /// How many tools are shown.
    #[serde(default)]
    pub(crate) tools: ToolSet,
    /// Which tools are shown.
    #[serde(default)]
    pub(crate) profile: Profile,
}

/// How many tools are shown: few cost few tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ToolSet {
    #[default]
    Default,
    Full,
}

/// Which family of tools is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Profile {
    /// Entries and conversations.
    #[default]
    Conversations,
    /// Entries and conversations, for an agent whose hooks record what is said.
    Recall,
    /// The nine tools of a knowledge graph.
    Graph,
    /// Anthropic's memory tool.
    Files,
}

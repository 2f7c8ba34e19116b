//! What the MCP door is told by the configuration.

use everwhen::Config;

/// How the MCP door behaves.
#[derive(Debug, Clone)]
pub struct McpSettings {
    /// The vault that is meant when a call names none.
    pub vault: String,
    /// The memory that is meant when a call names none.
    pub memory: String,
}

impl McpSettings {
    /// What the configuration says.
    pub fn of(config: &Config) -> Self {
        Self { vault: config.vault.value.clone(), memory: config.memory.value.clone() }
    }
}

impl Default for McpSettings {
    fn default() -> Self {
        Self { vault: "default".into(), memory: "default".into() }
    }
}

//! Settings of the MCP interface.

use everwhen::Config;

/// The defaults of the MCP interface.
#[derive(Debug, Clone)]
pub struct McpSettings {
    /// The default vault.
    pub vault: String,
    /// The default memory.
    pub memory: String,
}

impl McpSettings {
    /// Reads the settings from the configuration.
    pub fn of(config: &Config) -> Self {
        Self { vault: config.vault.value.clone(), memory: config.memory.value.clone() }
    }
}

impl Default for McpSettings {
    fn default() -> Self {
        Self { vault: "default".into(), memory: "default".into() }
    }
}

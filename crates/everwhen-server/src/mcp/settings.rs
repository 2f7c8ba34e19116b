//! What the MCP door is told by the configuration.

use everwhen::{Config, LOOPBACK_HOSTS, LOOPBACK_ORIGINS};

/// How the MCP door behaves.
#[derive(Debug, Clone)]
pub struct McpSettings {
    /// The vault that is meant when a call names none.
    pub vault: String,
    /// The memory that is meant when a call names none.
    pub memory: String,
    /// Values of `Host` that are answered; `*` answers all. A page on the web that points its own
    /// name at this machine is refused by this.
    pub allowed_hosts: Vec<String>,
    /// Values of `Origin` that are answered, with scheme and port (`:*` is any); `*` answers all.
    pub allowed_origins: Vec<String>,
}

impl McpSettings {
    /// What the configuration says. The host that the server listens on is always answered.
    pub fn of(config: &Config) -> Self {
        let mut allowed_hosts = list(&config.mcp_hosts.value);
        let own = config.listen.value.rsplit_once(':').map_or("", |(host, _)| host);
        if !["0.0.0.0", "[::]"].contains(&own) {
            allowed_hosts.push(own.to_owned());
        }
        Self {
            vault: config.vault.value.clone(),
            memory: config.memory.value.clone(),
            allowed_hosts,
            allowed_origins: list(&config.mcp_origins.value),
        }
    }
}

impl Default for McpSettings {
    fn default() -> Self {
        Self {
            vault: "default".into(),
            memory: "default".into(),
            allowed_hosts: list(LOOPBACK_HOSTS),
            allowed_origins: list(LOOPBACK_ORIGINS),
        }
    }
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(|name| name.trim().to_owned()).collect()
}

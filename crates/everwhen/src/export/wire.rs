//! The lines of an export that are about a vault and about the file itself.

use everwhen_engine::ExportedVault;
use everwhen_engine::memory::{Lifecycle, MemoryId, Name, Retention, Settings, VaultInfo};
use everwhen_engine::time::{Zone, read_time};
use serde::{Deserialize, Serialize};

use super::{KIND, VERSION};
use crate::{Error, Result};

/// A line that structures an export.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Mark {
    /// The first line.
    Everwhen(About),
    /// A memory begins.
    Begin { id: String, memory: String },
    /// A memory ends, after this number of lines.
    End { id: String, lines: u64 },
    /// The export ends, after this number of memories.
    Done { memories: u64 },
}

/// What is known of the vault.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct About {
    pub(super) version: u64,
    pub(super) vault: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    zone: String,
    settings: Rules,
    creation_time: String,
}

/// The rules of a vault.
#[derive(Debug, Serialize, Deserialize)]
struct Rules {
    idle_timeout_minutes: u32,
    conversations_retained: u32,
    state_timeout_minutes: u32,
    retention: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lifecycle: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cooling_minutes: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    closed_minutes: Option<u32>,
}

impl Mark {
    /// Its line, without the line break.
    pub(super) fn line(&self) -> Result<String> {
        serde_json::to_string(self)
            .map_err(|error| Error::damaged(format!("cannot write a line of the export: {error}")))
    }

    /// What a line says, if it structures the export. ExportFileLines that do begin with their type.
    pub(super) fn read(line: &str) -> Option<Self> {
        let kinds = [KIND, "begin", "end", "done"];
        let is_mark = kinds.iter().any(|kind| {
            let start = line.strip_prefix("{\"type\":\"").unwrap_or_default();
            start.strip_prefix(kind).is_some_and(|rest| rest.starts_with('"'))
        });
        is_mark.then(|| serde_json::from_str(line).ok()).flatten()
    }

    pub(super) fn begin(id: MemoryId, name: &Name) -> Self {
        Self::Begin { id: id.to_string(), memory: name.to_string() }
    }
}

impl About {
    pub(super) fn of(vault: &VaultInfo) -> Self {
        let rules = vault.settings;
        Self {
            version: VERSION,
            vault: vault.name.to_string(),
            description: vault.description.clone(),
            zone: vault.zone.name().to_owned(),
            settings: Rules {
                idle_timeout_minutes: rules.idle_timeout_minutes,
                conversations_retained: rules.conversations_retained,
                state_timeout_minutes: rules.state_timeout_minutes,
                retention: rules.retention.as_str().to_owned(),
                lifecycle: rules.lifecycle.map(|lifecycle| lifecycle.as_str().to_owned()),
                cooling_minutes: rules.cooling_minutes,
                closed_minutes: rules.closed_minutes,
            },
            creation_time: vault.creation_time.to_string(),
        }
    }

    /// What is known of the vault.
    pub(super) fn read(&self) -> Result<ExportedVault> {
        let rules = &self.settings;
        let lifecycle = rules.lifecycle.as_deref().map(Lifecycle::named).transpose()?;
        Ok(ExportedVault {
            description: self.description.clone(),
            zone: Zone::named(&self.zone).map_err(|error| Error::invalid(error.to_string()))?,
            settings: Settings {
                idle_timeout_minutes: rules.idle_timeout_minutes,
                conversations_retained: rules.conversations_retained,
                state_timeout_minutes: rules.state_timeout_minutes,
                retention: Retention::named(&rules.retention)?,
                lifecycle,
                cooling_minutes: rules.cooling_minutes,
                closed_minutes: rules.closed_minutes,
            },
            creation_time: read_time(&self.creation_time)
                .map_err(|error| Error::invalid(error.to_string()))?,
        })
    }
}

//! Vaults, memories and upkeep, as tools take and give them.

use everwhen::memory::{self, EntryId, Name};
use everwhen::ports::Removed;
use everwhen::time::Zone;
use everwhen::{Error, NewVault, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{read_conversation, read_time, whole};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateVault {
    /// Unique name
    #[serde(alias = "title")]
    name: String,
    description: Option<String>,
    /// IANA time zone, e.g. Europe/Berlin
    zone: Option<String>,
}

impl CreateVault {
    /// Reads it.
    pub(crate) fn read(self) -> Result<NewVault> {
        Ok(NewVault {
            name: Name::new("name", self.name)?,
            description: self.description,
            zone: self.zone.as_deref().map(Zone::named).transpose()?,
            settings: None,
        })
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListVaults {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct VaultOutput {
    vault_id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    zone: String,
    creation_time: String,
}

impl From<memory::VaultInfo> for VaultOutput {
    fn from(vault: memory::VaultInfo) -> Self {
        Self {
            vault_id: vault.id.to_string(),
            name: vault.name.to_string(),
            description: vault.description,
            zone: vault.zone.name().to_owned(),
            creation_time: vault.creation_time.to_string(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct VaultsOutput {
    pub(crate) vaults: Vec<VaultOutput>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateMemory {
    /// Unique in the vault
    #[serde(alias = "title")]
    name: String,
    description: Option<String>,
    /// Taken and not used: every memory is of one type
    #[serde(default, rename = "memory_type")]
    #[schemars(skip)]
    _memory_type: Option<String>,
    /// Name or id
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

impl CreateMemory {
    /// Reads name and description.
    pub(crate) fn read(self) -> Result<(Name, Option<String>)> {
        Ok((Name::new("name", self.name)?, self.description))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListMemories {
    /// Name or id
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetMemory {
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct MemoryDetails {
    #[serde(flatten)]
    memory: MemoryOutput,
    vault_id: String,
    /// Entries stored so far
    entries_stored: u64,
    /// The assistant's question that waits for an answer
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_question: Option<String>,
}

impl MemoryDetails {
    /// A memory and its place.
    pub(crate) fn write(memory: memory::Memory, vault: memory::VaultId) -> Self {
        Self {
            vault_id: vault.to_string(),
            entries_stored: memory.last_sequence,
            waiting_question: memory.waiting.map(|(entry, _)| entry.to_string()),
            memory: memory.into(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct MemoryOutput {
    memory_id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    creation_time: String,
}

impl From<memory::Memory> for MemoryOutput {
    fn from(memory: memory::Memory) -> Self {
        Self {
            memory_id: memory.id.to_string(),
            name: memory.name.to_string(),
            description: memory.description,
            creation_time: memory.creation_time.to_string(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct MemoriesOutput {
    pub(crate) memories: Vec<MemoryOutput>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForgetRequest {
    entry_id: Option<String>,
    conversation_id: Option<String>,
    /// What was said at this time or later, RFC 3339
    after: Option<String>,
    /// What was said before this time
    before: Option<String>,
    /// Number of a version of the context document
    #[serde(default, deserialize_with = "whole")]
    context_version: Option<u32>,
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

impl ForgetRequest {
    /// Reads what is to be forgotten: exactly one thing.
    pub(crate) fn read(&self) -> Result<everwhen::Forget> {
        let after = read_time("after", self.after.as_deref())?;
        let before = read_time("before", self.before.as_deref())?;
        let conversation = read_conversation(self.conversation_id.as_deref())?;
        let entry: Option<EntryId> = self
            .entry_id
            .as_deref()
            .map(|text| text.parse().map_err(|error: Error| error.at("entry_id")))
            .transpose()?;
        let version = self.context_version.map(u64::from);
        match (entry, conversation, after.or(before), version) {
            (Some(entry), None, None, None) => Ok(everwhen::Forget::Entry(entry)),
            (None, Some(one), None, None) => Ok(everwhen::Forget::Conversation(one)),
            (None, None, Some(_), None) => Ok(everwhen::Forget::Period { after, before }),
            (None, None, None, Some(version)) => Ok(everwhen::Forget::Context(version)),
            _ => Err(Error::invalid(
                "say what to forget, one thing at a time: entry_id, conversation_id, \
                 context_version, or a period with after, before or both",
            )),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Forgotten {
    entries: u64,
    conversations: u64,
    contexts: u64,
}

impl From<Removed> for Forgotten {
    fn from(removed: Removed) -> Self {
        let Removed { entries, conversations, contexts, .. } = removed;
        Self { entries, conversations, contexts }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AwaitConsistency {
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Consistent {
    /// "consistent", or "working" if jobs still run
    pub(crate) status: &'static str,
    /// Jobs that are due and not done
    pub(crate) jobs: usize,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetDefaultPrompts {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct DefaultPrompts {
    pub(crate) instructions: &'static str,
    pub(crate) capture_entries: &'static str,
    pub(crate) build_context: &'static str,
    pub(crate) recall: &'static str,
    pub(crate) retrospect: &'static str,
}

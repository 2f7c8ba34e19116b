//! Entries, as tools take and give them.

use std::collections::BTreeMap;

use everwhen::memory::{self, EntryId, Name, Role, Said, VaultId};
use everwhen::ports::{Cursor, EntryQuery, Order};
use everwhen::receipt::{EntryReceipt, Idempotency};
use everwhen::{Error, NewCorrection, Page, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::{read_conversation, read_once, read_time, whole};
use crate::api::cursor;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddEntry {
    #[schemars(extend("enum" = ["user", "assistant", "system", "tool"]))]
    #[schemars(required)]
    role: Option<String>,
    /// The whole text, unedited
    #[serde(alias = "content")]
    raw_entry: String,
    /// One sentence that stands alone
    summary: Option<String>,
    /// When it was said, RFC 3339 with offset; default now
    conversation_time: Option<String>,
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    tags: Tags,
    tools_used: Option<Vec<String>>,
    /// The assistant asks and waits
    is_question: Option<bool>,
    /// Take a time to come
    allow_future: Option<bool>,
    /// Id or own name; default by time
    conversation_id: Option<String>,
    /// Same key: stored once
    idempotency_key: Option<String>,
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

impl AddEntry {
    /// Reads the entry, and the caller's own name for this write.
    pub(crate) fn read(self) -> Result<(memory::NewEntry, Option<Idempotency>)> {
        let once = self.once()?;
        let time = self.conversation_time.as_deref();
        let role = self.role.as_deref().or(self.tags.role.as_deref());
        let role = role.ok_or_else(|| Error::invalid("role is missing; use user or assistant"))?;
        let mut entry = memory::NewEntry::new(Role::named(role)?, Said::new(self.raw_entry)?);
        entry.conversation_time = read_time("conversation_time", time)?;
        entry.allow_future = self.allow_future.unwrap_or_default();
        entry.summary = self.summary;
        entry.tags = read_names("tags", self.tags.names)?;
        entry.tools_used = read_names("tools_used", self.tools_used.unwrap_or_default())?;
        entry.is_question = self.is_question.unwrap_or_default();
        entry.conversation = read_conversation(self.conversation_id.as_deref())?;
        Ok((entry, once))
    }
}

impl AddEntry {
    /// The caller's own name for this write, and all that makes the write what it is.
    fn once(&self) -> Result<Option<Idempotency>> {
        let tags = self.tags.names.join("\n");
        let role = self.role.as_deref().or(self.tags.role.as_deref()).unwrap_or_default();
        let rest = [&self.conversation_time, &self.summary, &self.conversation_id, &self.memory];
        let mut parts = vec![role.as_bytes(), self.raw_entry.as_bytes(), tags.as_bytes()];
        parts.extend(rest.map(|part| part.as_deref().unwrap_or_default().as_bytes()));
        read_once(self.idempotency_key.clone(), &parts)
    }
}

fn read_names(what: &str, texts: Vec<String>) -> Result<Vec<Name>> {
    let texts = texts.into_iter().enumerate();
    texts.map(|(place, text)| Name::new(&format!("{what}[{place}]"), text)).collect()
}

/// Tags as a list of names, or as Mycelian writes them: a map in which `role` is the speaker's, and
/// every other pair is the tag `key:value`.
#[derive(Default)]
struct Tags {
    names: Vec<String>,
    role: Option<String>,
}

impl<'de> Deserialize<'de> for Tags {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a list of names or a map of names")]
        enum Either {
            List(Vec<String>),
            Map(BTreeMap<String, String>),
            Nothing(()),
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::List(names) => Self { names, role: None },
            Either::Map(mut map) => {
                let role = map.remove("role");
                let names = map.into_iter().map(|(key, value)| format!("{key}:{value}"));
                Self { names: names.collect(), role }
            }
            Either::Nothing(()) => Self::default(),
        })
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct EntryStored {
    entry_id: String,
    conversation_id: String,
    conversation_time: String,
    creation_time: String,
}

impl From<EntryReceipt> for EntryStored {
    fn from(receipt: EntryReceipt) -> Self {
        Self {
            entry_id: receipt.id.to_string(),
            conversation_id: receipt.conversation,
            conversation_time: receipt.conversation_time.to_string(),
            creation_time: receipt.creation_time.to_string(),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListEntries {
    /// Said at this time or later, RFC 3339
    after: Option<String>,
    /// Said before this time
    before: Option<String>,
    #[schemars(extend("enum" = ["user", "assistant", "system", "tool"]))]
    role: Option<String>,
    tag: Option<String>,
    pub(crate) conversation_id: Option<String>,
    /// Newest first; default oldest first
    newest_first: Option<bool>,
    /// 1 to 1000, default 25
    #[serde(default, deserialize_with = "whole")]
    limit: Option<u32>,
    /// next_cursor of the page before
    cursor: Option<String>,
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

/// Default number of rows: a list costs tokens.
const ROWS: u32 = 25;

impl ListEntries {
    /// Reads which conversation is meant, and the rest.
    pub(crate) fn read(self) -> Result<(Option<memory::ConversationName>, EntryQuery)> {
        let newest = self.newest_first.unwrap_or_default();
        let query = EntryQuery {
            after: read_time("after", self.after.as_deref())?,
            before: read_time("before", self.before.as_deref())?,
            role: self.role.as_deref().map(Role::named).transpose()?,
            tag: self.tag.map(|tag| Name::new("tag", tag)).transpose()?,
            order: if newest { Order::Newest } else { Order::Oldest },
            limit: Some(self.limit.unwrap_or(ROWS) as usize),
            from: self.cursor.as_deref().map(cursor::read_entry).transpose()?,
            ..EntryQuery::default()
        };
        Ok((read_conversation(self.conversation_id.as_deref())?, query))
    }
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct EntriesOutput {
    entries: Vec<EntryOutput>,
    has_more: bool,
    /// Give it as cursor to go on
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl EntriesOutput {
    /// A page of entries of a vault.
    pub(crate) fn write(page: Page<memory::Entry, Cursor>, vault: VaultId) -> Self {
        let next_cursor = page.next.as_ref().map(cursor::write_entry);
        let entries = page.data.into_iter().map(|entry| EntryOutput::write(entry, vault));
        Self { entries: entries.collect(), has_more: next_cursor.is_some(), next_cursor }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct EntryOutput {
    entry_id: String,
    memory_id: String,
    vault_id: String,
    conversation_id: String,
    role: &'static str,
    conversation_time: String,
    creation_time: String,
    raw_entry: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    tools_used: Vec<String>,
    /// Entry to read instead
    #[serde(skip_serializing_if = "Option::is_none")]
    corrected_by: Option<String>,
}

impl EntryOutput {
    /// An entry of a vault.
    pub(crate) fn write(entry: memory::Entry, vault: VaultId) -> Self {
        let name = entry.conversation_name.map(|name| name.to_string());
        Self {
            entry_id: entry.id.to_string(),
            memory_id: entry.memory.to_string(),
            vault_id: vault.to_string(),
            conversation_id: name.unwrap_or_else(|| entry.conversation.to_string()),
            role: entry.role.as_str(),
            conversation_time: entry.conversation_time.to_string(),
            creation_time: entry.creation_time.to_string(),
            raw_entry: entry.content.as_str().to_owned(),
            summary: entry.summary,
            tags: entry.tags.iter().map(Name::to_string).collect(),
            tools_used: entry.tools_used.iter().map(Name::to_string).collect(),
            corrected_by: entry.corrected.map(|corrected| corrected.by.to_string()),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetEntry {
    entry_id: String,
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

impl GetEntry {
    /// Reads which entry is meant.
    pub(crate) fn read(&self) -> Result<EntryId> {
        self.entry_id.parse().map_err(|error: everwhen::Error| error.at("entry_id"))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CorrectEntry {
    entry_id: String,
    /// What it should have said
    #[serde(alias = "content")]
    raw_entry: String,
    /// Why
    reason: String,
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

impl CorrectEntry {
    /// Reads which entry is meant, and what it should have said.
    pub(crate) fn read(self) -> Result<(EntryId, NewCorrection)> {
        let id = self.entry_id.parse().map_err(|error: everwhen::Error| error.at("entry_id"))?;
        let content = Said::new(self.raw_entry)?;
        Ok((id, NewCorrection { content, reason: self.reason, tags: None, metadata: None }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetTags {
    entry_id: String,
    /// In place of those it has
    #[schemars(with = "Vec<String>")]
    tags: Tags,
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

impl SetTags {
    /// Reads which entry is meant, and its tags.
    pub(crate) fn read(self) -> Result<(EntryId, Vec<Name>)> {
        let id = self.entry_id.parse().map_err(|error: everwhen::Error| error.at("entry_id"))?;
        Ok((id, read_names("tags", self.tags.names)?))
    }
}

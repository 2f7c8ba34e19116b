//! Entries, as tools take and give them.

use everwhen::memory::{self, EntryId, Name, Role, Said};
use everwhen::ports::{EntryQuery, Order};
use everwhen::receipt::{EntryReceipt, Idempotency};
use everwhen::{NewCorrection, Page, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{read_conversation, read_once, read_time, whole};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddEntry {
    #[schemars(extend("enum" = ["user", "assistant", "system", "tool"]))]
    role: String,
    /// The whole text, unedited
    raw_entry: String,
    /// One sentence that stands alone
    summary: Option<String>,
    /// When it was said, RFC 3339 with offset; default now
    conversation_time: Option<String>,
    tags: Option<Vec<String>>,
    /// Id or own name; default by time
    conversation_id: Option<String>,
    /// Same key: stored once
    idempotency_key: Option<String>,
    /// Name or id
    pub(crate) memory: Option<String>,
    pub(crate) vault: Option<String>,
}

impl AddEntry {
    /// Reads the entry, and the caller's own name for this write.
    pub(crate) fn read(self) -> Result<(memory::NewEntry, Option<Idempotency>)> {
        let once = self.once()?;
        let time = self.conversation_time.as_deref();
        let mut entry = memory::NewEntry::new(Role::named(&self.role)?, Said::new(self.raw_entry)?);
        entry.conversation_time = read_time("conversation_time", time)?;
        entry.summary = self.summary;
        entry.tags = read_tags(self.tags)?;
        entry.conversation = read_conversation(self.conversation_id.as_deref())?;
        Ok((entry, once))
    }
}

impl AddEntry {
    /// The caller's own name for this write, and all that makes the write what it is.
    fn once(&self) -> Result<Option<Idempotency>> {
        let tags = self.tags.as_deref().unwrap_or_default().join("\n");
        let rest = [&self.conversation_time, &self.summary, &self.conversation_id, &self.memory];
        let mut parts = vec![self.role.as_bytes(), self.raw_entry.as_bytes(), tags.as_bytes()];
        parts.extend(rest.map(|part| part.as_deref().unwrap_or_default().as_bytes()));
        read_once(self.idempotency_key.clone(), &parts)
    }
}

fn read_tags(tags: Option<Vec<String>>) -> Result<Vec<Name>> {
    let tags = tags.unwrap_or_default().into_iter().enumerate();
    tags.map(|(place, tag)| Name::new(&format!("tags[{place}]"), tag)).collect()
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
    /// Name or id
    pub(crate) memory: Option<String>,
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
            ..EntryQuery::default()
        };
        Ok((read_conversation(self.conversation_id.as_deref())?, query))
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct EntriesOutput {
    entries: Vec<EntryOutput>,
    /// There are more; go on from the last conversation_time
    has_more: bool,
}

impl<C> From<Page<memory::Entry, C>> for EntriesOutput {
    fn from(page: Page<memory::Entry, C>) -> Self {
        let has_more = page.next.is_some();
        Self { entries: page.data.into_iter().map(EntryOutput::from).collect(), has_more }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct EntryOutput {
    entry_id: String,
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
    /// Entry to read instead
    #[serde(skip_serializing_if = "Option::is_none")]
    corrected_by: Option<String>,
}

impl From<memory::Entry> for EntryOutput {
    fn from(entry: memory::Entry) -> Self {
        let name = entry.conversation_name.map(|name| name.to_string());
        Self {
            entry_id: entry.id.to_string(),
            conversation_id: name.unwrap_or_else(|| entry.conversation.to_string()),
            role: entry.role.as_str(),
            conversation_time: entry.conversation_time.to_string(),
            creation_time: entry.creation_time.to_string(),
            raw_entry: entry.content.as_str().to_owned(),
            summary: entry.summary,
            tags: entry.tags.iter().map(Name::to_string).collect(),
            corrected_by: entry.corrected.map(|corrected| corrected.by.to_string()),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetEntry {
    entry_id: String,
    /// Name or id
    pub(crate) memory: Option<String>,
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
    raw_entry: String,
    /// Why
    reason: String,
    /// Name or id
    pub(crate) memory: Option<String>,
    pub(crate) vault: Option<String>,
}

impl CorrectEntry {
    /// Reads which entry is meant, and what it should have said.
    pub(crate) fn read(self) -> Result<(EntryId, NewCorrection)> {
        let id = self.entry_id.parse().map_err(|error: everwhen::Error| error.at("entry_id"))?;
        let content = Said::new(self.raw_entry)?;
        Ok((id, NewCorrection { content, reason: self.reason }))
    }
}

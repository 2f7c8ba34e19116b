//! Entries: new ones, corrections, stored ones, and filters.

use everwhen::memory::{self, Metadata, Name, Role, Said, VaultId};
use everwhen::ports::{EntryQuery, Order, Which};
use everwhen::{Error, Result};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::provenance::Provenance;
use super::{
    Bounds, check_bounds, read_bounds, read_conversation, read_query_time, read_time, shape,
};
use crate::api::cursor;

/// The role of a speaker.
#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Role)]
pub(crate) enum RoleName {
    User,
    Assistant,
    System,
    Tool,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::User => Self::User,
            RoleName::Assistant => Self::Assistant,
            RoleName::System => Self::System,
            RoleName::Tool => Self::Tool,
        }
    }
}

impl From<Role> for RoleName {
    fn from(role: Role) -> Self {
        match role {
            Role::User => Self::User,
            Role::Assistant => Self::Assistant,
            Role::System => Self::System,
            Role::Tool => Self::Tool,
        }
    }
}

/// An entry to store.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewEntry {
    /// The role of the speaker.
    role: RoleName,
    /// What was said.
    #[schema(value_type = shape::Content)]
    content: String,
    /// When it was said; now if absent. More than a minute in the future is rejected unless
    /// `allow_future` is true.
    #[schema(value_type = Option<shape::TimeIn>)]
    conversation_time: Option<String>,
    /// Accept a `conversation_time` in the future.
    allow_future: Option<bool>,
    /// The name of the speaker, if several people share the role.
    #[schema(value_type = Option<shape::Name>)]
    speaker: Option<String>,
    /// The caller's short version of the text.
    #[schema(value_type = Option<shape::ShortVersion>)]
    summary: Option<String>,
    /// Tags, at most 64.
    #[schema(value_type = Option<Vec<shape::Name>>)]
    tags: Option<Vec<String>>,
    /// Any JSON object of the caller, at most 64 KiB as text.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Box<RawValue>>,
    /// Tools that the assistant used, at most 64.
    #[schema(value_type = Option<Vec<shape::Name>>)]
    tools_used: Option<Vec<String>>,
    /// Whether this is a question of the assistant that waits for an answer.
    is_question: Option<bool>,
    /// The conversation it belongs to: the caller's name for it, or the id of one that exists.
    /// Found by `conversation_time` if absent.
    #[schema(value_type = Option<shape::ConversationRef>)]
    conversation_id: Option<String>,
    /// Where it comes from, and how well its time is known.
    provenance: Option<Provenance>,
}

impl NewEntry {
    /// Converts it to the engine's type.
    pub(crate) fn read(self) -> Result<memory::NewEntry> {
        Ok(memory::NewEntry {
            role: self.role.into(),
            content: Said::new(self.content)?,
            conversation_time: read_time("conversation_time", self.conversation_time.as_deref())?,
            allow_future: self.allow_future.unwrap_or_default(),
            speaker: self.speaker.map(|name| Name::new("speaker", name)).transpose()?,
            summary: self.summary,
            tags: read_names("tags", self.tags)?,
            metadata: self.metadata.map(|metadata| read_metadata(&metadata)).transpose()?,
            tools_used: read_names("tools_used", self.tools_used)?,
            is_question: self.is_question.unwrap_or_default(),
            conversation: read_conversation("conversation_id", self.conversation_id.as_deref())?,
            provenance: self.provenance.map(Provenance::read).transpose()?,
        })
    }
}

pub(super) fn read_names(field: &str, texts: Option<Vec<String>>) -> Result<Vec<Name>> {
    let texts = texts.unwrap_or_default().into_iter().enumerate();
    texts.map(|(index, text)| Name::new(&format!("{field}[{index}]"), text)).collect()
}

/// Keeps the caller's JSON text, once it is known to be a valid object.
pub(super) fn read_metadata(raw: &RawValue) -> Result<Metadata> {
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(raw.get())
        .map_err(|error| Error::invalid(format!("metadata is not a JSON object: {error}")))?;
    Metadata::new(raw.get())
}

/// Entries to store in one durable write: all of them or none.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Batch {
    /// The entries, at most 1000.
    #[schema(min_items = 1)]
    entries: Vec<NewEntry>,
}

impl Batch {
    /// Converts them to the engine's type; an error names the item.
    pub(crate) fn read(self) -> Result<Vec<memory::NewEntry>> {
        let entries = self.entries.into_iter().enumerate();
        let read = |(index, entry): (usize, NewEntry)| {
            entry.read().map_err(|error| error.at(format!("entries[{index}]")))
        };
        entries.map(read).collect()
    }
}

/// A correction of an entry.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewCorrection {
    /// The corrected text.
    #[schema(value_type = shape::Content)]
    content: String,
    /// The reason for the correction.
    #[schema(value_type = shape::Reason)]
    reason: String,
    /// Its tags; unchanged if absent.
    #[schema(value_type = Option<Vec<shape::Name>>)]
    tags: Option<Vec<String>>,
}

impl NewCorrection {
    /// Converts it to the engine's type.
    pub(crate) fn read(self) -> Result<everwhen::NewCorrection> {
        Ok(everwhen::NewCorrection {
            content: Said::new(self.content)?,
            reason: self.reason,
            tags: self.tags.map(|tags| read_names("tags", Some(tags))).transpose()?,
            metadata: None,
        })
    }
}

/// What to change about an entry. What was said and when is changed by a correction.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntryPatch {
    /// Its new tags, which replace those it has.
    #[schema(value_type = Vec<shape::Name>)]
    tags: Vec<String>,
}

impl EntryPatch {
    /// The tags.
    pub(crate) fn read(self) -> Result<Vec<Name>> {
        read_names("tags", Some(self.tags))
    }
}

/// A tag and how many current entries have it.
#[derive(Serialize, ToSchema)]
pub(crate) struct TagCount {
    /// The tag.
    tag: String,
    /// The number of entries.
    #[schema(minimum = 1)]
    entries: u64,
}

impl From<(Name, u64)> for TagCount {
    fn from((tag, entries): (Name, u64)) -> Self {
        Self { tag: tag.to_string(), entries }
    }
}

/// One thing said, with when it was said and when it was stored.
#[derive(Serialize, ToSchema)]
pub(crate) struct Entry {
    /// The id.
    #[schema(value_type = shape::EntryRef)]
    id: String,
    /// The memory it belongs to.
    #[schema(examples("mem_01jh2m8z5qf3v9k7c4x0tnwr6e"))]
    memory_id: String,
    /// The vault of that memory.
    #[schema(examples("vlt_01jh2m8z5qf3v9k7c4x0tnwr6e"))]
    vault_id: String,
    /// Its position in the order in which entries were stored.
    #[schema(minimum = 1)]
    sequence: u64,
    /// The role of the speaker.
    role: RoleName,
    /// What was said.
    content: String,
    /// When it was said.
    #[schema(value_type = shape::TimeOut)]
    conversation_time: String,
    /// When it was stored.
    #[schema(value_type = shape::TimeOut)]
    creation_time: String,
    /// The conversation it belongs to: the caller's name for it, else its id.
    conversation_id: String,
    /// The speaker's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    speaker: Option<String>,
    /// The caller's short version of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// Tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    /// The JSON object that the caller stored with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    metadata: Option<Box<RawValue>>,
    /// Tools that the assistant used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools_used: Vec<String>,
    /// Whether this is a question of the assistant.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_question: bool,
    /// The entry this one corrects.
    #[serde(skip_serializing_if = "Option::is_none")]
    corrects: Option<Corrects>,
    /// The entry that corrects this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    corrected_by: Option<CorrectedBy>,
    /// The branch that a fork moved it to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<shape::BranchRef>)]
    branch_id: Option<String>,
    /// Where it was imported from, and how well its time is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<Provenance>,
}

/// The corrected entry, and the reason.
#[derive(Serialize, ToSchema)]
struct Corrects {
    /// The corrected entry.
    #[schema(value_type = shape::EntryRef)]
    entry_id: String,
    /// The reason for the correction.
    reason: String,
}

/// The entry that replaces this one, and since when.
#[derive(Serialize, ToSchema)]
struct CorrectedBy {
    /// The entry that replaces this one.
    #[schema(value_type = shape::EntryRef)]
    entry_id: String,
    /// When the correction was stored.
    #[schema(value_type = shape::TimeOut)]
    at: String,
}

impl Entry {
    /// Converts it from the engine's type.
    pub(crate) fn write(entry: memory::Entry, vault: VaultId) -> Result<Self> {
        let texts = |names: Vec<Name>| names.iter().map(Name::to_string).collect();
        let name = entry.conversation_name.map(|name| name.to_string());
        Ok(Self {
            id: entry.id.to_string(),
            memory_id: entry.memory.to_string(),
            vault_id: vault.to_string(),
            sequence: entry.sequence,
            role: entry.role.into(),
            content: entry.content.as_str().to_owned(),
            conversation_time: entry.conversation_time.to_string(),
            creation_time: entry.creation_time.to_string(),
            conversation_id: name.unwrap_or_else(|| entry.conversation.to_string()),
            speaker: entry.speaker.map(|name| name.to_string()),
            summary: entry.summary,
            tags: texts(entry.tags),
            metadata: entry.metadata.map(|metadata| write_metadata(&metadata)).transpose()?,
            tools_used: texts(entry.tools_used),
            is_question: entry.is_question,
            corrects: entry
                .corrects
                .map(|it| Corrects { entry_id: it.entry.to_string(), reason: it.reason }),
            corrected_by: entry
                .corrected
                .map(|it| CorrectedBy { entry_id: it.by.to_string(), at: it.at.to_string() }),
            branch_id: entry.branch.map(|(branch, _)| branch.to_string()),
            provenance: entry.provenance.map(|from| Provenance::write(*from)),
        })
    }
}

fn write_metadata(metadata: &Metadata) -> Result<Box<RawValue>> {
    RawValue::from_string(metadata.as_str().to_owned())
        .map_err(|_| Error::damaged("the metadata of an entry is not JSON any more"))
}

/// Filters for entries.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct EntriesQuery {
    /// Said at this time or later.
    #[param(value_type = Option<shape::TimeIn>)]
    after: Option<String>,
    /// Said before this time.
    #[param(value_type = Option<shape::TimeIn>)]
    before: Option<String>,
    /// Stored at this time or later.
    #[param(value_type = Option<shape::TimeIn>)]
    created_after: Option<String>,
    /// Stored before this time.
    #[param(value_type = Option<shape::TimeIn>)]
    created_before: Option<String>,
    /// State of the memory at this time: entries that were stored by then, and not yet corrected or
    /// moved to a branch.
    #[param(value_type = Option<shape::TimeIn>)]
    as_of: Option<String>,
    /// Only entries of this role.
    role: Option<RoleName>,
    /// Only entries with this tag.
    #[param(value_type = Option<shape::Name>)]
    tag: Option<String>,
    /// Only entries of this conversation: the caller's name for it, or its id.
    #[param(value_type = Option<shape::ConversationRef>)]
    conversation_id: Option<String>,
    /// Only entries that were imported from this source.
    #[param(value_type = Option<shape::Name>)]
    source: Option<String>,
    /// Only entries of this branch, instead of the current ones.
    #[param(value_type = Option<shape::BranchRef>)]
    branch: Option<String>,
    /// `current`: current entries. `all`: also corrected ones and those on branches.
    #[param(inline)]
    include: Option<Include>,
    /// By `conversation_time`, oldest (`asc`, the default) or newest (`desc`) first.
    #[param(inline)]
    order: Option<Direction>,
    /// `next_cursor` of the previous page.
    #[param(inline, value_type = Option<shape::EntryCursor>)]
    cursor: Option<String>,
    /// Maximum number of rows in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<usize>,
}

/// Which entries to list.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Include {
    Current,
    All,
}

/// The order by time.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Direction {
    Asc,
    Desc,
}

impl From<Direction> for Order {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Asc => Self::Oldest,
            Direction::Desc => Self::Newest,
        }
    }
}

impl EntriesQuery {
    /// The conversation, and the other filters.
    pub(crate) fn read(self) -> Result<(Option<memory::ConversationName>, EntryQuery)> {
        let conversation = read_conversation("conversation_id", self.conversation_id.as_deref())?;
        let as_of = read_query_time("as_of", self.as_of.as_deref())?;
        let (after, before) = read_bounds(self.after.as_deref(), self.before.as_deref())?;
        let (which, stored_by) = self.which(as_of)?;
        let (created_after, created_before) = self.stored(stored_by)?;
        let query = EntryQuery {
            after,
            before,
            created_after,
            created_before,
            which,
            role: self.role.map(Role::from),
            tag: self.tag.map(|tag| Name::new("tag", tag)).transpose()?,
            source: self.source.map(|source| Name::new("source", source)).transpose()?,
            order: self.order.map(Order::from).unwrap_or_default(),
            from: self.cursor.as_deref().map(cursor::read_entry).transpose()?,
            limit: self.limit,
            ..EntryQuery::default()
        };
        Ok((conversation, query))
    }

    /// The period in which they must have been stored.
    fn stored(&self, by: Option<Timestamp>) -> Result<Bounds> {
        let after = read_query_time("created_after", self.created_after.as_deref())?;
        let before = read_query_time("created_before", self.created_before.as_deref())?;
        check_bounds((after, earlier(before, by))).map_err(|error| error.at("creation_time"))
    }

    /// Which entries to list. With branches or `all`, `as_of` limits when they were stored.
    fn which(&self, as_of: Option<Timestamp>) -> Result<(Which, Option<Timestamp>)> {
        let stored_by = as_of.map(|time| time + SignedDuration::from_micros(1));
        if let Some(branch) = &self.branch {
            let branch = branch.parse().map_err(|error: Error| error.at("branch"))?;
            return Ok((Which::Branch(branch), stored_by));
        }
        match (self.include, as_of) {
            (Some(Include::All), _) => Ok((Which::All, stored_by)),
            (_, Some(as_of)) => Ok((Which::AsOf(as_of), None)),
            (_, None) => Ok((Which::Current, None)),
        }
    }
}

fn earlier(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

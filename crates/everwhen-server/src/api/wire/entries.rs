//! Entries on the wire: to remember, to correct, as they are kept, and what can be asked.

use everwhen::memory::{self, Metadata, Name, Role, Said};
use everwhen::ports::{EntryQuery, Order, Which};
use everwhen::{Error, Result};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::{
    Bounds, check_bounds, read_bounds, read_conversation, read_query_time, read_time, shape,
};
use crate::api::cursor;

/// Who speaks.
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

/// Something to remember.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewEntry {
    /// Who spoke.
    role: RoleName,
    /// What was said.
    #[schema(value_type = shape::Content)]
    content: String,
    /// When it was said; now if absent. More than a minute in the future is refused unless
    /// `allow_future` is true.
    #[schema(value_type = Option<shape::TimeIn>)]
    conversation_time: Option<String>,
    /// Accept a `conversation_time` in the future.
    allow_future: Option<bool>,
    /// The speaker's name, where there are several.
    #[schema(value_type = Option<shape::Name>)]
    speaker: Option<String>,
    /// The caller's own short version.
    #[schema(value_type = Option<shape::ShortVersion>)]
    summary: Option<String>,
    /// Labels, at most 64.
    #[schema(value_type = Option<Vec<shape::Name>>)]
    tags: Option<Vec<String>>,
    /// A JSON object of the caller's own, at most 64 KiB as text.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Box<RawValue>>,
    /// Tools the assistant used while saying it, at most 64.
    #[schema(value_type = Option<Vec<shape::Name>>)]
    tools_used: Option<Vec<String>>,
    /// Whether the assistant asks something here and waits for the answer.
    is_question: Option<bool>,
    /// The conversation it belongs to: the caller's own name for it, or the id of one that exists.
    /// Found by `conversation_time` if absent.
    #[schema(value_type = Option<shape::ConversationRef>)]
    conversation_id: Option<String>,
}

impl NewEntry {
    /// Reads it.
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
        })
    }
}

pub(super) fn read_names(field: &str, texts: Option<Vec<String>>) -> Result<Vec<Name>> {
    let texts = texts.unwrap_or_default().into_iter().enumerate();
    texts.map(|(index, text)| Name::new(&format!("{field}[{index}]"), text)).collect()
}

/// Keeps the caller's own text, once it is known to be an object that can be read again.
pub(super) fn read_metadata(raw: &RawValue) -> Result<Metadata> {
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(raw.get())
        .map_err(|error| Error::invalid(format!("metadata is not a JSON object: {error}")))?;
    Metadata::new(raw.get())
}

/// Entries to remember in one durable write: all of them, or none.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Batch {
    /// The entries, at most 1000.
    #[schema(min_items = 1)]
    entries: Vec<NewEntry>,
}

impl Batch {
    /// Reads them; an error says which one it is about.
    pub(crate) fn read(self) -> Result<Vec<memory::NewEntry>> {
        let entries = self.entries.into_iter().enumerate();
        let read = |(index, entry): (usize, NewEntry)| {
            entry.read().map_err(|error| error.at(format!("entries[{index}]")))
        };
        entries.map(read).collect()
    }
}

/// What an entry should have said.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewCorrection {
    /// What should have been said.
    #[schema(value_type = shape::Content)]
    content: String,
    /// Why.
    #[schema(value_type = shape::Reason)]
    reason: String,
}

impl NewCorrection {
    /// Reads it.
    pub(crate) fn read(self) -> Result<everwhen::NewCorrection> {
        Ok(everwhen::NewCorrection { content: Said::new(self.content)?, reason: self.reason })
    }
}

/// One thing said, with when it was said and when it was stored.
#[derive(Serialize, ToSchema)]
pub(crate) struct Entry {
    /// Its id.
    #[schema(value_type = shape::EntryRef)]
    id: String,
    /// Its place in the memory's order of arrival.
    #[schema(minimum = 1)]
    sequence: u64,
    /// Who spoke.
    role: RoleName,
    /// What was said.
    content: String,
    /// When it was said.
    #[schema(value_type = shape::TimeOut)]
    conversation_time: String,
    /// When it was stored.
    #[schema(value_type = shape::TimeOut)]
    creation_time: String,
    /// The conversation it belongs to: the caller's own name for it, else its id.
    conversation_id: String,
    /// The speaker's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    speaker: Option<String>,
    /// The caller's own short version.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// Labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    /// The caller's own JSON object.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    metadata: Option<Box<RawValue>>,
    /// Tools the assistant used while saying it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools_used: Vec<String>,
    /// Whether the assistant asked something here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_question: bool,
    /// The entry this one corrects.
    #[serde(skip_serializing_if = "Option::is_none")]
    corrects: Option<Corrects>,
    /// The entry that corrects this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    corrected_by: Option<CorrectedBy>,
    /// The branch that a fork put it on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<shape::BranchRef>)]
    branch_id: Option<String>,
}

/// Which entry is corrected, and why.
#[derive(Serialize, ToSchema)]
struct Corrects {
    /// The corrected entry.
    #[schema(value_type = shape::EntryRef)]
    entry_id: String,
    /// Why.
    reason: String,
}

/// Which entry to read instead, and since when.
#[derive(Serialize, ToSchema)]
struct CorrectedBy {
    /// The entry to read instead.
    #[schema(value_type = shape::EntryRef)]
    entry_id: String,
    /// When the correction was stored.
    #[schema(value_type = shape::TimeOut)]
    at: String,
}

impl Entry {
    /// Writes it.
    pub(crate) fn write(entry: memory::Entry) -> Result<Self> {
        let texts = |names: Vec<Name>| names.iter().map(Name::to_string).collect();
        let name = entry.conversation_name.map(|name| name.to_string());
        Ok(Self {
            id: entry.id.to_string(),
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
        })
    }
}

fn write_metadata(metadata: &Metadata) -> Result<Box<RawValue>> {
    RawValue::from_string(metadata.as_str().to_owned())
        .map_err(|_| Error::damaged("the metadata of an entry is not JSON any more"))
}

/// What a list of entries can be asked.
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
    /// As the memory stood at this time: stored by then, and not yet corrected or put aside.
    #[param(value_type = Option<shape::TimeIn>)]
    as_of: Option<String>,
    /// Only of this role.
    role: Option<RoleName>,
    /// Only with this tag.
    #[param(value_type = Option<shape::Name>)]
    tag: Option<String>,
    /// Only of this conversation: the caller's own name for it, or its id.
    #[param(value_type = Option<shape::ConversationRef>)]
    conversation_id: Option<String>,
    /// Those that a fork put on this branch, instead of those in force.
    #[param(value_type = Option<shape::BranchRef>)]
    branch: Option<String>,
    /// `current`: those in force. `all`: corrected ones and those on branches too.
    #[param(inline)]
    include: Option<Include>,
    /// By `conversation_time`, oldest (`asc`, the default) or newest (`desc`) first.
    #[param(inline)]
    order: Option<Direction>,
    /// `next_cursor` of the page before.
    #[param(inline, value_type = Option<shape::EntryCursor>)]
    cursor: Option<String>,
    /// Rows in a page.
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

/// Which end of time comes first.
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
    /// Reads the conversation asked for, and the rest.
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
            order: self.order.map(Order::from).unwrap_or_default(),
            from: self.cursor.as_deref().map(cursor::read_entry).transpose()?,
            limit: self.limit,
            ..EntryQuery::default()
        };
        Ok((conversation, query))
    }

    /// When they must have been stored.
    fn stored(&self, by: Option<Timestamp>) -> Result<Bounds> {
        let after = read_query_time("created_after", self.created_after.as_deref())?;
        let before = read_query_time("created_before", self.created_before.as_deref())?;
        check_bounds((after, earlier(before, by))).map_err(|error| error.at("creation_time"))
    }

    /// Which entries are meant. Where branches or all are asked for, `as_of` bounds what had been
    /// stored.
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

//! Conversations.

use everwhen::activity::Measured;
use everwhen::conversations::EndOfConversation;
use everwhen::memory::{self, EndedBy, EntryId, Settings, VaultId};
use everwhen::ports::{ArchiveFilter, ConversationOrder, ConversationQuery, Order};
use everwhen::{ConversationView, Error, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::entries::Direction;
use super::{
    Activity, ConversationTime, Entry, read_bounds, read_conversation, read_query_time, shape,
};
use crate::api::cursor;

/// A run of entries that ended after a pause or explicitly.
#[derive(Serialize, ToSchema)]
pub(crate) struct Conversation {
    /// The id.
    #[schema(examples("cnv_01jh2m8z5qf3v9k7c4x0tnwr6e"))]
    id: String,
    /// Its name in the system it was imported from.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_id: Option<String>,
    /// When its first entry was said.
    #[schema(value_type = shape::TimeOut)]
    started_at: String,
    /// When its last entry was said.
    #[schema(value_type = shape::TimeOut)]
    last_at: String,
    /// When it ended; null while it is open.
    #[schema(value_type = Option<shape::TimeOut>, required = true)]
    ended_at: Option<String>,
    /// How it ended; null while it is open.
    #[schema(required = true)]
    ended_by: Option<EndedByName>,
    /// The reason given for ending it.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_reason: Option<String>,
    /// A title of five to eight words; null until it has ended and been summarized.
    #[schema(required = true)]
    title: Option<String>,
    /// A summary of two or three sentences; null until it has ended and been summarized.
    #[schema(required = true)]
    summary: Option<String>,
    /// Who wrote title and summary: `extractive` for the built-in rules, `llm` for a model, `source`
    /// for the system it was imported from.
    #[schema(required = true, examples("extractive"))]
    summary_by: Option<String>,
    /// `active` while entries are added; `cooling` once it is idle, until its facts are stored;
    /// `dormant` when it has ended; `closed` a while later. Present in lists and in single responses.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples("dormant"))]
    state: Option<String>,
    /// Number of entries, without corrected ones and those on branches.
    message_count: u64,
    /// Number of facts that a model proposed and that nothing said in it supports.
    #[serde(skip_serializing_if = "is_zero")]
    #[schema(required = false)]
    facts_dropped: u64,
    /// What the language model wrote when it looked back at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    retrospection: Option<Retrospection>,
    /// When it was archived.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<shape::TimeOut>)]
    archived_at: Option<String>,
}

/// What a language model wrote when it looked back at an ended conversation.
#[derive(Serialize, ToSchema)]
pub(crate) struct Retrospection {
    /// Its words.
    text: String,
    /// When it was written.
    #[schema(value_type = shape::TimeOut)]
    at: String,
}

impl From<memory::Retrospection> for Retrospection {
    fn from(one: memory::Retrospection) -> Self {
        Self { text: one.text, at: one.at.to_string() }
    }
}

/// Which conversations to look back at.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Retrospect {
    /// Also those that were looked back at before.
    pub(crate) again: Option<bool>,
}

/// How many retrospections to return.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RetrospectionsQuery {
    /// Maximum number of conversations, those that ended last.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub(crate) limit: Option<usize>,
}

/// What a language model wrote when it looked back at conversations.
#[derive(Serialize, ToSchema)]
pub(crate) struct Retrospections {
    /// As text for a person or a model: a heading with title and date for each, the newest first.
    pub(crate) text: String,
    /// The conversations, the one that ended last first.
    pub(crate) conversations: Vec<Conversation>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How a conversation ended: `idle` after a pause, `caller` by a request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = EndedBy)]
enum EndedByName {
    Idle,
    Caller,
}

impl From<memory::Conversation> for Conversation {
    fn from(conversation: memory::Conversation) -> Self {
        let (ended_at, by) = conversation.ended.map(|ended| (ended.at, ended.by)).unzip();
        let (ended_by, end_reason) = match by {
            None => (None, None),
            Some(EndedBy::Idle) => (Some(EndedByName::Idle), None),
            Some(EndedBy::Caller { reason }) => (Some(EndedByName::Caller), reason),
        };
        let summary = conversation.summary;
        Self {
            id: conversation.id.to_string(),
            source_id: conversation.name.map(|name| name.to_string()),
            started_at: conversation.started_at.to_string(),
            last_at: conversation.last_at.to_string(),
            ended_at: ended_at.map(|at| at.to_string()),
            ended_by,
            end_reason,
            summary_by: summary.as_ref().map(|summary| summary.by.as_str().to_owned()),
            title: summary.as_ref().map(|summary| summary.title.clone()),
            summary: summary.map(|summary| summary.text),
            state: None,
            message_count: conversation.entries,
            facts_dropped: conversation.facts_dropped,
            retrospection: conversation.retrospection.map(Retrospection::from),
            archived_at: conversation.archived_at.map(|at| at.to_string()),
        }
    }
}

impl Conversation {
    /// Converts it, with its state by the settings of its memory.
    pub(crate) fn write(conversation: memory::Conversation, rules: &Rules) -> Self {
        let state = rules.settings.state_of(&conversation, rules.now);
        Self { state: Some(state.as_str().to_owned()), ..conversation.into() }
    }
}

/// The settings that decide the state of a conversation.
pub(crate) struct Rules {
    pub(crate) vault: VaultId,
    pub(crate) settings: Settings,
    pub(crate) now: Timestamp,
}

/// A conversation with its entries and branches.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConversationDetail {
    /// The conversation.
    #[serde(flatten)]
    conversation: Conversation,
    /// Its current entries, oldest first.
    entries: Vec<Entry>,
    /// Its branches.
    branches: Vec<Branch>,
    /// How long it was active and how long it was idle.
    #[schema(required = true)]
    conversation_time: Option<ConversationTime>,
    /// When models and tools were working, in the order they began.
    activities: Vec<Activity>,
}

impl ConversationDetail {
    /// Converts it from the engine's type.
    pub(crate) fn write(view: ConversationView, measured: Measured, rules: &Rules) -> Result<Self> {
        let write = |entry| Entry::write(entry, rules.vault);
        Ok(Self {
            conversation: Conversation::write(view.conversation, rules),
            entries: view.entries.into_iter().map(write).collect::<Result<_>>()?,
            branches: view.branches.into_iter().map(Branch::from).collect(),
            conversation_time: measured.time.map(ConversationTime::from),
            activities: measured.activities.into_iter().map(Activity::from).collect(),
        })
    }
}

/// Entries that a fork moved to a branch.
#[derive(Serialize, ToSchema)]
pub(crate) struct Branch {
    /// The id; list its entries with `?branch=`.
    #[schema(value_type = shape::BranchRef)]
    id: String,
    /// When the fork happened.
    #[schema(value_type = shape::TimeOut)]
    archived_at: String,
    /// Number of entries.
    message_count: u64,
}

impl From<memory::Branch> for Branch {
    fn from(branch: memory::Branch) -> Self {
        Self {
            id: branch.id.to_string(),
            archived_at: branch.archived_at.to_string(),
            message_count: branch.entries,
        }
    }
}

/// Which conversation to end, and why.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndConversation {
    /// The conversation: the caller's name for it, or its id; the active one if absent.
    #[schema(value_type = Option<shape::ConversationRef>)]
    conversation_id: Option<String>,
    /// The reason, at most 2,000 characters.
    reason: Option<String>,
    /// Whether it is ended inside an exchange that is stored afterwards, as by an agent whose program
    /// stores the user's words together with the reply: then the next entry that is no reply, if it is
    /// stored within two minutes without a time and a conversation of its own, still belongs to it.
    in_exchange: Option<bool>,
}

impl EndConversation {
    /// Converts it to the engine's type.
    pub(crate) fn read(self) -> Result<EndOfConversation> {
        let conversation = read_conversation("conversation_id", self.conversation_id.as_deref())?;
        let in_exchange = self.in_exchange.unwrap_or_default();
        Ok(EndOfConversation { conversation, reason: self.reason, in_exchange })
    }
}

/// Where to fork.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fork {
    /// The last entry to keep; later entries move to a branch.
    #[schema(value_type = shape::EntryRef)]
    after: String,
}

impl Fork {
    /// Converts it to the engine's type.
    pub(crate) fn read(self) -> Result<EntryId> {
        self.after.parse().map_err(|error: Error| error.at("after"))
    }
}

/// The branch that a fork created.
#[derive(Serialize, ToSchema)]
pub(crate) struct Forked {
    /// The branch.
    #[schema(value_type = shape::BranchRef)]
    pub(crate) branch_id: String,
    /// Number of entries.
    pub(crate) message_count: u64,
}

/// The current and the latest conversations as text for a model.
#[derive(Serialize, ToSchema)]
pub(crate) struct Prompt {
    /// The text; empty if there are no conversations.
    pub(crate) prompt: String,
}

/// Filters for conversations.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ConversationsQuery {
    /// Only open, only ended, or all conversations (the default).
    #[param(inline)]
    state: Option<ConversationState>,
    /// Listed conversations (`false`, the default), archived ones (`true`), or all.
    #[param(inline)]
    archived: Option<Archived>,
    /// Only conversations with an entry at this time or later.
    #[param(value_type = Option<shape::TimeIn>)]
    after: Option<String>,
    /// Only conversations that started before this time.
    #[param(value_type = Option<shape::TimeIn>)]
    before: Option<String>,
    /// State of the conversations at this creation_time: only those with an entry that was stored by then, with
    /// the bounds, the number of entries and the end they had.
    #[param(value_type = Option<shape::TimeIn>)]
    as_of: Option<String>,
    /// Ordered by when they started (the default) or ended; by end, only ended ones.
    #[param(inline)]
    by: Option<ConversationSort>,
    /// Oldest (`asc`, the default) or newest (`desc`) first.
    #[param(inline)]
    order: Option<Direction>,
    /// `next_cursor` of the previous page.
    #[param(inline, value_type = Option<shape::ConversationCursor>)]
    cursor: Option<String>,
    /// Maximum number of rows in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<usize>,
}

/// Whether a conversation has ended.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ConversationState {
    Open,
    Ended,
    All,
}

/// Whether a conversation is archived.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Archived {
    False,
    True,
    All,
}

/// What conversations are ordered by.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ConversationSort {
    Started,
    Ended,
}

/// Which state of a conversation is meant.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ConversationAsOfQuery {
    /// State of the conversation at this creation_time; conversation time is left out then.
    #[param(value_type = Option<shape::TimeIn>)]
    as_of: Option<String>,
}

impl ConversationAsOfQuery {
    /// The creation_time, if one was given.
    pub(crate) fn as_of(&self) -> Result<Option<Timestamp>> {
        read_query_time("as_of", self.as_of.as_deref())
    }
}

impl ConversationsQuery {
    /// The creation_time whose state is asked for.
    pub(crate) fn as_of(&self) -> Result<Option<Timestamp>> {
        read_query_time("as_of", self.as_of.as_deref())
    }

    /// Converts it to the engine's type.
    pub(crate) fn read(self) -> Result<ConversationQuery> {
        let (after, before) = read_bounds(self.after.as_deref(), self.before.as_deref())?;
        Ok(ConversationQuery {
            ended: match self.state {
                Some(ConversationState::Open) => Some(false),
                Some(ConversationState::Ended) => Some(true),
                Some(ConversationState::All) | None => None,
            },
            archive: match self.archived {
                Some(Archived::False) | None => ArchiveFilter::Listed,
                Some(Archived::True) => ArchiveFilter::Archived,
                Some(Archived::All) => ArchiveFilter::Both,
            },
            after,
            before,
            by: match self.by {
                Some(ConversationSort::Started) | None => ConversationOrder::Started,
                Some(ConversationSort::Ended) => ConversationOrder::Ended,
            },
            order: self.order.map(Order::from).unwrap_or_default(),
            from: self.cursor.as_deref().map(cursor::read_conversation).transpose()?,
            limit: self.limit,
        })
    }
}

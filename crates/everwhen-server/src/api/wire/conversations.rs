//! Conversations on the wire.

use everwhen::activity::Measured;
use everwhen::memory::{self, ConversationName, EndedBy, EntryId, Settings};
use everwhen::ports::{ConversationOrder, ConversationQuery, Order, Shelf};
use everwhen::{ConversationView, Error, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::entries::Direction;
use super::{Activity, ConversationTime, Entry, read_bounds, read_conversation, shape};
use crate::api::cursor;

/// A run of entries, bounded by a pause or by a word.
#[derive(Serialize, ToSchema)]
pub(crate) struct Conversation {
    /// Its id.
    #[schema(examples("cnv_01jh2m8z5qf3v9k7c4x0tnwr6e"))]
    id: String,
    /// The name it has in the caller's own source.
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
    /// Why somebody ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_reason: Option<String>,
    /// What it was about, in five to eight words; null until it has ended and been summarized.
    #[schema(required = true)]
    title: Option<String>,
    /// What it was about, in two or three sentences; null until it has ended and been summarized.
    #[schema(required = true)]
    summary: Option<String>,
    /// Who wrote title and summary: `extractive` chose them from the conversation, without a model;
    /// `source` brought them along in an import.
    #[schema(required = true, examples("extractive"))]
    summary_by: Option<String>,
    /// `active` while it is talked in; `cooling` once it has fallen silent, and until its facts are
    /// kept; `dormant` when it is over; `closed` a while later. In lists and where one is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples("dormant"))]
    state: Option<String>,
    /// How many entries it holds; corrected ones and those on branches do not count.
    message_count: u64,
    /// Since when it has left lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<shape::TimeOut>)]
    archived_at: Option<String>,
}

/// How a conversation ended: `idle` if it fell silent, `caller` if somebody ended it.
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
            archived_at: conversation.archived_at.map(|at| at.to_string()),
        }
    }
}

impl Conversation {
    /// The same with its state, by the rules of its memory.
    pub(crate) fn write(conversation: memory::Conversation, rules: &Rules) -> Self {
        let state = rules.settings.state_of(&conversation, rules.now);
        Self { state: Some(state.as_str().to_owned()), ..conversation.into() }
    }
}

/// What decides the state of a conversation.
pub(crate) struct Rules {
    pub(crate) settings: Settings,
    pub(crate) now: Timestamp,
}

/// A conversation with its entries and branches.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConversationDetail {
    /// The conversation.
    #[serde(flatten)]
    conversation: Conversation,
    /// Its entries in force, oldest first.
    entries: Vec<Entry>,
    /// What forks put aside.
    branches: Vec<Branch>,
    /// How much of it was working and how much was waiting.
    #[schema(required = true)]
    conversation_time: Option<ConversationTime>,
    /// When models and tools were at work, in the order they began.
    activities: Vec<Activity>,
}

impl ConversationDetail {
    /// Writes it.
    pub(crate) fn write(view: ConversationView, measured: Measured, rules: &Rules) -> Result<Self> {
        Ok(Self {
            conversation: Conversation::write(view.conversation, rules),
            entries: view.entries.into_iter().map(Entry::write).collect::<Result<_>>()?,
            branches: view.branches.into_iter().map(Branch::from).collect(),
            conversation_time: measured.time.map(ConversationTime::from),
            activities: measured.activities.into_iter().map(Activity::from).collect(),
        })
    }
}

/// Entries that a fork put aside.
#[derive(Serialize, ToSchema)]
pub(crate) struct Branch {
    /// Its id; ask for its entries with `?branch=`.
    #[schema(value_type = shape::BranchRef)]
    id: String,
    /// When the fork happened.
    #[schema(value_type = shape::TimeOut)]
    archived_at: String,
    /// How many entries it holds.
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
    /// The conversation: the caller's own name for it, or its id; the active one if absent.
    #[schema(value_type = Option<shape::ConversationRef>)]
    conversation_id: Option<String>,
    /// Why it ends, in at most 2,000 characters.
    reason: Option<String>,
}

impl EndConversation {
    /// Reads the conversation and the reason.
    pub(crate) fn read(self) -> Result<(Option<ConversationName>, Option<String>)> {
        let conversation = read_conversation("conversation_id", self.conversation_id.as_deref())?;
        Ok((conversation, self.reason))
    }
}

/// Where to fork.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fork {
    /// The entry after which everything is put on a branch.
    #[schema(value_type = shape::EntryRef)]
    after: String,
}

impl Fork {
    /// Reads it.
    pub(crate) fn read(self) -> Result<EntryId> {
        self.after.parse().map_err(|error: Error| error.at("after"))
    }
}

/// What a fork put aside.
#[derive(Serialize, ToSchema)]
pub(crate) struct Forked {
    /// The branch.
    #[schema(value_type = shape::BranchRef)]
    pub(crate) branch_id: String,
    /// How many entries it holds.
    pub(crate) message_count: u64,
}

/// The current and the last conversations as text for a model.
#[derive(Serialize, ToSchema)]
pub(crate) struct Prompt {
    /// The text; empty if there is nothing to tell.
    pub(crate) prompt: String,
}

/// What a list of conversations can be asked.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ConversationsQuery {
    /// Open ones, ended ones, or all (the default).
    #[param(inline)]
    state: Option<ConversationState>,
    /// Listed ones (`false`, the default), archived ones (`true`), or all.
    #[param(inline)]
    archived: Option<Archived>,
    /// With an entry at this time or later.
    #[param(value_type = Option<shape::TimeIn>)]
    after: Option<String>,
    /// Started before this time.
    #[param(value_type = Option<shape::TimeIn>)]
    before: Option<String>,
    /// Ordered by when they started (the default) or ended; by end, only ended ones.
    #[param(inline)]
    by: Option<By>,
    /// Oldest (`asc`, the default) or newest (`desc`) first.
    #[param(inline)]
    order: Option<Direction>,
    /// `next_cursor` of the page before.
    #[param(inline, value_type = Option<shape::ConversationCursor>)]
    cursor: Option<String>,
    /// Rows in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<usize>,
}

/// Whether a conversation goes on.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ConversationState {
    Open,
    Ended,
    All,
}

/// Whether a conversation has left lists.
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
enum By {
    Started,
    Ended,
}

impl ConversationsQuery {
    /// Reads it.
    pub(crate) fn read(self) -> Result<ConversationQuery> {
        let (after, before) = read_bounds(self.after.as_deref(), self.before.as_deref())?;
        Ok(ConversationQuery {
            ended: match self.state {
                Some(ConversationState::Open) => Some(false),
                Some(ConversationState::Ended) => Some(true),
                Some(ConversationState::All) | None => None,
            },
            shelf: match self.archived {
                Some(Archived::False) | None => Shelf::Listed,
                Some(Archived::True) => Shelf::Archived,
                Some(Archived::All) => Shelf::Both,
            },
            after,
            before,
            by: match self.by {
                Some(By::Started) | None => ConversationOrder::Started,
                Some(By::Ended) => ConversationOrder::Ended,
            },
            order: self.order.map(Order::from).unwrap_or_default(),
            from: self.cursor.as_deref().map(cursor::read_conversation).transpose()?,
            limit: self.limit,
        })
    }
}

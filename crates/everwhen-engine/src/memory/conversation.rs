//! A run of entries, bounded by a pause or by a word.

use jiff::Timestamp;

use super::{Address, BranchId, ConversationId, MemoryId, Name};

/// How a caller points at a conversation: by id, or by the name it has in the caller's source.
pub type ConversationName = Address<ConversationId>;

/// A conversation as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// Its id.
    pub id: ConversationId,
    /// The memory it belongs to.
    pub memory: MemoryId,
    /// Its name in the caller's own source; such a conversation is never split or joined by time.
    pub name: Option<Name>,
    /// The conversation_time of its first entry.
    pub started_at: Timestamp,
    /// The conversation_time of its last entry.
    pub last_at: Timestamp,
    /// How many entries it holds, corrected and branched ones not counted.
    pub entries: u64,
    /// That it is over.
    pub ended: Option<Ended>,
    /// What it was about, once it is over.
    pub summary: Option<Summary>,
    /// When its facts were last kept; nothing if they are still to be stored, or to be stored again.
    pub distilled_at: Option<Timestamp>,
    /// How many facts a model proposed that nothing said in it supports.
    pub facts_dropped: u64,
    /// What a language model wrote when it looked back at it.
    pub retrospection: Option<Retrospection>,
    /// Since when it has left lists and tools.
    pub archived_at: Option<Timestamp>,
    /// When it was last restored from the archive.
    pub restored_at: Option<Timestamp>,
}

/// When and how a conversation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The end: last activity plus the idle timeout, or when a caller ended it.
    pub at: Timestamp,
    /// Who ended it.
    pub by: EndedBy,
}

/// Who ended a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndedBy {
    /// No caller: it fell silent.
    Idle,
    /// A caller, for this reason.
    Caller {
        /// Why, if said.
        reason: Option<String>,
    },
}

/// Title and summary of an ended conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Five to eight words.
    pub title: String,
    /// Two or three sentences.
    pub text: String,
    /// Who wrote it.
    pub by: SummaryBy,
}

/// What a language model wrote when it looked back at an ended conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retrospection {
    /// Its words.
    pub text: String,
    /// When it was written.
    pub at: Timestamp,
}

/// Who wrote a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SummaryBy {
    /// Sentences chosen from the conversation, without a model.
    Extractive,
    /// The system it was imported from.
    Source,
    /// A language model.
    Llm,
}

impl SummaryBy {
    /// As written on every wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Extractive => "extractive",
            Self::Source => "source",
            Self::Llm => "llm",
        }
    }
}

/// Entries that a fork put aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Its id.
    pub id: BranchId,
    /// When the fork happened.
    pub archived_at: Timestamp,
    /// How many entries it holds.
    pub entries: u64,
}

impl Ended {
    /// Whether a caller ended it.
    pub fn is_by_caller(&self) -> bool {
        matches!(self.by, EndedBy::Caller { .. })
    }
}

impl Conversation {
    /// A conversation that begins with an entry said at `at`.
    pub fn open(id: ConversationId, memory: MemoryId, name: Option<Name>, at: Timestamp) -> Self {
        Self {
            id,
            memory,
            name,
            started_at: at,
            last_at: at,
            entries: 0,
            ended: None,
            summary: None,
            distilled_at: None,
            facts_dropped: 0,
            retrospection: None,
            archived_at: None,
            restored_at: None,
        }
    }

    /// Counts in an entry said at `time`. One that had no current entry left begins again.
    pub(crate) fn count_in(&mut self, time: Timestamp) {
        let bare = self.entries == 0;
        self.entries += 1;
        self.started_at = if bare { time } else { self.started_at.min(time) };
        self.last_at = if bare { time } else { self.last_at.max(time) };
    }

    /// How the conversation is named on every wire: the caller's name, else its id.
    pub fn wire_name(&self) -> String {
        self.name.as_ref().map_or_else(|| self.id.to_string(), |name| name.to_string())
    }
}

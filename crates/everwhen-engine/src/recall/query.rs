//! Questions and answers: [`Query`] and [`Recollection`].

use std::collections::HashSet;

use jiff::Timestamp;

use super::{About, Reason};
use crate::chapters::Chapter;
use crate::facts::FactView;
use crate::memory::{
    Address, ContextDocument, Conversation, ConversationId, ConversationName, Entry, EntryId,
    FactId, Name, Role,
};
use crate::time::{Period, Precision};
use crate::{Error, Result, limits};

/// The factor by which more items are looked at where varied ones are wanted.
const DIVERSITY_POOL: usize = 5;

/// What to do with a period that the question names in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PeriodUse {
    /// What was said in it comes first.
    #[default]
    Boost,
    /// Only what was said in it is answered.
    Filter,
    /// The words are searched for like any other.
    Ignore,
}

impl PeriodUse {
    /// Returns the use with this name.
    pub fn named(text: &str) -> Result<Self> {
        match text {
            "boost" => Ok(Self::Boost),
            "filter" => Ok(Self::Filter),
            "ignore" => Ok(Self::Ignore),
            _ => Err(Error::invalid(format!(
                "unknown period {text:?}; use \"boost\", \"filter\" or \"ignore\""
            ))),
        }
    }
}

/// What can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What was said.
    Entry,
    /// Conversations.
    Conversation,
    /// Dated statements.
    Fact,
    /// Summaries of runs of entries.
    Chapter,
    /// Summaries of conversations.
    Summary,
    /// Context documents.
    Context,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Entry, Self::Conversation, Self::Fact, Self::Chapter, Self::Summary, Self::Context];

    /// Returns the name that every interface uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::Conversation => "conversation",
            Self::Fact => "fact",
            Self::Chapter => "chapter",
            Self::Summary => "summary",
            Self::Context => "context",
        }
    }
}

/// A question to a memory, or to all of a vault.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// The question.
    pub text: String,
    /// When it is asked; now if absent.
    pub asked_at: Option<Timestamp>,
    /// Only what was said at or after this.
    pub after: Option<Timestamp>,
    /// Only what was said before this.
    pub before: Option<Timestamp>,
    /// Only what had been stored by then, and as it stood.
    pub as_of: Option<Timestamp>,
    /// What to do with a period named in the question.
    pub period: PeriodUse,
    /// Only these kinds; all if empty.
    pub kinds: Vec<Kind>,
    /// Only what one of these roles said; all if empty.
    pub roles: Vec<Role>,
    /// Only what has one of these tags; all if empty.
    pub tags: Vec<Name>,
    /// The largest number of items of each kind; ten if absent.
    pub limit: Option<usize>,
    /// The largest number of tokens in the briefing.
    pub budget_tokens: Option<usize>,
    /// Entries that are no answer, because the caller has them already.
    pub except: HashSet<EntryId>,
    /// Conversations whose entries are no answer.
    pub except_conversations: Vec<ConversationName>,
    /// Only what scores at least this share of the best of its kind, from 0 to 1.
    pub min_score: Option<f32>,
    /// How much variety counts against score, from 0 to 1: with more, fewer items that say the same.
    pub diversity: Option<f32>,
}

impl Query {
    /// Asks a question without any filter.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Returns the largest number of items of each kind.
    pub(crate) fn limit(&self) -> usize {
        self.limit.unwrap_or(limits::RECALL_ITEMS_DEFAULT)
    }

    /// Returns the number of items of each kind that are put in order: at least the default, so that the
    /// answers to a question for fewer are the first of those to a question for more.
    pub(crate) fn ordered(&self) -> usize {
        self.limit().max(limits::RECALL_ITEMS_DEFAULT)
    }

    /// Returns the number of items from which varied ones are chosen.
    pub(crate) fn pool(&self) -> usize {
        let chosen_from = if self.diversity.is_some() { DIVERSITY_POOL } else { 1 };
        (self.ordered() * chosen_from + self.except.len()).min(self.ordered() + limits::PAGE_ROWS)
    }

    /// Returns whether the conversation with this id and name is left out.
    pub(crate) fn leaves_out(&self, id: ConversationId, name: Option<&Name>) -> bool {
        self.except_conversations.iter().any(|one| match one {
            Address::Id(left_out) => *left_out == id,
            Address::Name(left_out) => Some(left_out) == name,
        })
    }

    /// Returns whether this kind is asked for.
    pub(crate) fn wants(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.text.trim().is_empty() {
            return Err(Error::invalid("query is empty; ask something"));
        }
        if self.text.len() > limits::QUERY_BYTES {
            return Err(Error::too_large(format!(
                "query has {} bytes; at most {} are read",
                self.text.len(),
                limits::QUERY_BYTES
            )));
        }
        for (name, share) in [("min_score", self.min_score), ("diversity", self.diversity)] {
            if share.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
                return Err(Error::invalid(format!("{name} is not between 0 and 1")));
            }
        }
        match self.limit {
            Some(limit) if !(1..=limits::PAGE_ROWS).contains(&limit) => {
                Err(Error::invalid(format!("limit is {limit}; use 1 to {}", limits::PAGE_ROWS)))
            }
            _ => Ok(Period::new(self.after, self.before, Precision::Minute).map(drop)?),
        }
    }

    /// Returns the period between `after` and `before`, if either is given.
    pub(crate) fn bounds(&self) -> Option<Period> {
        if self.after.is_none() && self.before.is_none() {
            return None;
        }
        Period::new(self.after, self.before, Precision::Minute).ok()
    }
}

/// The answer to a question.
#[derive(Debug, Clone, Default)]
pub struct Recollection {
    /// Entries, best first.
    pub items: Vec<EntryFound>,
    /// Conversations, best first.
    pub conversations: Vec<ConversationFound>,
    /// Facts, best first.
    pub facts: Vec<FactFound>,
    /// Chapters, best first.
    pub chapters: Vec<ChapterFound>,
    /// Summaries of conversations, best first.
    pub summaries: Vec<SummaryFound>,
    /// Current context documents, best first.
    pub contexts: Vec<ContextFound>,
    /// The time that the question asks about, as it was read.
    pub about: Option<About>,
    /// Whether nothing was said in that period; then all items are outside of it.
    pub nothing_in_period: bool,
    /// Whether the embedder did not answer; then everything was found by words and time alone.
    pub words_alone: bool,
    /// The items as text for a model.
    pub briefing: String,
    /// Where the lines of the briefing come from, in their order.
    pub origins: Vec<LineOrigin>,
}

/// What a line of a briefing tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineOrigin {
    /// The line, counted from 0.
    pub line: usize,
    /// What it was made from.
    pub from: OriginItem,
}

/// What a line of a briefing was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginItem {
    /// An entry that was found.
    Entry(EntryId),
    /// A fact that was found.
    Fact(FactId),
}

/// An entry that was found.
#[derive(Debug, Clone)]
pub struct EntryFound {
    /// The name of its memory.
    pub memory: Name,
    /// The entry.
    pub entry: Entry,
    /// Whether it was said outside the period that the question asks about.
    pub outside: bool,
    /// How well it answers; comparable inside one recollection only.
    pub score: f32,
    /// Why it was found.
    pub reasons: Vec<Reason>,
}

/// A conversation that was found.
#[derive(Debug, Clone)]
pub struct ConversationFound {
    /// The name of its memory.
    pub memory: Name,
    /// The conversation.
    pub conversation: Conversation,
    /// How well it answers; comparable inside one recollection only.
    pub score: f32,
    /// Why it was found.
    pub reasons: Vec<Reason>,
}

/// A fact that was found.
#[derive(Debug, Clone)]
pub struct FactFound {
    /// The fact.
    pub fact: FactView,
    /// How well it answers; comparable among facts of one recollection only.
    pub score: f32,
    /// Why it was found.
    pub reasons: Vec<Reason>,
}

/// A chapter that was found.
#[derive(Debug, Clone)]
pub struct ChapterFound {
    /// The chapter.
    pub chapter: Chapter,
    /// How well it answers; comparable among chapters of one recollection only.
    pub score: f32,
    /// Why it was found.
    pub reasons: Vec<Reason>,
}

/// A context document that was found.
#[derive(Debug, Clone)]
pub struct ContextFound {
    /// The name of its memory.
    pub memory: Name,
    /// The current version.
    pub document: ContextDocument,
    /// How well it answers; comparable among context documents of one recollection only.
    pub score: f32,
    /// Why it was found.
    pub reasons: Vec<Reason>,
}

/// The summary of a conversation that was found.
#[derive(Debug, Clone)]
pub struct SummaryFound {
    /// The name of its memory.
    pub memory: Name,
    /// The conversation, which has a summary.
    pub conversation: Conversation,
    /// How well it answers; comparable among summaries of one recollection only.
    pub score: f32,
    /// Why it was found.
    pub reasons: Vec<Reason>,
}

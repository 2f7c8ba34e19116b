//! Questions and recollections.

use everwhen::memory::{ConversationName, Role, VaultId};
use everwhen::recall::{
    self, About, ChapterFound, ContextFound, ConversationFound, EntryFound, FactFound, Kind,
    LineOrigin, OriginItem, PeriodUse, Query, SummaryFound,
};
use everwhen::time::phrase::{Ordinal, OrdinalOf, Side};
use everwhen::{Error, Result};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entries::{RoleName, read_names};
use super::vaults::whole;
use super::{
    Chapter, Conversation, Entry, Fact, check_bounds, read_conversation, read_time, shape,
};

/// A question to a memory.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// The question, in words.
    #[schema(value_type = shape::QuestionText)]
    query: String,
    /// The time the question is asked; "last week" is relative to it. Now if absent.
    #[schema(value_type = Option<shape::TimeIn>)]
    asked_at: Option<String>,
    /// Only entries said at this time or later.
    #[schema(value_type = Option<shape::TimeIn>)]
    after: Option<String>,
    /// Only entries said before this time.
    #[schema(value_type = Option<shape::TimeIn>)]
    before: Option<String>,
    /// State of the memory at this time.
    #[schema(value_type = Option<shape::TimeIn>)]
    as_of: Option<String>,
    /// How to use a period that the question names: `boost` (the default) ranks it first, `filter`
    /// excludes everything else, `ignore` treats its words as plain words.
    #[schema(inline)]
    period: Option<PeriodName>,
    /// Only these kinds of results; all if absent.
    #[schema(inline)]
    kinds: Option<Vec<RecallKindName>>,
    /// Only entries of these roles.
    roles: Option<Vec<RoleName>>,
    /// Only entries with one of these tags.
    #[schema(value_type = Option<Vec<shape::Name>>)]
    tags: Option<Vec<String>>,
    /// Maximum number of items and of conversations; 10 if absent.
    #[serde(default, deserialize_with = "whole")]
    #[schema(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
    /// Maximum length of the briefing in tokens; 1000 if absent.
    #[serde(default, deserialize_with = "whole")]
    #[schema(minimum = 1, maximum = 1_000_000)]
    budget_tokens: Option<u32>,
    /// Return the score breakdown of each item, and where each line of the briefing comes from.
    explain: Option<bool>,
    /// Also return this many entries that just missed the limit or `min_score`, best first.
    #[serde(default, deserialize_with = "whole")]
    #[schema(minimum = 0, maximum = 100)]
    missed: Option<u32>,
    /// Leave out entries of these conversations, by their ids or the caller's names.
    #[schema(value_type = Option<Vec<shape::ConversationRef>>)]
    except_conversations: Option<Vec<String>>,
    /// Only results that score at least this share of the best of their kind.
    #[schema(minimum = 0, maximum = 1)]
    min_score: Option<f32>,
    /// How much variety counts against score: with more, fewer results that say the same (maximal
    /// marginal relevance).
    #[schema(minimum = 0, maximum = 1)]
    diversity: Option<f32>,
}

/// How to use a period that the question names.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum PeriodName {
    Boost,
    Filter,
    Ignore,
}

/// Kinds of results.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = KindName)]
enum RecallKindName {
    Entry,
    Conversation,
    Fact,
    Chapter,
    Summary,
    Context,
}

impl From<RecallKindName> for Kind {
    fn from(name: RecallKindName) -> Self {
        match name {
            RecallKindName::Entry => Self::Entry,
            RecallKindName::Conversation => Self::Conversation,
            RecallKindName::Fact => Self::Fact,
            RecallKindName::Chapter => Self::Chapter,
            RecallKindName::Summary => Self::Summary,
            RecallKindName::Context => Self::Context,
        }
    }
}

impl From<PeriodName> for PeriodUse {
    fn from(name: PeriodName) -> Self {
        match name {
            PeriodName::Boost => Self::Boost,
            PeriodName::Filter => Self::Filter,
            PeriodName::Ignore => Self::Ignore,
        }
    }
}

impl Question {
    /// Whether the score breakdown was requested.
    pub(crate) fn explain(&self) -> bool {
        self.explain.unwrap_or_default()
    }

    /// The number of entries that just missed the limit which were requested.
    pub(crate) fn missed(&self) -> Result<usize> {
        match self.missed.unwrap_or_default() {
            missed @ 0..=100 => Ok(missed as usize),
            missed => Err(Error::invalid(format!("missed is {missed}; use 0 to 100"))),
        }
    }

    /// Converts it to the engine's type.
    pub(crate) fn read(self) -> Result<Query> {
        let after = read_time("after", self.after.as_deref())?;
        let before = read_time("before", self.before.as_deref())?;
        let (after, before) = check_bounds((after, before))?;
        Ok(Query {
            text: self.query,
            asked_at: read_time("asked_at", self.asked_at.as_deref())?,
            after,
            before,
            as_of: read_time("as_of", self.as_of.as_deref())?,
            period: self.period.map(PeriodUse::from).unwrap_or_default(),
            kinds: self.kinds.unwrap_or_default().into_iter().map(Kind::from).collect(),
            roles: self.roles.unwrap_or_default().into_iter().map(Role::from).collect(),
            tags: read_names("tags", self.tags)?,
            limit: self.limit.map(|limit| limit as usize),
            budget_tokens: self.budget_tokens.map(read_budget).transpose()?,
            except_conversations: read_conversations(self.except_conversations)?,
            min_score: self.min_score,
            diversity: self.diversity,
            ..Query::default()
        })
    }
}

fn read_conversations(texts: Option<Vec<String>>) -> Result<Vec<ConversationName>> {
    let texts = texts.unwrap_or_default();
    let read = |text: &String| read_conversation("except_conversations", Some(text));
    Ok(texts.iter().map(read).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

fn read_budget(tokens: u32) -> Result<usize> {
    if (1..=1_000_000).contains(&tokens) {
        return Ok(tokens as usize);
    }
    Err(Error::invalid(format!("budget_tokens is {tokens}; use 1 to 1000000")))
}

/// The answer of a memory to a question.
#[derive(Serialize, ToSchema)]
pub(crate) struct Recollection {
    /// Entries, best first.
    items: Vec<FoundEntry>,
    /// Conversations, best first.
    conversations: Vec<FoundConversation>,
    /// Facts, best first. A superseded fact is included only if the question names a time in which it
    /// held, or has an `as_of`.
    facts: Vec<FoundFact>,
    /// Chapters, best first.
    chapters: Vec<FoundChapter>,
    /// Summaries of conversations, best first; none with `as_of`.
    summaries: Vec<FoundSummary>,
    /// Current context documents that match, best first.
    contexts: Vec<FoundContext>,
    /// How time phrases in the question were read; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<AboutTime>,
    /// Nothing was said in that period; the results are outside of it.
    nothing_in_period: bool,
    /// The embedder failed; the results were found by words and time only.
    words_alone: bool,
    /// The items as text for a model: dated, oldest first, with a timeline.
    briefing: String,
    /// Where the lines of the briefing come from, if `explain` was set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    briefing_lines: Vec<BriefingLine>,
    /// Entries that just missed the limit, best first, if `missed` was set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    missed: Vec<FoundEntry>,
}

/// Where a line of a briefing comes from: an entry or a fact.
#[derive(Serialize, ToSchema)]
struct BriefingLine {
    /// The line, counted from 0.
    line: u64,
    /// The entry that it shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples("ent_01jh2m8z5qf3v9k7c4x0tnwr6e"))]
    entry_id: Option<String>,
    /// The fact that it shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples("fct_01jh2m8z5qf3v9k7c4x0tnwr6e"))]
    fact_id: Option<String>,
}

impl From<LineOrigin> for BriefingLine {
    fn from(origin: LineOrigin) -> Self {
        let (entry_id, fact_id) = match origin.from {
            OriginItem::Entry(id) => (Some(id.to_string()), None),
            OriginItem::Fact(id) => (None, Some(id.to_string())),
        };
        Self { line: origin.line as u64, entry_id, fact_id }
    }
}

/// An entry that was found.
#[derive(Serialize, ToSchema)]
struct FoundEntry {
    /// The name of its memory.
    #[schema(value_type = shape::Name)]
    memory: String,
    /// It was said outside the period of the question.
    outside: bool,
    /// The score; comparable only within one recollection.
    score: f32,
    /// The score breakdown, if `explain` was set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    reasons: Vec<SignalShare>,
    /// The entry.
    entry: Entry,
}

/// A conversation that was found.
#[derive(Serialize, ToSchema)]
struct FoundConversation {
    /// The name of its memory.
    #[schema(value_type = shape::Name)]
    memory: String,
    /// The score; comparable only within one recollection.
    score: f32,
    /// The score breakdown, if `explain` was set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    reasons: Vec<SignalShare>,
    /// The conversation.
    conversation: Conversation,
}

/// A fact that was found.
#[derive(Serialize, ToSchema)]
struct FoundFact {
    /// The score; comparable only among the facts of one recollection.
    score: f32,
    /// The score breakdown, if `explain` was set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    reasons: Vec<SignalShare>,
    /// The fact.
    fact: Fact,
}

/// A chapter that was found.
#[derive(Serialize, ToSchema)]
struct FoundChapter {
    /// The score; comparable only among the chapters of one recollection.
    score: f32,
    /// The score breakdown, if `explain` was set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    reasons: Vec<SignalShare>,
    /// The chapter.
    chapter: Chapter,
}

/// The summary of a conversation that was found.
#[derive(Serialize, ToSchema)]
struct FoundSummary {
    /// The name of its memory.
    #[schema(value_type = shape::Name)]
    memory: String,
    /// The score; comparable only among the summaries of one recollection.
    score: f32,
    /// The score breakdown, if `explain` was set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    reasons: Vec<SignalShare>,
    /// The conversation, with its title, its summary and who wrote them.
    conversation: Conversation,
}

/// A current context document that was found.
#[derive(Serialize, ToSchema)]
struct FoundContext {
    /// The memory it describes.
    memory: String,
    /// Its version.
    version: u64,
    /// The time up to which it is complete.
    #[schema(value_type = shape::TimeOut)]
    conversation_time: String,
    /// Its text.
    content: String,
    /// The score; comparable only among the context documents of one recollection.
    score: f32,
    /// The score breakdown, if `explain` was set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    reasons: Vec<SignalShare>,
}

/// The contribution of one signal.
#[derive(Serialize, ToSchema)]
struct SignalShare {
    /// The signal.
    #[schema(examples("words"))]
    signal: &'static str,
    /// Its lane: `words`, `meaning` or `when`; absent if it combines all.
    #[serde(skip_serializing_if = "Option::is_none")]
    lane: Option<&'static str>,
    /// Its value.
    value: f32,
    /// Its contribution to the score.
    share: f32,
}

/// A period that the question names.
#[derive(Serialize, ToSchema)]
struct AboutTime {
    /// The words it was read from.
    #[schema(examples(json!(["two weeks ago"])))]
    words: Vec<String>,
    /// Its first instant; absent if it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<shape::TimeOut>)]
    since: Option<String>,
    /// The first instant after it; absent if it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<shape::TimeOut>)]
    until: Option<String>,
    /// Which of several, counted from the first or the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<PeriodOrder>,
}

/// Some of several in chronological order: "the first time", "our last two conversations".
#[derive(Serialize, ToSchema)]
struct PeriodOrder {
    /// What is counted: `conversations`, or `matches` of the rest of the question.
    #[schema(examples("matches"))]
    of: &'static str,
    /// Counted from the `first` or the `last`.
    #[schema(examples("last"))]
    from: &'static str,
    /// The first one, counted from 1.
    first: u32,
    /// The last one.
    last: u32,
}

impl From<Ordinal> for PeriodOrder {
    fn from(order: Ordinal) -> Self {
        let of = match order.of {
            OrdinalOf::Conversations => "conversations",
            OrdinalOf::Matches => "matches",
        };
        let from = match order.from {
            Side::First => "first",
            Side::Last => "last",
        };
        Self { of, from, first: order.first, last: order.last }
    }
}

impl Recollection {
    /// Converts it from the engine's type.
    pub(crate) fn write(
        recollection: recall::Recollection,
        missed: Vec<EntryFound>,
        explain: bool,
        vault: VaultId,
    ) -> Result<Self> {
        let entries = |found: Vec<EntryFound>| {
            let found = found.into_iter().map(|found| FoundEntry::write(found, explain, vault));
            found.collect::<Result<_>>()
        };
        let origins = recollection.origins.into_iter().filter(|_| explain);
        Ok(Self {
            items: entries(recollection.items)?,
            conversations: written(recollection.conversations, explain, FoundConversation::write),
            facts: written(recollection.facts, explain, FoundFact::write),
            chapters: written(recollection.chapters, explain, FoundChapter::write),
            summaries: written(recollection.summaries, explain, FoundSummary::write),
            contexts: written(recollection.contexts, explain, FoundContext::write),
            about: recollection.about.map(AboutTime::from),
            nothing_in_period: recollection.nothing_in_period,
            words_alone: recollection.words_alone,
            briefing: recollection.briefing,
            briefing_lines: origins.map(BriefingLine::from).collect(),
            missed: entries(missed)?,
        })
    }
}

fn written<F, W>(found: Vec<F>, explain: bool, write: impl Fn(F, bool) -> W) -> Vec<W> {
    found.into_iter().map(|found| write(found, explain)).collect()
}

impl FoundEntry {
    fn write(found: EntryFound, explain: bool, vault: VaultId) -> Result<Self> {
        let reasons = reasons(found.reasons, explain);
        Ok(Self {
            memory: found.memory.to_string(),
            outside: found.outside,
            score: found.score,
            reasons,
            entry: Entry::write(found.entry, vault)?,
        })
    }
}

impl FoundContext {
    fn write(found: ContextFound, explain: bool) -> Self {
        Self {
            memory: found.memory.to_string(),
            version: found.document.version,
            conversation_time: found.document.conversation_time.to_string(),
            content: found.document.content,
            score: found.score,
            reasons: reasons(found.reasons, explain),
        }
    }
}

impl FoundConversation {
    fn write(found: ConversationFound, explain: bool) -> Self {
        let reasons = reasons(found.reasons, explain);
        Self {
            memory: found.memory.to_string(),
            score: found.score,
            reasons,
            conversation: found.conversation.into(),
        }
    }
}

impl FoundFact {
    fn write(found: FactFound, explain: bool) -> Self {
        let reasons = reasons(found.reasons, explain);
        Self { score: found.score, reasons, fact: found.fact.into() }
    }
}

impl FoundChapter {
    fn write(found: ChapterFound, explain: bool) -> Self {
        let reasons = reasons(found.reasons, explain);
        Self { score: found.score, reasons, chapter: found.chapter.into() }
    }
}

impl FoundSummary {
    fn write(found: SummaryFound, explain: bool) -> Self {
        Self {
            memory: found.memory.to_string(),
            score: found.score,
            reasons: reasons(found.reasons, explain),
            conversation: found.conversation.into(),
        }
    }
}

fn reasons(reasons: Vec<recall::Reason>, explain: bool) -> Vec<SignalShare> {
    let wanted = reasons.into_iter().filter(|_| explain);
    wanted
        .map(|reason| SignalShare {
            signal: recall::signal_name(reason.signal),
            lane: reason.signal.lane().map(recall::Lane::as_str),
            value: reason.value,
            share: reason.share,
        })
        .collect()
}

impl From<About> for AboutTime {
    fn from(about: About) -> Self {
        let end = |end: Option<jiff::Timestamp>| end.map(|end| end.to_string());
        Self {
            since: end(about.period.and_then(|period| period.since())),
            until: end(about.period.and_then(|period| period.until())),
            order: about.order.map(PeriodOrder::from),
            words: about.words,
        }
    }
}

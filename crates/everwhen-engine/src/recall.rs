//! Recall: a question in, a recollection out. Ranked items, each with its date and the reasons.
//!
//! The steps: bring the memory's index up to date → read the question → embed it → search the index →
//! read what was found, as far as it is not cached → add facts, chapters and summaries → render the
//! briefing. Several memories are searched one by one, and their scores are then made comparable. The
//! index is fed from the store in sequence order, so the answer is the same on every store.

mod about;
pub(crate) mod briefing;
mod derived;
mod erase;
mod fetch;
mod history;
mod narrow;
mod past;
mod query;
mod search;
mod select;
mod summaries;
mod superseded;
mod sweep;
mod verbs;
mod word_pairs;

use std::cell::LazyCell;
use std::sync::Arc;

use jiff::Timestamp;

pub use about::About;
pub use everwhen_search::{Lane, Reason, Signal, nearest_row, sum_rows};
pub use query::{
    ChapterFound, ContextFound, ConversationFound, EntryFound, FactFound, Kind, LineOrigin,
    OriginItem, PeriodUse, Query, Recollection, SummaryFound,
};

use self::about::AskedTime;
use self::derived::DerivedQuery;
use crate::engine::Engine;
use crate::facts::FactVector;
use crate::index::{OpenedMemory, PastMoment, SharedIndex};
use crate::memory::{ConversationId, Memory, VaultInfo};
use crate::past::PastMemory;
use crate::ports::MemoryRef;
use crate::similarity::Ruler;
use crate::time::Period;
use crate::{Result, limits};

/// Answers a question from some memories of a vault.
pub(crate) async fn recall(
    engine: &Engine,
    vault: VaultInfo,
    memories: Vec<OpenedMemory>,
    query: Query,
) -> Result<Recollection> {
    query.check()?;
    let asked_at = query.asked_at.unwrap_or_else(|| engine.now());
    let time = AskedTime::read(&query.text, asked_at, &vault.zone, query.period);
    let question = Question { vault, query, asked_at, time };
    let (prepared, answers) = question.prepare_all(engine, memories).await?;
    let found = match answers {
        Some(answers) => question.gather(&prepared, answers),
        None => question.search(&prepared),
    };
    let mut recollection = fetch::fetch(engine, &question, &prepared, found).await?;
    question.restore_past(engine, &prepared, &mut recollection).await?;
    question.add_word_pairs(&prepared, &mut recollection);
    recollection.words_alone = prepared.iter().any(|one| one.words_alone);
    question.add_derived(engine, &mut recollection, &prepared);
    let budget = question.query.budget_tokens.unwrap_or(limits::BRIEFING_TOKENS_DEFAULT);
    (recollection.briefing, recollection.origins) =
        briefing::render(&recollection, &question.vault.zone, budget);
    Ok(recollection)
}

/// Returns the name of a signal as every interface shows it. The search library speaks of groups and
/// documents; here these are conversations and entries.
pub fn signal_name(signal: Signal) -> &'static str {
    match signal {
        Signal::Group => "conversation",
        Signal::Documents => "entries",
        other => other.as_str(),
    }
}

/// A question, and the time that it asks about.
struct Question {
    vault: VaultInfo,
    query: Query,
    asked_at: Timestamp,
    time: AskedTime,
}

/// A memory whose index is up to date, with the question as its index reads it.
struct PreparedMemory {
    place: MemoryRef,
    memory: Memory,
    /// Its index; none once it was searched by itself and dropped.
    index: Option<Arc<SharedIndex>>,
    /// What was found among its facts and chapters before its index was dropped.
    derived: Option<DerivedFound>,
    /// The memory at the moment that is asked for, if one is, as long as its index is here.
    moment: Option<Arc<PastMoment>>,
    /// What was different at that moment.
    past: Option<Arc<PastMemory>>,
    /// The conversations whose entries are no answer.
    left_out: Vec<ConversationId>,
    /// The question without time phrases and names of speakers.
    rest: String,
    vector: Option<QuestionVector>,
    /// Whether the embedder did not answer.
    words_alone: bool,
}

/// What answers a question beside entries, in one memory.
#[derive(Debug, Clone, Default)]
struct DerivedFound {
    facts: Vec<FactFound>,
    chapters: Vec<ChapterFound>,
    context: Option<ContextFound>,
}

/// The vector of a question, and the name of its embedder.
#[derive(Clone)]
struct QuestionVector {
    embedder: String,
    values: Vec<f32>,
}

impl PreparedMemory {
    /// Returns the vector of the question as facts compare it.
    fn fact_vector(&self) -> Option<FactVector> {
        self.vector.as_ref().map(|vector| FactVector::new(&vector.embedder, &vector.values))
    }
}

impl Question {
    /// Adds the facts, chapters and summaries that answer.
    fn add_derived(
        &self,
        engine: &Engine,
        recollection: &mut Recollection,
        memories: &[PreparedMemory],
    ) {
        let (limit, ruler) = (self.query.pool(), LazyCell::new(|| engine.ruler()));
        let asked = DerivedQuery::new(&self.query, recollection.about.as_ref(), limit);
        for memory in memories {
            let known = memory.derived.clone();
            let found = known.unwrap_or_else(|| self.derived(&asked, memory, &ruler));
            recollection.facts.extend(found.facts);
            recollection.chapters.extend(found.chapters);
            recollection.contexts.extend(found.context);
        }
        self.fade(engine, &mut recollection.facts);
        if !history::is_asked_for(&self.query.text) {
            let is_about_the_past = self.is_about_the_past(recollection);
            superseded::demote(&mut recollection.facts, is_about_the_past);
        }
        recollection.summaries = summaries::find(&asked, recollection);
        self.sort_and_truncate(recollection);
        self.count_retrieved(engine, &recollection.facts);
    }

    /// Returns the facts, the chapters and the context document of a memory that answer.
    fn derived(
        &self,
        asked: &DerivedQuery<'_>,
        memory: &PreparedMemory,
        ruler: &LazyCell<Ruler, impl FnOnce() -> Ruler>,
    ) -> DerivedFound {
        let Some(index) = memory.index.as_ref().filter(|_| self.wants_distilled()) else {
            return DerivedFound::default();
        };
        let (distilled, zone, past) =
            (index.distilled(), &self.vault.zone, memory.moment.as_deref());
        if distilled.is_empty() && past.is_none() {
            return DerivedFound::default();
        }
        let vector = memory.fact_vector();
        DerivedFound {
            facts: distilled.facts(asked, vector.as_ref(), past, ruler, zone),
            chapters: distilled.chapters(asked, past),
            context: distilled.context(asked, &memory.memory.name, past),
        }
    }

    /// Returns whether the facts and chapters of an index are not those of its memory any more.
    fn is_outdated(&self, index: &SharedIndex, memory: &Memory) -> bool {
        index.distilled().is_outdated(memory, &self.vault.zone)
    }

    fn sort_and_truncate(&self, recollection: &mut Recollection) {
        let query = &self.query;
        recollection.items.retain(|one| {
            !query.leaves_out(one.entry.conversation, one.entry.conversation_name.as_ref())
        });
        recollection
            .conversations
            .retain(|one| !query.leaves_out(one.conversation.id, one.conversation.name.as_ref()));
        recollection.facts.sort_by(|a, b| b.score.total_cmp(&a.score));
        recollection.chapters.sort_by(|a, b| b.score.total_cmp(&a.score));
        select::select(&self.query, recollection);
        // What its owner has pinned is included whatever the question is.
        recollection.facts.sort_by_key(|one| one.fact.fact.pinned_at.is_none());
        let limit = |kind: Kind| if self.query.wants(kind) { self.query.limit() } else { 0 };
        recollection.items.truncate(limit(Kind::Entry));
        recollection.facts.truncate(limit(Kind::Fact));
        recollection.chapters.truncate(limit(Kind::Chapter));
        recollection.summaries.truncate(limit(Kind::Summary));
        recollection.contexts.sort_by(|a, b| b.score.total_cmp(&a.score));
        recollection.contexts.truncate(limit(Kind::Context));
        recollection.conversations.truncate(limit(Kind::Conversation));
    }

    /// Demotes facts that were not asked for in a long time, if that is configured. Not as of an
    /// earlier time, because later questions would change that answer.
    fn fade(&self, engine: &Engine, facts: &mut [FactFound]) {
        let Some(fading) = engine.fading().filter(|_| self.query.as_of.is_none()) else { return };
        for found in facts {
            let left = fading.left(&found.fact, self.asked_at);
            found.score *= left;
            found.reasons.iter_mut().for_each(|reason| reason.share *= left);
        }
    }

    /// Counts how often facts are answered.
    fn count_retrieved(&self, engine: &Engine, facts: &[FactFound]) {
        let place = |found: &FactFound| {
            let memory = found.fact.fact.memory;
            (MemoryRef { vault: self.vault.id, memory }, found.fact.fact.id)
        };
        engine.note_retrieved(facts.iter().map(place));
    }

    /// Returns whether the question is about a time that is over, or as of an earlier one.
    fn is_about_the_past(&self, recollection: &Recollection) -> bool {
        let named = recollection.about.as_ref().and_then(|about| about.period);
        let is_over = |period: Period| period.until().is_some_and(|until| until <= self.asked_at);
        self.query.as_of.is_some() || named.or(self.query.bounds()).is_some_and(is_over)
    }

    fn wants_distilled(&self) -> bool {
        [Kind::Fact, Kind::Chapter, Kind::Context].into_iter().any(|kind| self.query.wants(kind))
    }

    /// Brings the index of a memory up to date and embeds the question for it. Memories that read the
    /// question in the same way share its vector, in `embedded`.
    async fn prepare(
        &self,
        engine: &Engine,
        opened: OpenedMemory,
        embedded: &mut Vec<(String, QuestionVector)>,
    ) -> Result<PreparedMemory> {
        let (place, memory) = (opened.place, opened.memory.clone());
        let index = engine.index_cache.up_to_date(engine.index_source(), opened).await?;
        let moment = self.past_moment(engine, place, &index, &memory).await?;
        let text = &self.query.text;
        let rest = self.time.rest(text);
        let rest = index.read().search.without_speakers_as_of(&rest, self.as_of());
        let vector =
            embed(engine, &index, if rest.is_empty() { text } else { &rest }, embedded).await;
        let words_alone = vector.is_err();
        let vector = vector.ok().flatten();
        let past = moment.as_ref().map(|moment| Arc::clone(&moment.past));
        let left_out = self.left_out(engine, place).await?;
        let (index, derived) = (Some(index), None);
        Ok(PreparedMemory {
            place,
            memory,
            index,
            derived,
            moment,
            past,
            left_out,
            rest,
            vector,
            words_alone,
        })
    }
}

/// Embeds the question with the embedder whose vectors the index searches.
async fn embed(
    engine: &Engine,
    index: &SharedIndex,
    text: &str,
    embedded: &mut Vec<(String, QuestionVector)>,
) -> Result<Option<QuestionVector>> {
    let active = engine.embedders.active(&index.read().search);
    let Some(embedder) = active else { return Ok(None) };
    let is_same =
        |one: &&(String, QuestionVector)| one.0 == text && one.1.embedder == embedder.name();
    if let Some((_, known)) = embedded.iter().find(is_same) {
        return Ok(Some(known.clone()));
    }
    let values = embedder.embed_question(text).await?;
    let vector = QuestionVector { embedder: embedder.name().to_owned(), values };
    embedded.push((text.to_owned(), vector.clone()));
    Ok(Some(vector))
}

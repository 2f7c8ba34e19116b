//! Recall: a question in, a recollection out. Ranked items, each with its date and the reasons.
//!
//! Walk: bring the memory's index up to date → plan the question (pure) → embed it → rank (pure)
//! → fetch what was found, as far as it is not at hand. Over several memories each is ranked by
//! itself and then joined on one footing. The index is a pure data structure of this crate, fed from
//! the store in sequence order, so the answer is the same on every store.

mod about;
pub(crate) mod briefing;
mod derived;
mod embedders;
mod erase;
mod fetch;
mod fuse;
mod index;
mod lanes;
mod merge;
mod plan;
mod query;
mod rank;
mod scope;
mod shelf;
mod signal;
mod succession;
mod summaries;
mod text;
mod weights;

use std::cell::LazyCell;
use std::sync::Arc;

use jiff::Timestamp;

pub use about::About;
pub(crate) use embedders::Embedders;
pub use index::nearest_row;
pub use query::{
    ChapterFound, ConversationFound, EntryFound, FactFound, Kind, PeriodUse, Query, Recollection,
    SummaryFound,
};
pub(crate) use shelf::{Need, Opened, Shelf};
pub use signal::{Lane, Reason, Signal};

use self::about::Target;
use self::derived::Asking;
use self::index::Index;
use self::merge::{Rarities, join};
use self::rank::{Best, Question, Ranked, rank};
use self::scope::Narrow;
use self::shelf::Shared;
use crate::engine::Engine;
use crate::facts::FactVector;
use crate::memory::{ConversationId, Entry, EntryId, Memory, VaultInfo};
use crate::ports::MemoryRef;
use crate::time::Period;
use crate::{Result, limits};

/// Answers a question from some memories of a vault.
pub(crate) async fn recall(
    engine: &Engine,
    vault: VaultInfo,
    memories: Vec<Opened>,
    query: Query,
) -> Result<Recollection> {
    query.check()?;
    let asked_at = query.asked_at.unwrap_or_else(|| engine.now());
    let target = Target::read(&query.text, asked_at, &vault.zone, query.period);
    let survey = Survey { vault, query, asked_at, target };
    let (mut prepared, mut embedded) = (Vec::with_capacity(memories.len()), Vec::new());
    for opened in memories {
        prepared.push(survey.prepare(engine, opened, &mut embedded).await?);
    }
    let found = survey.look(&prepared);
    let mut told = fetch::fetch(engine, &survey, &prepared, found).await?;
    told.words_alone = prepared.iter().any(|one| one.words_alone);
    survey.derive(engine, &mut told, &prepared);
    let budget = survey.query.budget_tokens.unwrap_or(limits::BRIEFING_TOKENS_DEFAULT);
    told.briefing = briefing::render(&told, &survey.vault.zone, budget);
    Ok(told)
}

/// A question, and what it was read to mean.
struct Survey {
    vault: VaultInfo,
    query: Query,
    asked_at: Timestamp,
    target: Target,
}

/// A memory, ready to be looked into.
struct Prepared {
    place: MemoryRef,
    memory: Memory,
    shared: Arc<Shared>,
    /// The question apart from when and who.
    rest: String,
    /// The question's vector.
    meant: Option<Meant>,
    words_alone: bool,
}

/// A question's vector, and whose it is.
#[derive(Clone)]
struct Meant {
    embedder: String,
    vector: Vec<f32>,
}

/// What ranking found.
struct Found<'m> {
    conversations: Vec<Hit<'m, ConversationId>>,
    /// Each with its row, if that was at hand.
    entries: Vec<(Hit<'m, EntryId>, Option<Entry>)>,
    nothing_in_period: bool,
}

/// One thing found, and where.
struct Hit<'m, Id> {
    id: Id,
    memory: &'m Prepared,
    ranked: Ranked,
}

impl Prepared {
    /// The question's vector as facts compare it.
    fn fact_vector(&self) -> Option<FactVector> {
        self.meant.as_ref().map(|meant| FactVector::new(&meant.embedder, &meant.vector))
    }
}

impl Survey {
    /// Adds the facts and chapters of the memories that answer.
    fn derive(&self, engine: &Engine, told: &mut Recollection, memories: &[Prepared]) {
        let (limit, ruler) = (self.query.limit(), LazyCell::new(|| engine.ruler()));
        let asking = Asking::new(&self.query, told.about.as_ref(), limit);
        for memory in memories.iter().filter(|_| self.wants_distilled()) {
            let (distilled, zone) = (memory.shared.distilled(), &self.vault.zone);
            if !distilled.is_empty() {
                let vector = memory.fact_vector();
                told.facts.extend(distilled.facts(&asking, vector.as_ref(), &ruler, zone));
                told.chapters.extend(distilled.chapters(&asking));
            }
        }
        self.fade(engine, &mut told.facts);
        let past_is_meant = self.means_the_past(told);
        succession::settle(&mut told.facts, past_is_meant);
        told.summaries = summaries::find(&asking, told);
        told.facts.sort_by(|a, b| b.score.total_cmp(&a.score));
        told.chapters.sort_by(|a, b| b.score.total_cmp(&a.score));
        let limit = |kind: Kind| if self.query.wants(kind) { limit } else { 0 };
        told.facts.truncate(limit(Kind::Fact));
        told.chapters.truncate(limit(Kind::Chapter));
        told.summaries.truncate(limit(Kind::Summary));
        told.conversations.truncate(limit(Kind::Conversation));
        self.count(engine, &told.facts);
    }

    /// Demotes facts that nobody has asked for in a long time, where that is wanted. What was
    /// asked for since then would change an answer as of an earlier time, so there nothing fades.
    fn fade(&self, engine: &Engine, facts: &mut [FactFound]) {
        let Some(fading) = engine.fading().filter(|_| self.query.as_of.is_none()) else { return };
        for found in facts {
            let left = fading.left(&found.fact, self.asked_at);
            found.score *= left;
            found.reasons.iter_mut().for_each(|reason| reason.share *= left);
        }
    }

    /// Counts the facts that are answered.
    fn count(&self, engine: &Engine, facts: &[FactFound]) {
        let place = |found: &FactFound| {
            let memory = found.fact.fact.memory;
            (MemoryRef { vault: self.vault.id, memory }, found.fact.fact.id)
        };
        engine.note_retrieved(facts.iter().map(place));
    }

    /// Whether the question is about a time that is over, or as of an earlier one.
    fn means_the_past(&self, told: &Recollection) -> bool {
        let named = told.about.as_ref().and_then(|about| about.period);
        let over = |period: Period| period.until().is_some_and(|until| until <= self.asked_at);
        self.query.as_of.is_some() || named.or(self.query.bounds()).is_some_and(over)
    }

    fn wants_distilled(&self) -> bool {
        self.query.wants(Kind::Fact) || self.query.wants(Kind::Chapter)
    }

    /// Memories that read the question alike share its vector, in `embedded`.
    async fn prepare(
        &self,
        engine: &Engine,
        opened: Opened,
        embedded: &mut Vec<(String, Meant)>,
    ) -> Result<Prepared> {
        let (place, memory) = (opened.place, opened.memory.clone());
        let shared = engine.shelf.caught_up(engine, opened).await?;
        let rest = plan::rest(&shared.read(), &self.query.text, &self.target);
        let meant = embed(engine, &shared, plan::meant(&rest, &self.query.text), embedded).await;
        let words_alone = meant.is_err();
        Ok(Prepared { place, memory, shared, rest, meant: meant.ok().flatten(), words_alone })
    }

    /// Ranks every memory, and puts what was found into one order.
    fn look<'m>(&self, memories: &'m [Prepared]) -> Found<'m> {
        let held: Vec<_> = memories.iter().map(|one| one.shared.read()).collect();
        let several = (held.len() > 1)
            .then(|| Rarities::of(held.iter().map(|index| &**index), &self.query.text));
        let mut looked: Vec<Looked<'m, '_>> = (memories.iter().zip(&held))
            .map(|(memory, index)| self.look_into(memory, index, several.as_ref()))
            .collect();
        let nothing_in_period = looked.iter().all(|one| one.nothing);
        if !nothing_in_period && self.query.period == PeriodUse::Filter {
            looked.retain(|one| !one.nothing);
        }
        if several.is_some() {
            join(&mut looked.iter_mut().map(|one| &mut one.conversations).collect::<Vec<_>>());
            join(&mut looked.iter_mut().map(|one| &mut one.entries).collect::<Vec<_>>());
        }
        self.gather(looked, nothing_in_period)
    }

    /// Plans and ranks in one memory, while its index is held.
    fn look_into<'m, 'i>(
        &self,
        memory: &'m Prepared,
        index: &'i Index,
        several: Option<&Rarities>,
    ) -> Looked<'m, 'i> {
        // Another embedder may have taken over meanwhile; then this question goes by words.
        let meant = memory.meant.as_ref().filter(|meant| meant.embedder == index.served_by());
        let aim = self.target.aim(index, self.narrow(index), self.query.period);
        let scale = |token: &str| several.map_or(1.0, |all| all.scale(index, token));
        let except = self.query.except.len().min(limits::PAGE_ROWS);
        let question = Question {
            terms: plan::terms(index, &memory.rest, scale),
            speakers: plan::speakers(index, &self.query.text),
            vector: meant.map(|meant| meant.vector.clone()),
            asked_at: self.asked_at,
            period: aim.period,
            first: aim.period.filter(|_| !aim.nothing),
            chosen: aim.chosen,
            order: self.target.matches(),
            narrow: aim.narrow,
            limit: self.query.limit() + except,
            leading: self.query.limit().min(limits::RECALL_ITEMS_DEFAULT) + except,
        };
        let ranking = rank(index, &question);
        let (conversations, entries) = (ranking.conversations, ranking.entries);
        Looked { memory, index, conversations, entries, nothing: aim.nothing }
    }

    fn narrow(&self, index: &Index) -> Narrow {
        let tags = &self.query.tags;
        Narrow {
            as_of: self.query.as_of,
            period: self.query.bounds(),
            roles: self.query.roles.clone(),
            only: (!tags.is_empty()).then(|| index.tagged(tags).into()),
            ..Narrow::default()
        }
    }

    /// The best of all memories, best first.
    fn gather<'m>(&self, looked: Vec<Looked<'m, '_>>, nothing_in_period: bool) -> Found<'m> {
        let (mut talks, mut said) = (Vec::new(), Vec::new());
        for Looked { memory, index, conversations, entries, .. } in looked {
            talks.extend(conversations.ranked.into_iter().map(|one| (memory, index, one)));
            said.extend(entries.ranked.into_iter().map(|one| (memory, index, one)));
        }
        let id = |index: &Index, one: &Ranked| index.facts[one.number as usize].id;
        said.retain(|(_, index, one)| !self.query.except.contains(&id(index, one)));
        let limit = |kind: Kind| if self.query.wants(kind) { self.query.limit() } else { 0 };
        keep_best(&mut talks, limit(Kind::Conversation).max(limit(Kind::Summary)));
        keep_best(&mut said, limit(Kind::Entry));
        said.iter().for_each(|(_, index, one)| index.expect_row(one.number));
        let talks = talks.into_iter().map(|(memory, index, ranked)| {
            let id = index.conversations[ranked.number as usize];
            Hit { id, memory, ranked }
        });
        let said = said.into_iter().map(|(memory, index, ranked)| {
            let row = index.at_hand(memory.place.memory, ranked.number);
            (Hit { id: id(index, &ranked), memory, ranked }, row)
        });
        Found { conversations: talks.collect(), entries: said.collect(), nothing_in_period }
    }
}

/// Puts what several memories found into one order, and leaves so many.
fn keep_best<A, B>(found: &mut Vec<(A, B, Ranked)>, limit: usize) {
    found.sort_by(|(.., a), (.., b)| b.score.total_cmp(&a.score));
    found.truncate(limit);
}

/// What was found in one memory.
struct Looked<'m, 'i> {
    memory: &'m Prepared,
    index: &'i Index,
    conversations: Best,
    entries: Best,
    nothing: bool,
}

/// Embeds the question with the embedder whose vectors the index has.
async fn embed(
    engine: &Engine,
    index: &Shared,
    text: &str,
    embedded: &mut Vec<(String, Meant)>,
) -> Result<Option<Meant>> {
    let serving = engine.embedders.serving(&index.read());
    let Some(embedder) = serving else { return Ok(None) };
    let same = |one: &&(String, Meant)| one.0 == text && one.1.embedder == embedder.name();
    if let Some((_, known)) = embedded.iter().find(same) {
        return Ok(Some(known.clone()));
    }
    let vector = embedder.embed_question(text).await?;
    let meant = Meant { embedder: embedder.name().to_owned(), vector };
    embedded.push((text.to_owned(), meant.clone()));
    Ok(Some(meant))
}

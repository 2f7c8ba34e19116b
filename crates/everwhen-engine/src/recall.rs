//! Recall: a question in, a recollection out. Ranked items, each with its date and the reasons.
//!
//! Walk: bring the memory's index up to date → plan the question (pure) → embed it → rank (pure)
//! → fetch what was found. The index is a pure data structure of this crate, fed from the store in
//! sequence order, so the answer is the same on every store.

mod about;
mod briefing;
mod derived;
mod embedders;
mod erase;
mod fuse;
mod index;
mod lanes;
mod plan;
mod query;
mod rank;
mod scope;
mod shelf;
mod signal;
mod text;
mod weights;

use jiff::Timestamp;

pub use about::About;
pub(crate) use embedders::Embedders;
pub use index::nearest_row;
pub use query::{
    ChapterFound, ConversationFound, EntryFound, FactFound, PeriodUse, Query, Recollection,
};
pub(crate) use shelf::Shelf;
pub use signal::{Lane, Reason, Signal};

use self::about::Target;
use self::derived::Asking;
use self::rank::{Question, Ranked, Ranking, rank};
use self::scope::Narrow;
use self::shelf::Shared;
use crate::engine::Engine;
use crate::facts::FactVector;
use crate::memory::{ConversationId, EntryId, VaultInfo};
use crate::ports::{MemoryRef, Snapshot};
use crate::{Result, limits};

/// Answers a question from one memory.
pub(crate) async fn recall(
    engine: &Engine,
    vault: VaultInfo,
    place: MemoryRef,
    query: Query,
) -> Result<Recollection> {
    query.check()?;
    let index = engine.shelf.caught_up(engine, place).await?;
    let asked_at = query.asked_at.unwrap_or_else(|| engine.now());
    let text = plan::meant(&index.read(), &query, asked_at, &vault.zone);
    let meant = embed(engine, &index, &text).await;
    let words_alone = meant.is_err();
    let vector = meant.as_ref().ok().and_then(Option::as_ref);
    let vector = vector.map(|meant| FactVector::new(&meant.embedder, &meant.vector));
    let found = look(&index, &vault, asked_at, &query, meant.ok().flatten());
    let mut told = engine.store.look(move |snapshot| fetch(snapshot, place, &found)).await?;
    told.words_alone = words_alone;
    let limit = query.limit.unwrap_or(limits::RECALL_ITEMS_DEFAULT);
    let asking = Asking::new(&query, &told, vector, limit);
    let (ruler, owner) = (engine.ruler(), vault.clone());
    let find = move |rows: &dyn Snapshot| derived::find(rows, &owner, place, &asking, &ruler);
    (told.facts, told.chapters) = engine.store.look(find).await?;
    let budget = query.budget_tokens.unwrap_or(limits::BRIEFING_TOKENS_DEFAULT);
    told.briefing = briefing::render(&told, &vault.zone, budget);
    Ok(told)
}

/// A question's vector, and whose it is.
struct Meant {
    embedder: String,
    vector: Vec<f32>,
}

/// Embeds the question with the embedder whose vectors the index has.
async fn embed(engine: &Engine, index: &Shared, text: &str) -> Result<Option<Meant>> {
    let serving = engine.embedders.serving(&index.read());
    let Some(embedder) = serving else { return Ok(None) };
    let vector = embedder.embed_question(text).await?;
    Ok(Some(Meant { embedder: embedder.name().to_owned(), vector }))
}

/// What ranking found, by id.
struct Found {
    conversations: Vec<(ConversationId, Ranked)>,
    entries: Vec<(EntryId, Ranked)>,
    about: Option<About>,
    nothing_in_period: bool,
}

/// Plans and ranks, while the index is held.
fn look(
    shared: &Shared,
    vault: &VaultInfo,
    asked_at: Timestamp,
    query: &Query,
    meant: Option<Meant>,
) -> Found {
    let index = shared.read();
    // Another embedder may have taken over meanwhile; then this question goes by words.
    let meant = meant.filter(|meant| meant.embedder == index.served_by());
    let base = Narrow { as_of: query.as_of, period: query.bounds(), ..Narrow::default() };
    let target = Target::read(&query.text, asked_at, &vault.zone, query.period);
    let aim = target.aim(&index, base, query.period);
    let question = Question {
        terms: plan::terms(&index, &plan::without_names(&index, &target.rest(&query.text))),
        speakers: plan::speakers(&index, &query.text),
        vector: meant.map(|meant| meant.vector),
        asked_at,
        period: aim.period,
        chosen: aim.chosen,
        narrow: aim.narrow,
        limit: query.limit() + query.except.len().min(limits::PAGE_ROWS),
    };
    let Ranking { conversations, entries } = rank(&index, &question);
    let conversation = |one: &Ranked| index.conversations[one.number as usize];
    let entry = |one: &Ranked| index.facts[one.number as usize].id;
    Found {
        conversations: conversations.into_iter().map(|one| (conversation(&one), one)).collect(),
        entries: entries
            .into_iter()
            .map(|one| (entry(&one), one))
            .filter(|(id, _)| !query.except.contains(id))
            .take(query.limit())
            .collect(),
        about: target.about(),
        nothing_in_period: aim.nothing,
    }
}

/// Reads what was found. What was forgotten meanwhile is left out.
fn fetch(snapshot: &dyn Snapshot, place: MemoryRef, found: &Found) -> Result<Recollection> {
    let mut recollection = Recollection {
        about: found.about.clone(),
        nothing_in_period: found.nothing_in_period,
        ..Recollection::default()
    };
    let ids: Vec<EntryId> = found.entries.iter().map(|(id, _)| *id).collect();
    for (entry, (_, ranked)) in snapshot.each_entry(place, &ids)?.into_iter().zip(&found.entries) {
        let (score, reasons) = (ranked.score, ranked.reasons.clone());
        let found = entry.map(|entry| EntryFound { entry, score, reasons });
        recollection.items.extend(found);
    }
    let ids: Vec<ConversationId> = found.conversations.iter().map(|(id, _)| *id).collect();
    let read = snapshot.each_conversation(place, &ids)?;
    for (conversation, (_, ranked)) in read.into_iter().zip(&found.conversations) {
        let (score, reasons) = (ranked.score, ranked.reasons.clone());
        let found =
            conversation.map(|conversation| ConversationFound { conversation, score, reasons });
        recollection.conversations.extend(found);
    }
    Ok(recollection)
}

//! Reads what the search found, in one visit to the store, as far as it is not cached.

use std::sync::Arc;

use super::search::{MemoryHit, SearchResults};
use super::{ConversationFound, EntryFound, PreparedMemory, Question, Recollection};
use crate::Result;
use crate::engine::Engine;
use crate::memory::{Conversation, ConversationId, Entry, EntryId};
use crate::ports::{EachOf, MemoryRef, Snapshot};

/// Turns what was found into a recollection. Facts and chapters that changed are read in the same visit.
pub(super) async fn fetch(
    engine: &Engine,
    question: &Question,
    memories: &[PreparedMemory],
    found: SearchResults<'_>,
) -> Result<Recollection> {
    let zone = question.vault.zone.clone();
    let outdated = memories.iter().filter(|_| question.wants_distilled()).filter_map(|one| {
        one.index.as_ref().filter(|index| question.is_outdated(index, &one.memory))
    });
    let outdated: Vec<_> = outdated.map(Arc::clone).collect();
    let missing = memories.iter().map(|one| MissingRows::new(&found, one.place));
    let missing: Vec<MissingRows> = missing.filter(|one| !one.is_empty()).collect();
    let rows = if outdated.is_empty() && missing.is_empty() {
        Vec::new()
    } else if outdated.is_empty() {
        engine.store.peek(move |snapshot| read(snapshot, &missing)).await?
    } else {
        let read = move |snapshot: &dyn Snapshot| {
            for index in &outdated {
                index.follow(snapshot, &zone)?;
            }
            read(snapshot, &missing)
        };
        engine.store.look(read).await?
    };
    cache(&found, memories, &rows);
    engine.index_cache.evict();
    let mut recollection = assemble(found, rows);
    question.add_about(&mut recollection);
    Ok(recollection)
}

impl Question {
    /// Adds how the time was read, and marks what is outside of it.
    fn add_about(&self, recollection: &mut Recollection) {
        recollection.about = self.time.about();
        if let Some(period) = recollection.about.as_ref().and_then(|about| about.period) {
            for item in &mut recollection.items {
                item.outside = !item.entry.may_be_within(&period);
            }
        }
    }
}

/// What was found in one memory and has to be read, in the order it was found.
struct MissingRows {
    place: MemoryRef,
    entries: Vec<EntryId>,
    conversations: Vec<ConversationId>,
}

impl MissingRows {
    fn new(found: &SearchResults<'_>, place: MemoryRef) -> Self {
        let conversations = found.conversations.iter().filter(|one| one.memory.place == place);
        Self {
            place,
            entries: missing_entries(found, place).map(|one| one.id).collect(),
            conversations: conversations.map(|one| one.id).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.conversations.is_empty()
    }
}

/// Iterates over the entries of a memory that are not cached.
fn missing_entries<'f>(
    found: &'f SearchResults<'_>,
    place: MemoryRef,
) -> impl Iterator<Item = &'f MemoryHit<'f, EntryId>> {
    let here = found.entries.iter().filter(move |(one, _)| one.memory.place == place);
    here.filter(|(_, cached)| cached.is_none()).map(|(one, _)| one)
}

/// The rows of one memory, in the order of its [`MissingRows`].
type MemoryRows = (MemoryRef, EachOf);

fn read(snapshot: &dyn Snapshot, missing: &[MissingRows]) -> Result<Vec<MemoryRows>> {
    let rows = |one: &MissingRows| snapshot.each_of(one.place, &one.entries, &one.conversations);
    missing.iter().map(|one| Ok((one.place, rows(one)?))).collect()
}

/// Caches the entries that were read, for the next question.
fn cache(found: &SearchResults<'_>, memories: &[PreparedMemory], rows: &[MemoryRows]) {
    for (place, (entries, _)) in rows.iter().filter(|(_, (entries, _))| !entries.is_empty()) {
        let memory = memories.iter().find(|one| one.place == *place);
        if let Some(index) = memory.and_then(|memory| memory.index.as_ref()) {
            let numbers = missing_entries(found, *place).map(|one| one.hit.number);
            index.cache_entries(numbers.zip(entries));
        }
    }
}

/// Joins hits with their rows. What was forgotten before it was read is left out.
fn assemble(found: SearchResults<'_>, rows: Vec<MemoryRows>) -> Recollection {
    let (mut entries, mut conversations) = (Vec::new(), Vec::new());
    for (place, (entry_rows, conversation_rows)) in rows {
        entries.push((place, entry_rows.into_iter()));
        conversations.push((place, conversation_rows.into_iter()));
    }
    let nothing_in_period = found.nothing_in_period;
    let mut recollection = Recollection { nothing_in_period, ..Recollection::default() };
    for (MemoryHit { memory, hit, .. }, cached) in found.entries {
        let entry: Option<Entry> = cached.or_else(|| next_row(&mut entries, memory.place));
        recollection.items.extend(entry.map(|entry| EntryFound {
            memory: memory.memory.name.clone(),
            entry,
            outside: false,
            score: hit.score,
            reasons: hit.reasons,
        }));
    }
    for MemoryHit { id, memory, hit } in found.conversations {
        let mut row: Option<Conversation> = next_row(&mut conversations, memory.place);
        if let Some(row) = row.as_mut().filter(|_| memory.past.is_some()) {
            // It may have become part of another since.
            row.id = id;
        }
        recollection.conversations.extend(row.map(|conversation| ConversationFound {
            memory: memory.memory.name.clone(),
            conversation,
            score: hit.score,
            reasons: hit.reasons,
        }));
    }
    recollection
}

/// Returns the next row of a memory.
fn next_row<T>(
    rows: &mut [(MemoryRef, impl Iterator<Item = Option<T>>)],
    place: MemoryRef,
) -> Option<T> {
    rows.iter_mut().find(|(own, _)| *own == place)?.1.next()?
}

//! Reads what ranking found, in one visit to the store, as far as it was not at hand.

use std::sync::Arc;

use super::{ConversationFound, EntryFound, Found, Hit, Prepared, Recollection, Survey};
use crate::Result;
use crate::engine::Engine;
use crate::memory::{Conversation, ConversationId, Entry, EntryId};
use crate::ports::{EachOf, MemoryRef, Snapshot};

/// What was found, as it is told. Facts and chapters that changed are read along the way.
pub(super) async fn fetch(
    engine: &Engine,
    survey: &Survey,
    memories: &[Prepared],
    found: Found<'_>,
) -> Result<Recollection> {
    let zone = survey.vault.zone.clone();
    let is_outdated = |one: &&Prepared| one.shared.distilled().is_outdated(&one.memory, &zone);
    let outdated = memories.iter().filter(|_| survey.wants_distilled()).filter(is_outdated);
    let outdated: Vec<_> = outdated.map(|one| Arc::clone(&one.shared)).collect();
    let wanted = memories.iter().map(|one| Wanted::of(&found, one.place));
    let wanted: Vec<Wanted> = wanted.filter(|one| !one.is_empty()).collect();
    let rows = if outdated.is_empty() && wanted.is_empty() {
        Vec::new()
    } else if outdated.is_empty() {
        engine.store.peek(move |snapshot| read(snapshot, &wanted)).await?
    } else {
        let read = move |snapshot: &dyn Snapshot| {
            for shared in &outdated {
                shared.follow(snapshot, &zone)?;
            }
            read(snapshot, &wanted)
        };
        engine.store.look(read).await?
    };
    keep(&found, memories, &rows);
    let mut told = tell(found, rows);
    survey.say_when(&mut told);
    Ok(told)
}

impl Survey {
    /// Says how time was read, and what lies outside.
    fn say_when(&self, told: &mut Recollection) {
        told.about = self.target.about();
        if let Some(period) = told.about.as_ref().and_then(|about| about.period) {
            for item in &mut told.items {
                item.outside = !period.contains(item.entry.conversation_time);
            }
        }
    }
}

/// What was found in one memory and is to be read, in the order it was found.
struct Wanted {
    place: MemoryRef,
    entries: Vec<EntryId>,
    conversations: Vec<ConversationId>,
}

impl Wanted {
    fn of(found: &Found<'_>, place: MemoryRef) -> Self {
        let conversations = found.conversations.iter().filter(|hit| hit.memory.place == place);
        Self {
            place,
            entries: absent(found, place).map(|hit| hit.id).collect(),
            conversations: conversations.map(|hit| hit.id).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.conversations.is_empty()
    }
}

/// The entries of a memory that were not at hand.
fn absent<'f>(
    found: &'f Found<'_>,
    place: MemoryRef,
) -> impl Iterator<Item = &'f Hit<'f, EntryId>> {
    let here = found.entries.iter().filter(move |(hit, _)| hit.memory.place == place);
    here.filter(|(_, row)| row.is_none()).map(|(hit, _)| hit)
}

/// The rows of one memory, each where it was wanted.
type Rows = (MemoryRef, EachOf);

fn read(snapshot: &dyn Snapshot, wanted: &[Wanted]) -> Result<Vec<Rows>> {
    let rows = |one: &Wanted| snapshot.each_of(one.place, &one.entries, &one.conversations);
    wanted.iter().map(|one| Ok((one.place, rows(one)?))).collect()
}

/// Keeps the entries that were read at hand for the next question.
fn keep(found: &Found<'_>, memories: &[Prepared], rows: &[Rows]) {
    for (place, (said, _)) in rows.iter().filter(|(_, (said, _))| !said.is_empty()) {
        if let Some(memory) = memories.iter().find(|one| one.place == *place) {
            let numbers = absent(found, *place).map(|hit| hit.ranked.number);
            memory.shared.keep_rows(numbers.zip(said));
        }
    }
}

/// Puts rows to what was found. What was forgotten before it was read is left out.
fn tell(found: Found<'_>, rows: Vec<Rows>) -> Recollection {
    let (mut entries, mut conversations) = (Vec::new(), Vec::new());
    for (place, (said, talks)) in rows {
        entries.push((place, said.into_iter()));
        conversations.push((place, talks.into_iter()));
    }
    let mut told =
        Recollection { nothing_in_period: found.nothing_in_period, ..Recollection::default() };
    for (Hit { memory, ranked, .. }, row) in found.entries {
        let row: Option<Entry> = row.or_else(|| next_of(&mut entries, memory.place));
        told.items.extend(row.map(|entry| EntryFound {
            memory: memory.memory.name.clone(),
            entry,
            outside: false,
            score: ranked.score,
            reasons: ranked.reasons,
        }));
    }
    for Hit { memory, ranked, .. } in found.conversations {
        let row: Option<Conversation> = next_of(&mut conversations, memory.place);
        told.conversations.extend(row.map(|conversation| ConversationFound {
            memory: memory.memory.name.clone(),
            conversation,
            score: ranked.score,
            reasons: ranked.reasons,
        }));
    }
    told
}

/// The next row of a memory.
fn next_of<T>(
    rows: &mut [(MemoryRef, impl Iterator<Item = Option<T>>)],
    place: MemoryRef,
) -> Option<T> {
    rows.iter_mut().find(|(home, _)| *home == place)?.1.next()?
}

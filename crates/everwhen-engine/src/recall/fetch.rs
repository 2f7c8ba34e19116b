//! Reads what ranking found, in one visit to the store.

use std::collections::HashMap;
use std::sync::Arc;

use super::rank::Ranked;
use super::{ConversationFound, EntryFound, Found, Prepared, Recollection, Survey};
use crate::Result;
use crate::engine::Engine;
use crate::memory::{Conversation, ConversationId, Entry, EntryId};
use crate::ports::{MemoryRef, Snapshot};

/// What was found, as it is told. Facts and chapters that changed are read along the way.
pub(super) async fn fetch(
    engine: &Engine,
    survey: &Survey,
    memories: &[Prepared],
    found: Found,
) -> Result<Recollection> {
    let zone = survey.vault.zone.clone();
    let is_outdated = |one: &&Prepared| one.shared.distilled().is_outdated(&one.memory, &zone);
    let outdated = memories.iter().filter(|_| survey.wants_distilled()).filter(is_outdated);
    let outdated: Vec<_> = outdated.map(|one| Arc::clone(&one.shared)).collect();
    let nothing_in_period = found.nothing_in_period;
    let mut told = if outdated.is_empty() {
        engine.store.peek(move |snapshot| read(snapshot, &found)).await?
    } else {
        let read = move |snapshot: &dyn Snapshot| {
            for shared in &outdated {
                shared.follow(snapshot, &zone)?;
            }
            read(snapshot, &found)
        };
        engine.store.look(read).await?
    };
    told.nothing_in_period = nothing_in_period;
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

/// Reads what was found. What was forgotten meanwhile is left out.
fn read(snapshot: &dyn Snapshot, found: &Found) -> Result<Recollection> {
    let (mut entries, mut conversations) = by_memory(snapshot, found)?;
    let mut recollection = Recollection::default();
    for (id, _, memory, Ranked { score, reasons, .. }) in &found.entries {
        let (memory, score, reasons) = (memory.clone(), *score, reasons.clone());
        let found = entries.remove(id);
        recollection.items.extend(found.map(|entry| EntryFound {
            memory,
            entry,
            outside: false,
            score,
            reasons,
        }));
    }
    for (id, _, memory, Ranked { score, reasons, .. }) in &found.conversations {
        let (memory, score, reasons) = (memory.clone(), *score, reasons.clone());
        let found = conversations.remove(id);
        recollection.conversations.extend(found.map(|conversation| ConversationFound {
            memory,
            conversation,
            score,
            reasons,
        }));
    }
    Ok(recollection)
}

/// What was found, by id.
type Rows = (HashMap<EntryId, Entry>, HashMap<ConversationId, Conversation>);

/// Reads everything by id, that of one memory in one visit.
fn by_memory(snapshot: &dyn Snapshot, found: &Found) -> Result<Rows> {
    let mut wanted: HashMap<MemoryRef, (Vec<EntryId>, Vec<ConversationId>)> = HashMap::new();
    for (id, place, ..) in &found.entries {
        wanted.entry(*place).or_default().0.push(*id);
    }
    for (id, place, ..) in &found.conversations {
        wanted.entry(*place).or_default().1.push(*id);
    }
    let mut rows = Rows::default();
    for (place, (entries, conversations)) in wanted {
        let (said, talks) = snapshot.each_of(place, &entries, &conversations)?;
        rows.0.extend(entries.into_iter().zip(said).filter_map(|(id, row)| Some((id, row?))));
        rows.1
            .extend(conversations.into_iter().zip(talks).filter_map(|(id, row)| Some((id, row?))));
    }
    Ok(rows)
}

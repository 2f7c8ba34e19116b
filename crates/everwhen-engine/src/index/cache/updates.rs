//! Updates of an index: what the store has that the index does not have yet.

use super::{IndexCache, SharedIndex};
use crate::index::embedders::{EmbeddedEntries, Embedders};
use crate::index::memory_index::MemoryIndex;
use crate::memory::{Entry, Memory, MemoryId};
use crate::ports::{EntryQuery, EntryState, MemoryRef, Snapshot};
use crate::{Error, Result};

/// The number of entries that are read at a time.
pub(super) const STEP: usize = 2_000;
/// Up to this many new entries are read in the visit that opens a memory.
const FEW: u64 = 16;

/// A memory as a question finds it.
pub(crate) struct OpenedMemory {
    pub(crate) place: MemoryRef,
    pub(crate) memory: Memory,
    /// What its index does not have yet, if that is little.
    pub(super) update: Option<IndexUpdate>,
}

impl OpenedMemory {
    /// A memory as a question found it before, without an update of its index.
    pub(crate) fn found(place: MemoryRef, memory: Memory) -> Self {
        Self { place, memory, update: None }
    }
}

/// How far an index has come.
#[derive(Debug, Clone, Copy)]
pub(super) struct IndexPosition {
    generation: u64,
    sequence: u64,
}

impl IndexPosition {
    pub(super) fn of(index: &MemoryIndex) -> Self {
        Self { generation: index.search.generation, sequence: index.search.sequence }
    }
}

/// What the store has after a position.
pub(super) struct IndexUpdate {
    /// The sequence number that the index must have reached.
    after: u64,
    generation: u64,
    /// The states of the entries up to `after`, if they have changed.
    entry_states: Option<Vec<EntryState>>,
    /// Entries whose tags were changed after they were stored, if something has changed.
    retagged: Vec<Entry>,
    entries: Vec<Entry>,
    /// The vectors of the entries, if they were computed.
    vectors: Option<EmbeddedEntries>,
    /// The sequence number up to which nothing else exists.
    complete_up_to: Option<u64>,
}

impl IndexUpdate {
    /// Reads what comes after a position.
    pub(super) fn read(
        snapshot: &dyn Snapshot,
        place: MemoryRef,
        position: IndexPosition,
    ) -> Result<Self> {
        let memory = snapshot
            .memory(place)?
            .ok_or_else(|| Error::not_found(format!("memory not found: {}", place.memory)))?;
        let has_changed = memory.generation != position.generation && position.sequence > 0;
        let entry_states =
            has_changed.then(|| snapshot.entry_states(place, position.sequence)).transpose()?;
        let retagged = match has_changed {
            true => snapshot.entries(place, &EntryQuery::retagged())?,
            false => Vec::new(),
        };
        let entries = if memory.last_sequence > position.sequence {
            snapshot.entries(place, &EntryQuery::arrived(position.sequence, STEP))?
        } else {
            Vec::new()
        };
        Ok(Self {
            after: position.sequence,
            generation: memory.generation,
            entry_states,
            retagged,
            complete_up_to: (entries.len() < STEP).then_some(memory.last_sequence),
            entries,
            vectors: None,
        })
    }

    /// Adds the vectors that can be computed at once.
    pub(super) fn embedded(mut self, embedders: &Embedders, active: &str) -> Self {
        self.vectors = Some(embedders.embed_now(active, &self.entries));
        self
    }

    /// Returns the position of an index that applied this, if there is more to read.
    pub(super) fn next_position(&self) -> Option<IndexPosition> {
        let last = self.entries.last().filter(|_| self.complete_up_to.is_none())?;
        Some(IndexPosition { generation: self.generation, sequence: last.sequence })
    }

    /// Reads a few new entries; `None` if there are more, or if anything else has changed.
    fn read_few(
        snapshot: &dyn Snapshot,
        place: MemoryRef,
        memory: &Memory,
        position: IndexPosition,
    ) -> Result<Option<Self>> {
        let missing = memory.last_sequence.saturating_sub(position.sequence);
        let has_changed = memory.generation != position.generation || position.sequence == 0;
        if has_changed || missing == 0 || missing > FEW {
            return Ok(None);
        }
        Ok(Some(Self {
            after: position.sequence,
            generation: memory.generation,
            entry_states: None,
            retagged: Vec::new(),
            entries: snapshot
                .entries(place, &EntryQuery::arrived(position.sequence, FEW as usize))?,
            vectors: None,
            complete_up_to: Some(memory.last_sequence),
        }))
    }
}

impl IndexCache {
    /// Opens a memory for a question, in the same visit to the store that found it.
    pub(crate) fn open(
        &self,
        snapshot: &dyn Snapshot,
        place: MemoryRef,
        memory: Memory,
    ) -> Result<OpenedMemory> {
        let update = match self.position(place.memory) {
            Some(position) => IndexUpdate::read_few(snapshot, place, &memory, position)?,
            None => None,
        };
        Ok(OpenedMemory { place, memory, update })
    }

    /// Returns whether the index of a memory is cached and lacks so little that it is up to date at once.
    pub(crate) fn is_nearly_up_to_date(&self, memory: &Memory) -> bool {
        self.position(memory.id).is_some_and(|position| {
            let missing = memory.last_sequence.saturating_sub(position.sequence);
            position.generation == memory.generation && missing < STEP as u64
        })
    }

    /// Returns whether the index of a memory is cached.
    pub(crate) fn contains(&self, memory: MemoryId) -> bool {
        self.lock().indexes.contains_key(&memory)
    }

    fn position(&self, memory: MemoryId) -> Option<IndexPosition> {
        let shared = self.lock().indexes.get(&memory).map(|(shared, _)| shared.clone())?;
        let index = shared.read();
        Some(IndexPosition::of(&index))
    }
}

impl SharedIndex {
    /// Applies an update, as far as another question has not done so meanwhile.
    pub(super) fn apply(&self, embedders: &Embedders, mut update: IndexUpdate) {
        if self.read().search.sequence < update.after {
            return;
        }
        let embed = || embedders.embed_now(self.read().search.active_embedder(), &update.entries);
        let vectors = update.vectors.take().unwrap_or_else(embed);
        apply(&mut self.write(), update, &vectors);
        self.update_size();
    }
}

fn apply(index: &mut MemoryIndex, update: IndexUpdate, vectors: &EmbeddedEntries) {
    let is_newer = update.generation > index.search.generation;
    if update.entry_states.is_some() && is_newer && index.search.sequence > update.after {
        // The states of entries that arrived meanwhile were not read. The caller reads again.
        return;
    }
    if let Some(entry_states) = update.entry_states.filter(|_| is_newer) {
        index.update_states(update.generation, update.after, &entry_states);
        index.update_tags(update.retagged);
    } else if index.search.sequence == 0 {
        index.search.generation = update.generation;
    }
    add_entries(index, update.entries, vectors);
    let reached = update.complete_up_to.unwrap_or(0);
    index.search.sequence = index.search.sequence.max(reached);
    index.search.activate_complete_vectors();
}

/// Adds entries that the index does not have yet, with the vectors that were computed.
pub(super) fn add_entries(index: &mut MemoryIndex, entries: Vec<Entry>, vectors: &EmbeddedEntries) {
    for (position, entry) in entries.into_iter().enumerate() {
        if entry.sequence > index.search.sequence {
            let number = index.add(&entry);
            for (embedder, passages) in vectors {
                if let Some(passages) = &passages[position] {
                    index.search.add_vectors(embedder, number, passages);
                }
            }
            index.cache_entry(number, entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::memory_index::tests::said;
    use crate::memory::Role;

    fn update(after: u64, generation: u64, entry_states: Option<Vec<EntryState>>) -> IndexUpdate {
        let entries = vec![said(after + 1, 1, Role::User, "the cat sleeps")];
        let complete_up_to = Some(after + 1);
        let retagged = Vec::new();
        IndexUpdate {
            after,
            generation,
            entry_states,
            retagged,
            entries,
            vectors: None,
            complete_up_to,
        }
    }

    #[test]
    fn states_that_miss_newer_entries_are_read_again() {
        let mut index = MemoryIndex::default();
        apply(&mut index, update(0, 0, None), &EmbeddedEntries::default());
        let entry_states = |one: &MemoryIndex| {
            let conversation = one.conversation(0);
            let standing = |sequence| EntryState { sequence, conversation, gone_since: None };
            Some((1..=one.search.sequence).map(standing).collect::<Vec<_>>())
        };
        let read = update(1, 1, entry_states(&index));
        // Another question is quicker, and the entry it added has been forgotten since.
        apply(&mut index, update(1, 0, None), &EmbeddedEntries::default());
        apply(&mut index, read, &EmbeddedEntries::default());
        assert_eq!((index.search.generation, index.search.sequence), (0, 2));
        let again = update(2, 1, entry_states(&index).map(|all| all[..1].to_vec()));
        apply(&mut index, again, &EmbeddedEntries::default());
        assert_eq!((index.search.generation, index.search.sequence), (1, 3));
        assert_eq!([0, 1, 2].map(|number| index.search.is_current(number)), [true, false, true]);
    }
}

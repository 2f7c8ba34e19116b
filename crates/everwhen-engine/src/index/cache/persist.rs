//! Saves indexes as segments in the store, and loads them.

use everwhen_search::{Index, Segment};

use super::{IndexCache, IndexSource, SharedIndex};
use crate::Result;
use crate::index::memory_index::MemoryIndex;
use crate::ports::{EntryQuery, MemoryRef, Row, Tx};

impl IndexCache {
    /// Saves the indexes with at least `least` entries that are not saved.
    pub(crate) async fn save(&self, source: IndexSource<'_>, least: usize) -> Result<()> {
        for shared in self.all() {
            if shared.read().search.unsaved() >= least {
                shared.save(source).await?;
            }
        }
        Ok(())
    }
}

impl SharedIndex {
    async fn save(&self, source: IndexSource<'_>) -> Result<()> {
        while let Some((generation, segment)) = self.next_segment() {
            let (place, saved) = (self.place, segment.clone());
            let put = move |tx: &mut dyn Tx| put(tx, place, generation, &saved);
            if !source.store.transact(put).await? {
                return Ok(());
            }
            self.write().search.mark_saved(&segment);
            // What has arrived meanwhile can wait: the last segment would be written for every entry.
            if !segment.is_full() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Returns the next segment to save, and the generation of its entries; none of an index that holds
    /// what was forgotten.
    fn next_segment(&self) -> Option<(u64, Segment)> {
        let index = self.read();
        if index.holds_forgotten {
            return None;
        }
        Some((index.search.generation, index.search.next_segment()?))
    }

    /// Loads an empty index from its segments, unless they are of no use: damaged, of another format, or
    /// with vectors of an embedder that is not available.
    pub(super) async fn load(&self, source: IndexSource<'_>) -> Result<()> {
        let mut index = Index::default();
        let place = self.place;
        for number in 0.. {
            let saved = source.store.look(move |snapshot| snapshot.segment(place, number)).await?;
            let Some(bytes) = saved else { break };
            if index.load_segment(&bytes).is_err() {
                return Ok(());
            }
        }
        if !source.embedders.can_search(&index) {
            return Ok(());
        }
        // Segments hold the tags that entries had when they were added.
        let read = source.store.look(move |rows| rows.entries(place, &EntryQuery::retagged()));
        let retagged = if index.is_empty() { Vec::new() } else { read.await? };
        let mut current = self.write();
        if current.search.sequence == 0 {
            *current = MemoryIndex::new(index);
            current.update_tags(retagged);
        }
        Ok(())
    }
}

/// Saves a segment, unless entries have changed since it was made: they may have been forgotten.
fn put(tx: &mut dyn Tx, place: MemoryRef, generation: u64, segment: &Segment) -> Result<bool> {
    // Holds the vault, so that nothing is forgotten between the comparison and the commit.
    tx.vault(place.vault)?;
    let is_current = tx.memory(place)?.is_some_and(|memory| memory.generation == generation);
    if is_current {
        tx.put(Row::Segment(place, segment.number, &segment.bytes))?;
    }
    Ok(is_current)
}

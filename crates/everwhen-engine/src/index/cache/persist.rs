//! Saves indexes as segments in the store, and loads them.

use std::collections::VecDeque;

use everwhen_search::{DecodedSegment, InvalidSegment, Segment};

use super::prefetch::Prefetch;
use super::updates::{STEP, add_entries};
use super::{IndexCache, IndexSource, SharedIndex};
use crate::Result;
use crate::index::memory_index::MemoryIndex;
use crate::memory::Memory;
use crate::ports::{EntryQuery, MemoryRef, Row, Tx};

/// The number of segments that are read and decoded while another is added: on two cores, three threads
/// share that work better than two.
const READ_AHEAD: usize = 2;

/// A segment that was read and decoded; `None` if it is gone.
type ReadSegment = Result<Option<std::result::Result<DecodedSegment, InvalidSegment>>>;

impl IndexCache {
    /// Saves the indexes with at least `least` entries that are not saved. One that cannot be saved hinders no other;
    /// the first failure is returned.
    pub(crate) async fn save(&self, source: IndexSource<'_>, least: usize) -> Result<()> {
        let mut saved = Ok(());
        for shared in self.all() {
            if shared.read().search.unsaved() >= least {
                saved = saved.and(shared.save(source).await);
            }
        }
        saved
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

    /// Loads an empty index from its segments, unless they have vectors of an embedder that is not available.
    /// What a missing, damaged or outdated segment covers is built again from the entries, and so is
    /// everything from the first one that the store cannot read.
    pub(super) async fn load(&self, source: IndexSource<'_>, memory: &Memory) -> Result<()> {
        let loaded = self.read_segments(source, memory).await?;
        if !source.embedders.can_search(&loaded.search) {
            return Ok(());
        }
        // Segments hold the tags that entries had when they were added.
        let place = self.place;
        let read = source.store.look(move |rows| rows.entries(place, &EntryQuery::retagged()));
        let retagged = if loaded.search.is_empty() { Vec::new() } else { read.await? };
        let mut current = self.write();
        if current.search.sequence == 0 {
            *current = loaded;
            current.update_tags(retagged);
        }
        Ok(())
    }

    /// Reads all segments up to the first one that the store cannot read, and adds them to a new index.
    async fn read_segments(&self, source: IndexSource<'_>, memory: &Memory) -> Result<MemoryIndex> {
        let mut loaded = MemoryIndex::default();
        let place = self.place;
        let numbers = source.store.look(move |snapshot| snapshot.segments(place)).await;
        let mut numbers = numbers.unwrap_or_default().into_iter();
        let mut started = VecDeque::new();
        for after in numbers.by_ref().take(READ_AHEAD) {
            started.push_back(Prefetch::new(self.read_segment(source, after)).await);
        }
        while let Some(reading) = started.pop_front() {
            let Ok(read) = reading.finish().await else { break };
            if let Some(after) = numbers.next() {
                started.push_back(Prefetch::new(self.read_segment(source, after)).await);
            }
            let Some(Ok(segment)) = read else { continue };
            if loaded.search.is_empty() {
                loaded.search.reserve(segment.documents_up_to(memory.last_sequence));
            }
            if !self.add_segment(source, &mut loaded, segment).await? {
                break;
            }
        }
        Ok(loaded)
    }

    /// Reads and decodes the segment that begins above a sequence number.
    async fn read_segment(&self, source: IndexSource<'_>, after: u64) -> ReadSegment {
        let place = self.place;
        let read = source
            .store
            .look(move |snapshot| Ok(snapshot.segment(place, after)?.map(DecodedSegment::new)));
        read.await
    }

    /// Adds a segment, and before it the entries between it and what was loaded. Returns whether the next
    /// one may follow.
    async fn add_segment(
        &self,
        source: IndexSource<'_>,
        loaded: &mut MemoryIndex,
        segment: DecodedSegment,
    ) -> Result<bool> {
        if segment.after() < loaded.search.sequence {
            // Another process divided the entries in another way, and this one overlaps.
            return Ok(true);
        }
        while loaded.search.sequence < segment.after() {
            self.fill_gap(source, loaded, segment.after()).await?;
        }
        Ok(loaded.search.add_segment(segment).is_ok())
    }

    /// Adds the next entries of those up to a sequence number.
    async fn fill_gap(
        &self,
        source: IndexSource<'_>,
        loaded: &mut MemoryIndex,
        through: u64,
    ) -> Result<()> {
        let (place, embedders) = (self.place, source.embedders.clone());
        let (after, active) = (loaded.search.sequence, loaded.search.active_embedder().to_owned());
        let read = source.store.look(move |snapshot| {
            let mut entries = snapshot.entries(place, &EntryQuery::arrived(after, STEP))?;
            let are_all = entries.len() < STEP;
            entries.retain(|entry| entry.sequence <= through);
            let vectors = embedders.embed_now(&active, &entries);
            Ok((are_all || entries.len() < STEP, entries, vectors))
        });
        let (are_all, entries, vectors) = read.await?;
        add_entries(loaded, entries, &vectors);
        if are_all {
            loaded.search.sequence = through;
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
        let parts = segment.parts.each_ref().map(Vec::as_slice);
        tx.put(Row::Segment(place, (segment.after, segment.through), parts))?;
    }
    Ok(is_current)
}

//! Saves indexes as segments in the store, and loads them.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use everwhen_search::{DecodedSegment, InvalidSegment, Segment};

use super::updates::{STEP, add_entries};
use super::{IndexCache, IndexSource, SharedIndex};
use crate::Result;
use crate::index::memory_index::MemoryIndex;
use crate::memory::Memory;
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

    /// Loads an empty index from its segments, unless they have vectors of an embedder that is not available.
    /// What a missing, damaged or outdated segment covers is built again from the entries, and so is
    /// everything from the first one that the store cannot read.
    pub(super) async fn load(&self, source: IndexSource<'_>, memory: &Memory) -> Result<()> {
        let mut loaded = MemoryIndex::default();
        let mut next = self.read_segment(source, 0).await.unwrap_or_default();
        if let Some((_, Ok(first))) = &next {
            loaded.search.reserve(first.documents_up_to(memory.last_sequence));
        }
        while let Some((after, decoded)) = next {
            let mut reading = pin!(self.read_segment(source, after + 1));
            // Polled once, so that the store reads and decodes it while this one is added.
            let started = poll_fn(|context| Poll::Ready(reading.as_mut().poll(context))).await;
            if let Ok(segment) = decoded
                && !self.add_segment(source, &mut loaded, segment).await?
            {
                break;
            }
            let read = match started {
                Poll::Ready(read) => read,
                Poll::Pending => reading.await,
            };
            next = read.unwrap_or_default();
        }
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

    /// Reads and decodes the next segment that begins above a sequence number or a later one.
    async fn read_segment(
        &self,
        source: IndexSource<'_>,
        after: u64,
    ) -> Result<Option<(u64, std::result::Result<DecodedSegment, InvalidSegment>)>> {
        let place = self.place;
        let read = source.store.look(move |snapshot| {
            let stored = snapshot.segment(place, after)?;
            Ok(stored.map(|(after, parts)| (after, DecodedSegment::new(parts))))
        });
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

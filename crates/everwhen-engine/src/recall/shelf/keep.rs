//! Keeping indexes as segments in the store, and making them from what was kept.

use super::{Shared, Shelf};
use crate::Result;
use crate::engine::Engine;
use crate::ports::{MemoryRef, Tx};
use crate::recall::index::{Index, Segment};

impl Shelf {
    /// Keeps what has come to indexes since they were kept, where it is at least `least` entries.
    pub(crate) async fn keep(&self, engine: &Engine, least: usize) -> Result<()> {
        for shared in self.all() {
            if shared.read().unkept() >= least {
                shared.keep(engine).await?;
            }
        }
        Ok(())
    }
}

impl Shared {
    async fn keep(&self, engine: &Engine) -> Result<()> {
        while let Some((generation, segment)) = self.next_segment() {
            let (place, kept) = (self.place, segment.clone());
            let put = move |tx: &mut dyn Tx| put(tx, place, generation, &kept);
            if !engine.store.transact(put).await? {
                return Ok(());
            }
            self.write().note_kept(&segment);
            // What came meanwhile has time: the last segment would be written for every entry.
            if !segment.is_full() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// What is to be kept next, and the generation it belongs to.
    fn next_segment(&self) -> Option<(u64, Segment)> {
        let index = self.read();
        Some((index.generation, index.segment()?))
    }

    /// Fills an empty index with what was kept, unless that is of no use: damaged, of another
    /// format, or with vectors that nobody can compare a question with.
    pub(super) async fn load(&self, engine: &Engine) -> Result<()> {
        let mut index = Index::default();
        let place = self.place;
        for number in 0.. {
            let kept = engine.store.look(move |snapshot| snapshot.segment(place, number)).await?;
            let Some(bytes) = kept else { break };
            if index.load(&bytes).is_none() {
                return Ok(());
            }
        }
        if engine.embedders.can_serve(&index) {
            let mut held = self.write();
            if held.sequence == 0 {
                *held = index;
            }
        }
        Ok(())
    }
}

/// Keeps a segment, unless entries have changed since it was made: they may have been forgotten.
fn put(tx: &mut dyn Tx, place: MemoryRef, generation: u64, segment: &Segment) -> Result<bool> {
    let is_current = tx.memory(place)?.is_some_and(|memory| memory.generation == generation);
    if is_current {
        tx.put_segment(place, segment.number, &segment.bytes)?;
    }
    Ok(is_current)
}

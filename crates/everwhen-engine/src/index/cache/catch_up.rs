//! Brings an index up to date, however far it is behind.
//!
//! The store's reader reads the next entries, and embeds them where that is fast, while the previous
//! ones are added here. So two cores work on it.

use super::prefetch::Prefetch;
use super::updates::{IndexPosition, IndexUpdate};
use super::{IndexSource, SharedIndex};
use crate::Result;
use crate::memory::Memory;

impl SharedIndex {
    /// Adds everything that a memory had when it was read. If several questions need that, one does it
    /// and the others wait.
    pub(super) async fn catch_up(&self, source: IndexSource<'_>, memory: &Memory) -> Result<()> {
        let _turn = self.catch_up_turn.acquire().await;
        if self.read().search.sequence == 0 {
            self.load(source, memory).await?;
        }
        let mut prefetched = None;
        while !self.read().is_up_to_date(memory) {
            let position = IndexPosition::of(&self.read());
            let update = match prefetched.take() {
                Some(update) => update,
                None => self.read_update(source, position).await?,
            };
            prefetched = self.apply_and_read_on(source, update).await?;
        }
        Ok(())
    }

    /// Applies an update while the store reads the next one.
    async fn apply_and_read_on(
        &self,
        source: IndexSource<'_>,
        update: IndexUpdate,
    ) -> Result<Option<IndexUpdate>> {
        let Some(next) = update.next_position() else {
            self.apply(source.embedders, update);
            return Ok(None);
        };
        let reading = Prefetch::new(self.read_update(source, next)).await;
        self.apply(source.embedders, update);
        reading.finish().await.map(Some)
    }

    /// Reads the next entries, with the vectors that can be computed at once.
    async fn read_update(
        &self,
        source: IndexSource<'_>,
        position: IndexPosition,
    ) -> Result<IndexUpdate> {
        let (place, embedders) = (self.place, source.embedders.clone());
        let active = self.read().search.active_embedder().to_owned();
        let read = source.store.look(move |snapshot| {
            Ok(IndexUpdate::read(snapshot, place, position)?.embedded(&embedders, &active))
        });
        read.await
    }
}

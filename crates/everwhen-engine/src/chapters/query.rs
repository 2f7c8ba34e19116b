//! Asking for chapters and summaries, and having everything derived made again.

use jiff::Timestamp;

use super::{Chapter, RollingSummary, fold};
use crate::memory::{Address, ChapterId, MemoryId};
use crate::ports::{ChapterSelection, Cursor};
use crate::receipt::{Done, Idempotency, Receipt};
use crate::vault::{Absent, Page, Vault, page, page_limit};
use crate::{Error, Result};

/// Which chapters to list, oldest first.
#[derive(Debug, Clone, Default)]
pub struct ChapterQuery {
    /// With an entry at or after this.
    pub after: Option<Timestamp>,
    /// That began before this.
    pub before: Option<Timestamp>,
    /// That had been written at this time.
    pub as_of: Option<Timestamp>,
    /// Go on behind the chapter that ends here.
    pub from: Option<Cursor>,
    /// At most so many.
    pub limit: Option<usize>,
}

impl Vault {
    /// Chapters, oldest first.
    pub async fn chapters(
        &self,
        memory: Address<MemoryId>,
        query: ChapterQuery,
    ) -> Result<Page<Chapter, Cursor>> {
        let limit = page_limit(query.limit)?;
        let mut rows = self
            .read(memory, move |view, _| {
                view.snapshot.chapters(view.place, ChapterSelection::Behind(query.from, None))
            })
            .await?;
        rows.retain(|one| {
            query.after.is_none_or(|after| one.last.time >= after)
                && query.before.is_none_or(|before| one.first.time < before)
                && query.as_of.is_none_or(|as_of| one.creation_time <= as_of)
        });
        rows.truncate(limit + 1);
        Ok(page(rows, limit, |chapter| chapter.last))
    }

    /// One chapter.
    pub async fn chapter(&self, memory: Address<MemoryId>, id: ChapterId) -> Result<Chapter> {
        let found = self
            .read(memory, move |view, _| {
                let all =
                    view.snapshot.chapters(view.place, ChapterSelection::Behind(None, None))?;
                Ok(all.into_iter().find(|chapter| chapter.id == id))
            })
            .await?;
        found.ok_or_else(|| Error::not_found(format!("chapter not found: {id}")))
    }

    /// The newest version of the rolling summary.
    pub async fn rolling_summary(&self, memory: Address<MemoryId>) -> Result<RollingSummary> {
        let newest =
            self.read(memory, |view, _| view.snapshot.summaries(view.place, None, Some(1))).await?;
        let none =
            || Error::not_found("there is no summary yet: no chapter has been folded into one");
        newest.into_iter().next().ok_or_else(none)
    }

    /// Versions of the rolling summary, newest first, below `before`.
    pub async fn rolling_summaries(
        &self,
        memory: Address<MemoryId>,
        before: Option<u64>,
        limit: Option<usize>,
    ) -> Result<Page<RollingSummary, u64>> {
        let limit = page_limit(limit)?;
        let rows = self
            .read(memory, move |view, _| {
                view.snapshot.summaries(view.place, before, Some(limit + 1))
            })
            .await?;
        Ok(page(rows, limit, |summary| summary.version))
    }

    /// Writes a version of the rolling summary that holds all chapters there are. Refused while
    /// there are none, and for an empty text.
    pub async fn write_summary(
        &self,
        memory: Address<MemoryId>,
        text: String,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        if text.trim().is_empty() {
            return Err(Error::invalid("the summary is empty; write some text"));
        }
        self.edit_memory(memory, Absent::Refuse, idempotency, move |edit| {
            fold::write_by_hand(edit, &text)?;
            Ok(Receipt::Memory(edit.memory.id))
        })
        .await
    }
}

//! What a store does for chapters and rolling summaries.

use jiff::Timestamp;

use super::{Cursor, MemoryRef};
use crate::Result;
use crate::chapters::{Chapter, RollingSummary};
use crate::memory::{ChapterId, VaultId};

/// Chapters and summaries, to read.
pub trait ChapterRows {
    /// Chapters that end behind a place, oldest first.
    fn chapters(
        &self,
        memory: MemoryRef,
        behind: Option<Cursor>,
        limit: Option<usize>,
    ) -> Result<Vec<Chapter>>;
    /// The chapter that ends last, or last before a time.
    fn last_chapter(&self, memory: MemoryRef, before: Option<Timestamp>)
    -> Result<Option<Chapter>>;
    /// How many chapters end at or before a place, and when the latest of them was written.
    fn chapters_through(
        &self,
        memory: MemoryRef,
        through: Cursor,
    ) -> Result<(u64, Option<Timestamp>)>;
    /// Versions of the rolling summary, newest first, below `before`.
    fn summaries(
        &self,
        memory: MemoryRef,
        before: Option<u64>,
        limit: Option<usize>,
    ) -> Result<Vec<RollingSummary>>;
}

/// Chapters and summaries, to change.
pub trait ChapterTx {
    /// Adds a chapter.
    fn put_chapter(&mut self, vault: VaultId, chapter: &Chapter) -> Result<()>;
    /// Removes a chapter for good.
    fn remove_chapter(&mut self, memory: MemoryRef, id: ChapterId) -> Result<()>;
    /// Removes all chapters that end at or behind a place; says how many.
    fn remove_chapters(&mut self, memory: MemoryRef, from: Cursor) -> Result<u64>;
    /// Adds a version of the rolling summary.
    fn add_summary(&mut self, vault: VaultId, summary: &RollingSummary) -> Result<()>;
    /// Removes all versions that tell of something at or behind a place; says how many.
    fn remove_summaries(&mut self, memory: MemoryRef, from: Cursor) -> Result<u64>;
}

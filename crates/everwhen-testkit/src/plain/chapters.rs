//! Chapters and rolling summaries in the oracle.

use everwhen_engine::Result;
use everwhen_engine::chapters::{Chapter, RollingSummary};
use everwhen_engine::memory::{ChapterId, VaultId};
use everwhen_engine::ports::{ChapterRows, ChapterTx, Cursor, MemoryRef};
use jiff::Timestamp;

use super::changes::{drop_rows, replace};
use super::shelves::Shelves;

fn place(cursor: Cursor) -> (Timestamp, u64) {
    (cursor.time, cursor.sequence)
}

fn lies_in((vault, chapter): &(VaultId, Chapter), memory: MemoryRef) -> bool {
    *vault == memory.vault && chapter.memory == memory.memory
}

fn is_of((vault, summary): &(VaultId, RollingSummary), memory: MemoryRef) -> bool {
    *vault == memory.vault && summary.memory == memory.memory
}

impl ChapterRows for Shelves {
    fn chapters(
        &self,
        memory: MemoryRef,
        behind: Option<Cursor>,
        limit: Option<usize>,
    ) -> Result<Vec<Chapter>> {
        let inside = self.chapters.iter().filter(|row| lies_in(row, memory));
        let mut chapters: Vec<Chapter> = inside.map(|(_, chapter)| chapter.clone()).collect();
        chapters.retain(|one| behind.is_none_or(|behind| place(one.last) > place(behind)));
        chapters.sort_by_key(|one| place(one.last));
        chapters.truncate(limit.unwrap_or(usize::MAX));
        Ok(chapters)
    }

    fn last_chapter(
        &self,
        memory: MemoryRef,
        before: Option<Timestamp>,
    ) -> Result<Option<Chapter>> {
        let mut chapters = self.chapters(memory, None, None)?;
        chapters.retain(|one| before.is_none_or(|before| one.last.time < before));
        Ok(chapters.pop())
    }

    fn chapters_through(
        &self,
        memory: MemoryRef,
        through: Cursor,
    ) -> Result<(u64, Option<Timestamp>)> {
        let mut told = self.chapters(memory, None, None)?;
        told.retain(|one| place(one.last) <= place(through));
        Ok((told.len() as u64, told.iter().map(|one| one.creation_time).max()))
    }

    fn summaries(
        &self,
        memory: MemoryRef,
        before: Option<u64>,
        limit: Option<usize>,
    ) -> Result<Vec<RollingSummary>> {
        let inside = self.summaries.iter().filter(|row| is_of(row, memory));
        let mut versions: Vec<RollingSummary> = inside.map(|(_, one)| one.clone()).collect();
        versions.retain(|one| before.is_none_or(|before| one.version < before));
        versions.sort_by_key(|one| std::cmp::Reverse(one.version));
        versions.truncate(limit.unwrap_or(usize::MAX));
        Ok(versions)
    }
}

impl ChapterTx for Shelves {
    fn put_chapter(&mut self, vault: VaultId, chapter: &Chapter) -> Result<()> {
        replace(&mut self.chapters, (vault, chapter.clone()), |row| {
            row.0 == vault && (row.1.memory, row.1.id) == (chapter.memory, chapter.id)
        });
        Ok(())
    }

    fn remove_chapter(&mut self, memory: MemoryRef, id: ChapterId) -> Result<()> {
        self.chapters.retain(|row| !(lies_in(row, memory) && row.1.id == id));
        Ok(())
    }

    fn remove_chapters(&mut self, memory: MemoryRef, from: Cursor) -> Result<u64> {
        let doomed =
            |row: &(VaultId, Chapter)| lies_in(row, memory) && place(row.1.last) >= place(from);
        Ok(drop_rows(&mut self.chapters, doomed))
    }

    fn add_summary(&mut self, vault: VaultId, summary: &RollingSummary) -> Result<()> {
        self.summaries.push((vault, summary.clone()));
        Ok(())
    }

    fn remove_summaries(&mut self, memory: MemoryRef, from: Cursor) -> Result<u64> {
        let doomed = |row: &(VaultId, RollingSummary)| {
            is_of(row, memory) && place(row.1.through) >= place(from)
        };
        Ok(drop_rows(&mut self.summaries, doomed))
    }
}

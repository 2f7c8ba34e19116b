//! Chapters and rolling summaries in the oracle.

use everwhen_engine::chapters::{Chapter, ChapterKind, RollingSummary};
use everwhen_engine::memory::{ChapterId, VaultId};
use everwhen_engine::ports::{ChapterSelection, Cursor, MemoryRef};
use jiff::Timestamp;

use super::changes::{drop_rows, replace};
use super::state::State;

fn place(cursor: Cursor) -> (Timestamp, u64) {
    (cursor.time, cursor.sequence)
}

fn lies_in((vault, chapter): &(VaultId, Chapter), memory: MemoryRef) -> bool {
    *vault == memory.vault && chapter.memory == memory.memory
}

fn is_of((vault, summary): &(VaultId, RollingSummary), memory: MemoryRef) -> bool {
    *vault == memory.vault && summary.memory == memory.memory
}

impl State {
    pub(super) fn chapters_in(&self, memory: MemoryRef, query: ChapterSelection) -> Vec<Chapter> {
        let inside = self.chapters.iter().filter(|row| lies_in(row, memory));
        let mut chapters: Vec<Chapter> = inside.map(|(_, chapter)| chapter.clone()).collect();
        chapters.sort_by_key(|one| place(one.last));
        match query {
            ChapterSelection::Behind(behind, limit) => {
                chapters.retain(|one| behind.is_none_or(|behind| place(one.last) > place(behind)));
                chapters.truncate(limit.unwrap_or(usize::MAX));
            }
            ChapterSelection::Story(behind, limit) => {
                chapters.retain(|one| one.kind.is_story());
                chapters.retain(|one| behind.is_none_or(|behind| place(one.last) > place(behind)));
                chapters.truncate(limit.unwrap_or(usize::MAX));
            }
            ChapterSelection::Id(id) => chapters.retain(|one| one.id == id),
            ChapterSelection::Foreign => chapters.retain(|one| one.kind.is_foreign()),
            ChapterSelection::Last(before) => {
                chapters.retain(|one| one.kind == ChapterKind::Written);
                chapters.retain(|one| before.is_none_or(|before| one.last.time < before));
                chapters.drain(..chapters.len().saturating_sub(1));
            }
        }
        chapters
    }

    pub(super) fn count_chapters(
        &self,
        memory: MemoryRef,
        through: Cursor,
    ) -> (u64, Option<Timestamp>) {
        let mut counted = self.chapters_in(memory, ChapterSelection::Story(None, None));
        counted.retain(|one| place(one.last) <= place(through));
        (counted.len() as u64, counted.iter().map(|one| one.creation_time).max())
    }

    pub(super) fn summaries_in(
        &self,
        memory: MemoryRef,
        before: Option<u64>,
        limit: Option<usize>,
    ) -> Vec<RollingSummary> {
        let inside = self.summaries.iter().filter(|row| is_of(row, memory));
        let mut versions: Vec<RollingSummary> = inside.map(|(_, one)| one.clone()).collect();
        versions.retain(|one| before.is_none_or(|before| one.version < before));
        versions.sort_by_key(|one| std::cmp::Reverse(one.version));
        versions.truncate(limit.unwrap_or(usize::MAX));
        versions
    }

    pub(super) fn put_chapter(&mut self, vault: VaultId, chapter: &Chapter) {
        replace(&mut self.chapters, (vault, chapter.clone()), |row| {
            row.0 == vault && (row.1.memory, row.1.id) == (chapter.memory, chapter.id)
        });
    }

    pub(super) fn remove_chapter(&mut self, memory: MemoryRef, id: ChapterId) -> u64 {
        drop_rows(&mut self.chapters, |row| lies_in(row, memory) && row.1.id == id)
    }

    pub(super) fn remove_chapters(&mut self, memory: MemoryRef, from: Cursor) -> u64 {
        self.forget_past_chapters(memory, place(from));
        let doomed =
            |row: &(VaultId, Chapter)| lies_in(row, memory) && place(row.1.last) >= place(from);
        drop_rows(&mut self.chapters, doomed)
    }

    pub(super) fn remove_summaries(&mut self, memory: MemoryRef, from: Cursor) -> u64 {
        let doomed = |row: &(VaultId, RollingSummary)| {
            is_of(row, memory) && place(row.1.through) >= place(from)
        };
        drop_rows(&mut self.summaries, doomed)
    }
}

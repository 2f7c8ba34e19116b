//! Changing facts, chapters and the context document. Changes are counted, facts and chapters apart, so that a cache of them
//! knows when to read again and reads no more than has changed.

use super::MemoryEdit;
use crate::Result;
use crate::memory::{Chapter, ChapterId, ContextDocument, Cursor, Fact, FactId, chapters_mark};
use crate::ports::{ChapterSelection, ContextSelection, Removal, Row};

impl MemoryEdit<'_> {
    /// Adds a fact or replaces what is known of it.
    pub(crate) fn put_fact(&mut self, fact: &Fact) -> Result<()> {
        self.note_facts()?;
        self.tx.put(Row::Fact(self.vault.id, fact))
    }

    /// Removes facts permanently; says how many there were.
    pub(crate) fn remove_facts(&mut self, facts: &[FactId]) -> Result<u64> {
        self.note_facts()?;
        self.tx.remove(Removal::Facts(self.place(), facts))
    }

    /// Adds a chapter.
    pub(crate) fn put_chapter(&mut self, chapter: &Chapter) -> Result<()> {
        self.note_chapters([chapter.id])?;
        self.tx.put(Row::Chapter(self.vault.id, chapter))
    }

    /// Removes a chapter that another takes the place of. Questions as of an earlier moment still find it.
    pub(crate) fn remove_chapter(&mut self, id: ChapterId) -> Result<()> {
        self.note_chapters([id])?;
        self.keep_chapter(id)?;
        self.tx.remove(Removal::Chapter(self.place(), id)).map(drop)
    }

    /// Removes all chapters that end at or behind a place permanently, with those that they replaced.
    pub(crate) fn remove_chapters(&mut self, from: Cursor) -> Result<()> {
        let gone = self.tx.chapters(self.place(), ChapterSelection::Behind(Some(from), None))?;
        self.note_chapters(gone.iter().map(|chapter| chapter.id))?;
        self.tx.remove(Removal::Chapters(self.place(), from)).map(drop)
    }

    /// Removes all chapters that can be written again.
    pub(crate) fn remove_own_chapters(&mut self) -> Result<()> {
        let all = self.tx.chapters(self.place(), ChapterSelection::Behind(None, None))?;
        let mut own = all.iter().filter(|chapter| !chapter.kind.is_foreign());
        own.try_for_each(|chapter| self.remove_chapter(chapter.id))
    }

    /// The number of the next version of the context document. None is given twice, even if versions
    /// were deleted.
    pub(crate) fn next_context(&self) -> Result<u64> {
        let newest = self.tx.contexts(self.place(), ContextSelection::All, 1)?.pop();
        Ok(newest.map_or(0, |newest| newest.version).max(self.memory.last_context) + 1)
    }

    /// Adds a version of the context document.
    pub(crate) fn put_context(&mut self, document: &ContextDocument) -> Result<()> {
        self.memory.last_context = document.version;
        self.note_chapters([])?;
        self.tx.put(Row::Context(self.vault.id, document))
    }

    /// Removes one version of the context document permanently; says whether there was one.
    pub(crate) fn remove_context(&mut self, version: u64) -> Result<bool> {
        self.memory.last_context = self.next_context()? - 1;
        self.note_chapters([])?;
        Ok(self.tx.remove(Removal::Context(self.place(), version))? > 0)
    }

    fn note_facts(&mut self) -> Result<()> {
        self.note_distilled();
        self.memory.facts_changed = self.memory.distilled;
        self.tx.put(Row::Memory(self.vault.id, &self.memory))
    }

    /// Notes that chapters come or go.
    fn note_chapters(&mut self, ids: impl IntoIterator<Item = ChapterId>) -> Result<()> {
        self.note_distilled();
        self.memory.chapters_mark ^= chapters_mark(ids);
        self.tx.put(Row::Memory(self.vault.id, &self.memory))
    }

    /// One transaction is one change, whatever it does.
    fn note_distilled(&mut self) {
        if !std::mem::replace(&mut self.is_distilled, true) {
            self.memory.distilled += 1;
        }
    }
}

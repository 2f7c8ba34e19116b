//! Changing facts and chapters. It is counted, so that whoever keeps them knows when to read anew.

use super::Desk;
use crate::Result;
use crate::chapters::Chapter;
use crate::facts::Fact;
use crate::memory::{ChapterId, FactId};
use crate::ports::Cursor;

impl Desk<'_> {
    /// Adds a fact or replaces what is known of it.
    pub(crate) fn put_fact(&mut self, fact: &Fact) -> Result<()> {
        self.note_distilled()?;
        self.tx.put_fact(self.vault.id, fact)
    }

    /// Removes facts for good; says how many there were.
    pub(crate) fn remove_facts(&mut self, facts: &[FactId]) -> Result<u64> {
        self.note_distilled()?;
        self.tx.remove_facts(self.place(), facts)
    }

    /// Adds a chapter.
    pub(crate) fn put_chapter(&mut self, chapter: &Chapter) -> Result<()> {
        self.note_distilled()?;
        self.tx.put_chapter(self.vault.id, chapter)
    }

    /// Removes a chapter for good.
    pub(crate) fn remove_chapter(&mut self, id: ChapterId) -> Result<()> {
        self.note_distilled()?;
        self.tx.remove_chapter(self.place(), id)
    }

    /// Removes all chapters that end at or behind a place.
    pub(crate) fn remove_chapters(&mut self, from: Cursor) -> Result<()> {
        self.note_distilled()?;
        self.tx.remove_chapters(self.place(), from).map(drop)
    }

    /// One transaction is one change, whatever it does.
    fn note_distilled(&mut self) -> Result<()> {
        if self.is_distilled {
            return Ok(());
        }
        self.is_distilled = true;
        self.memory.distilled += 1;
        self.tx.put_memory(self.vault.id, &self.memory)
    }
}

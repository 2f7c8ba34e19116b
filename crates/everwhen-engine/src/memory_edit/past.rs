//! Changing what questions as of an earlier moment still ask for: how it stood is kept first.

use super::MemoryEdit;
use crate::Result;
use crate::memory::{ChapterId, Conversation, ConversationId, EntryId, FactId};
use crate::ports::{EntryChange, Replaced, Row};

impl MemoryEdit<'_> {
    /// Changes entries. A correction says itself since when it holds.
    pub(crate) fn change_entries(
        &mut self,
        entries: &[EntryId],
        change: EntryChange<'_>,
    ) -> Result<()> {
        if !matches!(change, EntryChange::Corrected(_)) {
            self.keep_past(Replaced::Entries(entries))?;
        }
        self.tx.change_entries(self.place(), entries, change)
    }

    /// Writes a conversation whose end, words or place in lists may have changed.
    pub(crate) fn put_conversation(&mut self, conversation: &Conversation) -> Result<()> {
        let known = self.tx.conversation(self.place(), conversation.id)?;
        if known.is_some_and(|known| known.id == conversation.id && !is_same(&known, conversation))
        {
            self.keep_past(Replaced::Conversation(conversation.id))?;
        }
        self.tx.put(Row::Conversation(self.vault.id, conversation))
    }

    /// Keeps a conversation and its entries as they stand, before another takes them over.
    pub(crate) fn keep_conversation(&mut self, id: ConversationId) -> Result<()> {
        self.keep_past(Replaced::EntriesOf(id))?;
        self.keep_past(Replaced::Conversation(id))
    }

    /// Keeps whether a fact is pinned and who wrote it, before that changes.
    pub(crate) fn keep_fact(&mut self, id: FactId) -> Result<()> {
        self.keep_past(Replaced::Fact(id))
    }

    /// Keeps a chapter, before it is removed.
    pub(super) fn keep_chapter(&mut self, id: ChapterId) -> Result<()> {
        self.keep_past(Replaced::Chapter(id))
    }

    fn keep_past(&mut self, what: Replaced<'_>) -> Result<()> {
        self.tx.put(Row::Past(self.place(), what, self.now))
    }
}

/// Whether two states of a conversation say the same, apart from what follows from its entries.
fn is_same(one: &Conversation, other: &Conversation) -> bool {
    let state = |of: &Conversation| {
        let Conversation { ended, summary, retrospection, archived_at, restored_at, .. } = of;
        (ended.clone(), summary.clone(), retrospection.clone(), *archived_at, *restored_at)
    };
    state(one) == state(other)
}

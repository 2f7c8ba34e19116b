//! A memory as it stood at an earlier creation_time: what has changed since, and how it was.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use crate::Result;
use crate::memory::{Chapter, ContextDocument, Conversation, ConversationId, Entry, EntryId, Fact};
use crate::ports::{
    ContextSelection, EntryQuery, MemoryRef, PastEntry, PastFact, PastKind, PastRows, Snapshot,
    Which,
};

/// What stood otherwise in a memory at a moment.
pub(crate) struct PastMemory {
    pub(crate) at: Timestamp,
    entries: HashMap<EntryId, PastEntry>,
    conversations: HashMap<ConversationId, Conversation>,
    pub(crate) facts: Vec<PastFact>,
    /// Chapters that have been replaced since, oldest first.
    pub(crate) chapters: Vec<Chapter>,
    /// The context document of the moment.
    pub(crate) context: Option<ContextDocument>,
}

impl PastMemory {
    /// Reads what stood otherwise at a moment.
    pub(crate) fn read(snapshot: &dyn Snapshot, place: MemoryRef, at: Timestamp) -> Result<Self> {
        let PastRows { entries, conversations, facts, chapters } =
            snapshot.past(place, at, &PastKind::ALL)?;
        Ok(Self {
            at,
            entries: entries.into_iter().map(|one| (one.id, one)).collect(),
            conversations: conversations.into_iter().map(|one| (one.id, one)).collect(),
            facts,
            chapters,
            context: snapshot.contexts(place, ContextSelection::AsOf(at), 1)?.pop(),
        })
    }

    /// Returns the conversations that stood otherwise or had other entries, but for those known already: as they
    /// stand, or, if they are no more, as they stood.
    pub(crate) fn moved(
        &self,
        snapshot: &dyn Snapshot,
        place: MemoryRef,
        known: &HashSet<ConversationId>,
    ) -> Result<Vec<Conversation>> {
        let mut ids: Vec<ConversationId> = self.entries().map(|entry| entry.conversation).collect();
        ids.extend(self.conversations.keys());
        ids.sort_unstable();
        ids.dedup();
        let mut moved = Vec::new();
        for id in ids.into_iter().filter(|id| !known.contains(id)) {
            let now = snapshot.conversation(place, id)?;
            moved.extend(now.or_else(|| self.conversations.get(&id).cloned()));
        }
        Ok(moved)
    }

    /// Returns the entries that stood otherwise.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &PastEntry> {
        self.entries.values()
    }

    /// Returns an entry that was in force as it stood.
    pub(crate) fn entry(&self, entry: Entry) -> Entry {
        let past = self.entries.get(&entry.id).cloned();
        PastEntry::restore(entry, past)
    }

    /// Returns a conversation as it stood, given as it stands; `None` if it had no entries.
    pub(crate) fn conversation(
        &self,
        snapshot: &dyn Snapshot,
        place: MemoryRef,
        conversation: Conversation,
    ) -> Result<Option<Conversation>> {
        let query = EntryQuery::of_conversation(conversation.id, Which::AsOf(self.at));
        let entries = snapshot.entries(place, &query)?;
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return Ok(None) };
        let stood = self.conversations.get(&conversation.id).cloned().unwrap_or(conversation);
        Ok(Some(Conversation {
            started_at: first.conversation_time,
            last_at: last.conversation_time,
            entries: entries.len() as u64,
            // These two are about the work behind it, not about what was known.
            distilled_at: None,
            facts_dropped: 0,
            ..stood
        }))
    }
}

/// Makes facts stand as they stood at a moment, given what has changed since. How often they were recalled
/// is not part of what was known.
pub(crate) fn restore_facts(facts: &mut [Fact], past: &[PastFact]) {
    let past: HashMap<_, _> = past.iter().map(|one| (one.id, one)).collect();
    for fact in facts {
        (fact.retrievals, fact.retrieved_at) = (0, None);
        if let Some(past) = past.get(&fact.id) {
            past.restore(fact);
        }
    }
}

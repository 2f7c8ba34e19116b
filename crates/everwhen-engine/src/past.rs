//! A memory as it stood at an earlier creation_time: what has changed since, and how it was.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;

use crate::Result;
use crate::memory::{
    Branch, BranchId, Chapter, ContextDocument, Conversation, ConversationId, Entry, EntryId, Fact,
};
use crate::ports::{
    ContextSelection, EntryQuery, MemoryRef, PastEntry, PastFact, PastKind, PastRows, Snapshot,
    Which,
};

/// What was different in a memory at a moment, except conversations: of those only what is shown is read.
pub(crate) struct PastMemory {
    pub(crate) at: Timestamp,
    entries: HashMap<EntryId, PastEntry>,
    pub(crate) facts: Vec<PastFact>,
    /// Chapters that have been replaced since, oldest first.
    pub(crate) chapters: Vec<Chapter>,
    /// The context document of the moment.
    pub(crate) context: Option<ContextDocument>,
}

impl PastMemory {
    /// Reads what was different at a moment.
    pub(crate) fn read(snapshot: &dyn Snapshot, place: MemoryRef, at: Timestamp) -> Result<Self> {
        let kinds = [PastKind::Entries, PastKind::Facts, PastKind::Chapters];
        let PastRows { entries, facts, chapters, .. } = snapshot.past(place, at, &kinds)?;
        Ok(Self {
            at,
            entries: entries.into_iter().map(|one| (one.id, one)).collect(),
            facts,
            chapters,
            context: snapshot.contexts(place, ContextSelection::AsOf(at), 1)?.pop(),
        })
    }

    /// Returns a memory in which only entries were different.
    #[cfg(test)]
    pub(crate) fn of_entries(at: Timestamp, entries: Vec<PastEntry>) -> Self {
        let entries = entries.into_iter().map(|one| (one.id, one)).collect();
        Self { at, entries, facts: Vec::new(), chapters: Vec::new(), context: None }
    }

    /// Returns the entries that were different.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &PastEntry> {
        self.entries.values()
    }

    /// Returns an entry that was current then as it stood.
    pub(crate) fn entry(&self, entry: Entry) -> Entry {
        let past = self.entries.get(&entry.id).cloned();
        PastEntry::restore(entry, past)
    }
}

/// Returns conversations as they stood at a moment, given as they stand and each in its place; `None` for one
/// that had no entries.
pub(crate) fn restore_conversations(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    at: Timestamp,
    now: Vec<Conversation>,
) -> Result<Vec<Option<Conversation>>> {
    let ids: Vec<ConversationId> = now.iter().map(|one| one.id).collect();
    let extents = snapshot.extents(place, at, &ids)?;
    let extents: HashMap<_, _> = extents.into_iter().map(|one| (one.id, one)).collect();
    let past = snapshot.past(place, at, &[PastKind::ConversationsOf(&ids)])?.conversations;
    let mut past: HashMap<_, _> = past.into_iter().map(|one| (one.id, one)).collect();
    let restore = |now: Conversation| {
        let extent = extents.get(&now.id)?;
        Some(Conversation {
            started_at: extent.first,
            last_at: extent.last,
            entries: extent.entries,
            // These two are about the work behind it, not about what was known.
            distilled_at: None,
            facts_dropped: 0,
            ..past.remove(&now.id).unwrap_or(now)
        })
    };
    Ok(now.into_iter().map(restore).collect())
}

/// Returns the branches of a conversation as they stood at a moment, oldest first.
pub(crate) fn branches_at(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    id: ConversationId,
    at: Timestamp,
) -> Result<Vec<Branch>> {
    let past = snapshot.past(place, at, &[PastKind::Entries])?.entries;
    let changed: HashSet<EntryId> = past.iter().map(|one| one.id).collect();
    let was_corrected = |corrected: Option<Timestamp>| corrected.is_some_and(|then| then <= at);
    let then = past.iter().filter(|one| one.conversation == id);
    let then = then.filter(|one| !was_corrected(one.corrected_at)).filter_map(|one| one.branch);
    let now = snapshot.entries(place, &EntryQuery::of_conversation(id, Which::All))?;
    let unchanged = now.iter().filter(|one| one.creation_time <= at && !changed.contains(&one.id));
    let unchanged = unchanged
        .filter(|one| !was_corrected(one.corrected.map(|corrected| corrected.at)))
        .filter_map(|one| one.branch.filter(|(_, since)| *since <= at));
    let mut branches: BTreeMap<BranchId, Branch> = BTreeMap::new();
    for (id, since) in then.chain(unchanged) {
        let new = Branch { id, archived_at: since, entries: 0 };
        let branch = branches.entry(id).or_insert(new);
        branch.archived_at = branch.archived_at.min(since);
        branch.entries += 1;
    }
    let mut branches: Vec<Branch> = branches.into_values().collect();
    branches.sort_by_key(|branch| (branch.archived_at, branch.id));
    Ok(branches)
}

/// Returns the conversations that were different at a moment or had other entries, except those known
/// already: as they stand, or, if they are no more, as they stood.
pub(crate) fn moved_conversations(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    at: Timestamp,
    known: &HashSet<ConversationId>,
) -> Result<Vec<Conversation>> {
    let past = snapshot.past(place, at, &[PastKind::Entries, PastKind::Conversations])?;
    let mut ids: Vec<ConversationId> = past.entries.iter().map(|one| one.conversation).collect();
    ids.extend(past.conversations.iter().map(|one| one.id));
    ids.retain(|id| !known.contains(id));
    ids.sort_unstable();
    ids.dedup();
    let mut stood: HashMap<_, _> =
        past.conversations.into_iter().map(|one| (one.id, one)).collect();
    let (_, now) = snapshot.each_of(place, &[], &ids)?;
    // One that has become part of another is found as that one.
    let own = |(id, now): (ConversationId, Option<Conversation>)| match now {
        Some(now) if now.id == id => Some(now),
        now => stood.remove(&id).or(now.map(|now| Conversation { id, ..now })),
    };
    Ok(ids.into_iter().zip(now).filter_map(own).collect())
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

//! How things stood before they were changed, in the oracle.

use everwhen_engine::chapters::Chapter;
use everwhen_engine::memory::{Conversation, ConversationId, EndedBy, Entry, EntryId, FactId};
use everwhen_engine::ports::{
    ChapterSelection, FactSelection, MemoryRef, PastEntry, PastFact, PastKind, PastRows, Replaced,
    Which,
};
use jiff::Timestamp;

use super::state::{EntryRow, State};

/// A row of what was, and the period in which it was so.
#[derive(Clone)]
pub(super) struct PastRow<T> {
    memory: MemoryRef,
    from: Timestamp,
    until: Timestamp,
    row: T,
}

impl<T> PastRow<T> {
    fn holds(&self, memory: MemoryRef, at: Timestamp) -> bool {
        self.memory == memory && self.from <= at && at < self.until
    }
}

/// Everything that was.
#[derive(Clone, Default)]
pub(super) struct Past {
    entries: Vec<PastRow<PastEntry>>,
    conversations: Vec<PastRow<Conversation>>,
    facts: Vec<PastRow<PastFact>>,
    chapters: Vec<PastRow<Chapter>>,
}

/// Adds a row of what was until a time, unless there is one for that time.
fn add<T>(
    rows: &mut Vec<PastRow<T>>,
    memory: MemoryRef,
    created: Timestamp,
    until: Timestamp,
    row: T,
    is_same: impl Fn(&T) -> bool,
) {
    let known = rows.iter().filter(|one| one.memory == memory && is_same(&one.row));
    let from = known.map(|one| one.until).max().unwrap_or(created);
    if from < until && created < until {
        rows.push(PastRow { memory, from, until, row });
    }
}

impl State {
    pub(super) fn keep_past(&mut self, memory: MemoryRef, what: Replaced<'_>, until: Timestamp) {
        match what {
            Replaced::Entries(ids) => {
                self.keep_entries(memory, until, |row| ids.contains(&row.entry.id));
            }
            Replaced::EntriesOf(id) => {
                self.keep_entries(memory, until, |row| row.entry.conversation == id);
            }
            Replaced::Conversation(id) => {
                let found = self.conversations_in(memory).find(|one| one.id == id).cloned();
                if let Some(one) = found {
                    let rows = &mut self.past.conversations;
                    add(rows, memory, Timestamp::UNIX_EPOCH, until, one, |row| row.id == id);
                }
            }
            Replaced::Fact(id) => {
                for fact in self.facts_in(memory, FactSelection::Id(id)) {
                    let past = PastFact { id, pinned_at: fact.pinned_at, by: fact.by };
                    let rows = &mut self.past.facts;
                    add(rows, memory, fact.creation_time, until, past, |row| row.id == id);
                }
            }
            Replaced::Chapter(id) => {
                for one in self.chapters_in(memory, ChapterSelection::Id(id)) {
                    let rows = &mut self.past.chapters;
                    add(rows, memory, one.creation_time, until, one, |row| row.id == id);
                }
            }
        }
    }

    fn keep_entries(
        &mut self,
        memory: MemoryRef,
        until: Timestamp,
        meant: impl Fn(&EntryRow) -> bool,
    ) {
        let rows = self.entries_in(memory).filter(|row| meant(row));
        let entries: Vec<Entry> = rows.map(|row| row.entry.clone()).collect();
        for entry in entries {
            let id = entry.id;
            let (created, row) = (entry.creation_time, past_entry(entry));
            add(&mut self.past.entries, memory, created, until, row, |row| row.id == id);
        }
    }

    pub(super) fn past_rows(
        &self,
        memory: MemoryRef,
        at: Timestamp,
        kinds: &[PastKind<'_>],
    ) -> PastRows {
        let past = &self.past;
        let has = |kind: PastKind<'_>| kinds.contains(&kind);
        let mut rows = PastRows {
            entries: holding(&past.entries, memory, at, has(PastKind::Entries)),
            conversations: self.past_conversations(memory, at, kinds),
            facts: holding(&past.facts, memory, at, has(PastKind::Facts)),
            chapters: holding(&past.chapters, memory, at, has(PastKind::Chapters)),
        };
        for past in &mut rows.entries {
            let now = self.entries_in(memory).find(|row| row.entry.id == past.id);
            past.corrected_at = now.and_then(|row| Some(row.entry.corrected?.at));
        }
        rows.entries.sort_by_key(|row| row.id);
        rows.conversations.sort_by_key(|row| row.id);
        rows.facts.sort_by_key(|row| row.id);
        rows.chapters.sort_by_key(|row| (row.last.time, row.last.sequence, row.id));
        rows
    }

    fn past_conversations(
        &self,
        memory: MemoryRef,
        at: Timestamp,
        kinds: &[PastKind<'_>],
    ) -> Vec<Conversation> {
        let is_meant = |one: &Conversation| {
            kinds.iter().any(|kind| match kind {
                PastKind::Conversations => true,
                PastKind::ConversationsOf(ids) => ids.contains(&one.id),
                PastKind::Entries | PastKind::Facts | PastKind::Chapters => false,
            })
        };
        let mut rows = holding(&self.past.conversations, memory, at, true);
        rows.retain(is_meant);
        rows
    }

    /// An entry as a question about these entries sees it: as it stands, or as it stood.
    pub(super) fn seen(&self, row: &EntryRow, which: Which) -> EntryRow {
        let Which::AsOf(at) = which else { return row.clone() };
        let memory = MemoryRef { vault: row.vault, memory: row.entry.memory };
        let is_it = |one: &&PastRow<PastEntry>| one.row.id == row.entry.id && one.holds(memory, at);
        let past = self.past.entries.iter().find(is_it).map(|one| one.row.clone());
        let mut seen = row.clone();
        if let Some(past) = past {
            (seen.entry.conversation, seen.entry.branch) = (past.conversation, past.branch);
            seen.entry.tags = past.tags;
        }
        seen
    }

    pub(super) fn forget_past_entries(&mut self, memory: MemoryRef, ids: &[EntryId]) {
        let now = self.entries_in(memory).filter(|row| ids.contains(&row.entry.id));
        let mut homes: Vec<_> = now.map(|row| row.entry.conversation).collect();
        let is_it = |one: &PastRow<PastEntry>| one.memory == memory && ids.contains(&one.row.id);
        let past = self.past.entries.iter().filter(|one| is_it(one));
        homes.extend(past.map(|one| one.row.conversation));
        self.past.entries.retain(|one| !is_it(one));
        let held =
            |one: &&mut PastRow<Conversation>| one.memory == memory && homes.contains(&one.row.id);
        for one in self.past.conversations.iter_mut().filter(held) {
            (one.row.summary, one.row.retrospection) = (None, None);
            if let Some(ended) = &mut one.row.ended {
                ended.by = without_reason(&ended.by);
            }
        }
    }

    pub(super) fn forget_past_conversation(&mut self, memory: MemoryRef, id: ConversationId) {
        self.past.conversations.retain(|one| one.memory != memory || one.row.id != id);
    }

    pub(super) fn forget_past_facts(&mut self, memory: MemoryRef, ids: &[FactId]) {
        self.past.facts.retain(|one| one.memory != memory || !ids.contains(&one.row.id));
    }

    pub(super) fn forget_past_chapters(&mut self, memory: MemoryRef, from: (Timestamp, u64)) {
        let ends = |one: &PastRow<Chapter>| (one.row.last.time, one.row.last.sequence);
        self.past.chapters.retain(|one| one.memory != memory || ends(one) < from);
    }

    pub(super) fn forget_past_where(&mut self, doomed: impl Fn(MemoryRef) -> bool) {
        self.past.entries.retain(|one| !doomed(one.memory));
        self.past.conversations.retain(|one| !doomed(one.memory));
        self.past.facts.retain(|one| !doomed(one.memory));
        self.past.chapters.retain(|one| !doomed(one.memory));
    }
}

fn past_entry(entry: Entry) -> PastEntry {
    PastEntry {
        id: entry.id,
        sequence: entry.sequence,
        conversation: entry.conversation,
        branch: entry.branch,
        tags: entry.tags,
        corrected_at: None,
    }
}

fn without_reason(by: &EndedBy) -> EndedBy {
    match by {
        EndedBy::Idle => EndedBy::Idle,
        EndedBy::Caller { .. } => EndedBy::Caller { reason: None },
    }
}

fn holding<T: Clone>(
    rows: &[PastRow<T>],
    memory: MemoryRef,
    at: Timestamp,
    wanted: bool,
) -> Vec<T> {
    let holding = rows.iter().filter(|one| wanted && one.holds(memory, at));
    holding.map(|one| one.row.clone()).collect()
}

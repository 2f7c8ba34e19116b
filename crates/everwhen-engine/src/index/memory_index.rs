//! The index of one memory: a search index of its entries, and the entries that are cached.
//!
//! Here entries become documents and conversations become groups; the search library knows neither.

use std::collections::{BTreeSet, HashMap};

use everwhen_search::{
    Document, DocumentId, DocumentInfo, DocumentState, GroupId, Index, Source, TimeRange, prefetch,
};
use jiff::Timestamp;

use super::entry_cache::{CachedEntry, EntryCache};
use crate::limits;
use crate::memory::{ConversationId, Entry, EntryId, Memory, MemoryId, Name, Provenance, Role};
use crate::past::PastMemory;
use crate::ports::{EntryState, PastEntry, TimeAxis};
use crate::time::Period;

/// How many bytes of a cached text are prefetched; the CPU prefetches the rest of a long one.
const PREFETCHED_BYTES: usize = 1_024;

/// The index of one memory.
#[derive(Debug, Default)]
pub(crate) struct MemoryIndex {
    pub(crate) search: Index,
    pub(super) entries: EntryCache,
    /// Whether it holds words of an entry that was forgotten since, by another process. It finds none of
    /// them, and it is never saved.
    pub(super) holds_forgotten: bool,
    /// The tags of entries whose tags were changed after they were added.
    retagged: HashMap<u32, Vec<Name>>,
}

impl MemoryIndex {
    /// Adds an entry and returns its number. Entries are added in the order of their sequence numbers.
    pub(crate) fn add(&mut self, entry: &Entry) -> u32 {
        let tags: Vec<&str> = entry.tags.iter().map(|tag| tag.as_str()).collect();
        self.search.add(&Document {
            id: DocumentId(entry.id.bytes()),
            group: group(entry.conversation),
            sequence: entry.sequence,
            time: entry.conversation_time.as_microsecond(),
            lasts: minutes(entry),
            created: entry.creation_time.as_microsecond(),
            removed: removed_at(entry).map(Timestamp::as_microsecond),
            source: source(entry.role),
            is_reply: entry.role.is_reply(),
            speaker: entry.speaker.as_ref().map(|name| name.as_str()),
            text: entry.content.as_str(),
            tags: &tags,
        })
    }

    /// Sets where every entry up to a sequence number belongs now. An entry that is not among them was
    /// forgotten. Cached entries that changed are dropped.
    pub(crate) fn update_states(
        &mut self,
        generation: u64,
        up_to: u64,
        entry_states: &[EntryState],
    ) {
        let cached: Vec<(u32, GroupId)> =
            self.entries.numbers().map(|number| (number, self.search.group_of(number))).collect();
        let states: Vec<DocumentState> = entry_states.iter().map(state).collect();
        self.search.update_states(generation, up_to, &states);
        self.holds_forgotten |= states.len() < self.search.len();
        for (number, group) in cached {
            if !self.search.is_current(number) || self.search.group_of(number) != group {
                self.entries.remove(number);
            }
        }
        self.entries.tidy_order();
    }

    /// Takes over the tags of entries whose tags were changed. Those that are not in the index yet are
    /// added with them.
    pub(crate) fn update_tags(&mut self, changed: Vec<Entry>) {
        for entry in changed {
            let number = self.search.number_after(entry.sequence - 1);
            let is_known = (number as usize) < self.search.len()
                && self.search.document(number).id == DocumentId(entry.id.bytes());
            if is_known {
                self.entries.remove(number);
                self.retagged.insert(number, entry.tags);
            }
        }
        self.entries.tidy_order();
    }

    /// Returns the entries with at least one of these tags, in rising order, current or not.
    pub(crate) fn tagged(&self, tags: &[&str]) -> Vec<u32> {
        let mut numbers = self.search.tagged(tags);
        numbers.retain(|number| !self.retagged.contains_key(number));
        let has_one = |own: &[Name]| own.iter().any(|tag| tags.contains(&tag.as_str()));
        let changed = self.retagged.iter().filter(|(_, own)| has_one(own));
        numbers.extend(changed.map(|(number, _)| number));
        numbers.sort_unstable();
        numbers
    }

    /// Returns the entries that had at least one of these tags at a moment, in rising order.
    pub(crate) fn tagged_at(&self, tags: &[&str], past: &PastMemory) -> Vec<u32> {
        let mut numbers: BTreeSet<u32> = self.tagged(tags).into_iter().collect();
        for (number, entry) in self.past_entries(past) {
            match entry.tags.iter().any(|tag| tags.contains(&tag.as_str())) {
                true => numbers.insert(number),
                false => numbers.remove(&number),
            };
        }
        numbers.into_iter().collect()
    }

    /// Returns the index as it was when entries were in other conversations or on other branches; `None` if
    /// it answers as of that moment as it is.
    pub(crate) fn rewound(&self, past: &PastMemory) -> Option<Self> {
        let at = past.at.as_microsecond();
        let differs = |(number, entry): &(u32, &PastEntry)| {
            let was_removed = entry.branch.is_some();
            let is_removed = self.search.document(*number).removed <= at;
            let is_corrected = entry.corrected_at.is_some_and(|corrected| corrected <= past.at);
            self.search.group_of(*number) != group(entry.conversation)
                || was_removed != is_removed && !is_corrected
        };
        let changed: HashMap<u32, &PastEntry> = self.past_entries(past).filter(differs).collect();
        if changed.is_empty() {
            return None;
        }
        let states = (0..self.search.len() as u32).filter_map(|number| {
            let document = self.search.document(number);
            let now = DocumentState {
                sequence: document.sequence,
                group: self.search.group_of(number),
                removed: (document.removed != i64::MAX).then_some(document.removed),
            };
            let is_erased = document.removed == i64::MIN;
            (!is_erased).then(|| changed.get(&number).map_or(now, |entry| past_state(entry)))
        });
        let states: Vec<DocumentState> = states.collect();
        let mut search = self.search.clone();
        search.update_states(self.search.generation, self.search.sequence, &states);
        Some(Self { search, retagged: self.retagged.clone(), ..Self::default() })
    }

    /// Returns the entries of this index that were different at a moment, with their numbers.
    fn past_entries<'p>(&self, past: &'p PastMemory) -> impl Iterator<Item = (u32, &'p PastEntry)> {
        self.numbered(past.entries())
    }

    fn numbered<'p>(
        &self,
        entries: impl Iterator<Item = &'p PastEntry>,
    ) -> impl Iterator<Item = (u32, &'p PastEntry)> {
        entries.filter_map(|entry| {
            let number = self.search.number_after(entry.sequence - 1);
            let is_known = (number as usize) < self.search.len()
                && self.search.document(number).id == DocumentId(entry.id.bytes());
            is_known.then_some((number, entry))
        })
    }

    /// Returns when each current entry was said or stored, in microseconds.
    pub(crate) fn times(&self, axis: TimeAxis) -> Vec<i64> {
        let current = self.documents().filter(|(_, document)| document.removed == i64::MAX);
        current.map(|(_, document)| time_on(axis, &document)).collect()
    }

    /// Returns the same for the entries that were current at a moment, given those that were different then.
    pub(crate) fn times_at(&self, axis: TimeAxis, at: Timestamp, past: &[PastEntry]) -> Vec<i64> {
        let at = at.as_microsecond();
        let otherwise: HashMap<u32, &PastEntry> = self.numbered(past.iter()).collect();
        let was_in_force = |number: u32, document: &DocumentInfo| match otherwise.get(&number) {
            Some(entry) if document.removed > i64::MIN => {
                let corrected = entry.corrected_at.map(Timestamp::as_microsecond);
                entry.branch.is_none() && corrected.is_none_or(|corrected| corrected > at)
            }
            _ => document.removed > at,
        };
        let was_current = self
            .documents()
            .filter(|(number, document)| document.created <= at && was_in_force(*number, document));
        was_current.map(|(_, document)| time_on(axis, &document)).collect()
    }

    fn documents(&self) -> impl Iterator<Item = (u32, DocumentInfo)> {
        (0..self.search.len() as u32).map(|number| (number, self.search.document(number)))
    }

    /// Returns whether the index has everything that a memory had when it was read.
    pub(crate) fn is_up_to_date(&self, memory: &Memory) -> bool {
        self.search.generation >= memory.generation && self.search.sequence >= memory.last_sequence
    }

    /// Caches an entry, if it is current and in the conversation that the index knows.
    pub(crate) fn cache_entry(&mut self, number: u32, entry: Entry) {
        let is_current = entry.corrected.is_none() && entry.branch.is_none();
        let is_same = self.search.document(number).id == DocumentId(entry.id.bytes())
            && self.search.group_of(number) == group(entry.conversation);
        if is_current && is_same && self.search.is_current(number) {
            if self.search.len() > limits::LARGE_INDEX_ENTRIES {
                self.entries.set_budget(limits::LARGE_ENTRY_CACHE_BYTES);
            }
            self.entries.insert(number, entry);
        }
    }

    /// Prefetches an entry into the CPU cache, before several are read one by one.
    pub(crate) fn prefetch_entry(&self, number: u32) {
        self.search.prefetch_document(number);
        if let Some(text) = self.entries.get(number).map(CachedEntry::text) {
            prefetch(&text.as_bytes()[..text.len().min(PREFETCHED_BYTES)]);
        }
    }

    /// Returns an entry of this memory, if it is cached.
    pub(crate) fn cached_entry(&self, memory: MemoryId, number: u32) -> Option<Entry> {
        let cached = self.entries.get(number)?;
        cached.entry(memory, self.conversation_of(number), &self.search.document(number))
    }

    /// Returns the id of an entry.
    pub(crate) fn entry_id(&self, number: u32) -> EntryId {
        entry_id(&self.search.document(number))
    }

    /// Returns the id of the conversation with this number.
    pub(crate) fn conversation(&self, number: u32) -> ConversationId {
        conversation_id(self.search.group(number))
    }

    /// Returns the number of a conversation, if anything was said in it.
    pub(crate) fn conversation_number(&self, conversation: ConversationId) -> Option<u32> {
        self.search.known_group(group(conversation))
    }

    fn conversation_of(&self, number: u32) -> ConversationId {
        conversation_id(self.search.group_of(number))
    }

    /// Returns the approximate number of bytes in use.
    pub(crate) fn size(&self) -> usize {
        self.search.size() + self.entries.size()
    }
}

/// Returns the source that the entries of a role have in the index. Segments in stores hold it, so it
/// never changes.
pub(crate) fn source(role: Role) -> Source {
    match role {
        Role::User => Source::new(0),
        Role::Assistant => Source::new(1),
        Role::System => Source::new(2),
        Role::Tool => Source::new(3),
    }
}

/// Returns the role of the entries with this source.
pub(super) fn role(source: Source) -> Option<Role> {
    Role::ALL.into_iter().find(|role| self::source(*role) == source)
}

/// Returns a period in microseconds.
pub(crate) fn range(period: Period) -> TimeRange {
    let micros = |end: Option<Timestamp>| end.map(Timestamp::as_microsecond);
    TimeRange { since: micros(period.since()), until: micros(period.until()) }
}

/// Returns the id of the entry of a document.
pub(super) fn entry_id(info: &DocumentInfo) -> EntryId {
    uuid::Uuid::from_bytes(info.id.0).into()
}

fn time_on(axis: TimeAxis, document: &DocumentInfo) -> i64 {
    match axis {
        TimeAxis::ConversationTime => document.time,
        TimeAxis::CreationTime => document.created,
    }
}

fn group(conversation: ConversationId) -> GroupId {
    GroupId(conversation.bytes())
}

fn conversation_id(group: GroupId) -> ConversationId {
    uuid::Uuid::from_bytes(group.0).into()
}

fn state(standing: &EntryState) -> DocumentState {
    DocumentState {
        sequence: standing.sequence,
        group: group(standing.conversation),
        removed: standing.gone_since.map(Timestamp::as_microsecond),
    }
}

/// Returns the state that an entry had. One that was on a branch was not current at any moment asked for.
fn past_state(entry: &PastEntry) -> DocumentState {
    let corrected = entry.corrected_at.map(Timestamp::as_microsecond);
    DocumentState {
        sequence: entry.sequence,
        group: group(entry.conversation),
        removed: if entry.branch.is_some() { Some(i64::MIN) } else { corrected },
    }
}

/// Returns how many minutes the period is long in which an entry was said; 0 if the time is known.
fn minutes(entry: &Entry) -> u32 {
    let length = |from: &Provenance| {
        let end = from.precision.end_of(entry.conversation_time);
        u32::try_from(end.duration_since(entry.conversation_time).as_mins()).unwrap_or(0)
    };
    entry.provenance.as_deref().map_or(0, length)
}

/// Returns when an entry stopped being current: when it was corrected, or put on a branch.
fn removed_at(entry: &Entry) -> Option<Timestamp> {
    let corrected = entry.corrected.map(|corrected| corrected.at);
    let branched = entry.branch.map(|(_, at)| at);
    corrected.into_iter().chain(branched).min()
}

#[cfg(test)]
pub(crate) mod tests {
    //! Entries for tests of recall.

    use super::*;
    use crate::memory::Said;

    /// An entry of a conversation, said on a day of May 2023.
    pub(crate) fn said(sequence: u64, conversation: u128, role: Role, text: &str) -> Entry {
        let time = format!("2023-05-{:02}T10:00:00Z", sequence.clamp(1, 28)).parse().unwrap();
        Entry {
            id: uuid::Uuid::from_u128(u128::from(sequence)).into(),
            memory: uuid::Uuid::from_u128(1).into(),
            sequence,
            place: sequence,
            role,
            speaker: None,
            content: Said::new(text).unwrap(),
            summary: None,
            tags: Vec::new(),
            metadata: None,
            tools_used: Vec::new(),
            is_question: false,
            conversation_time: time,
            creation_time: time,
            conversation: uuid::Uuid::from_u128(conversation).into(),
            conversation_name: None,
            placed_by_time: false,
            corrects: None,
            corrected: None,
            branch: None,
            provenance: None,
        }
    }

    #[test]
    fn every_role_has_its_own_source() {
        for one in Role::ALL {
            assert_eq!(role(source(one)), Some(one));
        }
        assert_eq!(
            Role::ALL.map(|one| source(one).number()),
            [0, 1, 2, 3],
            "as segments hold them"
        );
    }
}

//! A cache of entries: the newest ones, and those that were read since.
//!
//! What a question found is answered from here; only the rest is read from the store. Only current
//! entries are cached: all that can change about one is that it moves to another conversation or is no
//! longer current, and the index learns of both. Then it is dropped. Above the byte budget, the entry
//! that was cached first is dropped first.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use everwhen_search::DocumentInfo;
use foldhash::fast::RandomState;
use jiff::Timestamp;

use super::memory_index::{entry_id, role};
use crate::limits;
use crate::memory::{
    ConversationId, Correction, Entry, MemoryId, Metadata, Name, Provenance, Said,
};

/// The cached entries of an index, by their numbers.
#[derive(Debug)]
pub(super) struct EntryCache {
    budget: usize,
    bytes: usize,
    entries: HashMap<u32, CachedEntry, RandomState>,
    /// Their numbers, in the order they were cached.
    order: VecDeque<u32>,
}

/// The parts of an entry that the search index does not hold.
#[derive(Debug)]
pub(super) struct CachedEntry {
    content: Said,
    /// Shared with the entry cached before, where both have the same.
    conversation_name: Option<Arc<Name>>,
    rare: Option<Box<RareParts>>,
    is_question: bool,
    placed_by_time: bool,
}

/// Parts that few entries have.
#[derive(Debug, Clone, PartialEq, Default)]
struct RareParts {
    speaker: Option<Name>,
    summary: Option<String>,
    tags: Vec<Name>,
    metadata: Option<Metadata>,
    tools_used: Vec<Name>,
    corrects: Option<Correction>,
    /// Its place, if that is not its sequence.
    place: Option<u64>,
    provenance: Option<Box<Provenance>>,
}

impl EntryCache {
    /// Caches an entry, unless it is cached already.
    pub(super) fn insert(&mut self, number: u32, entry: Entry) {
        if self.entries.contains_key(&number) {
            return;
        }
        let before = self.order.back().and_then(|last| self.entries.get(last));
        let cached = CachedEntry::new(entry, before);
        self.bytes += cached.size();
        self.entries.insert(number, cached);
        self.order.push_back(number);
        while self.bytes > self.budget
            && let Some(first) = self.order.pop_front()
        {
            self.remove(first);
        }
    }

    /// Sets the number of bytes that entries may take from now on.
    pub(super) fn set_budget(&mut self, bytes: usize) {
        self.budget = bytes;
    }

    /// Drops an entry. [`EntryCache::tidy_order`] has to be called after the last one.
    pub(super) fn remove(&mut self, number: u32) {
        self.bytes -= self.entries.remove(&number).map_or(0, |cached| cached.size());
    }

    /// Removes the numbers of dropped entries from the order.
    pub(super) fn tidy_order(&mut self) {
        if self.order.len() != self.entries.len() {
            self.order.retain(|number| self.entries.contains_key(number));
        }
    }

    /// Iterates over the numbers of the cached entries.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.entries.keys().copied()
    }

    /// Returns a cached entry.
    pub(super) fn get(&self, number: u32) -> Option<&CachedEntry> {
        self.entries.get(&number)
    }

    /// Returns the approximate number of bytes in use.
    pub(super) fn size(&self) -> usize {
        self.bytes
    }
}

impl Default for EntryCache {
    fn default() -> Self {
        let (entries, order) = (HashMap::default(), VecDeque::new());
        Self { budget: limits::ENTRY_CACHE_BYTES, bytes: 0, entries, order }
    }
}

impl CachedEntry {
    fn new(entry: Entry, before: Option<&Self>) -> Self {
        let known = before.and_then(|cached| cached.conversation_name.as_ref());
        let share = |name: Name| match known.filter(|known| ***known == name) {
            Some(known) => Arc::clone(known),
            None => Arc::new(name),
        };
        let place = (entry.place != entry.sequence).then_some(entry.place);
        let Entry { speaker, summary, tags, metadata, tools_used, corrects, provenance, .. } =
            entry;
        let rare =
            RareParts { speaker, summary, tags, metadata, tools_used, corrects, place, provenance };
        Self {
            content: entry.content,
            conversation_name: entry.conversation_name.map(share),
            rare: (rare != RareParts::default()).then(|| Box::new(rare)),
            is_question: entry.is_question,
            placed_by_time: entry.placed_by_time,
        }
    }

    /// Returns the text.
    pub(super) fn text(&self) -> &str {
        self.content.as_str()
    }

    /// Returns the entry, with what the index knows of it.
    pub(super) fn entry(
        &self,
        memory: MemoryId,
        conversation: ConversationId,
        info: &DocumentInfo,
    ) -> Option<Entry> {
        let rare = self.rare.as_deref().cloned().unwrap_or_default();
        Some(Entry {
            id: entry_id(info),
            memory,
            sequence: info.sequence,
            place: rare.place.unwrap_or(info.sequence),
            role: role(info.source)?,
            speaker: rare.speaker,
            content: self.content.clone(),
            summary: rare.summary,
            tags: rare.tags,
            metadata: rare.metadata,
            tools_used: rare.tools_used,
            is_question: self.is_question,
            conversation_time: Timestamp::from_microsecond(info.time).ok()?,
            creation_time: Timestamp::from_microsecond(info.created).ok()?,
            conversation,
            conversation_name: self.conversation_name.as_deref().cloned(),
            placed_by_time: self.placed_by_time,
            corrects: rare.corrects,
            corrected: None,
            branch: None,
            provenance: rare.provenance,
        })
    }

    /// Returns the approximate number of bytes that it takes in the cache.
    fn size(&self) -> usize {
        let slot = size_of::<(u32, Self)>() * 3 / 2;
        let name = self.conversation_name.as_ref().map_or(0, |name| name.as_str().len());
        let rare = self.rare.as_ref().map_or(0, |rare| rare.size());
        slot + self.content.as_str().len() + name + rare
    }
}

impl RareParts {
    fn size(&self) -> usize {
        let names = self.speaker.iter().chain(&self.tags).chain(&self.tools_used);
        let reason = self.corrects.as_ref().map(|corrects| corrects.reason.as_str());
        let metadata = self.metadata.as_ref().map(Metadata::as_str);
        let texts = self.summary.as_deref().into_iter().chain(reason).chain(metadata);
        let provenance = self.provenance.as_ref().map_or(0, |from| {
            let texts = [Some(&from.source), from.source_id.as_ref(), from.time_text.as_ref()];
            let texts = texts.into_iter().flatten().map(|text| text.as_str().len());
            size_of::<Provenance>() + texts.sum::<usize>()
        });
        size_of::<Self>()
            + provenance
            + names.map(|name| size_of::<Name>() + name.as_str().len()).sum::<usize>()
            + texts.map(str::len).sum::<usize>()
    }
}

#[cfg(test)]
mod tests;

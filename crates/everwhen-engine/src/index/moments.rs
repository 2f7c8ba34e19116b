//! A memory at the moments that questions last asked as of, cached until something about it changes.
//!
//! Reading what was different takes long if there is much of it, and an index in which entries are back in
//! their former conversations is a copy. Questions as of one moment mostly come in a row, so both are made once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::distilled::{Distilled, words_of_chapter, words_of_fact};
use super::memory_index::MemoryIndex;
use super::word_index::WordIndex;
use crate::fact_views::{FactView, views_at};
use crate::limits;
use crate::memory::{Chapter, Memory};
use crate::past::PastMemory;
use crate::similarity::Ruler;
use crate::time::Zone;

/// The approximate number of bytes of an entry that was different at the moment.
const ENTRY_BYTES: usize = 200;

/// A memory as it stood at a moment.
pub(crate) struct PastMoment {
    pub(crate) past: Arc<PastMemory>,
    /// The memory's counts of changes when it was read.
    generation: u64,
    distilled: u64,
    /// The embedder whose vectors the index had.
    embedder: String,
    /// How many entries of the index are known to be in `rewound` or to have come after the moment.
    covered: AtomicUsize,
    /// The index of the moment, if entries were in other conversations.
    pub(crate) rewound: Option<MemoryIndex>,
    /// Chapters that have been replaced since.
    pub(crate) chapters: WordIndex<Chapter>,
    facts: Mutex<Option<PastFacts>>,
}

/// Facts as they were shown, with the version and the zone that they were made of.
type PastFacts = (u64, Zone, Arc<WordIndex<FactView>>);

impl PastMoment {
    /// Takes what was read after the index of a memory had been brought up to date.
    pub(crate) fn new(past: PastMemory, index: &MemoryIndex, memory: &Memory) -> Self {
        Self {
            generation: memory.generation,
            distilled: memory.distilled,
            embedder: index.search.active_embedder().to_owned(),
            covered: index.search.len().into(),
            rewound: index.rewound(&past),
            chapters: WordIndex::new(past.chapters.clone(), words_of_chapter),
            facts: Mutex::default(),
            past: Arc::new(past),
        }
    }

    /// Returns the facts as they were shown.
    pub(crate) fn facts(
        &self,
        distilled: &Distilled,
        ruler: &Ruler,
        zone: &Zone,
    ) -> Arc<WordIndex<FactView>> {
        let mut known = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((version, of, facts)) = &*known
            && (*version, of) == (distilled.version(), zone)
        {
            return Arc::clone(facts);
        }
        let moment = (self.past.at, self.past.facts.as_slice());
        let shown = views_at(distilled.facts.clone(), moment, ruler, zone);
        let facts = Arc::new(WordIndex::new(shown, words_of_fact));
        *known = Some((distilled.version(), zone.clone(), Arc::clone(&facts)));
        facts
    }

    fn is_current(&self, index: &MemoryIndex, memory: &Memory) -> bool {
        self.generation == memory.generation
            && self.distilled == memory.distilled
            && self.embedder == index.search.active_embedder()
    }

    /// Returns whether no entry that was there at the moment has come to the index since.
    fn covers(&self, index: &MemoryIndex) -> bool {
        let (at, all) = (self.past.at.as_microsecond(), index.search.len());
        let covered = self.covered.load(Ordering::Relaxed);
        let is_later = |number: usize| index.search.document(number as u32).created > at;
        let covers = (covered..all).all(is_later);
        if covers {
            self.covered.fetch_max(all, Ordering::Relaxed);
        }
        covers
    }

    fn size(&self) -> usize {
        let facts = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        let facts = facts.as_ref().map_or(0, |(_, _, facts)| facts.size());
        let rewound = self.rewound.as_ref().map_or(0, MemoryIndex::size);
        rewound + facts + self.chapters.size() + self.past.entries().count() * ENTRY_BYTES
    }
}

/// The moments of one memory that were last asked for, the latest question's last.
#[derive(Default)]
pub(super) struct PastMoments(Mutex<Vec<Arc<PastMoment>>>);

impl PastMoments {
    /// Returns a moment, if nothing about it can have changed. Moments that can have changed are dropped.
    pub(super) fn get(
        &self,
        at: jiff::Timestamp,
        index: &MemoryIndex,
        memory: &Memory,
    ) -> Option<Arc<PastMoment>> {
        let mut moments = self.lock();
        moments.retain(|one| one.is_current(index, memory));
        let found = moments.iter().position(|one| one.past.at == at)?;
        let moment = moments.remove(found);
        if !moment.covers(index) {
            return None;
        }
        moments.push(Arc::clone(&moment));
        Some(moment)
    }

    /// Keeps a moment, and drops the one that was not asked for the longest.
    pub(super) fn put(&self, moment: &Arc<PastMoment>) {
        let mut moments = self.lock();
        moments.retain(|one| one.past.at != moment.past.at);
        if moments.len() >= limits::CACHED_MOMENTS {
            moments.remove(0);
        }
        moments.push(Arc::clone(moment));
    }

    /// Returns the approximate number of bytes in use.
    pub(super) fn size(&self) -> usize {
        self.lock().iter().map(|moment| moment.size()).sum()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<PastMoment>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::memory_index::tests::said;
    use crate::memory::{Entry, Role};
    use crate::ports::PastEntry;

    fn memory() -> Memory {
        let name = crate::memory::Name::new("name", "m").unwrap();
        let now = jiff::Timestamp::UNIX_EPOCH;
        crate::memory_edit::fresh_memory(uuid::Uuid::from_u128(1).into(), name, now)
    }

    /// An index of entries in one conversation, of which the second was in another.
    fn moved(entries: u64) -> (MemoryIndex, PastMemory) {
        let mut index = MemoryIndex::default();
        let all: Vec<Entry> =
            (1..=entries).map(|number| said(number, 1, Role::User, "the cat sleeps")).collect();
        for entry in &all {
            index.add(entry);
        }
        let conversation = uuid::Uuid::from_u128(2).into();
        let Entry { id, sequence, creation_time: at, .. } = all[1].clone();
        let tags = Vec::new();
        let (branch, corrected_at) = (None, None);
        let past = PastEntry { id, sequence, conversation, branch, tags, corrected_at };
        (index, PastMemory::of_entries(at, vec![past]))
    }

    #[test]
    fn an_index_is_copied_once_for_a_moment() {
        let ((mut index, past), memory) = (moved(2), memory());
        let (at, moments) = (past.at, PastMoments::default());
        assert!(moments.get(at, &index, &memory).is_none());
        let made = Arc::new(PastMoment::new(past, &index, &memory));
        let rewound = made.rewound.as_ref().unwrap();
        assert_ne!(rewound.search.group_of(1), index.search.group_of(1));
        moments.put(&made);
        let is_cached = |index: &MemoryIndex, memory: &Memory| {
            moments.get(at, index, memory).is_some_and(|found| Arc::ptr_eq(&found, &made))
        };
        assert!(is_cached(&index, &memory));
        index.add(&said(9, 1, Role::User, "said later"));
        assert!(is_cached(&index, &memory), "it was not there at the moment");
        assert!(moments.size() > 0);
        let changed = Memory { generation: memory.generation + 1, ..memory };
        assert!(!is_cached(&index, &changed) && moments.size() == 0, "entries may have moved");
    }

    #[test]
    fn an_entry_of_the_moment_makes_it_anew() {
        let ((mut index, past), memory) = (moved(2), memory());
        let (at, moments) = (past.at, PastMoments::default());
        moments.put(&Arc::new(PastMoment::new(past, &index, &memory)));
        index.add(&Entry { creation_time: at, ..said(3, 1, Role::User, "at that moment") });
        assert!(moments.get(at, &index, &memory).is_none());
    }

    #[test]
    fn a_few_moments_are_cached() {
        let ((index, past), memory) = (moved(2), memory());
        let moments = PastMoments::default();
        let later = |hours| past.at + jiff::SignedDuration::from_hours(hours);
        for hours in 0..10 {
            let one = PastMemory::of_entries(later(hours), Vec::new());
            moments.put(&Arc::new(PastMoment::new(one, &index, &memory)));
        }
        let known = (0..10).filter(|hours| moments.get(later(*hours), &index, &memory).is_some());
        assert_eq!(known.collect::<Vec<_>>(), [6, 7, 8, 9]);
    }
}

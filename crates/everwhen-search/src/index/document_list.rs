//! What is known of each document, in columns: a million of them take a third less memory than in rows, and
//! a search that compares times reads nothing else.
//!
//! Sequence numbers mostly follow each other, so only those that do not are kept. That a document is no longer
//! current, or lasts for a period, is kept for the few of which it is true.

use std::collections::BTreeMap;

use crate::document::{DocumentId, DocumentInfo, Micros, Source, last_of};
use crate::vectors::prefetch;

/// What is known of each document, by number.
#[derive(Debug, Clone, Default)]
pub(crate) struct DocumentList {
    ids: Vec<DocumentId>,
    times: Vec<Micros>,
    created: Vec<Micros>,
    speakers: Vec<u16>,
    sources: Vec<Source>,
    /// The first document of each run whose sequence numbers follow each other, with that number.
    runs: Vec<(u32, u64)>,
    /// When documents stopped being current, of those that did.
    removed: BTreeMap<u32, Micros>,
    /// How many minutes long the period is that a document is about, where that is not an instant.
    lasts: BTreeMap<u32, u32>,
}

impl DocumentList {
    /// Returns the number of documents.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Makes room for this many more documents.
    pub(crate) fn reserve(&mut self, documents: usize) {
        self.ids.reserve_exact(documents);
        self.times.reserve_exact(documents);
        self.created.reserve_exact(documents);
        self.speakers.reserve_exact(documents);
        self.sources.reserve_exact(documents);
    }

    /// Appends a document, whose sequence number is above all others.
    pub(crate) fn push(&mut self, info: &DocumentInfo) {
        let number = self.len() as u32;
        if self.sequence_behind() != Some(info.sequence) {
            self.runs.push((number, info.sequence));
        }
        self.ids.push(info.id);
        self.times.push(info.time);
        self.created.push(info.created);
        self.speakers.push(info.speaker);
        self.sources.push(info.source);
        self.set_removed(number, info.removed);
        if info.lasts > 0 {
            self.lasts.insert(number, info.lasts);
        }
    }

    /// Appends the documents of another list, whose sequence numbers are above all others; `speaker` is the
    /// number that a speaker of the other list has here.
    pub(crate) fn append(&mut self, other: Self, speaker: impl Fn(u16) -> u16) {
        let before = self.len() as u32;
        for (first, sequence) in other.runs {
            if first > 0 || self.sequence_behind() != Some(sequence) {
                self.runs.push((before + first, sequence));
            }
        }
        self.ids.extend_from_slice(&other.ids);
        self.times.extend_from_slice(&other.times);
        self.created.extend_from_slice(&other.created);
        self.speakers.extend(other.speakers.into_iter().map(speaker));
        self.sources.extend_from_slice(&other.sources);
        let here = |number: u32| before + number;
        self.removed.extend(other.removed.into_iter().map(|(one, time)| (here(one), time)));
        self.lasts.extend(other.lasts.into_iter().map(|(one, minutes)| (here(one), minutes)));
    }

    /// Returns the sequence number that follows the last one.
    fn sequence_behind(&self) -> Option<u64> {
        let (first, sequence) = self.runs.last()?;
        Some(sequence + (self.len() as u64 - u64::from(*first)))
    }

    /// Sets when a document stopped being current; see [`DocumentInfo::removed`].
    pub(crate) fn set_removed(&mut self, number: u32, removed: Micros) {
        if removed == Micros::MAX {
            self.removed.remove(&number);
        } else {
            self.removed.insert(number, removed);
        }
    }

    /// Returns all that is known of a document.
    pub(crate) fn get(&self, number: u32) -> DocumentInfo {
        let at = number as usize;
        DocumentInfo {
            id: self.ids[at],
            sequence: self.sequence(number),
            time: self.times[at],
            created: self.created[at],
            removed: self.removed(number),
            lasts: self.lasts(number),
            speaker: self.speakers[at],
            source: self.sources[at],
        }
    }

    /// Returns the sequence number of a document.
    pub(crate) fn sequence(&self, number: u32) -> u64 {
        let behind = self.runs.partition_point(|(first, _)| *first <= number);
        let (first, sequence) = self.runs[behind - 1];
        sequence + u64::from(number - first)
    }

    /// Returns the number of the first document after a sequence number.
    pub(crate) fn number_after(&self, sequence: u64) -> u32 {
        let behind = self.runs.partition_point(|(_, own)| *own <= sequence);
        let next = self.runs.get(behind).map_or(self.len() as u32, |(first, _)| *first);
        let Some((first, own)) = behind.checked_sub(1).map(|last| self.runs[last]) else {
            return 0;
        };
        let after = u64::from(first) + (sequence - own) + 1;
        after.min(u64::from(next)) as u32
    }

    /// Returns the time that a document is about.
    #[inline]
    pub(crate) fn time(&self, number: u32) -> Micros {
        self.times[number as usize]
    }

    /// Returns the first and the last instant that a document may be about.
    #[inline]
    pub(crate) fn times(&self, number: u32) -> (Micros, Micros) {
        let time = self.time(number);
        (time, last_of(time, self.lasts(number)))
    }

    /// Returns when each document was stored.
    pub(crate) fn all_created(&self) -> &[Micros] {
        &self.created
    }

    /// Returns whether a document was stored before the one in front of it, as its creation time says.
    pub(crate) fn runs_back_at(&self, number: u32) -> bool {
        let at = number as usize;
        at > 0 && self.created[at - 1] > self.created[at]
    }

    /// Returns when a document stopped being current; see [`DocumentInfo::removed`].
    pub(crate) fn removed(&self, number: u32) -> Micros {
        self.removed.get(&number).copied().unwrap_or(Micros::MAX)
    }

    /// Returns the speaker of a document.
    pub(crate) fn speaker(&self, number: u32) -> u16 {
        self.speakers[number as usize]
    }

    /// Returns the speakers of the first documents.
    pub(crate) fn speakers_below(&self, end: usize) -> &[u16] {
        &self.speakers[..end]
    }

    fn lasts(&self, number: u32) -> u32 {
        if self.lasts.is_empty() { 0 } else { self.lasts.get(&number).copied().unwrap_or(0) }
    }

    /// Prefetches most of what [`DocumentList::get`] reads.
    pub(crate) fn prefetch(&self, number: u32) {
        let at = number as usize..=number as usize;
        prefetch(&self.ids[at.clone()]);
        prefetch(&self.times[at.clone()]);
        prefetch(&self.created[at]);
    }

    /// Returns the approximate number of bytes in use.
    pub(crate) fn size(&self) -> usize {
        self.ids.capacity() * size_of::<DocumentId>()
            + (self.times.capacity() + self.created.capacity()) * size_of::<Micros>()
            + self.speakers.capacity() * size_of::<u16>()
            + self.sources.capacity() * size_of::<Source>()
            + self.runs.capacity() * size_of::<(u32, u64)>()
            + (self.removed.len() + self.lasts.len()) * 2 * size_of::<(u32, Micros)>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn info(sequence: u64, spread: i64) -> DocumentInfo {
        DocumentInfo {
            id: DocumentId([sequence as u8; 16]),
            sequence,
            time: spread * 7,
            created: spread,
            removed: if spread % 3 == 0 { spread - 1 } else { Micros::MAX },
            lasts: if spread % 5 == 0 { 60 } else { 0 },
            speaker: (spread % 4) as u16,
            source: Source::ALL[spread as usize % 4],
        }
    }

    proptest! {
        #[test]
        fn documents_are_as_they_were_added(gaps in proptest::collection::vec((1u64..4, 0i64..90), 0..40)) {
            let (mut list, mut all, mut sequence) = (DocumentList::default(), Vec::new(), 0);
            for (gap, spread) in gaps {
                sequence += gap;
                all.push(info(sequence, spread));
                list.push(&info(sequence, spread));
            }
            prop_assert_eq!(list.len(), all.len());
            for (number, known) in (0..).zip(&all) {
                prop_assert_eq!(&list.get(number), known);
                prop_assert_eq!(list.times(number), (known.time, known.last()));
            }
            for sequence in 0..sequence + 3 {
                let behind = all.partition_point(|one| one.sequence <= sequence);
                prop_assert_eq!(list.number_after(sequence), behind as u32);
            }
            for divided in 0..=all.len() {
                let [mut first, mut second] = [DocumentList::default(), DocumentList::default()];
                all[..divided].iter().for_each(|one| first.push(one));
                all[divided..].iter().for_each(|one| second.push(one));
                first.append(second, |speaker| speaker);
                prop_assert_eq!(format!("{first:?}"), format!("{list:?}"));
            }
        }
    }

    #[test]
    fn a_document_may_be_current_again() {
        let mut list = DocumentList::default();
        list.push(&info(4, 1));
        for removed in [9, Micros::MIN, Micros::MAX] {
            list.set_removed(0, removed);
            assert_eq!(list.get(0), DocumentInfo { removed, ..info(4, 1) });
        }
    }
}

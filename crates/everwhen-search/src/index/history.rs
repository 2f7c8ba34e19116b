//! What the index held at an earlier time, without a scan over all documents.
//!
//! Documents are stored in the order of their numbers. So what was there at an earlier time is
//! everything below a number, except the few documents that were removed by then. Running totals are
//! recorded at intervals, and only groups that differ from their current state are counted again.

use super::group_counts::{GroupCount, Totals};
use super::{Index, Postings};
use crate::document::{Micros, NO_DOCUMENT, Placement};

/// Running totals are recorded every this many documents.
const INTERVAL: usize = 1_024;

/// What is recorded to answer as of an earlier time.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    /// Documents that are not current.
    removed: Vec<u32>,
    /// Totals over all documents ever added.
    totals: Totals,
    /// The totals before each [`INTERVAL`] of documents.
    checkpoints: Vec<Totals>,
    /// Whether the creation time of a document is before that of an earlier one.
    pub(super) runs_back: bool,
}

impl History {
    /// Records the next document, and whether it is the first of its group.
    pub(super) fn add(&mut self, number: u32, placement: &Placement, is_first: bool) {
        if (number as usize).is_multiple_of(INTERVAL) {
            self.checkpoints.push(self.totals);
        }
        self.totals.add(placement);
        self.totals.groups += u32::from(is_first);
        if !placement.is_current() {
            self.removed.push(number);
        }
    }

    /// Discards what depends on the states of documents. Their creation times stay.
    pub(super) fn clear(&mut self) {
        *self = Self { runs_back: self.runs_back, ..Self::default() };
    }

    /// Returns the number of bytes in use.
    pub(super) fn size(&self) -> usize {
        self.removed.capacity() * 4 + self.checkpoints.capacity() * size_of::<Totals>()
    }
}

/// An index as it was at an earlier time.
#[derive(Debug)]
pub(crate) struct PastView {
    time: Micros,
    /// Documents below this number were stored by then.
    end: u32,
    /// Groups with documents that are not current now, in rising order.
    changed: Vec<u32>,
    /// Groups with documents that were current then and are not now, in rising order.
    revived: Vec<u32>,
    totals: Totals,
}

impl Index {
    /// Returns the index as it was at an earlier time; `None` if it was as it is now.
    pub(crate) fn as_of(&self, time: Micros) -> Option<PastView> {
        let end = self.stored_by(time);
        let removed = &self.history.removed;
        let removed = &removed[..removed.partition_point(|one| (*one as usize) < end)];
        let changed = self.groups_of(removed.iter().copied());
        let was_current = |document: &u32| self.documents.removed(*document) > time;
        let revived = self.groups_of(removed.iter().copied().filter(was_current));
        if end == self.len() && revived.is_empty() {
            return None;
        }
        let totals = self.totals_below(end);
        let mut view = PastView { time, end: end as u32, changed, revived, totals };
        for document in removed.iter().filter(|document| !was_current(document)) {
            view.totals.subtract(&self.placements[*document as usize]);
        }
        let is_empty = |one: &&u32| view.count(self, **one).documents == 0;
        view.totals.groups -= view.changed.iter().filter(is_empty).count() as u32;
        Some(view)
    }

    /// Returns the number of documents that were stored by a time. Creation times rise with the numbers
    /// of documents, unless a clock was ahead for a while: what was stored then was stored before what
    /// follows it, whatever its time says.
    pub(crate) fn stored_by(&self, time: Micros) -> usize {
        let created = self.documents.all_created();
        match self.history.runs_back {
            false => created.partition_point(|created| *created <= time),
            true => created.iter().rposition(|created| *created <= time).map_or(0, |it| it + 1),
        }
    }

    /// Returns the groups of documents, in rising order.
    pub(crate) fn groups_of(&self, documents: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut all: Vec<u32> =
            documents.map(|document| self.placements[document as usize].group).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the totals over the documents below a number, current or not.
    fn totals_below(&self, end: usize) -> Totals {
        let Some(mut totals) = self.history.checkpoints.get(end / INTERVAL).copied() else {
            return self.history.totals;
        };
        for number in end / INTERVAL * INTERVAL..end {
            totals.add(&self.placements[number]);
            totals.groups += u32::from(self.previous[number] == NO_DOCUMENT);
        }
        totals
    }

    /// Returns the groups with documents below a number, current or not, in rising order.
    pub(crate) fn groups_begun_before(&self, end: u32) -> Vec<u32> {
        let first = (0..).zip(&self.first_documents);
        first.filter(|(_, first)| **first < end).map(|(group, _)| group).collect()
    }

    /// Returns whether a group has documents below a number, current or not.
    pub(crate) fn has_begun_before(&self, group: u32, end: u32) -> bool {
        self.first_documents[group as usize] < end
    }
}

impl PastView {
    /// Returns the number below which documents were stored by then.
    pub(crate) fn end(&self) -> u32 {
        self.end
    }

    /// Returns the totals over what was current then.
    pub(crate) fn totals(&self) -> Totals {
        self.totals
    }

    /// Returns the groups with documents that were current then and are not now, in rising order.
    pub(crate) fn revived(&self) -> &[u32] {
        &self.revived
    }

    /// Returns whether a document was current.
    pub(crate) fn sees(&self, index: &Index, document: u32) -> bool {
        let number = document as usize;
        document < self.end
            && (index.placements[number].is_current()
                || index.documents.removed(document) > self.time)
    }

    /// Returns whether a group was as it is now.
    pub(crate) fn is_unchanged(&self, index: &Index, group: u32) -> bool {
        let last = index.last_documents[group as usize];
        last < self.end && self.changed.binary_search(&group).is_err()
    }

    /// Counts a group as it was.
    pub(crate) fn count(&self, index: &Index, group: u32) -> GroupCount {
        let mut count = GroupCount::default();
        for document in index.documents_backwards(group).filter(|one| self.sees(index, *one)) {
            let number = document as usize;
            count.add(&index.placements[number], index.documents.times(document));
        }
        count
    }

    /// Returns in how many documents and groups a term occurred, including removed documents.
    pub(crate) fn occurrences(&self, index: &Index, postings: Postings<'_>) -> (u32, u32) {
        postings.below(self.end, |document| index.placements[document as usize].group)
    }
}

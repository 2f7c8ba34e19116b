//! Counts per group and over all groups: how long they are, and when they began and ended.

use crate::document::{Micros, Placement};

/// The counts of every group, in lists by group number.
#[derive(Debug, Clone, Default)]
pub(crate) struct GroupCounts {
    /// The number of terms in primary documents and in replies.
    lengths: Vec<[u32; 2]>,
    /// The number of documents.
    pub(crate) documents: Vec<u32>,
    /// The earliest and the latest time; meaningful only where there are documents.
    times: Vec<(Micros, Micros)>,
    pub(crate) totals: Totals,
}

/// Counts over all groups.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// The number of groups with at least one document.
    pub(crate) groups: u32,
    pub(crate) documents: u32,
    /// The number of terms in primary documents and in replies.
    pub(crate) lengths: [u64; 2],
}

/// The counts of one group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct GroupCount {
    pub(crate) lengths: [u32; 2],
    pub(crate) documents: u32,
    times: (Micros, Micros),
}

impl GroupCounts {
    /// Counts a document, which may be about any time between two.
    pub(crate) fn add(&mut self, placement: &Placement, times: (Micros, Micros)) {
        let group = placement.group as usize;
        self.make_room(group + 1);
        let mut count = self.count_of(placement.group);
        self.totals.groups += u32::from(count.documents == 0);
        self.totals.add(placement);
        count.add(placement, times);
        let GroupCount { lengths, documents, times } = count;
        self.lengths[group] = lengths;
        self.documents[group] = documents;
        self.times[group] = times;
    }

    fn make_room(&mut self, groups: usize) {
        if self.documents.len() < groups {
            self.lengths.resize(groups, [0; 2]);
            self.documents.resize(groups, 0);
            self.times.resize(groups, (0, 0));
        }
    }

    fn count_of(&self, group: u32) -> GroupCount {
        let group = group as usize;
        GroupCount {
            lengths: self.lengths[group],
            documents: self.documents[group],
            times: self.times[group],
        }
    }

    /// Returns the number of terms in the primary documents and in the replies of a group.
    #[inline]
    pub(crate) fn lengths(&self, group: u32) -> [u32; 2] {
        self.lengths.get(group as usize).copied().unwrap_or_default()
    }

    /// Returns when a group began and ended, if it has documents.
    pub(crate) fn times(&self, group: u32) -> Option<(Micros, Micros)> {
        self.has_documents(group).then(|| self.times[group as usize])
    }

    /// Returns whether a group has documents.
    pub(crate) fn has_documents(&self, group: u32) -> bool {
        self.documents.get(group as usize).is_some_and(|documents| *documents > 0)
    }

    /// Returns the number of bytes in use.
    pub(crate) fn size(&self) -> usize {
        self.documents.capacity() * (8 + 4 + 16)
    }
}

impl GroupCount {
    /// Counts a document, which may be about any time between two.
    pub(crate) fn add(&mut self, placement: &Placement, times: (Micros, Micros)) {
        let (first, last) = self.times().unwrap_or(times);
        self.times = (first.min(times.0), last.max(times.1));
        self.lengths[usize::from(placement.is_reply())] += placement.length();
        self.documents += 1;
    }

    /// Returns when the group began and ended, if it has documents.
    pub(crate) fn times(&self) -> Option<(Micros, Micros)> {
        (self.documents > 0).then_some(self.times)
    }
}

impl Totals {
    /// Counts a document; the caller counts groups.
    pub(crate) fn add(&mut self, placement: &Placement) {
        self.documents += 1;
        self.lengths[usize::from(placement.is_reply())] += u64::from(placement.length());
    }

    /// Takes a document off the counts.
    pub(crate) fn subtract(&mut self, placement: &Placement) {
        self.documents -= 1;
        self.lengths[usize::from(placement.is_reply())] -= u64::from(placement.length());
    }

    /// Returns the mean number of terms of a group in its primary documents or in its replies.
    pub(crate) fn mean_group_length(&self, in_replies: bool) -> f32 {
        mean(self.lengths[usize::from(in_replies)], self.groups)
    }

    /// Returns the mean number of terms of a document.
    pub(crate) fn mean_document_length(&self) -> f32 {
        mean(self.lengths.iter().sum(), self.documents)
    }
}

fn mean(sum: u64, count: u32) -> f32 {
    (sum as f32 / count.max(1) as f32).max(1.0)
}

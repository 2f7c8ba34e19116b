//! The candidates of a ranking: groups, and their documents sorted by group.

use std::ops::{Deref, Range};

use crate::fuse::Candidates;
use crate::index::{GroupSample, GroupedDocuments, Index, SAMPLE_GROUPS};
use crate::lanes::meaning::{Cosines, QueryVector};
use crate::scope::Scope;

/// Groups and their documents. Some were picked; the others are a sample of the rest and represent it,
/// so that means and deviations come out as if all groups were candidates.
#[derive(Debug, Default)]
pub(super) struct CandidateSet {
    grouped: GroupedDocuments,
    /// The number of groups and of documents that were picked.
    picked: (usize, usize),
    /// How many groups each sampled group represents.
    represents: f64,
    /// The positions in the sample of the documents that were copied from it.
    sampled: Vec<Range<usize>>,
}

impl Deref for CandidateSet {
    type Target = GroupedDocuments;

    fn deref(&self) -> &GroupedDocuments {
        &self.grouped
    }
}

impl CandidateSet {
    /// Collects the documents of the picked groups.
    pub(super) fn new(index: &Index, scope: &Scope<'_>, picked: impl Iterator<Item = u32>) -> Self {
        let mut grouped = GroupedDocuments::default();
        match scope.admits_every_document() {
            true => picked.for_each(|group| grouped.add_all(index, group)),
            false => picked.for_each(|group| grouped.add(index, group, |one| scope.admits(one))),
        }
        let picked = (grouped.groups.len(), grouped.documents.len());
        Self { grouped, picked, represents: 1.0, sampled: Vec::new() }
    }

    /// Adds those groups of a sample that were not picked; they represent the rest of `total` groups.
    pub(super) fn with_sample(mut self, sample: &GroupedDocuments, total: usize) -> Self {
        let (picked, rest) = (self.picked.0, total.saturating_sub(self.picked.0));
        for (position, range) in sample.ranges().enumerate() {
            let is_picked = |all: &[u32]| all.binary_search(&sample.groups[position]).is_ok();
            if !is_picked(&self.groups[..picked]) {
                self.grouped.copy_group(sample, position, range.clone());
                self.sampled.push(range);
            }
        }
        self.represents = rest as f64 / self.sampled.len().max(1) as f64;
        self
    }

    /// Returns the groups, to be ranked.
    pub(super) fn of_groups(&self) -> Candidates<'_> {
        let (numbers, picked) = (&self.groups[..], self.picked.0);
        Candidates { numbers, picked, represents: self.represents }
    }

    /// Returns the documents, to be ranked.
    pub(super) fn of_documents(&self) -> Candidates<'_> {
        let (numbers, picked) = (&self.documents[..], self.picked.1);
        Candidates { numbers, picked, represents: self.represents }
    }

    /// Returns the cosines of all documents; `sampled` are those of the sample, by position in it.
    pub(super) fn cosines(&self, cosines: &Cosines<'_>, sampled: &[f32]) -> Vec<f32> {
        let mut found = cosines.of_documents(&self.documents[..self.picked.1]);
        self.sampled.iter().for_each(|range| found.extend_from_slice(&sampled[range.clone()]));
        found
    }

    /// Iterates over the positions of the documents of each picked group; those of the sample follow
    /// them.
    pub(super) fn picked_ranges(&self) -> impl Iterator<Item = Range<usize>> + Clone {
        self.ranges().take(self.picked.0)
    }

    /// Returns the positions in the sample of the documents of each group that was copied from it.
    pub(super) fn sampled_ranges(&self) -> &[Range<usize>] {
        &self.sampled
    }
}

/// The sample that represents the rest: the cached one of the index, or one of what a filter admits.
pub(super) enum SampleRef<'q> {
    Cached(&'q GroupSample),
    Filtered(Box<GroupSample>),
}

impl<'q> SampleRef<'q> {
    pub(super) fn new(index: &'q Index, scope: &Scope<'_>) -> Self {
        if scope.is_unfiltered() {
            return Self::Cached(index.sample());
        }
        let groups = scope.sample(SAMPLE_GROUPS).into_iter();
        let sample = GroupSample::new(index, groups, |document| scope.admits(document));
        Self::Filtered(Box::new(sample))
    }

    /// Returns the cosines of its documents, by position.
    pub(super) fn cosines(&self, query: &QueryVector) -> Vec<f32> {
        let positions: Vec<u32> = (0..self.grouped.documents.len() as u32).collect();
        query.of_documents(&self.vectors, &positions)
    }
}

impl Deref for SampleRef<'_> {
    type Target = GroupSample;

    fn deref(&self) -> &GroupSample {
        match self {
            Self::Cached(sample) => sample,
            Self::Filtered(sample) => sample,
        }
    }
}

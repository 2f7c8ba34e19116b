//! A sample of groups that represents all others in a large index. Every search scores it, so it is
//! cached together with its vectors until one of its groups changes.

use std::sync::OnceLock;

use super::{GroupedDocuments, Index};
use crate::vectors::PassageVectors;

/// The number of groups in a sample. With 16, the first result of a pooled benchmark was that of a full
/// ranking for 93 % of the questions, with 128 for 97 %.
pub(crate) const SAMPLE_GROUPS: usize = 128;

/// Some groups, and the vectors of their documents by position.
#[derive(Debug, Default)]
pub(crate) struct GroupSample {
    pub(crate) grouped: GroupedDocuments,
    pub(crate) vectors: PassageVectors,
    /// The number of groups it was drawn from.
    drawn_from: usize,
}

impl GroupSample {
    /// Copies these groups, with the documents that `admits` accepts.
    pub(crate) fn new(
        index: &Index,
        groups: impl Iterator<Item = u32>,
        admits: impl Fn(u32) -> bool,
    ) -> Self {
        let mut sample = Self::default();
        groups.for_each(|one| sample.grouped.add(index, one, &admits));
        for (position, document) in (0..).zip(&sample.grouped.documents) {
            let passages = index.vectors.of(*document);
            let scales = index.vectors.scales(passages.clone());
            for (passage, scale) in passages.zip(scales) {
                sample.vectors.push_row(position, index.vectors.row(passage), *scale);
            }
        }
        sample
    }
}

/// The sample of all groups, drawn on first use.
#[derive(Debug, Default)]
pub(crate) struct CachedSample {
    sample: OnceLock<GroupSample>,
}

/// A copy draws its own.
impl Clone for CachedSample {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl CachedSample {
    /// Discards the sample if it contains a group that changed, or if the number of groups has grown
    /// enough for another sample.
    pub(super) fn group_changed(&mut self, group: u32, group_count: usize) {
        let is_stale = |sample: &GroupSample| {
            sample.drawn_from != drawn_from(group_count) || sample.grouped.groups.contains(&group)
        };
        if self.sample.get().is_some_and(is_stale) {
            self.clear();
        }
    }

    /// Discards the sample.
    pub(super) fn clear(&mut self) {
        self.sample.take();
    }
}

impl Index {
    /// Returns a sample of all groups with current documents. It depends only on the content of the
    /// index, and changes only when the number of groups has grown by a fifth or so.
    pub(crate) fn sample(&self) -> &GroupSample {
        self.cached_sample.sample.get_or_init(|| {
            let all = drawn_from(self.groups.len());
            let groups =
                (0..SAMPLE_GROUPS).map(|one| ((2 * one + 1) * all / (2 * SAMPLE_GROUPS)) as u32);
            let is_current = |document: u32| self.placements[document as usize].is_current();
            GroupSample { drawn_from: all, ..GroupSample::new(self, groups, is_current) }
        })
    }
}

/// Returns from how many of `count` groups the sample is drawn: at least four fifths, in steps.
fn drawn_from(count: usize) -> usize {
    let spare = (count.max(1).ilog2() as usize).saturating_sub(2);
    count >> spare << spare
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Role, document, index_of};

    #[test]
    fn it_is_drawn_from_nearly_all_groups() {
        assert_eq!([0, 1, 5, 8, 9, 10, 1_000].map(drawn_from), [0, 1, 5, 8, 8, 10, 896]);
    }

    #[test]
    fn it_follows_changes_in_its_groups() {
        let documents: Vec<_> = (0..300).map(|one| (one, Role::User, "a")).collect();
        let mut index = index_of(&documents);
        let first = index.sample().grouped.groups.clone();
        assert_eq!((first.len(), index.sample().vectors.len()), (SAMPLE_GROUPS, 0));
        (0..300).for_each(|one| index.add_vectors("test", one, &[vec![1.0, 0.0]]));
        assert_eq!(index.sample().vectors.len(), SAMPLE_GROUPS);
        index.add(&document(301, u128::from(first[7]), Role::User, "b"));
        assert_eq!(index.sample().grouped.documents.len(), SAMPLE_GROUPS + 1);
        for one in 302..330 {
            index.add(&document(one, one.into(), Role::User, "b"));
        }
        assert_ne!(index.sample().grouped.groups, first);
    }

    #[test]
    fn no_clusters_are_found_among_its_vectors() {
        let documents: Vec<_> =
            (0..35 * SAMPLE_GROUPS as u128).map(|one| (one / 35, Role::User, "a")).collect();
        let mut index = index_of(&documents);
        (0..documents.len() as u32).for_each(|one| index.add_vectors("test", one, &[vec![1.0]]));
        assert!(!index.vectors.are_few());
        let sample = &index.sample().vectors;
        assert_eq!((sample.len(), sample.are_few()), (documents.len(), true));
    }
}

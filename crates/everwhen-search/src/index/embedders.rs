//! Vectors by embedder: the active ones, and those of another embedder that are still incomplete.
//!
//! Vectors of different embedders are never compared. The active ones may lag behind the documents;
//! a document without vectors is found by its words. Vectors of another embedder are collected in the
//! order of the documents and replace the active ones once none is missing.

use super::Index;
use crate::vectors::{PassageRows, PassageVectors};

/// How many documents have vectors of one embedder.
#[derive(Debug, Clone, Default)]
pub(crate) struct VectorCoverage {
    /// The name of the embedder; empty if there is none.
    embedder: String,
    /// The number of documents with vectors: always the first ones.
    documents: u32,
}

/// Vectors that are not complete yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct PendingVectors {
    coverage: VectorCoverage,
    vectors: PassageVectors,
}

impl PendingVectors {
    /// Returns the number of bytes in use.
    pub(super) fn size(&self) -> usize {
        self.vectors.size()
    }
}

impl VectorCoverage {
    fn new(embedder: &str) -> Self {
        Self { embedder: embedder.to_owned(), documents: 0 }
    }

    fn add(&mut self, vectors: &mut PassageVectors, document: u32, passages: &[Vec<f32>]) {
        if document == self.documents {
            passages.iter().for_each(|vector| vectors.add(document, vector));
            self.documents += 1;
        }
    }
}

impl Index {
    /// Returns the name of the embedder whose vectors are searched; empty if there is none.
    pub fn active_embedder(&self) -> &str {
        &self.active.embedder
    }

    /// Returns the first document that has no vectors of this embedder yet.
    pub fn first_without_vectors(&self, embedder: &str) -> Option<u32> {
        let pending = self.pending.iter().map(|pending| &pending.coverage);
        let mut known = std::iter::once(&self.active).chain(pending);
        let done = known.find(|one| one.embedder == embedder).map_or(0, |one| one.documents);
        ((done as usize) < self.len()).then_some(done)
    }

    /// Adds the vectors of the passages of a document. Vectors are accepted only in the order of the
    /// documents; others are ignored.
    pub fn add_vectors(&mut self, embedder: &str, document: u32, passages: &[Vec<f32>]) {
        if self.active.embedder.is_empty() {
            self.active = VectorCoverage::new(embedder);
            self.mark_all_unsaved();
        }
        if self.active_embedder() == embedder {
            let clustered = self.vectors.clustered_among();
            self.active.add(&mut self.vectors, document, passages);
            if self.vectors.clustered_among() != clustered {
                // Segments say which cluster each vector belongs to.
                self.mark_all_unsaved();
            }
            return self.vectors_changed(document);
        }
        let other = |pending: &PendingVectors| pending.coverage.embedder != embedder;
        if self.pending.as_ref().is_none_or(other) {
            let coverage = VectorCoverage::new(embedder);
            self.pending = Some(PendingVectors { coverage, ..PendingVectors::default() });
        }
        if let Some(PendingVectors { coverage, vectors }) = &mut self.pending {
            coverage.add(vectors, document, passages);
        }
    }

    /// Makes the pending vectors the active ones if no document is without them.
    pub fn activate_complete_vectors(&mut self) {
        let all = self.len() as u32;
        let is_complete =
            |pending: &mut PendingVectors| pending.coverage.documents == all && all > 0;
        if let Some(PendingVectors { coverage, vectors }) = self.pending.take_if(is_complete) {
            (self.active, self.vectors) = (coverage, vectors);
            self.cached_sample.clear();
            self.mark_all_unsaved();
        }
    }

    /// Returns the number of documents that a segment may hold: those with active vectors, or all if
    /// there is no embedder.
    pub(crate) fn covered(&self) -> usize {
        if self.active.embedder.is_empty() { self.len() } else { self.active.documents as usize }
    }

    /// Adds vectors read from a segment, if they continue the active ones. `counts` says how many each
    /// document from `first` on has.
    pub(crate) fn add_saved_vectors(
        &mut self,
        embedder: &str,
        first: u32,
        counts: &[u32],
        rows: PassageRows,
    ) {
        if self.active.embedder.is_empty() && first == 0 {
            self.active = VectorCoverage::new(embedder);
        }
        if self.active.embedder == embedder && self.active.documents == first {
            self.vectors.add_rows(first, counts, rows);
            self.active.documents += counts.len() as u32;
            self.cached_sample.clear();
        }
    }

    fn vectors_changed(&mut self, document: u32) {
        if let Some(placement) = self.placements.get(document as usize) {
            self.cached_sample.group_changed(placement.group, self.groups.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Role, index_of};

    #[test]
    fn another_embedder_becomes_active_once_it_is_complete() {
        let mut index = index_of(&[(1, Role::User, "a"), (1, Role::User, "b")]);
        for document in 0..2 {
            index.add_vectors("old", document, &[vec![1.0, 0.0]]);
        }
        assert_eq!((index.active_embedder(), index.vectors.len()), ("old", 2));
        assert_eq!(index.first_without_vectors("old"), None);
        assert_eq!(index.first_without_vectors("new"), Some(0));
        index.add_vectors("new", 1, &[vec![1.0]]);
        assert_eq!(index.first_without_vectors("new"), Some(0), "out of order");
        index.add_vectors("new", 0, &[vec![1.0], vec![1.0]]);
        index.activate_complete_vectors();
        assert_eq!((index.active_embedder(), index.first_without_vectors("new")), ("old", Some(1)));
        index.add_vectors("new", 1, &[]);
        index.activate_complete_vectors();
        assert_eq!((index.active_embedder(), index.vectors.len()), ("new", 2));
        assert_eq!(index.first_without_vectors("new"), None);
    }

    #[test]
    fn active_vectors_may_lag_behind() {
        let mut index = index_of(&[(1, Role::User, "a"), (1, Role::User, "b")]);
        index.add_vectors("one", 0, &[vec![1.0]]);
        assert_eq!((index.active_embedder(), index.first_without_vectors("one")), ("one", Some(1)));
    }
}

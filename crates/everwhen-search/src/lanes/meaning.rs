//! The meaning lane: cosines between the vector of the query and the passages of documents.
//!
//! As long as there are few passages, all are compared. Beyond that, only those in the nearest clusters
//! are, and further ones when ranking asks for them.

use std::array;
use std::ops::Range;

use crate::index::{Index, ScoreBuffer};
use crate::scope::Scope;
use crate::vectors::{PassageVectors, QuantizedVector};

/// The number of passages that are compared if there are many.
const COMPARED: usize = 96;
/// How many rows ahead are prefetched.
const PREFETCH_DISTANCE: usize = 32;
/// The number of themes that are compared at a time.
pub(crate) const THEMES: usize = 3;

/// What the vector of a query finds.
pub(crate) struct MeaningScores<'i> {
    /// Cosines to the query.
    pub(crate) cosines: Cosines<'i>,
    /// The passages that were compared, with their cosines, if not all were.
    compared: Option<Vec<(u32, f32)>>,
}

/// Compares the vector of a query with the passages that may match.
pub(crate) fn score<'i>(index: &'i Index, scope: &Scope<'i>, query: &[f32]) -> MeaningScores<'i> {
    let mut cosines = Cosines::new(&index.vectors, QueryVector::new(query));
    if cosines.compute_all() {
        return MeaningScores { cosines, compared: None };
    }
    let passages = passages_to_compare(index, scope, &cosines.query.0[0]);
    let near = cosines.of_passages(&passages);
    let compared = passages.into_iter().zip(near).collect();
    MeaningScores { cosines, compared: Some(compared) }
}

/// Returns the passages that may match: all if those are few, else the probably nearest ones.
fn passages_to_compare(index: &Index, scope: &Scope<'_>, to: &QuantizedVector) -> Vec<u32> {
    let vectors = &index.vectors;
    let passages = |document: u32| vectors.of(document).map(|passage| passage as u32);
    if let Some(few) = scope.few_groups() {
        let documents = few.iter().flat_map(|one| index.documents_backwards(*one));
        return documents.filter(|one| scope.admits(*one)).flat_map(passages).collect();
    }
    let mut nearest = vectors.probably_nearest(to, scope.selectivity() * COMPARED);
    nearest.retain(|passage| scope.admits(vectors.document(*passage as usize)));
    nearest
}

impl<'i> MeaningScores<'i> {
    /// Compares passages only when ranking asks for them, for candidates that are known without it.
    pub(crate) fn on_demand(index: &'i Index, query: &[f32]) -> Self {
        let mut cosines = Cosines::new(&index.vectors, QueryVector::new(query));
        cosines.compute_all();
        Self { cosines, compared: None }
    }

    /// Returns the cosine of the nearest compared passage of every group.
    pub(crate) fn of_groups(&self, index: &'i Index, scope: &Scope<'i>) -> ScoreBuffer<'i> {
        let mut scores = index.group_buffers.take(index.groups.len());
        let mut raise = |passage: usize, cosine: f32| {
            let document = index.vectors.document(passage);
            if scope.admits(document) {
                scores.raise(index.placements[document as usize].group, cosine);
            }
        };
        match &self.compared {
            Some(compared) => {
                compared.iter().for_each(|(one, cosine)| raise(*one as usize, *cosine));
            }
            None => (0..).zip(&self.cosines.all).for_each(|(one, cosine)| raise(one, *cosine)),
        }
        scores
    }

    /// Returns the passages of some documents, nearest first.
    pub(crate) fn nearest_passages(&self, documents: &[u32]) -> Vec<usize> {
        let passages = documents.iter().flat_map(|document| self.cosines.vectors.of(*document));
        let passages: Vec<u32> = passages.map(|passage| passage as u32).collect();
        let near = self.cosines.of_passages(&passages);
        let mut found: Vec<(f32, u32)> = near.into_iter().zip(passages).collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().map(|(_, passage)| passage as usize).collect()
    }
}

/// The vector of a query, quantized in two parts: as exact as the passages are.
#[derive(Debug, Clone)]
pub(crate) struct QueryVector([QuantizedVector; 2]);

impl QueryVector {
    pub(crate) fn new(vector: &[f32]) -> Self {
        Self(QuantizedVector::in_two_parts(vector))
    }

    /// Calls `each` with the cosine of every passage in a range.
    fn cosines(
        &self,
        vectors: &PassageVectors,
        passages: Range<usize>,
        mut each: impl FnMut(usize, f32),
    ) {
        vectors.cosines(passages, &self.0, |passage, [a, b]| each(passage, a + b));
    }

    /// Returns the cosine of the nearest passage of each document; zero for one without passages.
    pub(crate) fn of_documents(&self, vectors: &PassageVectors, documents: &[u32]) -> Vec<f32> {
        let range = |run: &[u32]| vectors.of_run(run[0], run[run.len() - 1]);
        // Passages of consecutive documents are compared together.
        let runs = || documents.chunk_by(|a, b| a + 1 == *b);
        let (mut upcoming, mut near) = (runs(), Vec::new());
        let mut found = Vec::with_capacity(documents.len());
        upcoming.next();
        for run in runs() {
            if let Some(next) = upcoming.next() {
                vectors.prefetch(range(next));
            }
            let passages = range(run);
            let first = passages.start;
            near.resize(passages.len(), 0.0);
            self.cosines(vectors, passages, |passage, cosine| near[passage - first] = cosine);
            for own in run.iter().map(|document| vectors.of(*document)) {
                let own = &near[own.start - first..own.end - first];
                found.push(own.iter().copied().fold(0.0, f32::max));
            }
        }
        found
    }
}

/// Several vectors that passages are compared with at once.
#[derive(Debug, Clone)]
pub(crate) struct Themes(pub(crate) [QuantizedVector; THEMES]);

impl Themes {
    /// Returns for each theme the cosine of the nearest of some passages; zero if there is none.
    pub(crate) fn closest(
        &self,
        vectors: &PassageVectors,
        passages: impl Iterator<Item = Range<usize>>,
    ) -> [f32; THEMES] {
        let mut closest = [0.0; THEMES];
        let mut raise = |_, cosines: [f32; THEMES]| {
            closest = array::from_fn(|one| cosines[one].max(closest[one]));
        };
        passages.for_each(|some| vectors.cosines(some, &self.0, &mut raise));
        closest
    }
}

/// Cosines of passages to a query, computed all at once or on demand.
pub(crate) struct Cosines<'i> {
    vectors: &'i PassageVectors,
    pub(crate) query: QueryVector,
    /// The cosines of all passages, if they were computed.
    all: Vec<f32>,
}

impl<'i> Cosines<'i> {
    fn new(vectors: &'i PassageVectors, query: QueryVector) -> Self {
        Self { vectors, query, all: Vec::new() }
    }

    /// Computes the cosines of all passages if there are few, and returns whether it did.
    fn compute_all(&mut self) -> bool {
        let Self { vectors, query, all } = self;
        let few = vectors.are_few();
        if few {
            all.resize(vectors.len(), 0.0);
            query.cosines(vectors, 0..vectors.len(), |passage, cosine| all[passage] = cosine);
        }
        few
    }

    /// Returns the cosines of passages.
    fn of_passages(&self, passages: &[u32]) -> Vec<f32> {
        if !self.all.is_empty() {
            return passages.iter().map(|passage| self.all[*passage as usize]).collect();
        }
        let range = |passage: u32| passage as usize..passage as usize + 1;
        let mut found = vec![0.0; passages.len()];
        let mut upcoming = passages.iter();
        let first = upcoming.by_ref().take(PREFETCH_DISTANCE);
        first.for_each(|one| self.vectors.prefetch(range(*one)));
        for (passage, found) in passages.iter().zip(&mut found) {
            if let Some(next) = upcoming.next() {
                self.vectors.prefetch(range(*next));
            }
            self.query.cosines(self.vectors, range(*passage), |_, cosine| *found = cosine);
        }
        found
    }

    /// Returns the cosine of the nearest passage of each document; zero for one without passages.
    pub(crate) fn of_documents(&self, documents: &[u32]) -> Vec<f32> {
        if self.all.is_empty() {
            return self.query.of_documents(self.vectors, documents);
        }
        let nearest = |document: &u32| {
            self.all[self.vectors.of(*document)].iter().copied().fold(0.0, f32::max)
        };
        documents.iter().map(nearest).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::SearchFilter;
    use crate::testing::{Role, index_of};

    #[test]
    fn a_group_is_as_near_as_its_nearest_passage() {
        let mut index =
            index_of(&[(1, Role::User, "a"), (1, Role::User, "b"), (2, Role::User, "c")]);
        for (document, vector) in [(0, [1.0, 0.0]), (1, [0.6, 0.8]), (2, [0.0, 1.0])] {
            index.add_vectors("test", document, &[vector.to_vec()]);
        }
        let scope = Scope::new(&index, &SearchFilter::default());
        let found = score(&index, &scope, &[0.8, 0.6]);
        let groups = found.of_groups(&index, &scope);
        assert!((groups.get(0) - 0.96).abs() < 0.01, "{groups:?}");
        assert!((groups.get(1) - 0.6).abs() < 0.01);
        assert!((found.cosines.of_documents(&[0])[0] - 0.8).abs() < 0.01);
        assert_eq!(found.nearest_passages(&[0, 1]), [1, 0]);
    }

    #[test]
    fn cosines_on_demand_equal_those_computed_at_once() {
        let mut index = index_of(&[(1, Role::User, "a"), (1, Role::User, "b")]);
        index.add_vectors("test", 0, &[vec![1.0, 0.0]]);
        index.add_vectors("test", 1, &[vec![0.6, 0.8], vec![-1.0, 0.1]]);
        let to = QueryVector::new(&[0.8, 0.6]);
        let each = Cosines::new(&index.vectors, to.clone());
        let mut all = Cosines::new(&index.vectors, to);
        assert!(all.compute_all());
        assert_eq!(each.of_passages(&[0, 1, 2]), all.of_passages(&[0, 1, 2]));
        assert_eq!(each.of_documents(&[0, 1]), all.of_documents(&[0, 1]));
        let themes =
            Themes([[0.8, 0.6], [-1.0, 0.0], [0.0, 0.0]].map(|to| QuantizedVector::new(&to)));
        let closest = |document: u32| {
            let passages = std::iter::once(index.vectors.of(document));
            themes.closest(&index.vectors, passages)
        };
        let (first, second) = (closest(0), closest(1));
        assert!((first[0] - 0.8).abs() < 0.01 && first[1..] == [0.0; 2], "{first:?}");
        assert!((second[0] - 0.96).abs() < 0.01 && second[1] > 0.98, "{second:?}");
    }
}

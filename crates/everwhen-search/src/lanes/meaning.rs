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

/// The vector of a query. Its error is small beside that of passages, which have four bits a value.
#[derive(Debug, Clone)]
pub(crate) struct QueryVector([QuantizedVector; 1]);

impl QueryVector {
    pub(crate) fn new(vector: &[f32]) -> Self {
        Self([QuantizedVector::new(vector)])
    }

    /// Calls `each` with the cosine of every passage in a range.
    fn cosines(
        &self,
        vectors: &PassageVectors,
        passages: Range<usize>,
        mut each: impl FnMut(usize, f32),
    ) {
        vectors.cosines(passages, &self.0, |passage, [cosine]| each(passage, cosine));
    }

    /// Returns the cosine of the nearest passage of each document; zero for one without passages.
    pub(crate) fn of_documents(&self, vectors: &PassageVectors, documents: &[u32]) -> Vec<f32> {
        let passages = |run: &[u32]| vectors.of_run(run[0], run[run.len() - 1]);
        let near = compare(vectors, runs(documents).map(passages), &self.0, |[cosine]| cosine);
        let mut found = vec![0.0; documents.len()];
        let (mut cosines, mut places) = (&near[..], &mut found[..]);
        for run in runs(documents) {
            let (own, others) = cosines.split_at(passages(run).len());
            let (nearest, behind) = places.split_at_mut(run.len());
            for (document, cosine) in vectors.documents(passages(run)).iter().zip(own) {
                let nearest = &mut nearest[(document - run[0]) as usize];
                *nearest = cosine.max(*nearest);
            }
            (cosines, places) = (others, behind);
        }
        found
    }
}

/// Returns the runs of consecutive numbers in a list.
fn runs(documents: &[u32]) -> impl Iterator<Item = &[u32]> + Clone {
    documents.chunk_by(|a, b| a + 1 == *b)
}

/// Returns the passages of the documents in a list that rises, in runs. Mostly it is one run.
fn passages_of<'v>(
    vectors: &'v PassageVectors,
    documents: &'v [u32],
) -> impl Iterator<Item = Range<usize>> + Clone {
    let ends = documents.first().zip(documents.last());
    let run = ends.filter(|(first, last)| (*last - *first) as usize + 1 == documents.len());
    let others = if run.is_some() { &[][..] } else { documents };
    let of_run = |run: &[u32]| vectors.of_run(run[0], run[run.len() - 1]);
    let run = run.map(|(first, last)| vectors.of_run(*first, *last));
    run.into_iter().chain(runs(others).map(of_run))
}

/// Compares passages with some vectors, and returns what `value` makes of the cosines of each, in order. Those
/// that are next to each other are compared together, and the beginning of what follows them is prefetched.
fn compare<const N: usize, T: Copy + Default>(
    vectors: &PassageVectors,
    passages: impl Iterator<Item = Range<usize>> + Clone,
    to: &[QuantizedVector; N],
    value: impl Fn([f32; N]) -> T,
) -> Vec<T> {
    let mut found = vec![T::default(); passages.clone().map(|some| some.len()).sum()];
    let mut runs = joined(passages).peekable();
    let mut rest = &mut found[..];
    while let Some(run) = runs.next() {
        if let Some(next) = runs.peek() {
            vectors.prefetch(next.start..next.end.min(next.start + PREFETCH_DISTANCE));
        }
        let (own, others) = rest.split_at_mut(run.len());
        let first = run.start;
        vectors.cosines(run, to, |passage, cosines| own[passage - first] = value(cosines));
        rest = others;
    }
    found
}

/// Joins ranges that follow each other without a gap; empty ones are left out.
fn joined(mut ranges: impl Iterator<Item = Range<usize>>) -> impl Iterator<Item = Range<usize>> {
    let mut open = 0..0;
    std::iter::from_fn(move || {
        for range in ranges.by_ref().filter(|range| !range.is_empty()) {
            if range.start == open.end {
                open.end = range.end;
            } else {
                let closed = std::mem::replace(&mut open, range);
                if !closed.is_empty() {
                    return Some(closed);
                }
            }
        }
        let last = std::mem::take(&mut open);
        (!last.is_empty()).then_some(last)
    })
}

/// Several vectors that passages are compared with at once.
#[derive(Debug, Clone)]
pub(crate) struct Themes(pub(crate) [QuantizedVector; THEMES]);

impl Themes {
    /// Returns for each of some lists of documents the cosine of the nearest passage to each theme; zero if
    /// there is none. The documents of a list rise.
    pub(crate) fn closest<'d>(
        &self,
        vectors: &PassageVectors,
        lists: impl Iterator<Item = &'d [u32]> + Clone,
    ) -> Vec<[f32; THEMES]> {
        let all = lists.clone().flat_map(|documents| passages_of(vectors, documents));
        let near = compare(vectors, all, &self.0, |cosines| cosines);
        let mut rest = &near[..];
        let closest = lists.map(|documents| {
            let count = passages_of(vectors, documents).map(|some| some.len()).sum();
            let (own, others) = rest.split_at(count);
            rest = others;
            let higher =
                |a: [f32; THEMES], b: &[f32; THEMES]| array::from_fn(|one| b[one].max(a[one]));
            own.iter().fold([0.0; THEMES], higher)
        });
        closest.collect()
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
        let closest = themes.closest(&index.vectors, [&[0][..], &[1], &[0, 1]].into_iter());
        let (first, second) = (closest[0], closest[1]);
        assert!((first[0] - 0.8).abs() < 0.01 && first[1..] == [0.0; 2], "{first:?}");
        assert!((second[0] - 0.96).abs() < 0.01 && second[1] > 0.98, "{second:?}");
        assert_eq!(closest[2], array::from_fn(|one| first[one].max(second[one])));
    }

    #[test]
    fn ranges_are_joined_where_one_begins_at_the_end_of_the_other() {
        let join = |ranges: &[Range<usize>]| joined(ranges.iter().cloned()).collect::<Vec<_>>();
        assert_eq!(join(&[0..2, 2..2, 2..5, 7..8, 9..9, 8..9, 3..4]), [0..5, 7..9, 3..4]);
        assert!(join(&[0..0, 7..7]).is_empty());
    }
}

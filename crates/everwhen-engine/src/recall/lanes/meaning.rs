//! The meaning lane: cosines between the question and the passages of what was said first hand.
//!
//! As long as there are few, all are compared. Beyond, only those in the regions the question points
//! at, and other passages when ranking asks for them.

use std::array;
use std::ops::Range;

use crate::recall::index::{Index, Rounded, Slate, Vectors};
use crate::recall::scope::Scope;

/// Of many passages so many that are likely near and may be an answer.
const LIKELY: usize = 96;
/// So many places ahead rows are said to be wanted.
const AHEAD: usize = 32;
/// So many themes are looked for at a time.
pub(crate) const THEMES: usize = 3;

/// What the question's vector finds.
pub(crate) struct MeaningScores<'i> {
    /// To the question.
    pub(crate) cosines: Cosines<'i>,
    /// Passages that were likely near, with their cosines, if not all were compared.
    likely: Option<Vec<(u32, f32)>>,
}

/// Compares the question's vector with the passages that may be an answer.
pub(crate) fn score<'i>(
    index: &'i Index,
    scope: &Scope<'i>,
    question: &[f32],
) -> MeaningScores<'i> {
    let vectors = &index.vectors;
    let mut cosines = Cosines::new(vectors, Bearing::to(question));
    if cosines.work_out_all() {
        return MeaningScores { cosines, likely: None };
    }
    let likely = chosen(index, scope, &cosines.bearing.0[0]);
    let near = cosines.passages(&likely);
    let likely = likely.into_iter().zip(near).collect();
    MeaningScores { cosines, likely: Some(likely) }
}

/// Passages that may be an answer: all if those are few, else the ones that are likely near.
fn chosen(index: &Index, scope: &Scope<'_>, to: &Rounded) -> Vec<u32> {
    let vectors = &index.vectors;
    let passages = |entry: u32| vectors.of(entry).map(|passage| passage as u32);
    if let Some(few) = scope.few() {
        let entries = few.iter().flat_map(|one| index.backwards(*one));
        return entries.filter(|entry| scope.admits(*entry)).flat_map(passages).collect();
    }
    let mut likely = vectors.likely(to, scope.one_in() * LIKELY);
    likely.retain(|passage| scope.admits(vectors.entry(*passage as usize)));
    likely
}

impl<'i> MeaningScores<'i> {
    /// The nearest passage of every conversation, as far as passages have been compared.
    pub(crate) fn of_conversations(&self, index: &'i Index, scope: &Scope<'i>) -> Slate<'i> {
        let mut slate = index.slates.slate(index.conversations.len());
        let mut raise = |passage: usize, cosine: f32| {
            let entry = index.vectors.entry(passage);
            if scope.admits(entry) {
                slate.raise(index.homes[entry as usize].conversation, cosine);
            }
        };
        match &self.likely {
            Some(likely) => likely.iter().for_each(|(one, cosine)| raise(*one as usize, *cosine)),
            None => (0..).zip(&self.cosines.all).for_each(|(one, cosine)| raise(one, *cosine)),
        }
        slate
    }

    /// The passages of some entries, nearest first.
    pub(crate) fn nearest_of(&self, entries: &[u32]) -> Vec<usize> {
        let passages = entries.iter().flat_map(|entry| self.cosines.vectors.of(*entry));
        let passages: Vec<u32> = passages.map(|passage| passage as u32).collect();
        let near = self.cosines.passages(&passages);
        let mut found: Vec<(f32, u32)> = near.into_iter().zip(passages).collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().map(|(_, passage)| passage as usize).collect()
    }
}

/// Where to look: at one vector, as exactly as passages are kept, in two parts.
#[derive(Debug, Clone)]
pub(crate) struct Bearing([Rounded; 2]);

impl Bearing {
    /// At this vector.
    pub(crate) fn to(vector: &[f32]) -> Self {
        Self(Rounded::in_parts(vector))
    }

    /// Calls `each` with the cosine of every passage in a range.
    fn near(&self, vectors: &Vectors, passages: Range<usize>, mut each: impl FnMut(usize, f32)) {
        vectors.near(passages, &self.0, |passage, [a, b]| each(passage, a + b));
    }

    /// The cosines of the nearest passages of entries; zero, far from everything, where there is
    /// none.
    pub(crate) fn entries(&self, vectors: &Vectors, entries: &[u32]) -> Vec<f32> {
        let range = |run: &[u32]| vectors.of_run(run[0], run[run.len() - 1]);
        // Passages of entries that come right behind each other are compared together.
        let runs = || entries.chunk_by(|a, b| a + 1 == *b);
        let (mut coming, mut near) = (runs(), Vec::new());
        let mut found = Vec::with_capacity(entries.len());
        coming.next();
        for run in runs() {
            if let Some(next) = coming.next() {
                vectors.expect(range(next));
            }
            let passages = range(run);
            let first = passages.start;
            near.resize(passages.len(), 0.0);
            self.near(vectors, passages, |passage, cosine| near[passage - first] = cosine);
            for own in run.iter().map(|entry| vectors.of(*entry)) {
                let own = &near[own.start - first..own.end - first];
                found.push(own.iter().copied().fold(0.0, f32::max));
            }
        }
        found
    }
}

/// Several vectors that are looked for at once.
#[derive(Debug, Clone)]
pub(crate) struct Themes(pub(crate) [Rounded; THEMES]);

impl Themes {
    /// For each of them, the cosine of the nearest of some passages; zero if there is none.
    pub(crate) fn closest(
        &self,
        vectors: &Vectors,
        passages: impl Iterator<Item = Range<usize>>,
    ) -> [f32; THEMES] {
        let mut closest = [0.0; THEMES];
        let mut raise = |_, cosines: [f32; THEMES]| {
            closest = array::from_fn(|one| cosines[one].max(closest[one]));
        };
        passages.for_each(|some| vectors.near(some, &self.0, &mut raise));
        closest
    }
}

/// Cosines of passages, worked out all at once or when they are asked for.
pub(crate) struct Cosines<'i> {
    vectors: &'i Vectors,
    pub(crate) bearing: Bearing,
    all: Vec<f32>,
}

impl<'i> Cosines<'i> {
    pub(crate) fn new(vectors: &'i Vectors, bearing: Bearing) -> Self {
        Self { vectors, bearing, all: Vec::new() }
    }

    /// Works all of them out in one pass, if there are not too many; says whether it did.
    pub(crate) fn work_out_all(&mut self) -> bool {
        let Self { vectors, bearing, all } = self;
        let few = vectors.are_few();
        if few {
            all.resize(vectors.len(), 0.0);
            bearing.near(vectors, 0..vectors.len(), |passage, cosine| all[passage] = cosine);
        }
        few
    }

    /// The cosines of passages.
    fn passages(&self, passages: &[u32]) -> Vec<f32> {
        if !self.all.is_empty() {
            return passages.iter().map(|passage| self.all[*passage as usize]).collect();
        }
        let range = |passage: u32| passage as usize..passage as usize + 1;
        let mut found = vec![0.0; passages.len()];
        let mut coming = passages.iter();
        coming.by_ref().take(AHEAD).for_each(|one| self.vectors.expect(range(*one)));
        for (passage, found) in passages.iter().zip(&mut found) {
            if let Some(next) = coming.next() {
                self.vectors.expect(range(*next));
            }
            self.bearing.near(self.vectors, range(*passage), |_, cosine| *found = cosine);
        }
        found
    }

    /// The cosines of the nearest passages of entries; zero, far from everything, where there is
    /// none.
    pub(crate) fn entries(&self, entries: &[u32]) -> Vec<f32> {
        if self.all.is_empty() {
            return self.bearing.entries(self.vectors, entries);
        }
        let of =
            |entry: &u32| self.all[self.vectors.of(*entry)].iter().copied().fold(0.0, f32::max);
        entries.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Role;
    use crate::recall::index::tests::index_of;
    use crate::recall::scope::Narrow;

    #[test]
    fn the_nearest_passage_speaks_for_its_conversation() {
        let mut index =
            index_of(&[(1, Role::User, "a"), (1, Role::User, "b"), (2, Role::User, "c")]);
        for (entry, vector) in [(0, [1.0, 0.0]), (1, [0.6, 0.8]), (2, [0.0, 1.0])] {
            index.embed("test", entry, &[vector.to_vec()]);
        }
        let scope = Scope::new(&index, &Narrow::default());
        let found = score(&index, &scope, &[0.8, 0.6]);
        let conversations = found.of_conversations(&index, &scope);
        assert!((conversations.get(0) - 0.96).abs() < 0.01, "{conversations:?}");
        assert!((conversations.get(1) - 0.6).abs() < 0.01);
        assert!((found.cosines.entries(&[0])[0] - 0.8).abs() < 0.01);
        assert_eq!(found.nearest_of(&[0, 1]), [1, 0]);
    }

    #[test]
    fn passages_compared_one_by_one_give_the_same_cosines() {
        let mut index = index_of(&[(1, Role::User, "a"), (1, Role::User, "b")]);
        index.embed("test", 0, &[vec![1.0, 0.0]]);
        index.embed("test", 1, &[vec![0.6, 0.8], vec![-1.0, 0.1]]);
        let to = Bearing::to(&[0.8, 0.6]);
        let each = Cosines::new(&index.vectors, to.clone());
        let mut all = Cosines::new(&index.vectors, to);
        assert!(all.work_out_all());
        assert_eq!(each.passages(&[0, 1, 2]), all.passages(&[0, 1, 2]));
        assert_eq!(each.entries(&[0, 1]), all.entries(&[0, 1]));
        let themes = Themes([[0.8, 0.6], [-1.0, 0.0], [0.0, 0.0]].map(|to| Rounded::of(&to)));
        let closest = |entry: u32| {
            let passages = std::iter::once(index.vectors.of(entry));
            themes.closest(&index.vectors, passages)
        };
        let (first, second) = (closest(0), closest(1));
        assert!((first[0] - 0.8).abs() < 0.01 && first[1..] == [0.0; 2], "{first:?}");
        assert!((second[0] - 0.96).abs() < 0.01 && second[1] > 0.98, "{second:?}");
    }
}

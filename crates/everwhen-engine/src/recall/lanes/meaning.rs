//! The meaning lane: cosines between the question and the passages of what was said first hand.
//!
//! As long as there are few, all are compared. Beyond, only those in the regions the question points
//! at, and other passages when ranking asks for them.

use std::ops::Range;

use crate::recall::fuse::top;
use crate::recall::index::{Index, Rounded, Slate, Vectors};
use crate::recall::scope::Scope;

/// Of many passages so many that are likely near and may be an answer.
const LIKELY: usize = 256;
/// So many places ahead rows are said to be wanted.
const AHEAD: usize = 32;
/// So many of the nearest passages are compared again without rounding the question.
const RESCORED: usize = 64;

/// What the question's vector finds.
pub(crate) struct MeaningScores<'i> {
    /// To the question.
    pub(crate) cosines: Cosines<'i>,
    /// The nearest passages with their cosines, nearest first.
    pub(crate) nearest: Vec<(u32, f32)>,
    /// Passages that were likely near, if not all were compared.
    likely: Option<Vec<(u32, f32)>>,
}

/// Compares the question's vector with the passages that may be an answer.
pub(crate) fn score<'i>(
    index: &'i Index,
    scope: &Scope<'i>,
    question: &[f32],
) -> MeaningScores<'i> {
    let vectors = &index.vectors;
    let mut cosines = Cosines::new(vectors, vec![Rounded::of(question)]);
    let admitted = |passage: &u32| scope.admits(vectors.entry(*passage as usize));
    let (nearest, likely) = if cosines.work_out_all() {
        let all = (0..vectors.len() as u32).filter(admitted);
        (top(RESCORED, all, |passage| cosines.all[passage as usize]), None)
    } else {
        let chosen = chosen(index, scope, &cosines.to[0]);
        let near = cosines.passages(&chosen);
        let chosen: Vec<(u32, f32)> = chosen.into_iter().zip(near).collect();
        let places = 0..chosen.len() as u32;
        let nearest = top(RESCORED, places, |place| chosen[place as usize].1);
        let nearest = nearest.into_iter().map(|(place, _)| chosen[place as usize]).collect();
        (nearest, Some(chosen))
    };
    let nearest = cosines.correct(nearest, question);
    MeaningScores { cosines, nearest, likely }
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
            Some(chosen) => chosen.iter().for_each(|(one, cosine)| raise(*one as usize, *cosine)),
            None => (0..).zip(&self.cosines.all).for_each(|(one, cosine)| raise(one, *cosine)),
        }
        slate
    }
}

/// Cosines of passages to the nearest of some vectors, worked out all at once or each when asked
/// for.
pub(crate) struct Cosines<'i> {
    vectors: &'i Vectors,
    to: Vec<Rounded>,
    all: Vec<f32>,
    /// Better ones of the nearest passages, by passage.
    corrected: Vec<(u32, f32)>,
    /// What is farther than this was not corrected.
    floor: f32,
}

impl<'i> Cosines<'i> {
    pub(crate) fn new(vectors: &'i Vectors, to: Vec<Rounded>) -> Self {
        Self { vectors, to, all: Vec::new(), corrected: Vec::new(), floor: f32::INFINITY }
    }

    /// Works all of them out in one pass, if there are not too many; says whether it did.
    pub(crate) fn work_out_all(&mut self) -> bool {
        let Self { vectors, to, all, .. } = self;
        let few = vectors.are_few();
        if few {
            all.resize(vectors.len(), f32::NEG_INFINITY);
            for to in to {
                let raise = |passage: usize, cosine: f32| all[passage] = all[passage].max(cosine);
                vectors.near(0..vectors.len(), to, raise);
            }
        }
        few
    }

    /// The cosines of passages.
    fn passages(&self, passages: &[u32]) -> Vec<f32> {
        let range = |passage: u32| passage as usize..passage as usize + 1;
        self.each(passages, range, f32::NEG_INFINITY)
    }

    /// The cosines of the nearest passages of entries; zero, far from everything, where there is
    /// none.
    pub(crate) fn entries(&self, entries: &[u32]) -> Vec<f32> {
        self.each(entries, |entry| self.vectors.of(entry), 0.0)
    }

    /// The highest cosine in each of some ranges of passages, at least `least`.
    fn each(&self, numbers: &[u32], range: impl Fn(u32) -> Range<usize>, least: f32) -> Vec<f32> {
        let mut coming = numbers.iter();
        if self.all.is_empty() {
            coming.by_ref().take(AHEAD).for_each(|one| self.vectors.expect(range(*one)));
        }
        let nearest = |one: &u32| {
            if self.all.is_empty()
                && let Some(next) = coming.next()
            {
                self.vectors.expect(range(*next));
            }
            self.nearest(range(*one), least)
        };
        numbers.iter().map(nearest).collect()
    }

    /// The highest cosine of some passages, at least `least`.
    fn nearest(&self, passages: Range<usize>, least: f32) -> f32 {
        if let Some(known) = self.all.get(passages.clone()) {
            return known.iter().copied().fold(least, f32::max);
        }
        let mut found = least;
        let mut raise = |passage: usize, cosine: f32| {
            if cosine >= self.floor {
                found = found.max(self.corrected(passage).unwrap_or(cosine));
            } else if cosine > found {
                found = cosine;
            }
        };
        self.to.iter().for_each(|to| self.vectors.near(passages.clone(), to, &mut raise));
        found
    }

    fn corrected(&self, passage: usize) -> Option<f32> {
        let place = self.corrected.binary_search_by_key(&(passage as u32), |one| one.0).ok()?;
        Some(self.corrected[place].1)
    }

    /// Replaces the cosines of some passages by exact ones; answers them, nearest first.
    fn correct(&mut self, mut some: Vec<(u32, f32)>, to: &[f32]) -> Vec<(u32, f32)> {
        self.floor = some.iter().map(|(_, cosine)| *cosine).fold(f32::INFINITY, f32::min);
        for (passage, cosine) in &mut some {
            *cosine = self.vectors.exactly(*passage as usize, to);
            if let Some(known) = self.all.get_mut(*passage as usize) {
                *known = *cosine;
            }
        }
        if self.all.is_empty() {
            self.corrected.clone_from(&some);
            self.corrected.sort_unstable_by_key(|(passage, _)| *passage);
        }
        some.sort_by(|a, b| b.1.total_cmp(&a.1));
        some
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
        assert_eq!(found.nearest[0].0, 1);
    }

    #[test]
    fn passages_compared_one_by_one_give_the_same_cosines() {
        let mut index = index_of(&[(1, Role::User, "a"), (1, Role::User, "b")]);
        index.embed("test", 0, &[vec![1.0, 0.0]]);
        index.embed("test", 1, &[vec![0.6, 0.8], vec![-1.0, 0.1]]);
        let to = vec![Rounded::of(&[0.8, 0.6]), Rounded::of(&[-1.0, 0.0])];
        let each = Cosines::new(&index.vectors, to.clone());
        let mut all = Cosines::new(&index.vectors, to);
        assert!(all.work_out_all());
        assert_eq!(each.passages(&[0, 1, 2]), all.passages(&[0, 1, 2]));
        assert_eq!(each.entries(&[0, 1]), all.entries(&[0, 1]));
    }
}

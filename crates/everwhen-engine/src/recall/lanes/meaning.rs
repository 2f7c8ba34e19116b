//! The meaning lane: cosines between the question and the passages of what was said first hand.
//!
//! Up to [`SCANNED`] passages all are compared. Above, sketches choose the few thousand that are
//! worth comparing, and other passages are compared when ranking asks for them.

use crate::recall::fuse::top;
use crate::recall::index::{Index, Rounded, Slate, Vectors};
use crate::recall::scope::Scope;

/// Up to so many passages all are compared with a question.
const SCANNED: usize = 100_000;
/// Beyond, so many whose sketches are nearest.
const SKETCHED: usize = 4_096;
/// So many of the nearest passages are compared again without rounding the question.
const RESCORED: usize = 64;

/// What the question's vector finds.
pub(crate) struct MeaningScores<'i> {
    /// To the question.
    pub(crate) cosines: Cosines<'i>,
    /// The nearest passages with their cosines, nearest first.
    pub(crate) nearest: Vec<(u32, f32)>,
    /// Passages that were chosen by their sketches, if not all were compared.
    sketched: Option<Vec<(u32, f32)>>,
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
    let (nearest, sketched) = if cosines.work_out_all() {
        let all = (0..vectors.len() as u32).filter(admitted);
        (top(RESCORED, all, |passage| cosines.all[passage as usize]), None)
    } else {
        let chosen = vectors.sketched(&cosines.to[0], SKETCHED).into_iter().filter(admitted);
        let chosen: Vec<(u32, f32)> =
            chosen.map(|passage| (passage, cosines.passage(passage as usize))).collect();
        let places = 0..chosen.len() as u32;
        let nearest = top(RESCORED, places, |place| chosen[place as usize].1);
        let nearest = nearest.into_iter().map(|(place, _)| chosen[place as usize]).collect();
        (nearest, Some(chosen))
    };
    let nearest = cosines.correct(nearest, question);
    MeaningScores { cosines, nearest, sketched }
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
        match &self.sketched {
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
}

impl<'i> Cosines<'i> {
    pub(crate) fn new(vectors: &'i Vectors, to: Vec<Rounded>) -> Self {
        Self { vectors, to, all: Vec::new(), corrected: Vec::new() }
    }

    /// Works all of them out in one pass, if there are not too many; says whether it did.
    pub(crate) fn work_out_all(&mut self) -> bool {
        let Self { vectors, to, all, .. } = self;
        let few = vectors.len() <= SCANNED;
        if few {
            all.resize(vectors.len(), f32::NEG_INFINITY);
            for to in to {
                let raise = |passage: usize, cosine: f32| all[passage] = all[passage].max(cosine);
                vectors.near(0..vectors.len(), to, raise);
            }
        }
        few
    }

    /// The cosine of a passage.
    fn passage(&self, passage: usize) -> f32 {
        if let Some(cosine) = self.all.get(passage) {
            return *cosine;
        }
        if let Ok(place) = self.corrected.binary_search_by_key(&(passage as u32), |one| one.0) {
            return self.corrected[place].1;
        }
        let mut found = f32::NEG_INFINITY;
        for to in &self.to {
            self.vectors.near(passage..passage + 1, to, |_, cosine| found = found.max(cosine));
        }
        found
    }

    /// The cosine of an entry's nearest passage; zero, far from everything, if it has none.
    pub(crate) fn entry(&self, entry: u32) -> f32 {
        self.vectors.of(entry).map(|passage| self.passage(passage)).fold(0.0, f32::max)
    }

    /// Replaces the cosines of some passages by exact ones; answers them, nearest first.
    fn correct(&mut self, mut some: Vec<(u32, f32)>, to: &[f32]) -> Vec<(u32, f32)> {
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
        assert!((found.cosines.entry(0) - 0.8).abs() < 0.01);
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
        assert!((0..3).all(|passage| each.passage(passage) == all.passage(passage)));
        assert_eq!((each.entry(0), each.entry(1)), (all.entry(0), all.entry(1)));
    }
}

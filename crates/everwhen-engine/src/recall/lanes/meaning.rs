//! The meaning lane: cosines between the question and the passages of what was said first hand.

use crate::recall::index::{Index, Rounded};
use crate::recall::scope::Scope;

/// So many of the nearest passages are compared again without rounding the question.
const RESCORED: usize = 64;
/// What a text without passages gets: far from everything.
const NOTHING: f32 = 0.0;

/// The nearest passage of every conversation and entry.
pub(crate) struct MeaningScores {
    /// Cosine of the nearest passage, per conversation.
    pub(crate) conversations: Vec<f32>,
    /// Cosine of the nearest passage, per entry.
    pub(crate) entries: Vec<f32>,
    /// The nearest passages with their cosines, nearest first.
    pub(crate) nearest: Vec<(u32, f32)>,
}

/// Compares the question's vector with every passage that may be an answer.
pub(crate) fn score(index: &Index, scope: &Scope<'_>, question: &[f32]) -> MeaningScores {
    let rounded = Rounded::of(question);
    let mut near: Vec<(u32, f32)> = (0..index.vectors.len())
        .filter(|passage| scope.admits(index.vectors.entry(*passage)))
        .map(|passage| (passage as u32, index.vectors.near(passage, &rounded)))
        .collect();
    let nearest = rescore(index, &mut near, question);
    let mut scores = MeaningScores {
        conversations: vec![NOTHING; index.conversations.len()],
        entries: vec![NOTHING; index.homes.len()],
        nearest,
    };
    for (passage, cosine) in near {
        let entry = index.vectors.entry(passage as usize) as usize;
        let conversation = index.homes[entry].conversation as usize;
        scores.entries[entry] = scores.entries[entry].max(cosine);
        scores.conversations[conversation] = scores.conversations[conversation].max(cosine);
    }
    scores
}

/// Replaces the cosines of the nearest by exact ones; answers them, nearest first.
fn rescore(index: &Index, near: &mut [(u32, f32)], question: &[f32]) -> Vec<(u32, f32)> {
    let by_cosine = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1);
    let few = near.len().min(RESCORED);
    if few < near.len() {
        near.select_nth_unstable_by(few, by_cosine);
    }
    for (passage, cosine) in &mut near[..few] {
        *cosine = index.vectors.exactly(*passage as usize, question);
    }
    near[..few].sort_unstable_by(by_cosine);
    near[..few].to_vec()
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
            index.add_vector(entry, &vector);
        }
        let scope = Scope::new(&index, &Narrow::default());
        let found = score(&index, &scope, &[0.8, 0.6]);
        assert!((found.conversations[0] - 0.96).abs() < 0.01, "{:?}", found.conversations);
        assert!((found.conversations[1] - 0.6).abs() < 0.01);
        assert_eq!(found.nearest[0].0, 1);
    }
}

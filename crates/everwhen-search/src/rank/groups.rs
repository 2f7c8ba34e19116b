//! The signals of groups.

use std::borrow::Cow;

use super::{FusedScores, Ranker};
use crate::signal::Signal;

/// What the second and the third best document count, compared with the best.
const NEXT_BEST: f32 = 0.3;

impl Ranker<'_> {
    /// Fuses the signals of the candidate groups.
    pub(super) fn fuse_groups(&self, documents: &FusedScores<'_>) -> FusedScores<'_> {
        let mut fused = FusedScores::new(self.candidates.of_groups());
        for (signal, weight) in self.weights.groups.iter() {
            if let Some(values) = self.group_values(signal, documents) {
                fused.add(signal, weight, values);
            }
        }
        fused
    }

    /// Returns the values of a signal in the order of the groups; `None` if it does not apply.
    fn group_values(&self, signal: Signal, documents: &FusedScores<'_>) -> Option<Cow<'_, [f32]>> {
        let meaning = self.meaning.as_ref();
        match signal {
            Signal::Words => Some(self.each_group(|group| self.words.groups.get(group))),
            Signal::Meaning => meaning.map(|_| self.nearest_passages()),
            Signal::Sibling => meaning.map(|meaning| self.siblings(meaning)),
            Signal::Documents => Some(self.best_documents(documents)),
            Signal::Period => {
                let has_period = self.times.has_period();
                has_period.then(|| self.each_group(|group| self.times.group(group)))
            }
            Signal::Recent => Some(self.each_group(|group| self.times.recent_group(group))),
            Signal::WordsNearby
            | Signal::MeaningNearby
            | Signal::Speaker
            | Signal::FirstPerson
            | Signal::Group
            | Signal::Inside
            | Signal::Order
            | Signal::WordPairs => None,
        }
    }

    pub(super) fn each_group(&self, value: impl Fn(u32) -> f32) -> Cow<'_, [f32]> {
        self.candidates.groups.iter().map(|group| value(*group)).collect()
    }

    /// Returns the cosine of the nearest passage.
    fn nearest_passages(&self) -> Cow<'_, [f32]> {
        self.candidates.highest(&self.document_meaning).into()
    }

    /// Returns the score of the best document, and a little of the next two.
    fn best_documents(&self, documents: &FusedScores<'_>) -> Cow<'_, [f32]> {
        let value = |scores: &[f32]| {
            let [mut first, mut second, mut third] = [f32::NEG_INFINITY; 3];
            for score in scores {
                // Each passes the lower of two on. Branches would be mispredicted too often.
                let second_or_lower = lower(first, *score);
                let third_or_lower = lower(second, second_or_lower);
                first = higher(first, *score);
                second = higher(second, second_or_lower);
                third = higher(third, third_or_lower);
            }
            first + NEXT_BEST * (second.max(0.0) + third.max(0.0))
        };
        self.candidates.ranges().map(|range| value(&documents.scores[range])).collect()
    }
}

/// Returns the higher of two numbers. [`f32::max`] takes three times as many instructions, for what is no number.
fn higher(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

fn lower(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

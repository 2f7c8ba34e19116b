//! What speaks for a conversation.

use std::borrow::Cow;

use super::{Asked, Fused};
use crate::recall::fuse::{best, stand_out};
use crate::recall::lanes::meaning::{Bearing, Cosines, MeaningScores};
use crate::recall::signal::Signal;
use crate::recall::weights;

/// What the second and the third best entry count, against the best.
const NEXT_BEST: f32 = 0.3;

impl Asked<'_> {
    /// Conversations with an entry that may be an answer.
    pub(super) fn conversations(&self, entries: &Fused<'_>) -> Fused<'_> {
        let mut fused = Fused::new(self.crowd.of_conversations());
        let weights = match self.meaning {
            Some(_) => weights::CONVERSATIONS,
            None => weights::CONVERSATIONS_BY_WORDS,
        };
        for (signal, weight) in weights {
            if let Some(values) = self.of_conversations(*signal, entries) {
                fused.add(*signal, *weight, values);
            }
        }
        fused
    }

    /// A signal, in the order of the conversations; nothing if it cannot tell them apart.
    fn of_conversations(&self, signal: Signal, entries: &Fused<'_>) -> Option<Cow<'_, [f32]>> {
        let meaning = self.meaning.as_ref();
        match signal {
            Signal::Words => Some(self.each(|number| self.words.conversations.get(number))),
            Signal::Meaning => meaning.map(|_| self.crowd.highest(&self.meant).into()),
            Signal::Sibling => meaning.map(|meaning| self.siblings(meaning)),
            Signal::Entries => Some(self.best_entries(entries)),
            Signal::Period if self.times.has_period() => {
                Some(self.each(|number| self.times.conversation(number)))
            }
            Signal::Recent => Some(self.each(|number| self.times.recent(number))),
            _ => None,
        }
    }

    fn each(&self, value: impl Fn(u32) -> f32) -> Cow<'_, [f32]> {
        self.crowd.conversations.iter().map(|number| value(*number)).collect()
    }

    /// The score of the best entry, and a little of the next two.
    fn best_entries(&self, entries: &Fused<'_>) -> Cow<'_, [f32]> {
        let value = |scores: &[f32]| {
            let mut top = [f32::NEG_INFINITY; 3];
            for score in scores {
                if *score > top[2] {
                    top[2] = *score;
                    top.sort_unstable_by(|a, b| b.total_cmp(a));
                }
            }
            top[0] + NEXT_BEST * (top[1].max(0.0) + top[2].max(0.0))
        };
        self.crowd.spans().map(|span| value(&entries.scores[span])).collect()
    }

    /// How close a conversation comes to the two best passages of the one that stands out most: a
    /// question about several conversations often shares its words with only one of them.
    fn siblings(&self, meaning: &MeaningScores<'_>) -> Cow<'_, [f32]> {
        let mut closest = vec![0.0; self.crowd.conversations.len()];
        let Some(leader) = self.leader() else { return closest.into() };
        let seeds = meaning.nearest_of(&self.crowd.entries[self.crowd.span(leader)]);
        let Some(first) = seeds.first() else { return closest.into() };
        let vectors = &self.index.vectors;
        let rows = [*first, *seeds.get(1).unwrap_or(first)].map(|seed| vectors.row(seed));
        let mut cosines = Cosines::new(vectors, Bearing::to_either(rows));
        if self.crowd.is_whole() {
            cosines.work_out_all();
        }
        closest = self.crowd.highest(&self.cosines(&cosines));
        closest[leader] = 0.0;
        closest[leader] = closest.iter().copied().fold(0.0, f32::max);
        Cow::Owned(closest)
    }

    /// The place of the conversation that stands out most by words and meaning together.
    fn leader(&self) -> Option<usize> {
        let candidates = self.crowd.of_conversations();
        let mut words = self.each(|number| self.words.conversations.get(number)).into_owned();
        let mut meant = self.crowd.highest(&self.meant);
        stand_out(&candidates, &mut words);
        stand_out(&candidates, &mut meant);
        let both: Vec<f32> = words.iter().zip(&meant).map(|(words, meant)| words + meant).collect();
        best(&candidates, &both, 1).first().copied()
    }
}

//! What speaks for a conversation.

use std::borrow::Cow;

use super::{Asked, Fused};
use crate::recall::fuse::{best, stand_out};
use crate::recall::index::Index;
use crate::recall::lanes::meaning::MeaningScores;
use crate::recall::lanes::when::{nearness, recency};
use crate::recall::signal::Signal;
use crate::recall::weights;

/// What the second and the third best entry count, against the best.
const NEXT_BEST: f32 = 0.3;
/// So many passages of the leading conversation look for siblings.
const SEEDS: usize = 2;

impl Asked<'_> {
    /// Conversations with an entry that may be an answer.
    pub(super) fn conversations(&self, entries: &Fused<'_>) -> Fused<'_> {
        let mut is_candidate = vec![false; self.index.conversations.len()];
        for entry in &entries.candidates {
            is_candidate[self.index.homes[*entry as usize].conversation as usize] = true;
        }
        let candidates = (0..).zip(is_candidate).filter(|(_, is)| *is).map(|(number, _)| number);
        let mut fused = Fused::new(candidates.collect());
        let weights = match self.meaning {
            Some(_) => weights::CONVERSATIONS,
            None => weights::CONVERSATIONS_BY_WORDS,
        };
        for (signal, weight) in weights {
            let values = match signal {
                Signal::Entries => Some(self.best_entries(entries)),
                Signal::Sibling => {
                    self.meaning.as_ref().map(|m| self.siblings(m, &fused.candidates))
                }
                signal => self.of_conversations(*signal),
            };
            if let Some(values) = values {
                fused.add(*signal, *weight, values);
            }
        }
        fused
    }

    /// A signal, by number of conversation; nothing if it cannot tell conversations apart.
    fn of_conversations(&self, signal: Signal) -> Option<Cow<'_, [f32]>> {
        match signal {
            Signal::Words => Some(Cow::Borrowed(&self.words.conversations)),
            Signal::Round => Some(Cow::Borrowed(&self.words.best_rounds)),
            Signal::Meaning => Some(Cow::Borrowed(&self.meaning.as_ref()?.conversations)),
            Signal::Person if !self.question.about_replies => {
                Some(self.each(|number| (1.0 + self.persons(number)).ln()))
            }
            Signal::Period => self.conversations_in_period(),
            Signal::Recent => Some(self.each(|number| {
                let times = self.scope.census.conversations.get(number).and_then(|one| one.times);
                times.map_or(0.0, |(_, last)| recency(self.question.asked_at, last))
            })),
            _ => None,
        }
    }

    fn each(&self, value: impl Fn(usize) -> f32) -> Cow<'_, [f32]> {
        (0..self.index.conversations.len()).map(value).collect()
    }

    fn persons(&self, number: usize) -> f32 {
        self.scope.census.conversations.get(number).map_or(0.0, |one| one.persons as f32)
    }

    fn conversations_in_period(&self) -> Option<Cow<'_, [f32]>> {
        if let Some(chosen) = &self.question.chosen {
            return Some(chosen.iter().map(|is| f32::from(u8::from(*is))).collect());
        }
        let period = self.question.period?;
        Some(self.each(|number| {
            let times = self.scope.census.conversations.get(number).and_then(|one| one.times);
            times.map_or(0.0, |times| nearness(&period, times))
        }))
    }

    /// The score of the best entry, and a little of the next two.
    fn best_entries(&self, entries: &Fused<'_>) -> Cow<'_, [f32]> {
        let mut tops = vec![[f32::NEG_INFINITY; 3]; self.index.conversations.len()];
        for (entry, score) in entries.candidates.iter().zip(&entries.scores) {
            let top = &mut tops[self.index.homes[*entry as usize].conversation as usize];
            if *score > top[2] {
                top[2] = *score;
                top.sort_unstable_by(|a, b| b.total_cmp(a));
            }
        }
        tops.iter()
            .map(|[first, second, third]| first + NEXT_BEST * (second.max(0.0) + third.max(0.0)))
            .collect()
    }

    /// How close a conversation comes to the best passages of the one that stands out most: a
    /// question about several conversations often shares its words with only one of them.
    fn siblings(&self, meaning: &MeaningScores, candidates: &[u32]) -> Cow<'_, [f32]> {
        let mut closest = vec![0.0f32; self.index.conversations.len()];
        let Some(leader) = self.leader(meaning, candidates) else { return Cow::Owned(closest) };
        let nearest = meaning.nearest.iter().map(|(passage, _)| *passage as usize);
        let of_leader = nearest.filter(|passage| home_of(self.index, *passage) == leader);
        let seeds: Vec<usize> = of_leader.take(SEEDS).collect();
        for passage in 0..self.index.vectors.len() {
            if self.scope.admits(self.index.vectors.entry(passage)) {
                let closest = &mut closest[home_of(self.index, passage)];
                let near = |seed: &usize| self.index.vectors.between(passage, *seed);
                *closest = seeds.iter().map(near).fold(*closest, f32::max);
            }
        }
        closest[leader] = 0.0;
        closest[leader] = closest.iter().copied().fold(0.0, f32::max);
        Cow::Owned(closest)
    }

    /// The conversation that stands out most by words and meaning together.
    fn leader(&self, meaning: &MeaningScores, candidates: &[u32]) -> Option<usize> {
        let pick = |values: &[f32]| -> Vec<f32> {
            let mut picked: Vec<f32> = candidates.iter().map(|one| values[*one as usize]).collect();
            stand_out(&mut picked);
            picked
        };
        let (words, meant) = (pick(&self.words.conversations), pick(&meaning.conversations));
        let both: Vec<f32> = words.iter().zip(&meant).map(|(words, meant)| words + meant).collect();
        best(&both, 1).first().map(|place| candidates[*place] as usize)
    }
}

/// The conversation a passage was said in.
fn home_of(index: &Index, passage: usize) -> usize {
    index.homes[index.vectors.entry(passage) as usize].conversation as usize
}

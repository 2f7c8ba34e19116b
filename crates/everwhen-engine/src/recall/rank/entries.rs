//! What speaks for an entry.

use std::borrow::Cow;

use super::{Asked, Fused};
use crate::recall::lanes::when::{nearness, recency};
use crate::recall::signal::Signal;
use crate::recall::weights;

impl Asked<'_> {
    /// Entries by what speaks for them alone.
    pub(super) fn entries(&self) -> Fused<'_> {
        let mut fused = Fused::new(self.scope.admitted().collect());
        for (signal, weight) in self.entry_weights() {
            if let Some(values) = self.of_entries(*signal) {
                fused.add(*signal, *weight, values);
            }
        }
        fused
    }

    fn entry_weights(&self) -> weights::Weights {
        match self.meaning {
            Some(_) => weights::ENTRIES,
            None => weights::ENTRIES_BY_WORDS,
        }
    }

    /// Lets conversations speak for their entries.
    pub(super) fn add_conversations(&self, entries: &mut Fused<'_>, conversations: &Fused<'_>) {
        let mut standing = vec![0.0f32; self.index.conversations.len()];
        for (number, score) in conversations.candidates.iter().zip(&conversations.scores) {
            standing[*number as usize] = *score;
        }
        let shared = self.index.homes.iter().map(|home| standing[home.conversation as usize]);
        let of_weights = self.entry_weights().iter();
        for (signal, weight) in of_weights.filter(|(signal, _)| *signal == Signal::Conversation) {
            entries.add(*signal, *weight, Cow::Owned(shared.clone().collect()));
        }
    }

    /// A signal, by number of entry; nothing if it cannot tell entries apart.
    fn of_entries(&self, signal: Signal) -> Option<Cow<'_, [f32]>> {
        let (question, facts) = (self.question, self.index.facts.iter());
        match signal {
            Signal::Words => Some(Cow::Borrowed(&self.words.entries)),
            Signal::WordsNearby => Some(self.nearby(&self.words.entries)),
            Signal::Meaning => Some(Cow::Borrowed(&self.meaning.as_ref()?.entries)),
            Signal::MeaningNearby => Some(self.nearby(&self.meaning.as_ref()?.entries)),
            Signal::Speaker if !question.speakers.is_empty() => {
                let named =
                    facts.map(|one| f32::from(u8::from(question.speakers.contains(&one.speaker))));
                Some(named.collect())
            }
            Signal::Period => self.entries_in_period(),
            Signal::Recent => Some(facts.map(|one| recency(question.asked_at, one.time)).collect()),
            _ => None,
        }
    }

    fn entries_in_period(&self) -> Option<Cow<'_, [f32]>> {
        if let Some(chosen) = &self.question.chosen {
            let is_chosen = |conversation: u32| chosen[conversation as usize];
            let homes = self.index.homes.iter();
            return Some(
                homes.map(|home| f32::from(u8::from(is_chosen(home.conversation)))).collect(),
            );
        }
        let period = self.question.period?;
        let facts = self.index.facts.iter();
        Some(facts.map(|one| nearness(&period, (one.time, one.time))).collect())
    }

    /// The sum of a signal over the entries right before and after, in the same conversation.
    fn nearby(&self, values: &[f32]) -> Cow<'_, [f32]> {
        const NONE: u32 = u32::MAX;
        let mut last = vec![NONE; self.index.conversations.len()];
        let mut sums = vec![0.0; values.len()];
        for entry in self.scope.admitted() {
            let home = self.index.homes[entry as usize];
            let before = std::mem::replace(&mut last[home.conversation as usize], entry);
            if before != NONE {
                sums[entry as usize] += values[before as usize];
                sums[before as usize] += values[entry as usize];
            }
        }
        Cow::Owned(sums)
    }
}

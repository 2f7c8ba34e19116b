//! What speaks for a conversation.

use std::borrow::Cow;
use std::ops::Range;

use super::{Asked, Fused};
use crate::recall::signal::Signal;

/// What the second and the third best entry count, against the best.
const NEXT_BEST: f32 = 0.3;

impl Asked<'_> {
    /// Conversations with an entry that may be an answer.
    pub(super) fn conversations(&self, entries: &Fused<'_>) -> Fused<'_> {
        let mut fused = Fused::new(self.crowd.of_conversations());
        for (signal, weight) in self.weights.conversations {
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
            Signal::WordsTogether => Some(self.together()),
            Signal::Meaning => meaning.map(|_| self.crowd.highest(&self.meant).into()),
            Signal::Opening => meaning.map(|_| self.openings()),
            Signal::Sibling => meaning.map(|meaning| self.siblings(meaning)),
            Signal::Entries => Some(self.best_entries(entries)),
            Signal::Period if self.times.has_period() => {
                Some(self.each(|number| self.times.conversation(number)))
            }
            Signal::Recent => Some(self.each(|number| self.times.recent(number))),
            _ => None,
        }
    }

    pub(super) fn each(&self, value: impl Fn(u32) -> f32) -> Cow<'_, [f32]> {
        self.crowd.conversations.iter().map(|number| value(*number)).collect()
    }

    /// What the words give to the best entry of the first hand: a fact is mostly told in one go,
    /// while the words of a conversation may lie far apart.
    fn together(&self) -> Cow<'_, [f32]> {
        let first_hand = |place: &usize| !self.is_reply(*place);
        let best = |span: Range<usize>| {
            span.filter(first_hand).map(|place| self.said[place]).fold(0.0, f32::max)
        };
        self.crowd.spans().map(best).collect()
    }

    /// How close the first thing said first hand is: a conversation opens with what it is about.
    fn openings(&self) -> Cow<'_, [f32]> {
        let opening = |mut span: Range<usize>| span.find(|place| !self.is_reply(*place));
        let spans = self.crowd.spans();
        spans.map(|span| opening(span).map_or(0.0, |place| self.meant[place])).collect()
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
}

//! What speaks for an entry.

use std::borrow::Cow;

use super::{Asked, Fused};
use crate::recall::signal::Signal;

impl Asked<'_> {
    /// Entries by what speaks for them alone.
    pub(super) fn entries(&self) -> Fused<'_> {
        let mut fused = Fused::new(self.crowd.of_entries());
        for (signal, weight) in self.weights.entries {
            if let Some(values) = self.of_entries(*signal) {
                fused.add(*signal, *weight, values);
            }
        }
        fused
    }

    /// Lets conversations speak for their entries.
    pub(super) fn add_conversations(&self, entries: &mut Fused<'_>, conversations: &Fused<'_>) {
        let of_weights = self.weights.entries.iter();
        for (signal, weight) in of_weights.filter(|(signal, _)| *signal == Signal::Conversation) {
            let mut shared = Vec::with_capacity(self.crowd.entries.len());
            for (span, score) in self.crowd.spans().zip(&conversations.scores) {
                shared.resize(span.end, *score);
            }
            entries.add(*signal, *weight, Cow::Owned(shared));
        }
    }

    /// A signal, in the order of the entries; nothing if it cannot tell them apart.
    fn of_entries(&self, signal: Signal) -> Option<Cow<'_, [f32]>> {
        match signal {
            Signal::Words => Some(Cow::Borrowed(&self.said)),
            Signal::WordsBefore => Some(self.before(&self.said)),
            Signal::Meaning if self.meaning.is_some() => Some(Cow::Borrowed(&self.meant)),
            Signal::MeaningNearby if self.meaning.is_some() => Some(self.nearby(&self.meant)),
            Signal::Length => Some(self.each_entry(|entry| self.length(entry))),
            Signal::Speaker if !self.question.speakers.is_empty() => {
                Some(self.each_entry(|entry| self.is_named(entry)))
            }
            Signal::Period if self.times.has_period() => {
                Some(self.each_entry(|entry| self.times.entry(entry)))
            }
            Signal::Recent => Some(self.each_entry(|entry| self.times.recent_entry(entry))),
            _ => None,
        }
    }

    fn each_entry(&self, value: impl Fn(u32) -> f32) -> Cow<'_, [f32]> {
        self.crowd.entries.iter().map(|entry| value(*entry)).collect()
    }

    /// 1 if the question names the speaker.
    fn is_named(&self, entry: u32) -> f32 {
        let speaker = self.index.facts[entry as usize].speaker;
        f32::from(u8::from(self.question.speakers.contains(&speaker)))
    }

    /// How much it says; twice as long is not twice as much.
    fn length(&self, entry: u32) -> f32 {
        (self.index.homes[entry as usize].length() as f32).ln_1p()
    }

    /// Whether the entry in this place answers another.
    pub(super) fn is_reply(&self, place: usize) -> bool {
        self.index.homes[self.crowd.entries[place] as usize].is_reply()
    }

    /// A signal of the entry right before, in the same conversation: who is asked answers next.
    fn before(&self, values: &[f32]) -> Cow<'_, [f32]> {
        let mut before = vec![0.0; values.len()];
        for span in self.crowd.spans() {
            before[span.start + 1..span.end].copy_from_slice(&values[span.start..span.end - 1]);
        }
        Cow::Owned(before)
    }

    /// The sum of a signal over the entries right before and after, in the same conversation.
    fn nearby(&self, values: &[f32]) -> Cow<'_, [f32]> {
        let mut sums = vec![0.0; values.len()];
        for span in self.crowd.spans() {
            let (values, sums) = (&values[span.clone()], &mut sums[span]);
            for (place, pair) in values.windows(2).enumerate() {
                sums[place + 1] += pair[0];
                sums[place] += pair[1];
            }
        }
        Cow::Owned(sums)
    }
}

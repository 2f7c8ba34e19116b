//! What time says about conversations and entries: in the period asked about, or recently.

use super::Question;
use crate::recall::index::{Index, Micros};
use crate::recall::lanes::when::{Nearness, recency};
use crate::recall::scope::Counts;

/// A question's times beside those of an index.
pub(super) struct Times<'q> {
    index: &'q Index,
    census: &'q Counts<'q>,
    question: &'q Question,
    period: Option<Nearness>,
}

impl<'q> Times<'q> {
    pub(super) fn new(index: &'q Index, census: &'q Counts<'q>, question: &'q Question) -> Self {
        Self { index, census, question, period: question.period.as_ref().map(Nearness::to) }
    }

    /// Whether the question asks about a time.
    pub(super) fn has_period(&self) -> bool {
        self.question.chosen.is_some() || self.period.is_some()
    }

    /// Numbers of the conversations it asks for by their order.
    pub(super) fn chosen(&self) -> Option<&[u32]> {
        self.question.chosen.as_deref()
    }

    /// 1 if it asks for this one.
    fn is_chosen(chosen: &[u32], number: u32) -> f32 {
        f32::from(u8::from(chosen.binary_search(&number).is_ok()))
    }

    /// When it began and ended.
    pub(super) fn period(&self) -> Option<(Option<Micros>, Option<Micros>)> {
        let period = self.question.period.as_ref()?;
        let micros = |time: jiff::Timestamp| time.as_microsecond();
        Some((period.since().map(micros), period.until().map(micros)))
    }

    /// How near a conversation is to it.
    pub(super) fn conversation(&self, number: u32) -> f32 {
        match (&self.question.chosen, &self.period) {
            (Some(chosen), _) => Self::is_chosen(chosen, number),
            (None, Some(period)) => self.census.times(number).map_or(0.0, |times| period.of(times)),
            (None, None) => 0.0,
        }
    }

    /// How near an entry is to it.
    pub(super) fn entry(&self, entry: u32) -> f32 {
        let conversation = self.index.homes[entry as usize].conversation;
        let time = self.index.facts[entry as usize].time;
        match (&self.question.chosen, &self.period) {
            (Some(chosen), _) => Self::is_chosen(chosen, conversation),
            (None, Some(period)) => period.of((time, time)),
            (None, None) => 0.0,
        }
    }

    /// How recent a conversation is.
    pub(super) fn recent(&self, number: u32) -> f32 {
        let asked_at = self.question.asked_at.as_microsecond();
        self.census.times(number).map_or(0.0, |(_, last)| recency(asked_at, last))
    }

    /// How recent an entry is.
    pub(super) fn recent_entry(&self, entry: u32) -> f32 {
        recency(self.question.asked_at.as_microsecond(), self.index.facts[entry as usize].time)
    }
}

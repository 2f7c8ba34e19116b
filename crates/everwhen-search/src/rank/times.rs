//! The time signals of groups and documents: nearness to the period asked about, and recency.

use super::SearchQuery;
use crate::index::Index;
use crate::lanes::when::{Nearness, recency};
use crate::scope::VisibleCounts;
use crate::time_range::TimeRange;

/// The times of a query compared with those of an index.
pub(super) struct TimeScores<'q> {
    index: &'q Index,
    counts: &'q VisibleCounts<'q>,
    query: &'q SearchQuery,
    period: Option<Nearness>,
}

impl<'q> TimeScores<'q> {
    pub(super) fn new(
        index: &'q Index,
        counts: &'q VisibleCounts<'q>,
        query: &'q SearchQuery,
    ) -> Self {
        Self { index, counts, query, period: query.period.map(Nearness::to) }
    }

    /// Returns whether the query asks about a time.
    pub(super) fn has_period(&self) -> bool {
        self.query.chosen_groups.is_some() || self.period.is_some()
    }

    /// Returns the groups that the query asks for by their order.
    pub(super) fn chosen_groups(&self) -> Option<&[u32]> {
        self.query.chosen_groups.as_deref()
    }

    /// Returns the period that the query asks about.
    pub(super) fn period(&self) -> Option<TimeRange> {
        self.query.period
    }

    /// Returns how near a group is to the period, or whether it is asked for by its order.
    pub(super) fn group(&self, group: u32) -> f32 {
        match (&self.query.chosen_groups, &self.period) {
            (Some(chosen), _) => is_chosen(chosen, group),
            (None, Some(period)) => self.counts.times(group).map_or(0.0, |times| period.of(times)),
            (None, None) => 0.0,
        }
    }

    /// Returns how near a document is to the period, or whether its group is asked for.
    pub(super) fn document(&self, document: u32) -> f32 {
        let group = self.index.placements[document as usize].group;
        let time = self.index.documents[document as usize].time;
        match (&self.query.chosen_groups, &self.period) {
            (Some(chosen), _) => is_chosen(chosen, group),
            (None, Some(period)) => period.of((time, time)),
            (None, None) => 0.0,
        }
    }

    /// Returns how recent a group is.
    pub(super) fn recent_group(&self, group: u32) -> f32 {
        self.counts.times(group).map_or(0.0, |(_, last)| recency(self.query.asked_at, last))
    }

    /// Returns how recent a document is.
    pub(super) fn recent_document(&self, document: u32) -> f32 {
        recency(self.query.asked_at, self.index.documents[document as usize].time)
    }
}

/// Returns 1 if a group is among the chosen ones.
fn is_chosen(chosen: &[u32], group: u32) -> f32 {
    f32::from(u8::from(chosen.binary_search(&group).is_ok()))
}

//! The time signals of groups and documents: nearness to the period asked about, and recency.

use super::SearchQuery;
use crate::index::Index;
use crate::lanes::when::{Nearness, recency};
use crate::scope::{Scope, VisibleCounts};
use crate::time_range::TimeRange;

/// The times of a query compared with those of an index.
pub(super) struct TimeScores<'q> {
    index: &'q Index,
    counts: &'q VisibleCounts<'q>,
    query: &'q SearchQuery,
    period: Option<Nearness>,
    /// How much the period tells: the fewer groups are in it, the more.
    information: f32,
}

impl<'q> TimeScores<'q> {
    pub(super) fn new(index: &'q Index, scope: &'q Scope<'q>, query: &'q SearchQuery) -> Self {
        let inside = match (&query.chosen_groups, query.period) {
            (Some(chosen), _) => chosen.len(),
            (None, Some(period)) => scope.count_ended_in(&period),
            (None, None) => 0,
        };
        Self {
            index,
            counts: &scope.counts,
            query,
            period: query.period.map(Nearness::to),
            information: information(inside, scope.group_total()),
        }
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

    /// Returns how near a group is to the period, or whether it is asked for by its order, by how much
    /// that tells.
    pub(super) fn group(&self, group: u32) -> f32 {
        self.information * self.group_nearness(group)
    }

    fn group_nearness(&self, group: u32) -> f32 {
        match (&self.query.chosen_groups, &self.period) {
            (Some(chosen), _) => is_chosen(chosen, group),
            (None, Some(period)) => self.counts.times(group).map_or(0.0, |times| period.of(times)),
            (None, None) => 0.0,
        }
    }

    /// Returns how near a document is to the period, or whether its group is asked for, by how much that
    /// tells.
    pub(super) fn document(&self, document: u32) -> f32 {
        self.information * self.document_nearness(document)
    }

    fn document_nearness(&self, document: u32) -> f32 {
        let group = self.index.placements[document as usize].group;
        match (&self.query.chosen_groups, &self.period) {
            (Some(chosen), _) => is_chosen(chosen, group),
            (None, Some(period)) => period.of(self.index.documents.times(document)),
            (None, None) => 0.0,
        }
    }

    /// Returns how recent a group is.
    pub(super) fn recent_group(&self, group: u32) -> f32 {
        self.counts.times(group).map_or(0.0, |(_, last)| recency(self.query.asked_at, last))
    }

    /// Returns how recent a document is.
    pub(super) fn recent_document(&self, document: u32) -> f32 {
        recency(self.query.asked_at, self.index.documents.time(document))
    }
}

/// Returns how much it tells that a group is one of `inside`, among `total`: much for one day of years,
/// nothing for a period that has everything in it. Like the rarity of a word.
fn information(inside: usize, total: usize) -> f32 {
    ((total as f32 + 1.0) / (inside.clamp(1, total.max(1)) as f32 + 0.5)).ln()
}

/// Returns 1 if a group is among the chosen ones.
fn is_chosen(chosen: &[u32], group: u32) -> f32 {
    f32::from(u8::from(chosen.binary_search(&group).is_ok()))
}

#[cfg(test)]
mod tests {
    use super::information;

    #[test]
    fn a_narrow_period_tells_more_than_a_wide_one() {
        assert!(information(1, 400) > 2.0 * information(40, 400));
        assert!(information(400, 400) < 0.01);
        assert_eq!(
            information(0, 400),
            information(1, 400),
            "an empty period is not the most telling"
        );
    }
}

//! Walks along the groups in the order of time, no farther than needed: which began first or last, and
//! which document is nearest to an instant.

use super::Scope;
use crate::document::Micros;
use crate::index::LONG;

impl Scope<'_> {
    /// Returns the `limit` groups with matches that began first, in that order.
    pub fn first_groups(&self, limit: usize) -> Vec<u32> {
        let mut found = Smallest::new(limit);
        self.unordered_groups().for_each(|one| found.offer(self.began(one), one));
        for one in self.index.groups_by_end() {
            // A group that is not long began at most that much before it ended.
            if found.largest().is_some_and(|last| self.index.group_end(*one) > last + LONG) {
                break;
            }
            found.offer(self.began(*one), *one);
        }
        found.kept.into_iter().map(|(_, group)| group).collect()
    }

    /// Returns the `limit` groups with matches that began last, the last one first.
    pub fn last_groups(&self, limit: usize) -> Vec<u32> {
        // With negated times and inverted numbers, the last groups are the smallest.
        let began = |one: u32| self.began(one).map(|began| -began);
        let mut found = Smallest::new(limit);
        self.revived().iter().for_each(|one| found.offer(began(*one), !one));
        for one in self.index.groups_by_end().iter().rev() {
            // No group begins after it ended.
            if found.largest().is_some_and(|last| -self.index.group_end(*one) > last) {
                break;
            }
            found.offer(began(*one), !one);
        }
        found.kept.into_iter().map(|(_, group)| !group).collect()
    }

    /// Returns the time of the last match before an instant.
    pub fn last_before(&self, instant: Micros) -> Option<Micros> {
        let before = |one: u32| self.times_in(one).filter(|time| *time < instant).max();
        let others = self.revived().iter().copied().chain(self.index.groups_spanning(instant));
        let mut best = others.filter_map(before).max();
        let ended = self.index.ended_between(None, Some(instant));
        for one in self.index.groups_by_end()[ended].iter().rev() {
            if best.is_some_and(|best| self.index.group_end(*one) <= best) {
                break;
            }
            best = best.max(before(*one));
        }
        best
    }

    /// Returns the time of the first match at an instant or later.
    pub fn first_from(&self, instant: Micros) -> Option<Micros> {
        let from = |one: u32| self.times_in(one).filter(|time| *time >= instant).min();
        let mut best = self.unordered_groups().filter_map(from).min();
        let ended = self.index.ended_between(Some(instant), None);
        for one in &self.index.groups_by_end()[ended] {
            if best.is_some_and(|best| self.index.group_end(*one) > best + LONG) {
                break;
            }
            best = best.into_iter().chain(from(*one)).min();
        }
        best
    }

    /// Iterates over the groups that the order by end does not help to find: long ones, and those with
    /// documents that are no longer current.
    fn unordered_groups(&self) -> impl Iterator<Item = u32> {
        self.index.long_groups().iter().chain(self.revived()).copied()
    }

    /// Returns the time of the first match in a group.
    fn began(&self, group: u32) -> Option<Micros> {
        if self.is_unfiltered() {
            return self.counts.times(group).map(|(first, _)| first);
        }
        self.times_in(group).min()
    }

    /// Iterates over the times of the matches in a group.
    fn times_in(&self, group: u32) -> impl Iterator<Item = Micros> {
        let may_match = self.may_match(group);
        let documents = may_match.then(|| self.index.documents_backwards(group));
        let admitted = documents.into_iter().flatten().filter(|document| self.admits(*document));
        admitted.map(|document| self.index.documents.time(document))
    }
}

/// The smallest of the items offered, in rising order.
struct Smallest {
    limit: usize,
    kept: Vec<(Micros, u32)>,
}

impl Smallest {
    fn new(limit: usize) -> Self {
        Self { limit, kept: Vec::new() }
    }

    /// Returns the time of the largest item, once there are enough of them.
    fn largest(&self) -> Option<Micros> {
        if self.kept.len() < self.limit { None } else { self.kept.last().map(|last| last.0) }
    }

    fn offer(&mut self, time: Option<Micros>, group: u32) {
        let Some(one) = time.map(|time| (time, group)) else { return };
        if let Err(position) = self.kept.binary_search(&one) {
            self.kept.insert(position, one);
            self.kept.truncate(self.limit);
        }
    }
}

//! The groups in which documents may match.
//!
//! If they are few, they are listed. If not, a probe of some groups estimates how many there are.

use std::ops::Range;

use super::Scope;
use crate::time_range::TimeRange;

/// Up to this many groups with matches, all of them are ranked.
pub(crate) const FULL_RANKING_GROUPS: usize = 512;
/// Up to this many visible documents, all groups are ranked, however many there are: the ranking is exact.
/// A ranking of 100,000 takes fifteen times as long as one by a shortlist.
const FULL_RANKING_DOCUMENTS: u32 = 20_000;
/// Up to this many groups are checked one by one.
const LISTED_GROUPS: usize = 2 * FULL_RANKING_GROUPS;
/// Up to this many documents in a filter, their groups are listed.
const LISTED_DOCUMENTS: usize = 16_384;
/// The number of groups that are probed if there are more.
const PROBES: usize = 128;
/// If fewer probes have matches, matches are so rare that all of them have to be found.
const RARE: usize = 32;
/// Jumping to a group takes about as long as scanning this many.
const JUMP_COST: usize = 8;
/// The most that [`Scope::selectivity`] returns.
const MAX_SELECTIVITY: usize = 16;

/// Where documents may match.
pub(super) enum MatchingGroups {
    /// In these groups, in rising order.
    Listed(Vec<u32>),
    /// In about `total` groups; `probed` are some of them, evenly spread.
    Estimated { total: usize, probed: Vec<u32> },
}

/// A superset of the groups in which documents may match.
struct GroupPool<'i> {
    /// Consecutive groups in the order they ended.
    by_end: &'i [u32],
    /// Further groups.
    others: Vec<u32>,
}

impl GroupPool<'_> {
    fn len(&self) -> usize {
        self.by_end.len() + self.others.len()
    }

    fn iter(&self) -> impl Iterator<Item = u32> {
        self.by_end.iter().chain(&self.others).copied()
    }

    fn get(&self, position: usize) -> u32 {
        let other = || self.others[position - self.by_end.len()];
        self.by_end.get(position).copied().unwrap_or_else(other)
    }
}

impl<'i> Scope<'i> {
    /// Returns in how many groups documents may match; an estimate if there are many.
    pub(crate) fn group_total(&self) -> usize {
        if self.admits_all {
            return self.counts.totals.groups as usize;
        }
        match self.matching() {
            MatchingGroups::Listed(all) => all.len(),
            MatchingGroups::Estimated { total, .. } => *total,
        }
    }

    /// Returns whether all groups are ranked, and not only a shortlist. As of an earlier time they always are:
    /// a shortlist is chosen from all that the index has by now, so it would change with later documents.
    pub(crate) fn ranks_all(&self) -> bool {
        self.filter.as_of.is_some()
            || self.counts.totals.documents <= FULL_RANKING_DOCUMENTS
            || self.group_total() <= FULL_RANKING_GROUPS
    }

    /// Returns the groups in which documents may match, in rising order, unless there are many.
    fn listed(&self) -> Option<&[u32]> {
        match self.matching() {
            MatchingGroups::Listed(all) => Some(all),
            MatchingGroups::Estimated { .. } => None,
        }
    }

    /// Returns the groups in which documents may match, in rising order.
    pub(crate) fn groups(&self) -> Vec<u32> {
        if self.is_unfiltered() {
            let all = 0..self.index.groups.len() as u32;
            return all.filter(|one| self.index.counts.has_documents(*one)).collect();
        }
        self.listed().map_or_else(|| self.scan_for_groups(), <[u32]>::to_vec)
    }

    /// Returns these groups if the search is filtered and all of them are ranked.
    pub(crate) fn few_groups(&self) -> Option<&[u32]> {
        if self.is_unfiltered() {
            return None;
        }
        self.listed().filter(|all| all.len() <= FULL_RANKING_GROUPS)
    }

    /// Returns `n` if about one in `n` groups has matches. The larger it is, the more candidates have to
    /// be considered.
    pub(crate) fn selectivity(&self) -> usize {
        let all = self.index.counts.totals.groups as usize;
        (all / self.group_total().max(1)).clamp(1, MAX_SELECTIVITY)
    }

    /// Returns at most `limit` groups with matches, evenly spread.
    pub(crate) fn sample(&self, limit: usize) -> Vec<u32> {
        let (MatchingGroups::Listed(all) | MatchingGroups::Estimated { probed: all, .. }) =
            self.matching();
        spread(all.len(), limit).map(|position| all[position]).collect()
    }

    /// Returns the groups that ended inside the bounds, in the order they ended.
    pub(crate) fn groups_by_end(&self) -> &'i [u32] {
        &self.index.groups_by_end()[self.ended_inside()]
    }

    /// Returns how many groups ended inside a range, among those that the search sees.
    pub(crate) fn count_ended_in(&self, range: &TimeRange) -> usize {
        match &self.counts.past {
            None => self.index.ended_between(range.since, range.until).len(),
            Some(past) => {
                let ended_inside = |one: &u32| {
                    self.counts.times(*one).is_some_and(|(_, last)| range.contains(last))
                };
                self.index.groups_begun_before(past.end()).into_iter().filter(ended_inside).count()
            }
        }
    }

    fn ended_inside(&self) -> Range<usize> {
        let ends = |(since, until)| self.index.ended_between(Some(since), Some(until));
        self.bounds.map_or(0..self.index.groups_by_end().len(), ends)
    }

    /// Returns whether any document matches.
    pub fn has_matches(&self) -> bool {
        match self.named_groups() {
            Some(named) => !named.is_empty(),
            None => self.pool().iter().any(|one| self.group_has_matches(one)),
        }
    }

    fn matching(&self) -> &MatchingGroups {
        self.matching.get_or_init(|| self.find_matching())
    }

    fn find_matching(&self) -> MatchingGroups {
        if let Some(named) = self.named_groups() {
            return MatchingGroups::Listed(named);
        }
        let pool = self.pool();
        if pool.len() <= LISTED_GROUPS || self.filter.as_of.is_some() {
            return MatchingGroups::Listed(self.with_matches(&pool));
        }
        let probed = spread(pool.len(), PROBES).map(|position| pool.get(position));
        let probed: Vec<u32> = probed.filter(|one| self.group_has_matches(*one)).collect();
        let total = pool.len() * probed.len() / PROBES;
        if probed.len() < RARE || total <= LISTED_GROUPS {
            return MatchingGroups::Listed(self.with_matches(&pool));
        }
        MatchingGroups::Estimated { total, probed }
    }

    /// Returns the groups with matches, in rising order, if the filter names groups or few documents.
    fn named_groups(&self) -> Option<Vec<u32>> {
        if let Some(listed) = &self.filter.groups {
            let has_matches = |one: &u32| self.group_has_matches(*one);
            return Some(listed.iter().copied().filter(has_matches).collect());
        }
        let documents = self.filter.documents.as_ref();
        let documents = documents.filter(|listed| listed.len() <= LISTED_DOCUMENTS)?;
        let admitted = documents.iter().copied().filter(|document| self.admits(*document));
        Some(self.index.groups_of(admitted))
    }

    /// Returns the groups that touch the bounds or, as of an earlier time, those that existed then.
    fn pool(&self) -> GroupPool<'i> {
        let Some((since, until)) = self.bounds else {
            return match &self.counts.past {
                None => GroupPool { by_end: self.index.groups_by_end(), others: Vec::new() },
                Some(past) => {
                    GroupPool { by_end: &[], others: self.index.groups_begun_before(past.end()) }
                }
            };
        };
        let ended_inside = |one: &u32| {
            let times = self.index.counts.times(*one);
            times.is_some_and(|(_, last)| since <= last && last < until)
        };
        let revived = self.revived().iter().copied().filter(|one| !ended_inside(one));
        let mut others: Vec<u32> = self.index.groups_spanning(until).chain(revived).collect();
        others.sort_unstable();
        others.dedup();
        GroupPool { by_end: self.groups_by_end(), others }
    }

    /// Returns the groups with documents that were current at the earlier time and are not now.
    pub(super) fn revived(&self) -> &[u32] {
        self.counts.past.as_ref().map_or(&[], |past| past.revived())
    }

    /// Returns the groups of a pool that have matches, in rising order.
    fn with_matches(&self, pool: &GroupPool<'_>) -> Vec<u32> {
        if pool.len() > LISTED_GROUPS && pool.len() * JUMP_COST > self.index.groups.len() {
            return self.scan_for_groups();
        }
        let mut all: Vec<u32> = pool.iter().filter(|one| self.group_has_matches(*one)).collect();
        all.sort_unstable();
        all
    }

    /// Returns all groups with matches, in rising order, by a scan over the documents.
    fn scan_for_groups(&self) -> Vec<u32> {
        let admitted = (0..self.end()).filter(|document| self.admits(*document));
        let mut found = vec![false; self.index.groups.len()];
        admitted.for_each(|one| found[self.index.placements[one as usize].group as usize] = true);
        (0..).zip(found).filter(|(_, is_found)| *is_found).map(|(group, _)| group).collect()
    }

    /// Returns whether a group has a document that matches.
    fn group_has_matches(&self, group: u32) -> bool {
        if self.is_unfiltered() {
            return self.index.counts.has_documents(group);
        }
        self.may_match(group)
            && self.index.documents_backwards(group).any(|document| self.admits(document))
    }

    /// Returns whether a group may have matches, by what is known without reading its documents.
    pub(crate) fn may_match(&self, group: u32) -> bool {
        self.is_unfiltered()
            || (self.index.has_begun_before(group, self.end())
                && self.admits_group(group)
                && self.touches_bounds(group))
    }

    fn touches_bounds(&self, group: u32) -> bool {
        let Some((since, until)) = self.bounds else { return true };
        let times = self.index.counts.times(group);
        times.is_some_and(|(first, last)| since <= last && first < until)
            || self.revived().binary_search(&group).is_ok()
    }
}

/// Returns at most `limit` of `len` positions, evenly spread.
fn spread(len: usize, limit: usize) -> impl Iterator<Item = usize> {
    let count = limit.min(len);
    (0..count).map(move |one| (2 * one + 1) * len / (2 * count))
}

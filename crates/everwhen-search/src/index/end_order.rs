//! Groups sorted by when they ended: finds what is recent, or inside a period, without a full scan.
//!
//! Nearly all groups are short, so those that overlap a period ended in it or soon after. The few
//! long ones are kept in a second list.

use std::ops::Range;
use std::sync::OnceLock;

use super::{GroupCounts, Index};
use crate::document::Micros;

/// A group that lasts longer than this, a day, is long.
pub(crate) const LONG: Micros = 86_400_000_000;

/// The order of the groups with current documents. Sorted on first use and maintained from then on.
#[derive(Debug, Clone, Default)]
pub(crate) struct EndOrder {
    sorted: OnceLock<SortedGroups>,
}

#[derive(Debug, Clone, Default)]
struct SortedGroups {
    /// Group numbers by the time of the last document.
    by_end: Vec<u32>,
    /// The long groups.
    long: Vec<u32>,
}

impl EndOrder {
    /// Accounts for a document, about any time between two, that is about to be counted in a group.
    pub(super) fn document_added(
        &mut self,
        counts: &GroupCounts,
        group: u32,
        added: (Micros, Micros),
    ) {
        let Some(SortedGroups { by_end, long }) = self.sorted.get_mut() else { return };
        let known = counts.times(group);
        if !known.is_some_and(is_long) && is_long(known.map_or(added, |one| extended(one, added))) {
            long.push(group);
        }
        if known.is_some_and(|(_, last)| last >= added.1) {
            return;
        }
        let position_at = |time: Micros| {
            by_end.partition_point(|one| (end_of(counts, *one), *one) < (time, group))
        };
        let (new, old) = (position_at(added.1), known.map(|(_, last)| position_at(last)));
        match old {
            Some(old) => by_end[old..new].rotate_left(1),
            None => by_end.insert(new, group),
        }
    }

    /// Discards the order; it is sorted again on next use.
    pub(super) fn clear(&mut self) {
        self.sorted.take();
    }
}

impl Index {
    fn sorted_groups(&self) -> &SortedGroups {
        self.end_order.sorted.get_or_init(|| {
            let all = (0..self.groups.len() as u32).filter(|one| self.counts.has_documents(*one));
            let mut by_end: Vec<u32> = all.collect();
            by_end.sort_unstable_by_key(|group| (end_of(&self.counts, *group), *group));
            let is_long = |group: &u32| self.counts.times(*group).is_some_and(is_long);
            let long = by_end.iter().copied().filter(is_long).collect();
            SortedGroups { by_end, long }
        })
    }

    /// Returns the groups in the order they ended.
    pub(crate) fn groups_by_end(&self) -> &[u32] {
        &self.sorted_groups().by_end
    }

    /// Returns the long groups, in any order.
    pub(crate) fn long_groups(&self) -> &[u32] {
        &self.sorted_groups().long
    }

    /// Returns when a group ended.
    pub(crate) fn group_end(&self, group: u32) -> Micros {
        end_of(&self.counts, group)
    }

    /// Returns the positions in [`Index::groups_by_end`] of the groups that ended between two instants.
    pub(crate) fn ended_between(
        &self,
        since: Option<Micros>,
        until: Option<Micros>,
    ) -> Range<usize> {
        let order = self.groups_by_end();
        let position = |time: Micros| order.partition_point(|one| self.group_end(*one) < time);
        let (since, until) = (since.map_or(0, position), until.map_or(order.len(), position));
        since..until.max(since)
    }

    /// Iterates over the groups that began before an instant and ended then or later.
    pub(crate) fn groups_spanning(&self, at: Micros) -> impl Iterator<Item = u32> {
        let soon = self.ended_between(Some(at), Some(at.saturating_add(LONG + 1)));
        let short = self.groups_by_end()[soon].iter().filter(|one| !self.is_long_group(**one));
        let spans = move |one: &u32| {
            self.counts.times(*one).is_some_and(|(first, last)| first < at && at <= last)
        };
        short.chain(self.long_groups()).copied().filter(spans)
    }

    fn is_long_group(&self, group: u32) -> bool {
        self.counts.times(group).is_some_and(is_long)
    }
}

/// Returns a range of times extended to contain another.
fn extended(one: (Micros, Micros), other: (Micros, Micros)) -> (Micros, Micros) {
    (one.0.min(other.0), one.1.max(other.1))
}

fn is_long((first, last): (Micros, Micros)) -> bool {
    last.saturating_sub(first) > LONG
}

fn end_of(counts: &GroupCounts, group: u32) -> Micros {
    counts.times(group).map_or(Micros::MIN, |(_, last)| last)
}

#[cfg(test)]
mod tests {
    use crate::testing::{Role, document, index_of};

    #[test]
    fn the_order_is_maintained_as_documents_arrive() {
        let mut index = index_of(&[(1, Role::User, "a"), (2, Role::User, "b")]);
        assert_eq!(index.groups_by_end(), [0, 1]);
        for (group, expected) in
            [(2, &[0, 1][..]), (3, &[0, 1, 2]), (1, &[1, 2, 0]), (1, &[1, 2, 0])]
        {
            let next = index.len() as u64 + 1;
            index.add(&document(next, group, Role::User, "c"));
            assert_eq!(index.groups_by_end(), expected);
        }
        let (known, long) = (index.groups_by_end().to_vec(), index.long_groups().to_vec());
        index.end_order.clear();
        assert_eq!(index.groups_by_end(), known);
        assert_eq!((index.long_groups(), &long[..]), (&[0][..], &[0][..]));
        assert_eq!(index.ended_between(None, None), 0..3);
        let last = index.documents.time(5);
        assert_eq!(index.ended_between(Some(last), None), 2..3);
        assert_eq!(index.ended_between(None, Some(last)), 0..2);
    }
}

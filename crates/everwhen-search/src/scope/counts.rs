//! Counts over what a search sees: those of now, or of an earlier time.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::document::Micros;
use crate::index::{GroupCount, Index, PastView, Totals};

/// Counts over the visible documents.
pub(crate) struct VisibleCounts<'i> {
    index: &'i Index,
    /// The earlier time, if the index has changed since.
    pub(super) past: Option<PastView>,
    /// The counts of groups that have changed since, computed on demand.
    changed: RefCell<HashMap<u32, GroupCount>>,
    pub(crate) totals: Totals,
}

impl<'i> VisibleCounts<'i> {
    pub(super) fn new(index: &'i Index, as_of: Option<Micros>) -> Self {
        let past = as_of.and_then(|time| index.as_of(time));
        let totals = past.as_ref().map_or(index.counts.totals, PastView::totals);
        Self { index, past, changed: RefCell::default(), totals }
    }

    /// Returns the number of terms in the primary documents and in the replies of a group.
    #[inline]
    pub(crate) fn lengths(&self, group: u32) -> [u32; 2] {
        let past = self.past.as_ref().and_then(|past| self.past_count(past, group));
        past.map_or_else(|| self.index.counts.lengths(group), |count| count.lengths)
    }

    /// Returns when a group began and ended, if it has documents.
    pub(crate) fn times(&self, group: u32) -> Option<(Micros, Micros)> {
        match self.past.as_ref().and_then(|past| self.past_count(past, group)) {
            None => self.index.counts.times(group),
            Some(count) => count.times(),
        }
    }

    /// Returns the counts of a group at the earlier time, unless it has not changed since.
    fn past_count(&self, past: &PastView, group: u32) -> Option<GroupCount> {
        if past.is_unchanged(self.index, group) {
            return None;
        }
        let count = || past.count(self.index, group);
        Some(*self.changed.borrow_mut().entry(group).or_insert_with(count))
    }
}

//! The scope of a search: which documents it sees, and which of them may match.
//!
//! What a search sees determines how rare terms are. It depends on `as_of` alone, so that a search as
//! of an earlier time always gives the same result. All other filters only restrict the matches.
//!
//! Nothing here scans all documents. Each is checked when a lane comes across it, and groups are found
//! by their times.

mod counts;
mod matching;
#[cfg(test)]
mod tests;
mod walk;

use std::cell::OnceCell;
use std::sync::Arc;

pub(crate) use self::counts::VisibleCounts;
pub(crate) use self::matching::FULL_RANKING_GROUPS;
use self::matching::MatchingGroups;
use crate::document::{Micros, Source};
use crate::index::{Index, Postings};
use crate::time_range::TimeRange;

/// What restricts a search. Numbers are those of one index.
#[derive(Debug, Clone, Default)]
pub struct SearchFilter {
    /// Only what had been stored by then, in the state it had.
    pub as_of: Option<Micros>,
    /// Only documents with a time in this range.
    pub period: Option<TimeRange>,
    /// Only documents with a time in this range, too.
    pub about: Option<TimeRange>,
    /// Only these groups, in rising order.
    pub groups: Option<Vec<u32>>,
    /// Not these groups.
    pub without_groups: Vec<u32>,
    /// Only documents from one of these sources; all if empty.
    pub sources: Vec<Source>,
    /// Only these documents, in rising order.
    pub documents: Option<Arc<[u32]>>,
}

impl SearchFilter {
    /// Returns whether every visible document may match.
    fn admits_all(&self) -> bool {
        self.period.is_none()
            && self.about.is_none()
            && self.groups.is_none()
            && self.without_groups.is_empty()
            && self.sources.is_empty()
            && self.documents.is_none()
    }

    /// Returns the first instant inside both ranges, and the first after.
    fn bounds(&self) -> Option<(Micros, Micros)> {
        let both = [self.period, self.about].into_iter().flatten();
        let (since, until) =
            both.map(|range| range.bounds()).reduce(|a, b| (a.0.max(b.0), a.1.min(b.1)))?;
        // Between ranges that do not meet there is no instant, and a document that spans both is outside.
        Some(if since < until { (since, until) } else { (Micros::MAX, Micros::MIN) })
    }
}

/// The documents of an index as one search sees them.
pub struct Scope<'i> {
    index: &'i Index,
    filter: SearchFilter,
    /// Whether every visible document may match.
    admits_all: bool,
    bounds: Option<(Micros, Micros)>,
    /// The sources whose documents may match, one bit each.
    sources: u8,
    matching: OnceCell<MatchingGroups>,
    /// Counts over the visible documents.
    pub(crate) counts: VisibleCounts<'i>,
}

impl<'i> Scope<'i> {
    /// Applies a filter to an index.
    pub fn new(index: &'i Index, filter: &SearchFilter) -> Self {
        let sources =
            if filter.sources.is_empty() { &Source::ALL[..] } else { &filter.sources[..] };
        Self {
            index,
            filter: filter.clone(),
            admits_all: filter.admits_all(),
            bounds: filter.bounds(),
            sources: Source::bits(sources),
            matching: OnceCell::new(),
            counts: VisibleCounts::new(index, filter.as_of),
        }
    }

    /// Returns whether all current documents may match.
    pub(crate) fn is_unfiltered(&self) -> bool {
        self.admits_all && self.counts.past.is_none()
    }

    /// Returns whether every document of the index may match.
    pub(crate) fn admits_every_document(&self) -> bool {
        self.is_unfiltered() && self.nothing_was_removed()
    }

    /// Returns whether all documents below the end are still current.
    fn nothing_was_removed(&self) -> bool {
        self.counts.totals.documents == self.end()
    }

    /// Returns the number below which documents may be seen.
    pub(crate) fn end(&self) -> u32 {
        self.counts.past.as_ref().map_or(self.index.len() as u32, |past| past.end())
    }

    /// Returns whether the search sees a document.
    #[inline]
    pub(crate) fn sees(&self, document: u32) -> bool {
        match &self.counts.past {
            None => self.index.placements[document as usize].is_current(),
            Some(past) => past.sees(self.index, document),
        }
    }

    /// Returns whether a document may match.
    #[inline]
    pub(crate) fn admits(&self, document: u32) -> bool {
        self.sees(document) && (self.admits_all || self.passes_filter(document))
    }

    /// Returns whether a visible document may match.
    fn passes_filter(&self, document: u32) -> bool {
        let placement = self.index.placements[document as usize];
        let listed = self.filter.documents.as_ref();
        placement.is_from(self.sources)
            && self.admits_group(placement.group)
            && self.is_inside(document)
            && listed.is_none_or(|listed| listed.binary_search(&document).is_ok())
    }

    /// Returns whether the filter does not exclude a group.
    fn admits_group(&self, group: u32) -> bool {
        let listed = self.filter.groups.as_ref();
        !self.filter.without_groups.contains(&group)
            && listed.is_none_or(|listed| listed.binary_search(&group).is_ok())
    }

    /// Returns whether the time of a document is inside the bounds.
    fn is_inside(&self, document: u32) -> bool {
        let Some((since, until)) = self.bounds else { return true };
        let placement = self.index.placements[document as usize];
        // Most groups are entirely inside or outside, and their times are more likely in the cache.
        if let Some((first, last)) = self.index.counts.times(placement.group)
            && placement.is_current()
        {
            if last < since || until <= first {
                return false;
            }
            if since <= first && last < until {
                return true;
            }
        }
        let (first, last) = self.index.documents.times(document);
        since <= last && first < until
    }

    /// Returns how many visible documents contain a term.
    pub(crate) fn occurs_in(&self, postings: Postings<'_>) -> u32 {
        if self.nothing_was_removed() {
            return self.occurrences(postings).0;
        }
        let all = postings.iter().take_while(|(document, _)| *document < self.end());
        all.filter(|(document, _)| self.sees(*document)).count() as u32
    }

    /// Returns in about how many documents and groups a term occurs, including removed documents.
    pub(crate) fn occurrences(&self, postings: Postings<'_>) -> (u32, u32) {
        match &self.counts.past {
            None => (postings.len(), postings.groups()),
            Some(past) => past.occurrences(self.index, postings),
        }
    }
}

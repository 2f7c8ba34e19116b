//! A block: the postings of consecutive documents, packed into one list of units of two bytes.
//!
//! There are so few documents in a block that the offset of each fits into one unit, beside a bit that
//! says whether its count is above one. So offsets are not chained as distances, and a document is
//! found by binary search.
//!
//! The list of a term is: the number of documents, less one; the number of groups, less one; how many
//! counts precede every 64th offset but the first; the offsets; the counts above one, two to a unit. A block
//! is stored in segments as it is in memory.

use std::ops::Range;

use super::SEGMENT_DOCUMENTS;
use crate::index::Term;
use crate::vectors::prefetch;

/// The number of offsets between two recorded numbers of counts.
const RANK_STEP: usize = 64;
/// The number of terms between two hints.
const HINT_STEP: usize = 64;
/// Counts saturate: larger ones hardly change a score.
pub(crate) const MOST_COUNT: u32 = 255;

/// The postings of consecutive documents. It never changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Block {
    /// The number of documents.
    pub(crate) documents: u32,
    /// The terms that occur, in rising order.
    pub(crate) terms: Vec<Term>,
    /// The end of the list of each term in `units`.
    pub(crate) ends: Vec<u32>,
    pub(crate) units: Vec<u16>,
    /// How many of the terms are below each multiple of [`HINT_STEP`]; made by [`Block::finish`].
    hints: Vec<u32>,
}

impl Block {
    /// Makes a block of lists that are known; see [`Block::is_valid`].
    pub(crate) fn new(documents: u32, terms: Vec<Term>, ends: Vec<u32>, units: Vec<u16>) -> Self {
        Self { documents, terms, ends, units, hints: Vec::new() }
    }

    /// Makes a block of documents without terms.
    pub(crate) fn empty(documents: u32) -> Self {
        Self { documents, ..Self::default() }
    }

    /// Prepares the block to be searched, once all terms are in it, in rising order.
    pub(crate) fn finish(mut self) -> Self {
        self.terms.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.units.shrink_to_fit();
        self.hints.clear();
        for (position, term) in self.terms.iter().enumerate() {
            let hints = *term as usize / HINT_STEP + 1;
            if self.hints.len() < hints {
                self.hints.resize(hints, position as u32);
            }
        }
        self
    }

    /// Appends the list of a term above all others: at least one offset of a document with its count, in
    /// rising order, and the number of groups.
    pub(crate) fn push(&mut self, term: Term, occurrences: &[(u32, u32)], groups: u32) {
        self.terms.push(term);
        self.units.push((occurrences.len() - 1) as u16);
        self.units.push((groups.clamp(1, occurrences.len() as u32) - 1) as u16);
        let (mut counts, mut ranks) = (Vec::new(), Vec::new());
        for (position, (_, count)) in occurrences.iter().enumerate() {
            if position > 0 && position.is_multiple_of(RANK_STEP) {
                ranks.push(counts.len() as u16);
            }
            if *count > 1 {
                counts.push((*count).min(MOST_COUNT) as u16);
            }
        }
        self.units.extend(ranks);
        let unit = |(offset, count): &(u32, u32)| (*offset as u16) << 1 | u16::from(*count > 1);
        self.units.extend(occurrences.iter().map(unit));
        let pair = |two: &[u16]| two[0] | two.get(1).map_or(0, |second| second << 8);
        self.units.extend(counts.chunks(2).map(pair));
        self.ends.push(self.units.len() as u32);
    }

    /// Returns the list of the term at a position.
    pub(crate) fn list_at(&self, position: usize) -> List<'_> {
        self.list_in(self.range(position))
    }

    /// Returns the list in a range of units.
    pub(crate) fn list_in(&self, range: Range<usize>) -> List<'_> {
        List::new(&self.units[range])
    }

    /// Prefetches what [`Block::prefetch_term`] reads.
    pub(crate) fn prefetch_hint(&self, term: Term) {
        let hint = term as usize / HINT_STEP;
        prefetch(self.hints.get(hint..=hint).unwrap_or_default());
    }

    /// Prefetches what [`Block::position`] reads.
    pub(crate) fn prefetch_term(&self, term: Term) {
        prefetch(&self.terms[self.near(term)]);
    }

    /// Returns the units of the list at a position, and prefetches the first ones.
    pub(crate) fn prefetched_range(&self, position: Option<usize>) -> Range<usize> {
        let range = position.map_or(0..0, |position| self.range(position));
        prefetch(&self.units[range.start..range.end.min(range.start + 1)]);
        range
    }

    /// Returns the units of the list at a position.
    pub(crate) fn range(&self, position: usize) -> Range<usize> {
        let start = position.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        start..self.ends[position] as usize
    }

    /// Returns the positions at which a term may be.
    fn near(&self, term: Term) -> Range<usize> {
        let hint = term as usize / HINT_STEP;
        let Some(start) = self.hints.get(hint) else { return 0..0 };
        let end = self.hints.get(hint + 1).map_or(self.terms.len(), |end| *end as usize);
        *start as usize..end
    }

    /// Returns the position of a term, if it occurs, and prefetches where its list is.
    pub(crate) fn position(&self, term: Term) -> Option<usize> {
        let near = self.near(term);
        let found = self.terms[near.clone()].binary_search(&term).ok()? + near.start;
        prefetch(&self.ends[found..=found]);
        Some(found)
    }

    /// Returns whether every list is as [`Block::push`] makes it.
    pub(crate) fn is_valid(&self) -> bool {
        let rises = self.terms.windows(2).all(|two| two[0] < two[1]);
        let ends = self.ends.len() == self.terms.len()
            && self.ends.is_sorted()
            && self.ends.last().map_or(0, |end| *end as usize) == self.units.len();
        let is_valid = |position| is_list(&self.units[self.range(position)], self.documents);
        rises
            && ends
            && self.documents as usize <= SEGMENT_DOCUMENTS
            && (0..self.terms.len()).all(is_valid)
    }

    /// Returns the number of bytes in use.
    pub(crate) fn size(&self) -> usize {
        self.terms.capacity() * 4
            + self.ends.capacity() * 4
            + self.units.capacity() * 2
            + self.hints.capacity() * 4
    }
}

/// Returns whether units are a list of documents below a number.
fn is_list(units: &[u16], documents: u32) -> bool {
    let [first, _, ..] = units else { return false };
    let len = usize::from(*first) + 1;
    let ranks = (len - 1) / RANK_STEP;
    let Some(offsets) = units.get(2 + ranks..2 + ranks + len) else { return false };
    let mut counts = 0;
    for (position, part) in offsets.chunks(RANK_STEP).enumerate() {
        let recorded = position.checked_sub(1).map_or(0, |before| units[2 + before]);
        if recorded != counts {
            return false;
        }
        counts += part.iter().map(|unit| unit & 1).sum::<u16>();
    }
    let rises = offsets.windows(2).all(|two| two[0] >> 1 < two[1] >> 1);
    rises
        && u32::from(offsets[len - 1] >> 1) < documents
        && usize::from(units[1]) < len
        && units.len() == 2 + ranks + len + usize::from(counts).div_ceil(2)
}

/// The occurrences of one term in a block.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct List<'b> {
    pub(crate) groups: u32,
    ranks: &'b [u16],
    pub(crate) offsets: &'b [u16],
    counts: &'b [u16],
}

impl<'b> List<'b> {
    fn new(units: &'b [u16]) -> Self {
        let [len, groups, rest @ ..] = units else { return Self::default() };
        let len = usize::from(*len) + 1;
        let (ranks, rest) = rest.split_at((len - 1) / RANK_STEP);
        let (offsets, counts) = rest.split_at(len);
        Self { groups: u32::from(*groups) + 1, ranks, offsets, counts }
    }

    /// Returns the count of the document at a position.
    pub(crate) fn count(&self, position: usize) -> u32 {
        if self.offsets[position] & 1 == 0 { 1 } else { self.count_after(position, &mut None) }
    }

    /// Returns the count of the document at a position, which is above one. `before` is the position of such
    /// a document before it, with its number among them, and becomes this one.
    pub(crate) fn count_after(&self, position: usize, before: &mut Option<(usize, usize)>) -> u32 {
        let step = position / RANK_STEP;
        let recorded = || step.checked_sub(1).map_or(0, |last| usize::from(self.ranks[last]));
        let (from, counts) = match *before {
            Some((last, number)) if last >= step * RANK_STEP => (last, number),
            _ => (step * RANK_STEP, recorded()),
        };
        let between = &self.offsets[from..position];
        let number = counts + between.iter().map(|unit| usize::from(unit & 1)).sum::<usize>();
        *before = Some((position, number));
        self.count_ranked(number)
    }

    /// Returns the count with a number among those above one.
    #[inline]
    pub(crate) fn count_ranked(&self, number: usize) -> u32 {
        u32::from(self.counts[number / 2] >> (number % 2 * 8) & 0xff)
    }
}

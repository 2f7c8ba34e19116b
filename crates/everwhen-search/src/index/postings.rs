//! Postings: the documents in which each term occurs, with counts.
//!
//! Documents come in rising order. Those of full segments are in [blocks](block), which never change;
//! the newest ones are in a [tail], which becomes a block when it is full.

mod block;
mod tail;

use std::ops::Range;
use std::sync::Arc;

pub(crate) use self::block::Block;
use self::block::List;
use self::tail::Tail;
use super::Term;
use crate::vectors::prefetch;

/// The number of documents in a full segment. Offsets inside it fit into fifteen bits.
pub const SEGMENT_DOCUMENTS: usize = 32_768;

/// Where every term occurs.
#[derive(Debug, Clone, Default)]
pub(crate) struct PostingLists {
    /// Each with the number of its first document; copies of an index share them.
    blocks: Vec<(u32, Arc<Block>)>,
    tail: Tail,
    totals: Vec<TermTotals>,
}

/// The first step of a search near a guess: a cache line of units.
const STEP_NEAR: usize = 32;

/// Counts of one term over all documents.
#[derive(Debug, Clone, Copy, Default)]
struct TermTotals {
    /// The number of documents.
    len: u32,
    /// The number of groups; one is counted again when documents of several groups alternate.
    groups: u32,
    /// The group of the newest document.
    newest_group: u32,
}

impl PostingLists {
    /// Makes room for terms below a number.
    pub(crate) fn reserve(&mut self, terms: usize) {
        if self.totals.len() < terms {
            self.totals.resize(terms, TermTotals::default());
        }
    }

    /// Adds a term that the newest document contains `count` times; see [`PostingLists::end_document`].
    pub(crate) fn add(&mut self, term: Term, count: u32, group: u32) {
        self.tail.add(term, self.tail.documents, count, group);
        self.count_groups(term, (1, 1), (group, group));
    }

    /// Ends the newest document, whose terms were added.
    pub(crate) fn end_document(&mut self) {
        self.tail.documents += 1;
        if self.tail.is_full() {
            self.close_tail();
        }
    }

    /// Counts further documents of a term, in groups of which the first and the last are given.
    fn count_groups(&mut self, term: Term, (len, groups): (u32, u32), (first, last): (u32, u32)) {
        let totals = &mut self.totals[term as usize];
        let continues = totals.len > 0 && totals.newest_group == first;
        totals.groups += groups - u32::from(continues);
        totals.len += len;
        totals.newest_group = last;
    }

    /// Appends a block; `group` is the group of a document.
    pub(crate) fn append(&mut self, block: Block, group: impl Fn(u32) -> u32) {
        self.close_tail();
        let first = self.tail_start();
        for (position, term) in block.terms.iter().enumerate() {
            let list = block.list_at(position);
            if let (Some(start), Some(end)) = (list.offsets.first(), list.offsets.last()) {
                let group = |unit: &u16| group(first + u32::from(unit >> 1));
                let counts = (list.offsets.len() as u32, list.groups);
                self.count_groups(*term, counts, (group(start), group(end)));
            }
        }
        self.blocks.push((first, Arc::new(block)));
    }

    /// Makes the tail a block, though it is not full.
    pub(crate) fn close_tail(&mut self) {
        if self.tail.documents > 0 {
            self.blocks.push((self.tail_start(), Arc::new(self.tail.to_block())));
            self.tail = Tail::default();
        }
    }

    /// Makes the last block the tail again, if it is not full and there is no tail; `group` is the group of
    /// a document.
    pub(crate) fn reopen(&mut self, group: impl Fn(u32) -> u32) {
        let is_open =
            |(_, block): &mut (u32, Arc<Block>)| (block.documents as usize) < SEGMENT_DOCUMENTS;
        if self.tail.documents == 0
            && let Some((first, block)) = self.blocks.pop_if(is_open)
        {
            self.tail = Tail::from_block(&block, |offset| group(first + offset));
        }
    }

    /// Returns the block of the documents from a number on; that of the tail is made now.
    pub(crate) fn block(&self, first: u32) -> Option<Arc<Block>> {
        let known = self.blocks.iter().find(|(start, _)| *start == first);
        if let Some((_, block)) = known {
            return Some(Arc::clone(block));
        }
        (self.tail_start() == first).then(|| Arc::new(self.tail.to_block()))
    }

    /// Returns the number of the first document of the tail.
    fn tail_start(&self) -> u32 {
        self.blocks.last().map_or(0, |(first, block)| first + block.documents)
    }

    /// Returns where a term occurs.
    pub(crate) fn of(&self, term: Term) -> Postings<'_> {
        Postings { lists: self, term }
    }

    /// Returns the number of bytes in use.
    pub(crate) fn size(&self) -> usize {
        self.blocks.iter().map(|(_, block)| block.size()).sum::<usize>()
            + self.tail.size()
            + self.totals.capacity() * size_of::<TermTotals>()
    }

    fn totals(&self, term: Term) -> TermTotals {
        self.totals.get(term as usize).copied().unwrap_or_default()
    }
}

/// The occurrences of one term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Postings<'i> {
    lists: &'i PostingLists,
    term: Term,
}

/// The occurrences of a term in consecutive documents.
#[derive(Debug, Clone, Copy)]
enum Part<'i> {
    Block(List<'i>),
    Tail(&'i [u32], u32),
}

impl Part<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Block(list) => list.offsets.len(),
            Self::Tail(units, _) => units.len(),
        }
    }

    fn offset(&self, position: usize) -> u32 {
        match self {
            Self::Block(list) => u32::from(list.offsets[position] >> 1),
            Self::Tail(units, _) => units[position] >> 16,
        }
    }

    fn groups(&self) -> u32 {
        match self {
            Self::Block(list) => list.groups,
            Self::Tail(_, groups) => *groups,
        }
    }

    /// Returns the first position with at least this offset, in a part of this many documents.
    fn position(&self, offset: u32, documents: u32) -> usize {
        // Mostly a term occurs about evenly.
        let share = |len: usize| len * offset as usize / documents.max(1) as usize;
        match self {
            Self::Block(List { offsets, .. }) => {
                first_near(offsets, share(offsets.len()), |unit| u32::from(unit >> 1) < offset)
            }
            Self::Tail(units, _) => {
                first_near(units, share(units.len()), |unit| unit >> 16 < offset)
            }
        }
    }

    fn prefetch(&self, position: usize) {
        match self {
            Self::Block(list) => {
                prefetch(list.offsets.get(position..=position).unwrap_or_default())
            }
            Self::Tail(units, _) => prefetch(units.get(position..=position).unwrap_or_default()),
        }
    }
}

impl<'i> Postings<'i> {
    /// Returns the number of documents that contain the term.
    pub(crate) fn len(self) -> u32 {
        self.lists.totals(self.term).len
    }

    /// Returns the number of groups that contain the term; some are counted more than once if documents
    /// of several groups alternate.
    pub(crate) fn groups(self) -> u32 {
        self.lists.totals(self.term).groups
    }

    /// Returns all parts, each with its first document and the number of documents of its range. Blocks are
    /// far from each other in memory, so each step is prefetched for all of them.
    fn parts(self) -> Vec<(u32, u32, Part<'i>)> {
        let PostingLists { blocks, tail, .. } = self.lists;
        blocks.iter().for_each(|(_, block)| block.prefetch_hint(self.term));
        blocks.iter().for_each(|(_, block)| block.prefetch_term(self.term));
        let mut positions = Vec::with_capacity(blocks.len());
        positions.extend(blocks.iter().map(|(_, block)| block.position(self.term)));
        let ranges = blocks.iter().zip(positions);
        let ranges = ranges.map(|((_, block), position)| block.prefetched_range(position));
        let ranges: Vec<Range<usize>> = ranges.collect();
        let mut parts = Vec::with_capacity(blocks.len() + 1);
        for ((first, block), range) in blocks.iter().zip(ranges) {
            parts.push((*first, block.documents, Part::Block(block.list_in(range))));
        }
        let newest = tail.list(self.term);
        let newest = newest.map_or(Part::Tail(&[], 0), |list| Part::Tail(&list.units, list.groups));
        parts.push((self.lists.tail_start(), tail.documents, newest));
        parts
    }

    /// Returns how many documents below a number contain the term, and how many groups.
    pub(crate) fn below(self, end: u32, group: impl Fn(u32) -> u32) -> (u32, u32) {
        let (mut documents, mut groups, mut last) = (0, 0, None);
        for (first, len, part) in self.parts().into_iter().take_while(|(first, ..)| *first < end) {
            let is_whole = first + len <= end;
            if is_whole && part.len() > 0 {
                let continues = last == Some(group(first + part.offset(0)));
                groups += part.groups() - u32::from(continues);
                last = Some(group(first + part.offset(part.len() - 1)));
                documents += part.len() as u32;
                continue;
            }
            let inside = (0..part.len()).map(|position| first + part.offset(position));
            for document in inside.take_while(|document| *document < end) {
                let own = Some(group(document));
                groups += u32::from(std::mem::replace(&mut last, own) != own);
                documents += 1;
            }
        }
        (documents, groups)
    }

    /// Prepares to look up documents.
    pub(crate) fn look_up(self) -> LookUp<'i> {
        LookUp { parts: self.parts() }
    }

    /// Iterates over documents and counts, in rising order.
    pub(crate) fn iter(self) -> Occurrences<'i> {
        let (parts, part) = (self.parts().into_iter(), Part::Tail(&[], 0));
        Occurrences { parts, first: 0, part, position: 0, counted: 0 }
    }
}

/// Looks up documents in the postings of one term.
#[derive(Debug)]
pub(crate) struct LookUp<'i> {
    /// All parts, each with its first document and the number of documents of its range.
    parts: Vec<(u32, u32, Part<'i>)>,
}

/// A place in the postings of a term.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Place {
    part: usize,
    position: usize,
}

impl LookUp<'_> {
    /// Returns for each document the place at or behind which it is, and prefetches it. Documents in rising
    /// order take the least time.
    pub(crate) fn places(&self, documents: impl Iterator<Item = u32>) -> Vec<Place> {
        let mut near = 0;
        let mut place = |document: u32| {
            let place = self.place(document, near);
            near = place.part;
            if let Some((.., part)) = self.parts.get(near) {
                part.prefetch(place.position);
            }
            place
        };
        documents.map(&mut place).collect()
    }

    /// Returns the place at or behind which a document is, probably in the part `near`.
    fn place(&self, document: u32, near: usize) -> Place {
        let is_in = |number: usize| {
            let part = self.parts.get(number);
            part.is_some_and(|(first, len, _)| (*first..first + len).contains(&document))
        };
        let part = match is_in(near) {
            true => near,
            false => self.parts.partition_point(|(first, ..)| *first <= document).max(1) - 1,
        };
        let position = self
            .parts
            .get(part)
            .map_or(0, |(first, len, list)| list.position(document.saturating_sub(*first), *len));
        Place { part, position }
    }

    /// Calls `each` with those of some documents that contain the term, and how often they do.
    /// `documents` rise; `place` is that of the first one.
    pub(crate) fn among(
        &self,
        mut documents: &[u32],
        mut place: Place,
        mut each: impl FnMut(u32, u32),
    ) {
        while let Some((first, len, part)) = self.parts.get(place.part) {
            let inside = documents.partition_point(|document| *document < first + len);
            let (own, others) = documents.split_at(inside);
            part.among(own, *first, place.position, &mut each);
            let Some(next) = others.first() else { return };
            let behind = self.place(*next, place.part + 1);
            if behind.part == place.part {
                return;
            }
            (documents, place) = (others, behind);
        }
    }
}

impl Part<'_> {
    /// Calls `each` with those of some documents that are here; `first` is the first document of the part.
    fn among(&self, own: &[u32], first: u32, from: usize, each: &mut impl FnMut(u32, u32)) {
        match self {
            Self::Block(list) => {
                let mut counted = None;
                let found = list.offsets[from..].iter().enumerate();
                let found = found.map(|(position, unit)| (position, first + u32::from(unit >> 1)));
                meet(own, found, |position, document| {
                    let position = from + position;
                    let is_one = list.offsets[position] & 1 == 0;
                    let count = if is_one { 1 } else { list.count_after(position, &mut counted) };
                    each(document, count);
                });
            }
            Self::Tail(units, _) => {
                let found = units[from..].iter().enumerate();
                let found = found.map(|(position, unit)| (position, first + (unit >> 16)));
                meet(own, found, |position, document| {
                    each(document, units[from + position] & 0xffff);
                });
            }
        }
    }
}

/// Calls `each` with the position of every document that is in both lists, which rise.
fn meet(
    documents: &[u32],
    found: impl Iterator<Item = (usize, u32)>,
    mut each: impl FnMut(usize, u32),
) {
    let Some(last) = documents.last() else { return };
    let mut next = 0;
    for (position, found) in found.take_while(|(_, found)| found <= last) {
        while documents[next] < found {
            next += 1;
        }
        if documents[next] == found {
            each(position, found);
        }
    }
}

/// Returns the first position at which a condition that ends somewhere, probably near `guess`, does not
/// hold.
fn first_near<T: Copy>(values: &[T], guess: usize, holds: impl Fn(T) -> bool) -> usize {
    let (mut low, mut high) = (0, values.len());
    let (mut at, mut step) = (guess.min(high), STEP_NEAR);
    // Galloping search, up or down.
    if at < high && holds(values[at]) {
        while at < high && holds(values[at]) {
            (low, at) = (at + 1, at + step);
            step *= 2;
        }
        high = high.min(at);
    } else {
        while at > 0 && !holds(values[at.min(high - 1)]) {
            (high, at) = (at, at.saturating_sub(step));
            step *= 2;
        }
        low = if high > 0 && holds(values[at.min(high - 1)]) { at } else { 0 };
    }
    low + values[low..high].partition_point(|value| holds(*value))
}

/// An iterator over the occurrences of a term.
#[derive(Debug, Clone)]
pub(crate) struct Occurrences<'i> {
    /// The parts that follow.
    parts: std::vec::IntoIter<(u32, u32, Part<'i>)>,
    /// The current part, its first document, the next position in it, and how many counts precede that.
    part: Part<'i>,
    first: u32,
    position: usize,
    counted: usize,
}

impl Iterator for Occurrences<'_> {
    type Item = (u32, u32);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (mut document, mut count) = ([0], [0]);
        (self.read(&mut document, &mut count) == 1).then(|| (document[0], count[0]))
    }
}

impl Occurrences<'_> {
    /// Reads as many occurrences as fit into the slices, and returns how many it read. Faster than
    /// calling `next` for each.
    pub(crate) fn read(&mut self, documents: &mut [u32], counts: &mut [u32]) -> usize {
        let mut read = 0;
        while read < documents.len() {
            if self.position == self.part.len() && !self.advance() {
                break;
            }
            read += self.read_part(&mut documents[read..], &mut counts[read..]);
        }
        read
    }

    /// Goes on to the next part; returns whether there is one.
    fn advance(&mut self) -> bool {
        let Some((first, _, part)) = self.parts.next() else { return false };
        (self.first, self.part, self.position, self.counted) = (first, part, 0, 0);
        true
    }

    fn read_part(&mut self, documents: &mut [u32], counts: &mut [u32]) -> usize {
        let slots = documents.iter_mut().zip(counts);
        let len = slots.len().min(self.part.len() - self.position);
        match self.part {
            Part::Block(list) => {
                let (units, first) = (&list.offsets[self.position..], self.first);
                let mut counted = self.counted;
                for ((document, count), unit) in slots.zip(units) {
                    *document = first + u32::from(unit >> 1);
                    *count = 1;
                    if unit & 1 == 1 {
                        *count = list.count_ranked(counted);
                        counted += 1;
                    }
                }
                self.counted = counted;
            }
            Part::Tail(units, _) => {
                for ((document, count), unit) in slots.zip(&units[self.position..]) {
                    (*document, *count) = (self.first + (unit >> 16), unit & 0xffff);
                }
            }
        }
        self.position += len;
        len
    }
}

#[cfg(test)]
mod tests;

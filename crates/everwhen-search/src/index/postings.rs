//! Postings: the documents in which one term occurs, with counts, packed into units of two bytes.
//!
//! Documents come in rising order, so the distance to the previous one is stored, with a bit that says
//! whether a count above one follows. Nearly all occurrences take one unit. A byte code would be
//! smaller, but then the position of the next occurrence depends on decoding the previous one, which
//! makes reading slower.

use crate::vectors::prefetch;

/// The occurrences of one term.
#[derive(Debug, Clone, Default)]
pub(crate) struct Postings {
    units: Vec<u16>,
    /// The newest document plus one; zero if there is none.
    next: u32,
    /// The number of documents.
    len: u32,
    /// The number of groups; one is counted again when documents of several groups alternate.
    groups: u32,
    /// The group of the newest document.
    newest_group: u32,
    /// Positions at which reading can start, at regular intervals.
    skip_points: Vec<SkipPoint>,
}

/// A position in the postings right after a document.
#[derive(Debug, Clone, Copy)]
struct SkipPoint {
    document: u32,
    /// The first unit after the document.
    unit: u32,
    /// The number of groups up to and including the document's.
    groups: u32,
}

/// The number of documents between two skip points.
const STRIDE: u32 = 16;

impl Postings {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a document that contains the term `count` times, and returns by how many bytes the postings
    /// grew. Documents are added in rising order.
    pub(crate) fn add(&mut self, document: u32, count: u32, group: u32) -> usize {
        let distance = if self.next == 0 { document } else { document + 1 - self.next };
        self.next = document + 1;
        if self.len == 0 || self.newest_group != group {
            self.newest_group = group;
            self.groups += 1;
        }
        self.len += 1;
        let before = self.size();
        self.make_room();
        self.units.push(head(distance, count > 1));
        if distance >= FAR {
            self.units.extend([distance as u16, (distance >> 16) as u16]);
        }
        if count > 1 {
            // Counts saturate: larger ones do not change a score.
            self.units.push(count.min(u16::MAX.into()) as u16);
        }
        if self.len.is_multiple_of(STRIDE) {
            let (unit, groups) = (self.units.len() as u32, self.groups);
            self.skip_points.push(SkipPoint { document, unit, groups });
        }
        self.size() - before
    }

    fn size(&self) -> usize {
        size_of::<u16>() * self.units.capacity()
            + size_of::<SkipPoint>() * self.skip_points.capacity()
    }

    /// Reserves room for one more occurrence. Grows by a quarter: there are many lists, and most of them
    /// stay as they are.
    fn make_room(&mut self) {
        let len = self.units.len();
        if self.units.capacity() < len + MOST_UNITS {
            self.units.reserve_exact((len / 4).max(MOST_UNITS));
        }
    }

    /// Returns the number of documents that contain the term.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Returns the number of groups that contain the term; some are counted more than once if documents
    /// of several groups alternate.
    pub(crate) fn groups(&self) -> u32 {
        self.groups
    }

    /// Returns how many documents below a number contain the term, and how many groups.
    pub(crate) fn below(&self, end: u32, group: impl Fn(u32) -> u32) -> (u32, u32) {
        if self.next <= end {
            return (self.len, self.groups);
        }
        let passed = self.skip_points.partition_point(|point| point.document < end);
        let point = passed.checked_sub(1).map(|last| self.skip_points[last]);
        let (mut groups, mut last) = (0, None);
        if let Some(point) = point {
            (groups, last) = (point.groups, Some(group(point.document)));
        }
        let mut documents = passed as u32 * STRIDE;
        for (document, _) in self.after(passed).take_while(|(document, _)| *document < end) {
            let own = Some(group(document));
            groups += u32::from(std::mem::replace(&mut last, own) != own);
            documents += 1;
        }
        (documents, groups)
    }

    /// Returns the occurrences after the first `passed` skip points.
    fn after(&self, passed: usize) -> Occurrences<'_> {
        let Some(last) = passed.checked_sub(1) else { return self.iter() };
        let point = self.skip_points[last];
        Occurrences { rest: &self.units[point.unit as usize..], document: point.document }
    }

    /// Returns for each document how many skip points precede it, and prefetches what follows them.
    /// Documents in rising order take the least time.
    pub(crate) fn skip_points_before(&self, documents: impl Iterator<Item = u32>) -> Vec<usize> {
        let mut near = (0, 0);
        let passed = |document: u32| {
            let (last, passed) = near;
            let passed =
                self.skip_points_passed(document, if last <= document { passed } else { 0 });
            near = (document, passed);
            prefetch(self.after(passed).rest.get(..1).unwrap_or_default());
            passed
        };
        documents.map(passed).collect()
    }

    /// Returns how many skip points precede a document, of which at least `passed` do.
    fn skip_points_passed(&self, document: u32, mut passed: usize) -> usize {
        // Galloping search: the next one is seldom far.
        let mut step = 1;
        while self.skip_points.get(passed + step).is_some_and(|point| point.document < document) {
            passed += step;
            step *= 2;
        }
        let near = &self.skip_points[passed..self.skip_points.len().min(passed + step)];
        passed + near.partition_point(|point| point.document < document)
    }

    /// Calls `each` with those of some documents that contain the term, and how often they do.
    /// `documents` rise; `passed` skip points precede the first one.
    pub(crate) fn among(&self, documents: &[u32], passed: usize, mut each: impl FnMut(u32, u32)) {
        let Some(last) = documents.last() else { return };
        let mut position = 0;
        for (found, count) in self.after(passed).take_while(|(found, _)| found <= last) {
            while documents[position] < found {
                position += 1;
            }
            if documents[position] == found {
                each(found, count);
            }
        }
    }

    /// Iterates over documents and counts, in rising order.
    pub(crate) fn iter(&self) -> Occurrences<'_> {
        Occurrences { rest: &self.units, document: 0 }
    }
}

/// An iterator over the occurrences of a term.
#[derive(Debug, Clone)]
pub(crate) struct Occurrences<'p> {
    rest: &'p [u16],
    document: u32,
}

impl Iterator for Occurrences<'_> {
    type Item = (u32, u32);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let head = take(&mut self.rest)?;
        let near = u32::from(head >> 1);
        self.document += if near < FAR { near } else { take_far(&mut self.rest)? };
        let count = if head & 1 == 1 { take(&mut self.rest)?.into() } else { 1 };
        Some((self.document, count))
    }
}

impl Occurrences<'_> {
    /// Reads as many occurrences as fit into the slices, and returns how many it read. Faster than
    /// calling `next` for each.
    pub(crate) fn read(&mut self, documents: &mut [u32], counts: &mut [u32]) -> usize {
        let mut own = self.clone();
        let mut read = 0;
        for (document, count) in documents.iter_mut().zip(counts) {
            let Some(next) = own.next() else { break };
            (*document, *count) = next;
            read += 1;
        }
        *self = own;
        read
    }
}

impl Postings {
    /// Iterates over the documents from `first` up to, but not including, `end`.
    pub(crate) fn iter_from(&self, first: u32, end: u32) -> impl Iterator<Item = (u32, u32)> {
        // Most terms are rare and do not occur in the newest documents at all.
        let reaches = self.next > first;
        let all = reaches.then(|| self.iter()).into_iter().flatten();
        all.skip_while(move |(document, _)| *document < first)
            .take_while(move |(document, _)| *document < end)
    }
}

/// The largest number of units that one occurrence takes.
const MOST_UNITS: usize = 4;
/// A distance of at least this does not fit beside the count bit and takes two units of its own.
const FAR: u32 = 0x7fff;

/// Returns the first unit of an occurrence: the distance to the previous document, and whether a count
/// follows.
fn head(distance: u32, has_count: bool) -> u16 {
    (distance.min(FAR) as u16) << 1 | u16::from(has_count)
}

/// Removes the first unit and returns it.
#[inline(always)]
fn take(units: &mut &[u16]) -> Option<u16> {
    let (first, rest) = units.split_first()?;
    *units = rest;
    Some(*first)
}

/// Removes two units and returns the distance they hold.
#[cold]
fn take_far(units: &mut &[u16]) -> Option<u32> {
    Some(u32::from(take(units)?) | u32::from(take(units)?) << 16)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_added_is_read(steps in proptest::collection::vec((1u32..30_000_000, 1u32..65_536), 0..120)) {
            let mut postings = Postings::new();
            let mut expected = Vec::new();
            let mut document = 0;
            for (step, count) in steps {
                // Near and far in turn.
                document += if count % 2 == 0 { step % 50 + 1 } else { step };
                let count = if count % 3 == 0 { 1 } else { count };
                postings.add(document, count, document / 100_000);
                expected.push((document, count));
            }
            prop_assert_eq!(postings.len() as usize, expected.len());
            let (mut documents, mut counts, mut read) = ([0; 7], [0; 7], Vec::new());
            let mut occurrences = postings.iter();
            loop {
                let len = occurrences.read(&mut documents, &mut counts);
                read.extend(documents.into_iter().zip(counts).take(len));
                if len < documents.len() { break }
            }
            prop_assert_eq!(&read, &expected);
            for end in [0, 1, document / 3, document, document.saturating_add(1)] {
                let below: Vec<u32> = expected.iter().map(|one| one.0).filter(|one| *one < end).collect();
                let runs = below.chunk_by(|a, b| a / 100_000 == b / 100_000).count();
                let found = postings.below(end, |document| document / 100_000);
                prop_assert_eq!(found, (below.len() as u32, runs as u32));
            }
            prop_assert_eq!(postings.iter().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn the_first_document_may_be_number_zero() {
        let mut postings = Postings::new();
        postings.add(0, 2, 7);
        postings.add(1, 1, 7);
        assert_eq!(postings.iter().collect::<Vec<_>>(), [(0, 2), (1, 1)]);
        assert_eq!(postings.groups(), 1);
    }

    #[test]
    fn documents_are_looked_up_in_any_order() {
        look_up_below(3_000);
        // The last skip point is after every document.
        look_up_below(3 * 16 * STRIDE);
    }

    fn look_up_below(end: u32) {
        let mut postings = Postings::new();
        let count = |document: u32| if document.is_multiple_of(3) { document % 5 + 1 } else { 0 };
        for document in (0..end).filter(|document| count(*document) > 0) {
            postings.add(document, count(document), document / 10);
        }
        assert_eq!(postings.groups(), end.div_ceil(10));
        let wanted =
            |first: u32| (first..first + 12).filter(|document| document % 7 != 1).collect();
        let wanted: Vec<Vec<u32>> = (0..900).map(|one| wanted(one * 77 % 3_100)).collect();
        let points = postings.skip_points_before(wanted.iter().map(|documents| documents[0]));
        for (documents, passed) in wanted.iter().zip(points) {
            let mut found = Vec::new();
            postings.among(documents, passed, |document, count| found.push((document, count)));
            let is_there = |document: &u32| *document < end && count(*document) > 0;
            let expected = documents.iter().copied().filter(is_there);
            assert_eq!(
                found,
                expected.map(|document| (document, count(document))).collect::<Vec<_>>()
            );
        }
    }
}

//! Segments: an index as bytes, in parts, so that a restart does not rebuild it.
//!
//! A segment holds the words and the vectors of up to [`SEGMENT_DOCUMENTS`] consecutive documents, with all
//! that they need: terms, speakers and groups. It says which sequence numbers it covers, and is loaded where
//! the one before ends. Only the last segment ever grows. A segment with a wrong checksum, of another format
//! or out of order is refused; the caller then builds that part of the index again.
//!
//! Its bytes are in two parts. The rows of vectors, most of the bytes, are used as they are, in the memory
//! that they were read into; everything else is decoded, and the memory it was in is free again.

mod bytes;
mod documents;
mod vectors;
mod words;

use std::fmt;

use self::bytes::{Reader, Writer};
use super::{Index, SEGMENT_DOCUMENTS};

/// The format and its version.
const FORMAT: &[u8; 8] = b"EvWhIx\x00\x09";

/// Which documents are in which segment.
#[derive(Debug, Clone, Default)]
pub(crate) struct SegmentRanges {
    /// Segments that do not grow any more, in order.
    closed: Vec<ClosedSegment>,
    /// How many documents of the index are in saved segments, if the last one is; else at most as many as
    /// are in closed ones.
    saved: u32,
}

/// A segment that does not grow any more.
#[derive(Debug, Clone, Copy)]
struct ClosedSegment {
    /// The number behind its last document.
    end: u32,
    /// The last sequence number that it covers.
    through: u64,
    is_saved: bool,
}

/// A segment to be stored.
#[derive(Debug, Clone)]
pub struct Segment {
    /// The sequence numbers that it covers: those above this one,
    pub after: u64,
    /// up to this one.
    pub through: u64,
    /// The bytes to store: everything but the rows of vectors, and those.
    pub parts: [Vec<u8>; 2],
    /// Its position among the segments of the index.
    position: usize,
    /// The number behind its last document.
    end: u32,
    is_full: bool,
}

impl Segment {
    /// Returns whether the segment does not grow any more, and the next one follows it.
    pub fn is_full(&self) -> bool {
        self.is_full
    }
}

/// The bytes are not a segment that continues the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidSegment;

impl fmt::Display for InvalidSegment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the bytes are not a segment that continues this index")
    }
}

impl std::error::Error for InvalidSegment {}

/// A segment that was decoded and verified, to be [added](Index::add_segment) to an index.
#[derive(Debug)]
pub struct DecodedSegment {
    after: u64,
    through: u64,
    generation: u64,
    words: words::Words,
    documents: documents::Documents,
    vectors: vectors::Vectors,
}

impl DecodedSegment {
    /// Decodes the parts of a segment.
    pub fn new(parts: [Vec<u8>; 2]) -> Result<Self, InvalidSegment> {
        let [rest, rows] = parts;
        Self::read(&rest, rows).ok_or(InvalidSegment)
    }

    /// Returns the sequence number above which it begins.
    pub fn after(&self) -> u64 {
        self.after
    }

    /// Returns how many documents there are up to a sequence number, if there are as many among those behind
    /// this segment as in it.
    pub fn documents_up_to(&self, sequence: u64) -> usize {
        let (own, all) = (self.through - self.after, sequence.max(self.through) - self.after);
        (self.documents.len() as u128 * u128::from(all) / u128::from(own.max(1))) as usize
    }

    fn read(bytes: &[u8], rows: Vec<u8>) -> Option<Self> {
        let mut reader = Reader::verified(bytes)?;
        (reader.array()? == *FORMAT).then_some(())?;
        let (after, through, generation) = (reader.number()?, reader.number()?, reader.number()?);
        let words = words::Words::read(&mut reader)?;
        let documents = documents::Documents::read(&mut reader)?;
        let count = documents.len();
        let vectors = vectors::Vectors::read(&mut reader, count, rows)?;
        let is_valid = reader.is_at_end()
            && words.documents() == count
            && count > 0
            && documents.are_within(after, through);
        is_valid.then_some(Self { after, through, generation, words, documents, vectors })
    }
}

impl Index {
    /// Returns the number of documents that are in no saved segment.
    pub fn unsaved(&self) -> usize {
        let SegmentRanges { closed, saved } = &self.segments;
        let starts = std::iter::once(0).chain(closed.iter().map(|one| one.end));
        let unsaved = closed.iter().zip(starts).filter(|(one, _)| !one.is_saved);
        let closed_end = self.closed_end();
        unsaved.map(|(one, start)| (one.end - start) as usize).sum::<usize>()
            + (self.len() - closed_end.max(*saved) as usize)
    }

    /// Returns the first segment that has changed since it was saved. `None` if there is none, or if
    /// documents in it still wait for their vectors.
    pub fn next_segment(&self) -> Option<Segment> {
        if self.unsaved() == 0 {
            return None;
        }
        let closed = &self.segments.closed;
        let position = closed.iter().position(|one| !one.is_saved).unwrap_or(closed.len());
        let before = position.checked_sub(1).map(|before| closed[before]);
        let (first, after) = before.map_or((0, 0), |one| (one.end, one.through));
        let own = closed.get(position);
        let end = own.map_or(self.len() as u32, |one| one.end);
        if self.covered() < end as usize {
            return None;
        }
        let last = self.documents.sequence(end - 1);
        let through = own.map_or(last, |one| one.through);
        let mut writer = Writer::default();
        writer.raw(FORMAT);
        writer.number(after);
        writer.number(through);
        writer.number(self.generation);
        let range = first as usize..end as usize;
        words::write(self, &mut writer, first)?;
        documents::write(self, &mut writer, range.clone());
        let rows = vectors::write(self, &mut writer, range);
        let (parts, is_full) = ([writer.finish(), rows], own.is_some());
        Some(Segment { after, through, parts, position, end, is_full })
    }

    /// Records that a segment was stored.
    pub fn mark_saved(&mut self, segment: &Segment) {
        match self.segments.closed.get_mut(segment.position) {
            Some(closed) => closed.is_saved |= closed.end == segment.end,
            None => self.segments.saved = self.segments.saved.max(segment.end),
        }
    }

    /// Decodes the next segment and adds it; see [`Index::add_segment`].
    pub fn load_segment(&mut self, parts: &[Vec<u8>; 2]) -> Result<(), InvalidSegment> {
        self.add_segment(DecodedSegment::new(parts.clone())?)
    }

    /// Adds the documents of a segment, which begins where the index ends and has vectors of the same
    /// embedder. Otherwise it is refused and the index stays as it was.
    pub fn add_segment(&mut self, segment: DecodedSegment) -> Result<(), InvalidSegment> {
        if segment.after != self.sequence || !segment.vectors.fit(self) {
            return Err(InvalidSegment);
        }
        self.close_segment(segment.after, false);
        let first = self.len();
        let block = segment.words.into_block(&mut self.lexicon);
        segment.documents.add(self);
        let placements = &self.placements;
        let group = |document: u32| placements[document as usize].group;
        self.words.reserve(self.lexicon.len());
        self.words.append(block, group);
        segment.vectors.add(self, first);
        // Segments of several generations count as the earliest, so that all states are read again.
        self.generation =
            if first == 0 { segment.generation } else { self.generation.min(segment.generation) };
        self.sequence = segment.through;
        self.close_segment(segment.through, true);
        Ok(())
    }

    /// Records that no stored segment matches the index any more.
    pub(super) fn mark_all_unsaved(&mut self) {
        self.segments.saved = 0;
        self.segments.closed.iter_mut().for_each(|one| one.is_saved = false);
    }

    /// Returns the number behind the last document of a closed segment.
    fn closed_end(&self) -> u32 {
        self.segments.closed.last().map_or(0, |one| one.end)
    }

    /// Closes the last segment, which covers sequence numbers up to `through`, if it has documents.
    fn close_segment(&mut self, through: u64, is_saved: bool) {
        let end = self.len() as u32;
        if end > self.closed_end() {
            self.words.close_tail();
            self.segments.closed.push(ClosedSegment { end, through, is_saved });
        }
    }

    /// Closes the last segment if it is full.
    pub(super) fn close_full_segment(&mut self) {
        if self.len() - self.closed_end() as usize == SEGMENT_DOCUMENTS {
            self.close_segment(self.sequence, false);
        }
    }

    /// Opens the last closed segment again if it is not full, so that the next document goes there.
    pub(super) fn reopen_last_segment(&mut self) {
        let count = self.segments.closed.len();
        let start = count.checked_sub(2).map_or(0, |before| self.segments.closed[before].end);
        let end = self.len() as u32;
        let is_open = |one: &mut ClosedSegment| {
            one.end == end && ((one.end - start) as usize) < SEGMENT_DOCUMENTS
        };
        if let Some(last) = self.segments.closed.pop_if(is_open) {
            self.segments.saved = if last.is_saved { last.end } else { start };
            let placements = &self.placements;
            self.words.reopen(|document| placements[document as usize].group);
        }
    }
}

#[cfg(test)]
mod tests;

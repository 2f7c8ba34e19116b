//! Segments: an index as bytes, in parts, so that a restart does not rebuild it.
//!
//! A segment holds the words and the vectors of [`SEGMENT_DOCUMENTS`] consecutive documents, and the
//! terms, speakers and groups that no earlier segment holds. Only the last segment ever grows. Each
//! one ends with a checksum and names the checksum of the one before, so segments that do not belong
//! together are never combined. A segment that is damaged, of another format or out of order is
//! refused; the caller then builds the index again.

mod bytes;
mod vectors;
mod words;

use std::fmt;

use self::bytes::{Checksum, Reader, Writer};
use super::Index;

/// The format and its version.
const FORMAT: &[u8; 8] = b"EvWhIx\x00\x05";
/// The number of documents in a full segment.
pub const SEGMENT_DOCUMENTS: usize = 32_768;

/// What the full segments hold. They never change.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FullSegments {
    /// How many there are.
    count: u32,
    /// The checksum of the last one.
    checksum: Checksum,
    terms: usize,
    groups: usize,
    speakers: usize,
}

/// A segment to be stored.
#[derive(Debug, Clone)]
pub struct Segment {
    /// Its position among the segments of the index.
    pub number: u32,
    /// The bytes to store.
    pub bytes: Vec<u8>,
    /// The number of documents in all segments up to this one.
    end: usize,
}

impl Segment {
    /// Returns whether the segment is full: it never changes, and the next one follows it.
    pub fn is_full(&self) -> bool {
        self.end == (self.number as usize + 1) * SEGMENT_DOCUMENTS
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

impl Index {
    /// Returns the number of documents that are in no segment yet.
    pub fn unsaved(&self) -> usize {
        self.len() - self.saved
    }

    /// Returns the first segment that has changed since it was saved. `None` if there is none, or if
    /// documents in it still wait for their vectors.
    pub fn next_segment(&self) -> Option<Segment> {
        let first = self.full_segments.count as usize * SEGMENT_DOCUMENTS;
        let end = self.len().min(first + SEGMENT_DOCUMENTS);
        if self.unsaved() == 0 || self.covered() < end {
            return None;
        }
        let mut writer = Writer::default();
        writer.raw(FORMAT);
        writer.raw(&self.full_segments.checksum);
        writer.number(self.generation);
        words::write(self, &mut writer, first..end);
        vectors::write(self, &mut writer, first..end);
        Some(Segment { number: self.full_segments.count, bytes: writer.finish(), end })
    }

    /// Records that a segment was stored.
    pub fn mark_saved(&mut self, segment: &Segment) {
        if segment.number == self.full_segments.count {
            self.saved = self.saved.max(segment.end);
            if let Some((_, checksum)) = Reader::verified(&segment.bytes) {
                self.complete_segment(segment.end, checksum);
            }
        }
    }

    /// Adds the documents of the next segment. After an error the index is incomplete and must be
    /// discarded.
    pub fn load_segment(&mut self, bytes: &[u8]) -> Result<(), InvalidSegment> {
        self.read_segment(bytes).ok_or(InvalidSegment)
    }

    fn read_segment(&mut self, bytes: &[u8]) -> Option<()> {
        let (mut reader, checksum) = Reader::verified(bytes)?;
        let continues =
            reader.array()? == *FORMAT && reader.array()? == self.full_segments.checksum;
        let generation = continues.then(|| reader.number())??;
        let first = self.len();
        words::read(self, &mut reader)?;
        vectors::read(self, &mut reader, first..self.len())?;
        // Segments of several generations count as the earliest, so that all states are read again.
        self.generation = if first == 0 { generation } else { self.generation.min(generation) };
        self.saved = self.len();
        self.complete_segment(self.saved, checksum);
        reader.is_at_end().then_some(())
    }

    /// Records that no stored segment matches the index any more.
    pub(super) fn mark_all_unsaved(&mut self) {
        (self.saved, self.full_segments) = (0, FullSegments::default());
    }

    fn complete_segment(&mut self, end: usize, checksum: Checksum) {
        let count = self.full_segments.count + 1;
        if end == count as usize * SEGMENT_DOCUMENTS {
            self.full_segments = FullSegments {
                count,
                checksum,
                terms: self.lexicon.len(),
                groups: self.groups.len(),
                speakers: self.speakers.len(),
            };
        }
    }
}

#[cfg(test)]
mod tests;

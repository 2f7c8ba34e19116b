//! Segments: an index as bytes, in parts, so that a restart reads what it worked out before.
//!
//! A segment holds the words and the vectors of [`ENTRIES`] entries in a row, and what they need
//! that no segment before it holds. Only the last one ever grows. Each is sealed and names the
//! seal of the one before, so segments that do not belong together never come together. What is
//! damaged, of another format or out of order is left aside and worked out again.

mod bytes;
mod meanings;
mod words;

use self::bytes::{In, Out, Seal};
use super::Index;

/// Says what the bytes are, and in which format.
const MARK: &[u8; 8] = b"EvWhIx\x00\x03";
/// Entries in a segment.
pub(crate) const ENTRIES: usize = 32_768;

/// What is in segments that are full. They stay as they are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Frozen {
    /// How many there are.
    segments: u32,
    /// The seal of the last one.
    seal: Seal,
    terms: usize,
    conversations: usize,
    speakers: usize,
}

/// A segment, to be kept.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    /// Its place among the segments of the memory.
    pub(crate) number: u32,
    pub(crate) bytes: Vec<u8>,
    /// Entries up to its end.
    up_to: usize,
}

impl Segment {
    /// Whether it stays as it is, and another comes behind it.
    pub(crate) fn is_full(&self) -> bool {
        self.up_to == (self.number as usize + 1) * ENTRIES
    }
}

impl Index {
    /// Entries that no segment holds yet.
    pub(crate) fn unkept(&self) -> usize {
        self.homes.len() - self.kept
    }

    /// The first segment that is not kept as it is now, if it can be: an entry whose vectors are
    /// still to come waits for them.
    pub(crate) fn segment(&self) -> Option<Segment> {
        let first = self.frozen.segments as usize * ENTRIES;
        let up_to = self.homes.len().min(first + ENTRIES);
        if self.unkept() == 0 || self.served_up_to() < up_to {
            return None;
        }
        let mut out = Out::default();
        out.raw(MARK);
        out.raw(&self.frozen.seal);
        out.number(self.generation);
        words::write(self, &mut out, first..up_to);
        meanings::write(self, &mut out, first..up_to);
        Some(Segment { number: self.frozen.segments, bytes: out.sealed(), up_to })
    }

    /// Notes that a segment is kept.
    pub(crate) fn note_kept(&mut self, segment: &Segment) {
        if segment.number == self.frozen.segments {
            self.kept = self.kept.max(segment.up_to);
            if let Some((_, seal)) = In::unsealed(&segment.bytes) {
                self.freeze(segment.up_to, seal);
            }
        }
    }

    /// Takes in the next segment; nothing if it is not one. Then the index is good for nothing.
    #[must_use]
    pub(crate) fn load(&mut self, bytes: &[u8]) -> Option<()> {
        let (mut read, seal) = In::unsealed(bytes)?;
        let follows = read.array()? == *MARK && read.array()? == self.frozen.seal;
        let generation = follows.then(|| read.number())??;
        let first = self.homes.len();
        words::read(self, &mut read)?;
        meanings::read(self, &mut read, first..self.homes.len())?;
        // Of standings of different times only the earliest count, so all are read again.
        self.generation = if first == 0 { generation } else { self.generation.min(generation) };
        self.kept = self.homes.len();
        self.freeze(self.kept, seal);
        read.is_done().then_some(())
    }

    /// Notes that nothing is kept as it is now.
    pub(super) fn unkeep(&mut self) {
        (self.kept, self.frozen) = (0, Frozen::default());
    }

    fn freeze(&mut self, up_to: usize, seal: Seal) {
        let segments = self.frozen.segments + 1;
        if up_to == segments as usize * ENTRIES {
            self.frozen = Frozen {
                segments,
                seal,
                terms: self.lexicon.len(),
                conversations: self.conversations.len(),
                speakers: self.speakers.len(),
            };
        }
    }
}

#[cfg(test)]
mod tests;

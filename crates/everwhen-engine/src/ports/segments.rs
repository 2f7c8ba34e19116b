//! Segments: parts of a memory's index, as bytes that mean nothing to a store.

use super::MemoryRef;
use crate::Result;

/// Finds segments.
pub trait SegmentRows {
    /// The segment with this number, from 0.
    fn segment(&self, memory: MemoryRef, number: u32) -> Result<Option<Vec<u8>>>;
}

/// Keeps segments. They go with the memory, and as soon as any entry of it is removed.
pub trait SegmentTx {
    /// Keeps a segment in the place of the one with this number.
    fn put_segment(&mut self, memory: MemoryRef, number: u32, bytes: &[u8]) -> Result<()>;
}

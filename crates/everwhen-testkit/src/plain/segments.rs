//! The oracle's segments: bytes in a list.

use everwhen_engine::Result;
use everwhen_engine::ports::{MemoryRef, SegmentRows, SegmentTx};

use super::shelves::Shelves;

impl SegmentRows for Shelves {
    fn segment(&self, memory: MemoryRef, number: u32) -> Result<Option<Vec<u8>>> {
        let meant = |row: &&(MemoryRef, u32, Vec<u8>)| row.0 == memory && row.1 == number;
        Ok(self.segments.iter().find(meant).map(|(_, _, bytes)| bytes.clone()))
    }
}

impl SegmentTx for Shelves {
    fn put_segment(&mut self, memory: MemoryRef, number: u32, bytes: &[u8]) -> Result<()> {
        self.segments.retain(|row| row.0 != memory || row.1 != number);
        self.segments.push((memory, number, bytes.to_vec()));
        Ok(())
    }
}

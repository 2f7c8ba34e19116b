//! How the engine points at a memory and at a place in it.

use jiff::Timestamp;

use super::{MemoryId, VaultId};

/// A memory inside its vault. Every question about data names both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemoryRef {
    /// The vault.
    pub vault: VaultId,
    /// The memory.
    pub memory: MemoryId,
}

/// A place in a list of entries; the page goes on behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The conversation_time there.
    pub time: Timestamp,
    /// The place there, which decides between equal times; the sequence where corrected entries
    /// are listed, too.
    pub sequence: u64,
}

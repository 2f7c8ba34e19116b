//! What a store does for context documents beside adding them.

use super::MemoryRef;
use crate::Result;
use crate::memory::ContextBy;

/// Context documents, to change.
pub trait ContextTx {
    /// Removes the versions that one of these wrote; says how many.
    fn remove_contexts(&mut self, memory: MemoryRef, by: &[ContextBy]) -> Result<u64>;
}

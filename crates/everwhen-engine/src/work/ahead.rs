//! Memories whose last write is dated in the future, by a clock that was wrong.

use jiff::Timestamp;

use crate::engine::Engine;
use crate::memory::Name;
use crate::ports::{MemorySelection, Snapshot, VaultSelection};
use crate::{Result, limits};

/// A memory that was last written at a time that has not come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AheadMemory {
    /// The name of its vault.
    pub vault: Name,
    /// Its name.
    pub memory: Name,
    /// The creation_time of its last write.
    pub written_at: Timestamp,
    /// What the clock says.
    pub clock: Timestamp,
}

impl std::fmt::Display for AheadMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { vault, memory, written_at, clock } = self;
        write!(
            f,
            "the memory {memory} of the vault {vault} was last written at {written_at}, but the clock says {clock}: \
             it is wrong, or it was; new entries are dated by the clock, and stored ones keep their times"
        )
    }
}

impl Engine {
    /// Memories that were last written later than the clock says, at most [`limits::AHEAD_LISTED`] of them. None
    /// while a part of the store is away.
    pub async fn memories_ahead(&self) -> Result<Vec<AheadMemory>> {
        let clock = self.now();
        match self.store.look(move |rows| ahead(rows, clock)).await {
            Err(error) if self.is_partial(&error) => Ok(Vec::new()),
            found => found,
        }
    }
}

fn ahead(rows: &dyn Snapshot, clock: Timestamp) -> Result<Vec<AheadMemory>> {
    let (after, most) = (clock + limits::CLOCK_SLACK, limits::AHEAD_LISTED);
    let mut found = Vec::new();
    for vault in rows.find_vaults(VaultSelection::WrittenAfter(after, most))? {
        let left = most - found.len();
        let memories = rows.memories(vault.id, MemorySelection::WrittenAfter(after, left))?;
        found.extend(memories.into_iter().map(|memory| AheadMemory {
            vault: vault.name.clone(),
            memory: memory.name,
            written_at: memory.last_creation,
            clock,
        }));
    }
    Ok(found)
}

//! What a store does for facts.

use super::MemoryRef;
use crate::Result;
use crate::facts::Fact;
use crate::memory::{EntryId, FactId, VaultId};

/// Facts, to read.
pub trait FactRows {
    /// A fact, whatever became of it.
    fn fact(&self, memory: MemoryRef, id: FactId) -> Result<Option<Fact>>;
    /// All facts of a memory, by when they were mentioned, then by id.
    fn facts(&self, memory: MemoryRef) -> Result<Vec<Fact>>;
    /// The facts that rest on any of these entries, by when they were mentioned, then by id.
    fn facts_on(&self, memory: MemoryRef, entries: &[EntryId]) -> Result<Vec<Fact>>;
}

/// Facts, to change.
pub trait FactTx {
    /// Adds a fact or replaces what is known of it.
    fn put_fact(&mut self, vault: VaultId, fact: &Fact) -> Result<()>;
    /// Removes facts for good; says how many there were.
    fn remove_facts(&mut self, memory: MemoryRef, facts: &[FactId]) -> Result<u64>;
}

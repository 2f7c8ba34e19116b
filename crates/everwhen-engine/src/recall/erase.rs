//! Erases the vectors that an embedder keeps outside the store.
//!
//! It happens inside the transaction that forgets. If that fails afterwards, the vectors are computed
//! again; they never outlive the text they were made of.

use std::sync::Arc;

use crate::Result;
use crate::index::{Embedders, embedded_passages};
use crate::memory::{Entry, EntryId, Forget, VaultId};
use crate::memory_edit::MemoryEdit;
use crate::ports::{
    ContextSelection, Embedder, EntryQuery, FactSelection, MemoryRef, MemorySelection, Snapshot,
};

/// The number of rows that are read at a time.
const STEP: usize = 1_000;

impl Embedders {
    /// Erases the vectors of a memory or a context document that is about to be forgotten.
    pub(crate) fn erase(&self, edit: &MemoryEdit<'_>, what: &Forget) -> Result<()> {
        let keepers = self.keepers();
        if keepers.is_empty() {
            return Ok(());
        }
        let (snapshot, place) = (edit.tx.snapshot(), edit.place());
        match what {
            Forget::Memory => erase_memory(&keepers, snapshot, place),
            Forget::Context(version) => {
                let versions = ContextSelection::Number(*version);
                let found = snapshot.contexts(place, versions, 1)?;
                let texts: Vec<&str> = found.iter().map(|one| one.content.as_str()).collect();
                keepers.iter().for_each(|keeper| keeper.forget(&texts));
                Ok(())
            }
            // Code that removes entries also erases their vectors.
            Forget::Entry(_) | Forget::Conversation(_) | Forget::Period { .. } => Ok(()),
        }
    }

    /// Erases the vectors of a vault that is about to be forgotten.
    pub(crate) fn erase_vault(&self, snapshot: &dyn Snapshot, vault: VaultId) -> Result<()> {
        let keepers = self.keepers();
        if keepers.is_empty() {
            return Ok(());
        }
        let mut last = None;
        loop {
            let memories = snapshot.memories(vault, MemorySelection::Named(last.as_ref(), STEP))?;
            for memory in &memories {
                erase_memory(&keepers, snapshot, MemoryRef { vault, memory: memory.id })?;
            }
            match memories.last() {
                Some(memory) => last = Some(memory.name.clone()),
                None => return Ok(()),
            }
        }
    }
}

type Keepers = [Arc<dyn Embedder>];

fn erase_memory(keepers: &Keepers, snapshot: &dyn Snapshot, place: MemoryRef) -> Result<()> {
    let mut behind = 0;
    loop {
        let entries = snapshot.entries(place, &EntryQuery::arrived(behind, STEP))?;
        erase_entries(keepers, snapshot, place, &entries)?;
        match entries.last() {
            Some(entry) => behind = entry.sequence,
            None => return Ok(()),
        }
    }
}

/// Erases what was made of entries: of their passages, of the whole of them, which may have been a
/// question, and of the facts that rest on them.
fn erase_entries(
    keepers: &Keepers,
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    entries: &[Entry],
) -> Result<()> {
    let ids: Vec<EntryId> = entries.iter().map(|entry| entry.id).collect();
    let facts = snapshot.facts(place, FactSelection::On(&ids))?;
    let mut texts: Vec<&str> = entries.iter().flat_map(embedded_passages).collect();
    texts.extend(entries.iter().map(|entry| entry.content.as_str()));
    texts.extend(facts.iter().map(|fact| fact.statement.as_str()));
    keepers.iter().for_each(|keeper| keeper.forget(&texts));
    Ok(())
}

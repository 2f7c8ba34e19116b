//! Erases the vectors of texts that another process has forgotten.
//!
//! A server erases what an embedder keeps when it forgets something. Others that use the same store keep
//! vectors of their own, by hashes of texts, and are not told what was forgotten. They look for what is
//! still there, once anything was forgotten since they last did so.

use std::sync::Arc;

use crate::Result;
use crate::engine::Engine;
use crate::index::embedded_passages;
use crate::memory::{Entry, Memory, Name, VaultId, VaultInfo};
use crate::ports::{
    Embedder, EntryQuery, FactSelection, MemoryRef, MemorySelection, Snapshot, Store,
};

/// The number of rows that are read at a time.
const STEP: usize = 1_000;

impl Engine {
    /// Erases vectors that embedders keep of texts that no longer exist, unless nothing was forgotten since
    /// the state in which that was last done. Returns the state.
    pub async fn sweep_vectors(&self, swept: Option<u64>) -> Result<u64> {
        let now = forget_state(&self.store).await?;
        let keepers = self.embedders.keepers();
        if swept == Some(now) || keepers.is_empty() {
            return Ok(now);
        }
        keepers.iter().for_each(|keeper| keeper.begin_sweep());
        for vault in vaults(&self.store).await? {
            note_vault(&self.store, vault.id, &keepers).await?;
        }
        keepers.iter().for_each(|keeper| {
            keeper.end_sweep();
        });
        Ok(now)
    }
}

/// Returns a number that changes whenever anything is forgotten, by any process.
async fn forget_state(store: &Arc<dyn Store>) -> Result<u64> {
    let mut hasher = blake3::Hasher::new();
    for vault in vaults(store).await? {
        let epoch = store.look(move |snapshot| snapshot.forget_epoch(vault.id)).await?;
        hasher.update(&vault.id.bytes()).update(&epoch.to_le_bytes());
    }
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    Ok(u64::from_le_bytes(bytes))
}

async fn vaults(store: &Arc<dyn Store>) -> Result<Vec<VaultInfo>> {
    let mut all: Vec<VaultInfo> = Vec::new();
    loop {
        let last: Option<Name> = all.last().map(|vault| vault.name.clone());
        let some = store.look(move |snapshot| snapshot.vaults(last.as_ref(), STEP)).await?;
        if some.is_empty() {
            return Ok(all);
        }
        all.extend(some);
    }
}

async fn note_vault(
    store: &Arc<dyn Store>,
    vault: VaultId,
    keepers: &[Arc<dyn Embedder>],
) -> Result<()> {
    let mut last: Option<Name> = None;
    loop {
        let after = last.clone();
        let read = move |snapshot: &dyn Snapshot| {
            snapshot.memories(vault, MemorySelection::Named(after.as_ref(), STEP))
        };
        let memories: Vec<Memory> = store.look(read).await?;
        for memory in &memories {
            note_memory(store, MemoryRef { vault, memory: memory.id }, keepers).await?;
        }
        match memories.last() {
            Some(memory) => last = Some(memory.name.clone()),
            None => return Ok(()),
        }
    }
}

async fn note_memory(
    store: &Arc<dyn Store>,
    place: MemoryRef,
    keepers: &[Arc<dyn Embedder>],
) -> Result<()> {
    let note = |texts: &[&str]| keepers.iter().for_each(|keeper| keeper.note_needed(texts));
    let facts = store.look(move |snapshot| snapshot.facts(place, FactSelection::All)).await?;
    note(&facts.iter().map(|fact| fact.statement.as_str()).collect::<Vec<_>>());
    let mut behind = 0;
    loop {
        let query = EntryQuery::arrived(behind, STEP);
        let read = move |snapshot: &dyn Snapshot| snapshot.entries(place, &query);
        let entries: Vec<Entry> = store.look(read).await?;
        note(&entries.iter().flat_map(embedded_passages).collect::<Vec<_>>());
        note(&entries.iter().map(|entry| entry.content.as_str()).collect::<Vec<_>>());
        match entries.last() {
            Some(entry) => behind = entry.sequence,
            None => return Ok(()),
        }
    }
}

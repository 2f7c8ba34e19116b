//! Questions to one memory of a vault, or to all of them.

use super::{MemoryName, Vault, load};
use crate::Result;
use crate::memory::VaultInfo;
use crate::ports::{MemoryRef, Snapshot};
use crate::recall::{self, AskedMemory, Query, Recollection};

/// Memories read at a time.
const STEP: usize = 1_000;

impl Vault {
    /// Answers a question from a memory.
    pub async fn recall(&self, memory: MemoryName, query: Query) -> Result<Recollection> {
        let asked = self.read(memory, |view, memory| {
            Ok((view.vault.clone(), vec![(view.place, memory.name.clone())]))
        });
        let (vault, memories) = asked.await?;
        recall::recall(&self.engine, vault, memories, query).await
    }

    /// Answers a question from all memories.
    pub async fn recall_all(&self, query: Query) -> Result<Recollection> {
        let (id, draft) = (self.id, self.draft.clone());
        let asked = self.engine.store.look(move |snapshot| {
            let vault = load(snapshot, id, draft.as_deref())?;
            Ok((all_memories(snapshot, &vault)?, vault))
        });
        let (memories, vault) = asked.await?;
        recall::recall(&self.engine, vault, memories, query).await
    }
}

fn all_memories(snapshot: &dyn Snapshot, vault: &VaultInfo) -> Result<Vec<AskedMemory>> {
    let mut all: Vec<AskedMemory> = Vec::new();
    loop {
        let last = all.last().map(|(_, name)| name.clone());
        let page = snapshot.memories(vault.id, last.as_ref(), STEP)?;
        if page.is_empty() {
            return Ok(all);
        }
        let asked = |memory: &crate::memory::Memory| {
            (MemoryRef { vault: vault.id, memory: memory.id }, memory.name.clone())
        };
        all.extend(page.iter().map(asked));
    }
}

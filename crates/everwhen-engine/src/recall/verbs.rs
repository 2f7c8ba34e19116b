//! Questions to one memory of a vault, or to all of them.

use std::sync::Arc;

use super::{Query, Recollection, recall};
use crate::conversations::prompt;
use crate::engine::Engine;
use crate::index::{IndexCache, IndexNeed, OpenedMemory};
use crate::memory::{Address, Conversation, Memory, MemoryId, Person, VaultId, VaultInfo};
use crate::ports::{MemoryRef, MemorySelection, Snapshot};
use crate::receipt::{Done, Receipt};
use crate::vault::{Vault, load_both};
use crate::{Error, ErrorKind, Result, limits};

/// The number of memories that are read at a time.
const STEP: usize = 1_000;
/// The number of conversations of other chats that are returned, from as many chats.
const ENDED_CHATS: usize = 2;

impl Vault {
    /// Answers a question from a memory.
    pub async fn recall(&self, memory: Address<MemoryId>, query: Query) -> Result<Recollection> {
        let (opened, vault) = self.open(memory).await?;
        recall(&self.engine, vault, vec![opened], query).await
    }

    async fn open(&self, memory: Address<MemoryId>) -> Result<(OpenedMemory, VaultInfo)> {
        let (address, indexes) = (self.address(), Arc::clone(&self.engine.index_cache));
        let open = move |snapshot: &dyn Snapshot| {
            let (vault, memory) = load_both(snapshot, &address, &memory)?;
            let place = MemoryRef { vault: vault.id, memory: memory.id };
            Ok((indexes.open(snapshot, place, memory)?, vault))
        };
        self.engine.store.peek(open).await
    }

    /// Brings the index of a memory up to date without a question, and builds it if that is needed.
    pub(crate) async fn index(&self, memory: Address<MemoryId>, need: IndexNeed) -> Result<()> {
        let ((opened, _), indexes) = (self.open(memory).await?, &self.engine.index_cache);
        if need == IndexNeed::Build || indexes.contains(opened.place.memory) {
            indexes.up_to_date(self.engine.index_source(), opened).await?;
        }
        Ok(())
    }

    /// Drops the indexes of the vault when something is forgotten, because they hold what was said. They
    /// are built again when needed.
    pub(crate) fn drop_indexes(&self) {
        match self.is_draft() {
            false => self.engine.index_cache.clear_vault(self.id()),
            // Only the store knows which vault a draft has become.
            true => self.engine.index_cache.clear(),
        }
    }

    /// Records that a memory has grown.
    pub(crate) fn note_growth(&self, memory: &Address<MemoryId>, done: &Done) {
        if let Receipt::Entries(receipt) = &done.receipt
            && let Some(last) = receipt.entries.last()
        {
            let place = || (self.address(), memory.clone());
            self.engine.index_cache.record_growth(place, last.sequence, receipt.entries.len());
        }
    }

    /// Answers a question from a chat and from the last active chats of a person. Also returns the
    /// conversations of other chats that ended last, oldest first.
    pub(crate) async fn recall_chats(
        &self,
        own: MemoryId,
        person: Person,
        query: Query,
    ) -> Result<(Recollection, Vec<Conversation>)> {
        let (find, indexes) = (self.finder(), Arc::clone(&self.engine.index_cache));
        let asked = self.engine.store.look(move |snapshot| {
            let vault = find(snapshot)?;
            let mut chats = snapshot
                .memories(vault.id, MemorySelection::ChatsOf(&person, limits::RECALL_CHATS))?;
            if chats.iter().all(|chat| chat.id != own) {
                let own = MemoryRef { vault: vault.id, memory: own };
                chats.extend(snapshot.memory(own)?);
            }
            let ended = ended_elsewhere(snapshot, vault.id, own, &chats)?;
            let open = |memory: Memory| {
                let place = MemoryRef { vault: vault.id, memory: memory.id };
                indexes.open(snapshot, place, memory)
            };
            let opened = chats.into_iter().map(open).collect::<Result<Vec<_>>>()?;
            Ok((opened, ended, vault))
        });
        let (memories, ended, vault) = asked.await?;
        Ok((recall(&self.engine, vault, memories, query).await?, ended))
    }

    /// Answers a question from all memories.
    pub async fn recall_all(&self, query: Query) -> Result<Recollection> {
        let (find, indexes) = (self.finder(), Arc::clone(&self.engine.index_cache));
        let asked = self.engine.store.look(move |snapshot| {
            let vault = find(snapshot)?;
            Ok((open_all(snapshot, &vault, &indexes)?, vault))
        });
        let (memories, vault) = asked.await?;
        recall(&self.engine, vault, memories, query).await
    }
}

impl Engine {
    /// Brings the indexes of memories that have grown up to date, without a question, and makes those
    /// of memories that have grown much. One that cannot be reached hinders no other; the first failure is returned.
    pub async fn index_grown(&self) -> Result<()> {
        let mut done = Ok(());
        for ((vault, memory), need) in self.index_cache.grown() {
            let indexed = async { self.vault(vault).await?.index(memory, need).await }.await;
            // It may have been forgotten meanwhile.
            let is_gone = |error: &Error| error.kind() == ErrorKind::NotFound;
            done = done.and(if indexed.as_ref().is_err_and(is_gone) { Ok(()) } else { indexed });
        }
        done
    }
}

/// Returns the conversations that ended last in chats other than this one, oldest first.
fn ended_elsewhere(
    snapshot: &dyn Snapshot,
    vault: VaultId,
    own: MemoryId,
    chats: &[Memory],
) -> Result<Vec<Conversation>> {
    let mut ended: Vec<Conversation> = Vec::new();
    for chat in chats.iter().filter(|chat| chat.id != own).take(ENDED_CHATS) {
        ended.extend(prompt::ended(snapshot, MemoryRef { vault, memory: chat.id }, None)?);
    }
    ended.sort_by_key(|one| one.ended.as_ref().map(|ended| ended.at));
    Ok(ended.split_off(ended.len().saturating_sub(ENDED_CHATS)))
}

fn open_all(
    snapshot: &dyn Snapshot,
    vault: &VaultInfo,
    indexes: &IndexCache,
) -> Result<Vec<OpenedMemory>> {
    let mut all: Vec<OpenedMemory> = Vec::new();
    loop {
        let last = all.last().map(|opened| opened.memory.name.clone());
        let page = snapshot.memories(vault.id, MemorySelection::Named(last.as_ref(), STEP))?;
        if page.is_empty() {
            return Ok(all);
        }
        for memory in page {
            let place = MemoryRef { vault: vault.id, memory: memory.id };
            all.push(indexes.open(snapshot, place, memory)?);
        }
    }
}

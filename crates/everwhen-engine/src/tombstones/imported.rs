//! What was imported and then forgotten, recognised when a program reads the same file again by itself: a hook of
//! an agent, a followed folder. Who imports a file on purpose gets all of it.

use std::collections::HashSet;

use jiff::Timestamp;

use super::{exists, hash, make_salt, put, salt};
use crate::Result;
use crate::memory::{Chance, Entry, MemoryRef, Name, NewEntry, Provenance, Role, VaultId};
use crate::ports::{EntryQuery, Snapshot, TombstoneKind, TombstoneOwner, Tx, Which};

/// Of a memory that is forgotten whole, the newest entries, up to this many, are kept recognisable.
const NEWEST: u64 = 100_000;

/// What of a memory was imported and forgotten.
pub(crate) struct ForgottenImports<'m> {
    salt: [u8; 32],
    memory: &'m Name,
    hashes: HashSet<[u8; 32]>,
}

impl<'m> ForgottenImports<'m> {
    /// Reads it; `None` if there is nothing.
    pub(crate) fn of(
        snapshot: &dyn Snapshot,
        vault: VaultId,
        memory: &'m Name,
    ) -> Result<Option<Self>> {
        let Some(salt) = salt(snapshot, vault)? else { return Ok(None) };
        if !exists(snapshot, vault, memory_hash(&salt, memory))? {
            return Ok(None);
        }
        let all = snapshot.tombstones(TombstoneOwner::Vault(vault), None)?;
        let hashes = all.into_iter().filter(|row| row.kind == TombstoneKind::Hash);
        Ok(Some(Self { salt, memory, hashes: hashes.map(|row| row.hash).collect() }))
    }

    /// Returns whether an entry of a conversation is among it.
    pub(crate) fn has(&self, conversation: &Name, entry: &NewEntry) -> bool {
        let said = ImportedEntry {
            provenance: entry.provenance.as_deref(),
            conversation: Some(conversation),
            time: entry.conversation_time.unwrap_or_default(),
            role: entry.role,
            content: entry.content.as_str(),
        };
        said.hash(&self.salt, self.memory).is_some_and(|hash| self.hashes.contains(&hash))
    }
}

/// Keeps imported entries that are about to be forgotten recognisable.
pub(crate) fn keep(
    tx: &mut dyn Tx,
    (vault, memory): (VaultId, &Name),
    doomed: &[Entry],
    now: Timestamp,
    chance: &dyn Chance,
) -> Result<()> {
    let imported: Vec<ImportedEntry<'_>> =
        doomed.iter().map(ImportedEntry::of).filter(|said| said.provenance.is_some()).collect();
    if imported.is_empty() {
        return Ok(());
    }
    let salt = make_salt(tx, vault, now, chance)?;
    put(tx, vault, memory_hash(&salt, memory), now)?;
    for hash in imported.iter().filter_map(|said| said.hash(&salt, memory)) {
        put(tx, vault, hash, now)?;
    }
    Ok(())
}

/// Keeps the imported entries of a whole memory that is about to be forgotten recognisable.
pub(crate) fn keep_memory(
    tx: &mut dyn Tx,
    place: MemoryRef,
    now: Timestamp,
    chance: &dyn Chance,
) -> Result<()> {
    let Some(memory) = tx.memory(place)? else { return Ok(()) };
    let mut after = memory.last_sequence.saturating_sub(NEWEST);
    loop {
        let arrived = EntryQuery { which: Which::All, ..EntryQuery::arrived(after, super::STEP) };
        let some = tx.entries(place, &arrived)?;
        let Some(last) = some.last() else { return Ok(()) };
        after = last.sequence;
        keep(tx, (place.vault, &memory.name), &some, now, chance)?;
    }
}

/// What an imported entry is recognised by: its id in its source; without one, its conversation, time, role and text.
struct ImportedEntry<'e> {
    provenance: Option<&'e Provenance>,
    conversation: Option<&'e Name>,
    time: Timestamp,
    role: Role,
    content: &'e str,
}

impl<'e> ImportedEntry<'e> {
    fn of(entry: &'e Entry) -> Self {
        Self {
            provenance: entry.provenance.as_deref(),
            conversation: entry.conversation_name.as_ref(),
            time: entry.conversation_time,
            role: entry.role,
            content: entry.content.as_str(),
        }
    }

    fn hash(&self, salt: &[u8; 32], memory: &Name) -> Option<[u8; 32]> {
        let from = self.provenance?;
        let (memory, source) = (memory.as_str().as_bytes(), from.source.as_str().as_bytes());
        if let Some(id) = &from.source_id {
            return Some(hash(salt, &[b"import id", memory, source, id.as_str().as_bytes()]));
        }
        let time = self.time.as_microsecond().to_le_bytes();
        let (conversation, role) = (self.conversation?.as_str().as_bytes(), self.role.as_str());
        let said = self.content.as_bytes();
        let parts = [b"import", memory, source, conversation, &time, role.as_bytes(), said];
        Some(hash(salt, &parts))
    }
}

/// Says that something of a memory was imported and forgotten.
fn memory_hash(salt: &[u8; 32], memory: &Name) -> [u8; 32] {
    hash(salt, &[b"imports of", memory.as_str().as_bytes()])
}

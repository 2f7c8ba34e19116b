//! What was imported and then forgotten, recognised when a program reads the same file again by itself: a hook of
//! an agent, a followed folder. Who imports a file on purpose gets all of it.
//!
//! It is kept under the name of its memory, because a memory of that name may be made again. As long as the memory
//! is there, it is kept under the memory as well, without a name: when the memory gets another name, what was
//! forgotten before is kept under that name, too.

use jiff::Timestamp;

use super::{exists, hash, make_salt, put, salt};
use crate::Result;
use crate::memory::{Chance, Entry, MemoryRef, Name, NewEntry, Provenance, Role, VaultId};
use crate::ports::{
    EntryQuery, Row, Snapshot, Tombstone, TombstoneKind, TombstoneOwner, Tx, Which,
};

/// Of a memory that is forgotten whole, the newest entries, up to this many, are kept recognisable.
const NEWEST: u64 = 100_000;

/// What of the memories of this name was imported and forgotten.
pub(crate) struct ForgottenImports<'m> {
    vault: VaultId,
    memory: &'m Name,
    salt: [u8; 32],
    /// Whether an earlier version kept some of it.
    has_older: bool,
}

impl<'m> ForgottenImports<'m> {
    /// Finds it; `None` if there is nothing.
    pub(crate) fn of(
        snapshot: &dyn Snapshot,
        vault: VaultId,
        memory: &'m Name,
    ) -> Result<Option<Self>> {
        let Some(salt) = salt(snapshot, vault)? else { return Ok(None) };
        let has_older = exists(snapshot, vault, older_memory_hash(&salt, memory))?;
        let has_any = has_older || exists(snapshot, vault, memory_hash(&salt, memory))?;
        Ok(has_any.then_some(Self { vault, memory, salt, has_older }))
    }

    /// Returns whether an entry of a conversation is among it.
    pub(crate) fn has(
        &self,
        snapshot: &dyn Snapshot,
        conversation: &Name,
        entry: &NewEntry,
    ) -> Result<bool> {
        let said = ImportedEntry {
            provenance: entry.provenance.as_deref(),
            conversation: Some(conversation),
            time: entry.conversation_time.unwrap_or_default(),
            role: entry.role,
            content: entry.content.as_str(),
        };
        let Some(entry) = said.hash(&self.salt, None) else { return Ok(false) };
        if exists(snapshot, self.vault, named_hash(&self.salt, self.memory, entry))? {
            return Ok(true);
        }
        match said.hash(&self.salt, Some(self.memory)).filter(|_| self.has_older) {
            Some(older) => exists(snapshot, self.vault, older),
            None => Ok(false),
        }
    }
}

/// Keeps imported entries of a memory that are about to be forgotten recognisable.
pub(crate) fn keep(
    tx: &mut dyn Tx,
    (place, memory): (MemoryRef, &Name),
    doomed: &[Entry],
    now: Timestamp,
    chance: &dyn Chance,
) -> Result<()> {
    for hash in keep_named(tx, (place.vault, memory), doomed, now, chance)? {
        let row = Tombstone { kind: TombstoneKind::Hash, hash, at: now, period: None };
        tx.put(Row::Tombstone(TombstoneOwner::Memory(place), &row))?;
    }
    Ok(())
}

/// Keeps what was forgotten of a memory recognisable under the name that it gets.
pub(crate) fn keep_renamed(tx: &mut dyn Tx, place: MemoryRef, memory: &Name) -> Result<()> {
    let owner = TombstoneOwner::Memory(place);
    let kept = tx.tombstones(owner, Some((TombstoneKind::Hash, None)))?;
    let (Some(salt), Some(first)) = (salt(tx.snapshot(), place.vault)?, kept.first()) else {
        return Ok(());
    };
    put(tx, place.vault, memory_hash(&salt, memory), first.at)?;
    for row in &kept {
        put(tx, place.vault, named_hash(&salt, memory, row.hash), row.at)?;
    }
    Ok(())
}

/// Keeps entries under the name of their memory, and returns what they are recognised by in any memory.
fn keep_named(
    tx: &mut dyn Tx,
    (vault, memory): (VaultId, &Name),
    doomed: &[Entry],
    now: Timestamp,
    chance: &dyn Chance,
) -> Result<Vec<[u8; 32]>> {
    let imported: Vec<ImportedEntry<'_>> =
        doomed.iter().map(ImportedEntry::of).filter(|said| said.provenance.is_some()).collect();
    if imported.is_empty() {
        return Ok(Vec::new());
    }
    let salt = make_salt(tx, vault, now, chance)?;
    put(tx, vault, memory_hash(&salt, memory), now)?;
    let hashes: Vec<[u8; 32]> = imported.iter().filter_map(|said| said.hash(&salt, None)).collect();
    for hash in &hashes {
        put(tx, vault, named_hash(&salt, memory, *hash), now)?;
    }
    Ok(hashes)
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
        keep_named(tx, (place.vault, &memory.name), &some, now, chance)?;
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

    /// Returns the hash of it, in which earlier versions had the name of the memory.
    fn hash(&self, salt: &[u8; 32], memory: Option<&Name>) -> Option<[u8; 32]> {
        let from = self.provenance?;
        let memory = memory.map_or(&b""[..], |memory| memory.as_str().as_bytes());
        let source = from.source.as_str().as_bytes();
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

/// Says that an entry with this hash was forgotten in a memory of this name.
fn named_hash(salt: &[u8; 32], memory: &Name, entry: [u8; 32]) -> [u8; 32] {
    hash(salt, &[b"imported into", memory.as_str().as_bytes(), &entry])
}

/// Says that something of a memory of this name was imported and forgotten.
fn memory_hash(salt: &[u8; 32], memory: &Name) -> [u8; 32] {
    hash(salt, &[b"imports into", memory.as_str().as_bytes()])
}

/// Says the same of what earlier versions kept.
fn older_memory_hash(salt: &[u8; 32], memory: &Name) -> [u8; 32] {
    hash(salt, &[b"imports of", memory.as_str().as_bytes()])
}

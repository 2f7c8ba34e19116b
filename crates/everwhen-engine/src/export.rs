//! Exporting: a vault as lines, and a memory made of such lines again.
//!
//! An export is one consistent state, read in one visit to the store. What a line says is between the
//! store that writes it and the store that reads it; here it is text.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use crate::memory::{Address, Memory, MemoryId, MemoryRef, Name, Settings, VaultInfo};
use crate::ports::{MemorySelection, Row, Snapshot, Tx};
use crate::time::Zone;
use crate::vault::Vault;
use crate::{Error, Result};

/// Memories that are listed at a time.
const MEMORIES: usize = 500;

/// Takes an export. Methods are called in the order begin, (memory, line…)…, end.
pub trait ExportSink: Send + Sync {
    /// A state of the vault begins. It may begin again, when the store has to read it once more: what
    /// was taken before is void.
    fn begin(&self, vault: &VaultInfo) -> Result<()>;
    /// A memory begins; the one before it is complete.
    fn memory(&self, memory: &Memory) -> Result<()>;
    /// Something that belongs to the memory.
    fn line(&self, line: &str) -> Result<()>;
    /// Everything was given.
    fn end(&self) -> Result<()>;
}

/// The lines of an exported memory, from the first one each time.
pub type ExportedLines =
    Arc<dyn Fn() -> Result<Box<dyn Iterator<Item = Result<String>>>> + Send + Sync>;

/// A memory that was exported.
#[derive(Clone)]
pub struct ExportedMemory {
    /// Its id, which it keeps.
    pub id: MemoryId,
    /// Its name.
    pub name: Name,
    /// Everything that belongs to it.
    pub lines: ExportedLines,
}

/// What is known of a vault that was exported.
#[derive(Debug, Clone)]
pub struct ExportedVault {
    /// What it is for.
    pub description: Option<String>,
    /// Its zone.
    pub zone: Zone,
    /// Its rules.
    pub settings: Settings,
    /// When it was made.
    pub creation_time: Timestamp,
}

/// What became of an exported memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restored {
    /// It is here again, with this number of lines.
    Stored(u64),
    /// It was here already, and stays as it is.
    Known,
}

impl Vault {
    /// Gives everything of the vault, or of one of its memories, to a sink.
    pub async fn export(
        &self,
        memory: Option<Address<MemoryId>>,
        sink: Arc<dyn ExportSink>,
    ) -> Result<()> {
        let find = self.finder();
        let export = move |snapshot: &dyn Snapshot| {
            let vault = find(snapshot)?;
            let memories = match &memory {
                Some(address) => vec![crate::vault::load_memory(snapshot, vault.id, address)?],
                None => all_memories(snapshot, &vault)?,
            };
            sink.begin(&vault)?;
            for memory in &memories {
                sink.memory(memory)?;
                let place = MemoryRef { vault: vault.id, memory: memory.id };
                snapshot.memory_lines(place, &mut |line| sink.line(line))?;
            }
            sink.end()
        };
        self.engine().store.look(export).await
    }

    /// Makes a memory of what was exported, in one transaction, with its ids and times. One with its id
    /// stays as it is; one with its name is not replaced.
    pub async fn restore_memory(&self, exported: ExportedMemory) -> Result<Restored> {
        let outcome = Arc::new(Mutex::new(Restored::Known));
        let slot = Arc::clone(&outcome);
        self.write_rows(move |tx, vault| {
            let place = MemoryRef { vault, memory: exported.id };
            let restored = restore(tx, place, &exported)?;
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = restored;
            Ok(())
        })
        .await?;
        Ok(*outcome.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Gives a vault without memories the description, zone, rules and creation time it had when it was
    /// exported; another vault stays as it is.
    pub async fn restore_about(&self, about: ExportedVault) -> Result<()> {
        self.write_rows(move |tx, id| {
            let found = tx.vault(id)?;
            let is_empty = tx.memories(id, MemorySelection::Named(None, 1))?.is_empty();
            match found.filter(|_| is_empty) {
                Some(VaultInfo { id, name, .. }) => {
                    let ExportedVault { description, zone, settings, creation_time } =
                        about.clone();
                    let vault = VaultInfo { id, name, description, zone, settings, creation_time };
                    tx.put(Row::Vault(&vault))
                }
                None => Ok(()),
            }
        })
        .await
    }
}

fn all_memories(snapshot: &dyn Snapshot, vault: &VaultInfo) -> Result<Vec<Memory>> {
    let mut all: Vec<Memory> = Vec::new();
    loop {
        let after = all.last().map(|memory| memory.name.clone());
        let next = MemorySelection::Named(after.as_ref(), MEMORIES);
        let found = snapshot.memories(vault.id, next)?;
        let is_last = found.len() < MEMORIES;
        all.extend(found);
        if is_last {
            return Ok(all);
        }
    }
}

fn restore(tx: &mut dyn Tx, place: MemoryRef, exported: &ExportedMemory) -> Result<Restored> {
    if tx.memory(place)?.is_some() {
        return Ok(Restored::Known);
    }
    let name = &exported.name;
    if tx.memory_named(place.vault, name)?.is_some() {
        return Err(Error::conflict(format!(
            "a memory named {name:?} exists already and is another one; rename it, or import into another vault"
        )));
    }
    let mut count = 0;
    for line in (exported.lines)()? {
        tx.restore_line(place, &line?).map_err(|error| at_line(error, count))?;
        count += 1;
    }
    match tx.memory(place)? {
        Some(memory) if memory.name == *name => Ok(Restored::Stored(count)),
        _ => {
            Err(Error::invalid(format!("the export has no line about the memory {name:?} itself")))
        }
    }
}

fn at_line(error: Error, line: u64) -> Error {
    error.at(format!("line {} of the memory", line + 1))
}

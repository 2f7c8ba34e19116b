//! Opening vaults and memories: found by id or name, or made by their first write.

use super::MemoryName;
use super::find::find_vault;
use crate::engine::{World, make_vault};
use crate::memory::{Address, Memory, MemoryId, Mint, Name, VaultId, VaultInfo};
use crate::memory_edit::{MemoryEdit, find_memory, fresh_memory};
use crate::ports::{Snapshot, Tx};
use crate::{Error, ErrorKind, Result};

/// What to do about a memory that does not exist.
#[derive(Clone, Copy)]
pub(crate) enum Absent {
    Make,
    Refuse,
}

/// Opens a memory for change; one that is named but does not exist may be made.
pub(super) fn open_edit<'t>(
    tx: &'t mut dyn Tx,
    vault: VaultInfo,
    memory: &MemoryName,
    absent: Absent,
    world: &'t World,
) -> Result<MemoryEdit<'t>> {
    let found = find_memory(tx.snapshot(), vault.id, memory)?;
    let is_new = found.is_none();
    let memory = match (found, absent, memory) {
        (Some(found), _, _) => found,
        (None, Absent::Make, Address::Name(name)) => new_memory(world, name.clone())?,
        (None, _, address) => return Err(no_memory(address)),
    };
    let mut edit = MemoryEdit::new(tx, vault, memory, world.now(), &*world.chance);
    edit.is_new = is_new;
    Ok(edit)
}

fn no_memory(address: &MemoryName) -> Error {
    Error::not_found(format!("memory not found: {address}"))
}

/// The vault with this id.
pub(super) fn load_vault(snapshot: &dyn Snapshot, id: VaultId) -> Result<VaultInfo> {
    snapshot.vault(id)?.ok_or_else(|| Error::not_found(format!("vault not found: {id}")))
}

/// The vault by its id, or by the name of its draft.
pub(super) fn load(
    snapshot: &dyn Snapshot,
    id: VaultId,
    draft: Option<&VaultInfo>,
) -> Result<VaultInfo> {
    let Some(draft) = draft else { return load_vault(snapshot, id) };
    let found = snapshot.vault_named(&draft.name)?;
    found.ok_or_else(|| Error::not_found(format!("vault not found: {}", draft.name)))
}

/// The vault, made from its draft if this is its first write and no other process was faster.
pub(super) fn load_or_make_vault(
    tx: &mut dyn Tx,
    id: VaultId,
    draft: Option<&VaultInfo>,
) -> Result<VaultInfo> {
    match (load(tx.snapshot(), id, draft), draft) {
        (Err(error), Some(draft)) if error.kind() == ErrorKind::NotFound => make_vault(tx, draft),
        (found, _) => found,
    }
}

/// The memory at this address.
pub(crate) fn load_memory(
    snapshot: &dyn Snapshot,
    vault: VaultId,
    address: &MemoryName,
) -> Result<Memory> {
    find_memory(snapshot, vault, address)?.ok_or_else(|| no_memory(address))
}

/// The vault and the memory at these addresses.
pub(crate) fn load_both(
    snapshot: &dyn Snapshot,
    vault: &Address<VaultId>,
    memory: &MemoryName,
) -> Result<(VaultInfo, Memory)> {
    let (info, found) = match snapshot.vault_and_memory(vault, memory)? {
        Some((info, found)) => (info, found),
        None => {
            let info = find_vault(snapshot, vault)?;
            (info.ok_or_else(|| Error::not_found(format!("vault not found: {vault}")))?, None)
        }
    };
    // The name may be stored in another form.
    let found =
        found.map_or_else(|| find_memory(snapshot, info.id, memory), |one| Ok(Some(one)))?;
    Ok((info, found.ok_or_else(|| no_memory(memory))?))
}

/// A memory that is about to be made.
pub(super) fn new_memory(world: &World, name: Name) -> Result<Memory> {
    let name = name.for_new("memory", MemoryId::PREFIX)?;
    let now = world.now();
    Ok(fresh_memory(Mint::new(now, &*world.chance).id(), name, now))
}

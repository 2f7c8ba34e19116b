//! Vaults and memories: make and list.

use everwhen::memory::Address;
use everwhen::receipt::Receipt;
use everwhen::{Error, MemoryChange, Result, limits};

use crate::mcp::guest::Guest;
use crate::mcp::tool::{Effect, Tool};
use crate::mcp::wire;

/// A new vault.
pub(crate) struct CreateVault;

impl Tool for CreateVault {
    type Takes = wire::CreateVault;
    type Gives = wire::VaultTold;
    const NAME: &'static str = "create_vault";
    const TITLE: &'static str = "Create vault";
    const ABOUT: &'static str = "Make a vault: one owner's memories, kept apart from all others.";
    const EFFECT: Effect = Effect::Adds;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        guest.over_all_vaults()?;
        let done = guest.door.engine.create_vault(takes.read()?, None).await?;
        let Receipt::Vault(id) = done.receipt else { return Err(wrong_receipt()) };
        Ok(guest.door.engine.vault(Address::Id(id)).await?.info().await?.into())
    }
}

/// All vaults the caller may hold.
pub(crate) struct ListVaults;

impl Tool for ListVaults {
    type Takes = wire::ListVaults;
    type Gives = wire::VaultsTold;
    const NAME: &'static str = "list_vaults";
    const TITLE: &'static str = "List vaults";
    const ABOUT: &'static str = "List the vaults there are.";
    const EFFECT: Effect = Effect::Reads;

    async fn call(guest: Guest, _: Self::Takes) -> Result<Self::Gives> {
        let vaults = match guest.only_vault() {
            Some(own) => vec![guest.door.engine.vault(Address::Id(own)).await?.info().await?],
            None => guest.door.engine.vaults(None, limits::PAGE_ROWS).await?,
        };
        Ok(wire::VaultsTold { vaults: vaults.into_iter().map(wire::VaultTold::from).collect() })
    }
}

/// A new memory.
pub(crate) struct CreateMemoryInVault;

impl Tool for CreateMemoryInVault {
    type Takes = wire::CreateMemory;
    type Gives = wire::MemoryTold;
    const NAME: &'static str = "create_memory_in_vault";
    const TITLE: &'static str = "Create memory in vault";
    const ABOUT: &'static str = "Make a memory: one continuing relationship, such as a project or \
        a person. The first add_entry makes one too.";
    const EFFECT: Effect = Effect::Adds;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        let named = takes.vault.clone();
        let vault = guest.vault_to_write(named.as_deref()).await?;
        let (name, description) = takes.read()?;
        let about = MemoryChange { description, ..MemoryChange::default() };
        let done = vault.create_memory(name, about, None).await?;
        let Receipt::Memory(id) = done.receipt else { return Err(wrong_receipt()) };
        let vault = guest.vault(named.as_deref()).await?;
        Ok(vault.memory(Address::Id(id)).await?.into())
    }
}

/// All memories of a vault.
pub(crate) struct ListMemories;

impl Tool for ListMemories {
    type Takes = wire::ListMemories;
    type Gives = wire::MemoriesTold;
    const NAME: &'static str = "list_memories";
    const TITLE: &'static str = "List memories";
    const ABOUT: &'static str = "List the memories of a vault, by name.";
    const EFFECT: Effect = Effect::Reads;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        let vault = guest.vault(takes.vault.as_deref()).await?;
        let page = vault.memories(None, Some(limits::PAGE_ROWS)).await?;
        let memories = page.data.into_iter().map(wire::MemoryTold::from).collect();
        Ok(wire::MemoriesTold { memories })
    }
}

fn wrong_receipt() -> Error {
    Error::damaged("the receipt is that of another kind of write")
}

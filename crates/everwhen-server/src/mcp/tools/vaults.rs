//! Tools for vaults and memories: create and list.

use everwhen::memory::Address;
use everwhen::receipt::Receipt;
use everwhen::{Error, MemoryChange, Result, limits};

use crate::mcp::call::ToolCall;
use crate::mcp::tool::{Tool, ToolEffect};
use crate::mcp::wire;

/// Creates a vault.
pub(crate) struct CreateVaultTool;

impl Tool for CreateVaultTool {
    type Input = wire::CreateVault;
    type Output = wire::VaultOutput;
    const NAME: &'static str = "create_vault";
    const TITLE: &'static str = "Create vault";
    const DESCRIPTION: &'static str =
        "Make a vault: one owner's memories, kept apart from all others.";
    const EFFECT: ToolEffect = ToolEffect::Adds;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        call.over_all_vaults()?;
        let done = call.state.engine.create_vault(input.read()?, None).await?;
        let Receipt::Vault(id) = done.receipt else { return Err(wrong_receipt()) };
        Ok(call.state.engine.vault(Address::Id(id)).await?.info().await?.into())
    }
}

/// Lists the vaults that the caller may use.
pub(crate) struct ListVaultsTool;

impl Tool for ListVaultsTool {
    type Input = wire::ListVaults;
    type Output = wire::VaultsOutput;
    const NAME: &'static str = "list_vaults";
    const TITLE: &'static str = "List vaults";
    const DESCRIPTION: &'static str = "List the vaults there are.";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(call: ToolCall, _: Self::Input) -> Result<Self::Output> {
        let vaults = match call.only_vault() {
            Some(own) => vec![call.state.engine.vault(Address::Id(own)).await?.info().await?],
            None => call.state.engine.vaults(None, limits::PAGE_ROWS).await?,
        };
        Ok(wire::VaultsOutput { vaults: vaults.into_iter().map(wire::VaultOutput::from).collect() })
    }
}

/// Creates a memory.
pub(crate) struct CreateMemoryInVaultTool;

impl Tool for CreateMemoryInVaultTool {
    type Input = wire::CreateMemory;
    type Output = wire::MemoryOutput;
    const NAME: &'static str = "create_memory_in_vault";
    const TITLE: &'static str = "Create memory in vault";
    const DESCRIPTION: &'static str = "Make a memory: one continuing relationship, such as a project or \
        a person. The first add_entry makes one too.";
    const EFFECT: ToolEffect = ToolEffect::Adds;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let named = input.vault.clone();
        let vault = call.vault_to_write(named.as_deref()).await?;
        let (name, description) = input.read()?;
        let about = MemoryChange { description, ..MemoryChange::default() };
        let done = vault.create_memory(name, about, None).await?;
        let Receipt::Memory(id) = done.receipt else { return Err(wrong_receipt()) };
        let vault = call.vault(named.as_deref()).await?;
        Ok(vault.memory(Address::Id(id)).await?.into())
    }
}

/// Returns one memory.
pub(crate) struct GetMemoryTool;

impl Tool for GetMemoryTool {
    type Input = wire::GetMemory;
    type Output = wire::MemoryDetails;
    const NAME: &'static str = "get_memory";
    const TITLE: &'static str = "Get memory";
    const DESCRIPTION: &'static str =
        "Read what is known of a memory: its vault, when it was made, how much it holds.";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        Ok(wire::MemoryDetails::write(vault.memory(memory).await?, vault.id()))
    }
}

/// Lists the memories of a vault.
pub(crate) struct ListMemoriesTool;

impl Tool for ListMemoriesTool {
    type Input = wire::ListMemories;
    type Output = wire::MemoriesOutput;
    const NAME: &'static str = "list_memories";
    const TITLE: &'static str = "List memories";
    const DESCRIPTION: &'static str = "List the memories of a vault, by name.";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let vault = call.vault(input.vault.as_deref()).await?;
        let page = vault.memories(None, Some(limits::PAGE_ROWS)).await?;
        let memories = page.data.into_iter().map(wire::MemoryOutput::from).collect();
        Ok(wire::MemoriesOutput { memories })
    }

    fn nothing_yet() -> Option<Self::Output> {
        Some(wire::MemoriesOutput { memories: Vec::new() })
    }
}

fn wrong_receipt() -> Error {
    Error::damaged("the receipt is that of another kind of write")
}

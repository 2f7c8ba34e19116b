//! Tools for entries: add, list, get, correct.

use everwhen::receipt::{Done, Receipt};
use everwhen::{Error, Result};

use crate::mcp::call::ToolCall;
use crate::mcp::tool::{Tool, ToolEffect};
use crate::mcp::wire;

/// Records one message.
pub(crate) struct AddEntryTool;

impl Tool for AddEntryTool {
    type Input = wire::AddEntry;
    type Output = wire::EntryStored;
    const NAME: &'static str = "add_entry";
    const TITLE: &'static str = "Add entry";
    const DESCRIPTION: &'static str = "Record one message in memory. Call once for each user message and \
        each reply. For something said earlier, give conversation_time; otherwise it is now.";
    const EFFECT: ToolEffect = ToolEffect::Adds;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault_to_write(input.vault.as_deref()).await?;
        let (entry, once) = input.read()?;
        let done = vault.remember(memory, vec![entry], once).await?;
        stored(&call, done)
    }
}

/// Lists entries by time.
pub(crate) struct ListEntriesTool;

impl Tool for ListEntriesTool {
    type Input = wire::ListEntries;
    type Output = wire::EntriesOutput;
    const NAME: &'static str = "list_entries";
    const TITLE: &'static str = "List entries";
    const DESCRIPTION: &'static str = "List entries with their whole texts by conversation_time. To find \
        something by its meaning, use search_memories.";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        let (conversation, query) = input.read()?;
        let page = vault.entries(memory, conversation, query).await?;
        Ok(wire::EntriesOutput::write(page, vault.id()))
    }

    fn nothing_yet() -> Option<Self::Output> {
        Some(wire::EntriesOutput::default())
    }
}

/// Returns one entry.
pub(crate) struct GetEntryTool;

impl Tool for GetEntryTool {
    type Input = wire::GetEntry;
    type Output = wire::EntryOutput;
    const NAME: &'static str = "get_entry";
    const TITLE: &'static str = "Get entry";
    const DESCRIPTION: &'static str = "Read one entry whole, also one that was corrected.";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        Ok(wire::EntryOutput::write(vault.entry(memory, input.read()?).await?, vault.id()))
    }
}

/// Corrects an entry.
pub(crate) struct CorrectEntryTool;

impl Tool for CorrectEntryTool {
    type Input = wire::CorrectEntry;
    type Output = wire::EntryStored;
    const NAME: &'static str = "correct_entry";
    const TITLE: &'static str = "Correct entry";
    const DESCRIPTION: &'static str = "Replace an entry that was recorded wrongly. It keeps its \
        conversation_time; the old text stays visible as of earlier times.";
    const EFFECT: ToolEffect = ToolEffect::Adds;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        let (entry, correction) = input.read()?;
        stored(&call, vault.correct(memory, entry, correction, None).await?)
    }
}

/// Changes the tags of an entry.
pub(crate) struct SetTagsTool;

impl Tool for SetTagsTool {
    type Input = wire::SetTags;
    type Output = wire::EntryOutput;
    const NAME: &'static str = "set_tags";
    const TITLE: &'static str = "Set tags";
    const DESCRIPTION: &'static str = "Give an entry other tags, in place of those it has. Its id, text \
        and times stay.";
    const EFFECT: ToolEffect = ToolEffect::Sets;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        let (entry, tags) = input.read()?;
        vault.set_tags(memory.clone(), entry, tags, None).await?;
        Ok(wire::EntryOutput::write(vault.entry(memory, entry).await?, vault.id()))
    }
}

/// The receipt of one entry.
fn stored(call: &ToolCall, done: Done) -> Result<wire::EntryStored> {
    let wrong = || Error::damaged("the receipt is that of another kind of write");
    let Receipt::Entries(receipt) = done.receipt else { return Err(wrong()) };
    if !done.replayed {
        call.state.metrics.remembered(receipt.entries.len());
    }
    receipt.entries.into_iter().next().map(wire::EntryStored::from).ok_or_else(wrong)
}

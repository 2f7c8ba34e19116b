//! Entries: add, list, look, correct.

use everwhen::receipt::{Done, Receipt};
use everwhen::{Error, Result};

use crate::mcp::guest::Guest;
use crate::mcp::tool::{Effect, Tool};
use crate::mcp::wire;

/// Records one message.
pub(crate) struct AddEntry;

impl Tool for AddEntry {
    type Takes = wire::AddEntry;
    type Gives = wire::EntryStored;
    const NAME: &'static str = "add_entry";
    const TITLE: &'static str = "Add entry";
    const ABOUT: &'static str = "Record one message in memory. Call once for each user message and \
        each reply. For something said earlier, give conversation_time; otherwise it is now.";
    const EFFECT: Effect = Effect::Adds;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        let memory = guest.memory(takes.memory.as_deref())?;
        let vault = guest.vault_to_write(takes.vault.as_deref()).await?;
        let (entry, once) = takes.read()?;
        let done = vault.remember(memory, vec![entry], once).await?;
        stored(&guest, done)
    }
}

/// Entries by time.
pub(crate) struct ListEntries;

impl Tool for ListEntries {
    type Takes = wire::ListEntries;
    type Gives = wire::EntriesTold;
    const NAME: &'static str = "list_entries";
    const TITLE: &'static str = "List entries";
    const ABOUT: &'static str = "List entries with their whole texts by conversation_time. To find \
        something by its meaning, use search_memories.";
    const EFFECT: Effect = Effect::Reads;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        let memory = guest.memory(takes.memory.as_deref())?;
        let vault = guest.vault(takes.vault.as_deref()).await?;
        let (conversation, query) = takes.read()?;
        Ok(vault.entries(memory, conversation, query).await?.into())
    }
}

/// One entry.
pub(crate) struct GetEntry;

impl Tool for GetEntry {
    type Takes = wire::GetEntry;
    type Gives = wire::EntryTold;
    const NAME: &'static str = "get_entry";
    const TITLE: &'static str = "Get entry";
    const ABOUT: &'static str = "Read one entry whole, also one that was corrected.";
    const EFFECT: Effect = Effect::Reads;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        let memory = guest.memory(takes.memory.as_deref())?;
        let vault = guest.vault(takes.vault.as_deref()).await?;
        Ok(vault.entry(memory, takes.read()?).await?.into())
    }
}

/// Puts an entry right.
pub(crate) struct CorrectEntry;

impl Tool for CorrectEntry {
    type Takes = wire::CorrectEntry;
    type Gives = wire::EntryStored;
    const NAME: &'static str = "correct_entry";
    const TITLE: &'static str = "Correct entry";
    const ABOUT: &'static str = "Replace an entry that was recorded wrongly. It keeps its \
        conversation_time; the old text stays visible as of earlier times.";
    const EFFECT: Effect = Effect::Adds;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        let memory = guest.memory(takes.memory.as_deref())?;
        let vault = guest.vault(takes.vault.as_deref()).await?;
        let (entry, correction) = takes.read()?;
        stored(&guest, vault.correct(memory, entry, correction, None).await?)
    }
}

/// The receipt of one entry.
fn stored(guest: &Guest, done: Done) -> Result<wire::EntryStored> {
    let wrong = || Error::damaged("the receipt is that of another kind of write");
    let Receipt::Entries(receipt) = done.receipt else { return Err(wrong()) };
    if !done.replayed {
        guest.door.tally.remembered(receipt.entries.len());
    }
    receipt.entries.into_iter().next().map(wire::EntryStored::from).ok_or_else(wrong)
}

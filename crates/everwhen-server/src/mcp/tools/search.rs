//! Recall, as a tool.

use everwhen::Result;

use crate::mcp::guest::Guest;
use crate::mcp::tool::{Effect, Tool};
use crate::mcp::wire;

/// Answers a question from memory.
pub(crate) struct SearchMemories;

impl Tool for SearchMemories {
    type Takes = wire::SearchMemories;
    type Gives = wire::SearchTold;
    const NAME: &'static str = "search_memories";
    const TITLE: &'static str = "Search memories";
    const ABOUT: &'static str = "Find what was said, by meaning and by time. Use before answering \
        anything that may have come up before. Time words (\"last Tuesday\", \"in March\") count \
        from asked_at and are said back in about; after and before always filter.";
    const EFFECT: Effect = Effect::Reads;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        let memory = guest.memory(takes.memory.as_deref())?;
        let vault = guest.vault(takes.vault.as_deref()).await?;
        let (query, include_raw) = takes.read()?;
        Ok(wire::SearchTold::write(vault.recall(memory, query).await?, include_raw))
    }
}

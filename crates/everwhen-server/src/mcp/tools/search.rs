//! The tool for recall.

use everwhen::Result;

use crate::mcp::call::ToolCall;
use crate::mcp::tool::{Tool, ToolEffect};
use crate::mcp::wire;

/// Answers a question from memory.
pub(crate) struct SearchMemoriesTool;

impl Tool for SearchMemoriesTool {
    type Input = wire::SearchMemories;
    type Output = wire::SearchOutput;
    const NAME: &'static str = "search_memories";
    const TITLE: &'static str = "Search memories";
    const DESCRIPTION: &'static str = "Find what was said, by meaning and by time. Use before answering \
        anything that may have come up before. Time words (\"last Tuesday\", \"in March\") count \
        from asked_at and are said back in about; after and before always filter.";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        let (query, include_raw) = input.read()?;
        Ok(wire::SearchOutput::write(vault.recall(memory, query).await?, include_raw))
    }

    fn nothing_yet() -> Option<Self::Output> {
        Some(wire::SearchOutput::nothing_yet())
    }
}

//! The tool that lists facts.

use everwhen::Result;

use crate::mcp::call::ToolCall;
use crate::mcp::tool::{Tool, ToolEffect};
use crate::mcp::wire;

/// Lists dated facts by month.
pub(crate) struct ListFactsTool;

impl Tool for ListFactsTool {
    type Input = wire::ListFacts;
    type Output = wire::FactsOutput;
    const NAME: &'static str = "list_facts";
    const TITLE: &'static str = "List facts";
    const DESCRIPTION: &'static str = "What is known about the user or project: short statements, each \
        with the day it was mentioned, by month. about: what held then; as_of: what was believed \
        then.";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        let page = vault.facts(memory, input.read()?).await?;
        Ok(wire::FactsOutput::write(page, &vault.info().await?.zone))
    }
}

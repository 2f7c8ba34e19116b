//! Tools for facts: list, profile, pin, correct, remove.

use everwhen::receipt::{Done, Receipt};
use everwhen::{Error, Result};

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

    fn nothing_yet() -> Option<Self::Output> {
        Some(wire::FactsOutput::default())
    }
}

/// Lists present values.
pub(crate) struct GetProfileTool;

impl Tool for GetProfileTool {
    type Input = wire::GetProfile;
    type Output = wire::ProfileOutput;
    const NAME: &'static str = "get_profile";
    const TITLE: &'static str = "Get profile";
    const DESCRIPTION: &'static str =
        "The present values of what is known, such as home, medication or weight, newest first.";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        Ok(wire::ProfileOutput::write(vault.profile(memory, input.read()?).await?))
    }

    fn nothing_yet() -> Option<Self::Output> {
        Some(wire::ProfileOutput::default())
    }
}

/// Pins a fact.
pub(crate) struct PinFactTool;

impl Tool for PinFactTool {
    type Input = wire::PinFact;
    type Output = wire::FactChanged;
    const NAME: &'static str = "pin_fact";
    const TITLE: &'static str = "Pin fact";
    const DESCRIPTION: &'static str =
        "Pin a fact so that it is listed first in every list and briefing, or unpin it.";
    const EFFECT: ToolEffect = ToolEffect::Adds;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        let (fact, pinned) = input.read()?;
        changed(vault.pin_fact(memory, fact, pinned, None).await?)
    }
}

/// Corrects a fact.
pub(crate) struct CorrectFactTool;

impl Tool for CorrectFactTool {
    type Input = wire::CorrectFact;
    type Output = wire::FactChanged;
    const NAME: &'static str = "correct_fact";
    const TITLE: &'static str = "Correct fact";
    const DESCRIPTION: &'static str = "Replace a fact that is wrong with the user's own words. It \
        keeps its date and stays whatever is distilled later.";
    const EFFECT: ToolEffect = ToolEffect::Adds;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        let (fact, correction) = input.read()?;
        changed(vault.correct_fact(memory, fact, correction, None).await?)
    }
}

/// Removes a fact.
pub(crate) struct RemoveFactTool;

impl Tool for RemoveFactTool {
    type Input = wire::RemoveFact;
    type Output = wire::FactChanged;
    const NAME: &'static str = "remove_fact";
    const TITLE: &'static str = "Remove fact";
    const DESCRIPTION: &'static str = "Remove a fact that is wrong. It does not come back from the same \
        words; what was said stays.";
    const EFFECT: ToolEffect = ToolEffect::Removes;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        changed(vault.remove_fact(memory, input.read()?, None).await?)
    }
}

fn changed(done: Done) -> Result<wire::FactChanged> {
    match done.receipt {
        Receipt::Fact(id) => Ok(wire::FactChanged { fact_id: id.to_string() }),
        _ => Err(Error::damaged("the receipt is that of another kind of write")),
    }
}

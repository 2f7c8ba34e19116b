//! Tools for the timeline and for the time between two dates.

use everwhen::Result;

use crate::mcp::call::ToolCall;
use crate::mcp::tool::{Tool, ToolEffect};
use crate::mcp::wire::{self, TimelineRequest};

/// Returns dated lines, oldest first.
pub(crate) struct GetTimelineTool;

impl Tool for GetTimelineTool {
    type Input = wire::GetTimeline;
    type Output = wire::TimelineOutput;
    const NAME: &'static str = "get_timeline";
    const TITLE: &'static str = "Get timeline";
    const DESCRIPTION: &'static str = "What the user said, one dated line each, oldest first, with the \
        days between lines. Use for questions of order, first or last times, and how long ago.";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        Ok(match input.read()? {
            TimelineRequest::Everything(query) => vault.timeline(memory, query).await?.into(),
            TimelineRequest::About(query) => vault.timeline_about(memory, query).await?.into(),
        })
    }

    fn nothing_yet() -> Option<Self::Output> {
        Some(wire::TimelineOutput::default())
    }
}

/// Returns the time between two dates.
pub(crate) struct TimeBetweenTool;

impl Tool for TimeBetweenTool {
    type Input = wire::TimeBetween;
    type Output = wire::BetweenOutput;
    const NAME: &'static str = "time_between";
    const TITLE: &'static str = "Time between";
    const DESCRIPTION: &'static str = "The exact time between two entries or dates, on the calendar of \
        the vault's time zone. Use instead of subtracting dates.";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        Ok(vault.time_between(memory, &input.from, &input.to).await?.into())
    }
}

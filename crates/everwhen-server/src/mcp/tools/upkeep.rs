//! Tools for forgetting, for waiting until background work is done, and for the prompt texts.

use std::time::Duration;

use everwhen::job::{Job, JobState};
use everwhen::memory::Address;
use everwhen::receipt::Receipt;
use everwhen::{Error, Result};

use crate::mcp::call::ToolCall;
use crate::mcp::prompts;
use crate::mcp::tool::{Tool, ToolEffect};
use crate::mcp::wire;

/// Removes something permanently.
pub(crate) struct ForgetTool;

impl Tool for ForgetTool {
    type Input = wire::ForgetRequest;
    type Output = wire::Forgotten;
    const NAME: &'static str = "forget";
    const TITLE: &'static str = "Forget";
    const DESCRIPTION: &'static str = "Remove an entry, a conversation, a period or a version of the \
        context document permanently. It cannot be undone; only at the user's express wish. To put \
        something right, use correct_entry.";
    const EFFECT: ToolEffect = ToolEffect::Removes;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        match call.state.forget(&vault, memory, input.read()?, None).await?.receipt {
            Receipt::Forgotten(removed) => Ok(removed.into()),
            _ => Err(Error::damaged("the receipt is that of another kind of write")),
        }
    }
}

/// Waits until background work has caught up.
pub(crate) struct AwaitConsistencyTool;

/// Maximum wait.
const PATIENCE: Duration = Duration::from_secs(10);
/// Polling interval.
const LOOK: Duration = Duration::from_millis(50);

impl Tool for AwaitConsistencyTool {
    type Input = wire::AwaitConsistency;
    type Output = wire::Consistent;
    const NAME: &'static str = "await_consistency";
    const TITLE: &'static str = "Await consistency";
    const DESCRIPTION: &'static str = "Wait until background work on a memory is done, at most ten \
        seconds. What add_entry acknowledged can be found at once, without this.";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let address = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        let memory = Address::Id(vault.memory(address).await?.id);
        let mut waited = Duration::ZERO;
        loop {
            let now = call.state.engine.now();
            let jobs = vault.jobs(memory.clone()).await?;
            let is_due = |job: &&Job| job.due_at <= now && job.state != JobState::SetAside;
            let due = jobs.iter().filter(is_due);
            match due.count() {
                0 => return Ok(wire::Consistent { status: "consistent", jobs: 0 }),
                jobs if waited >= PATIENCE => {
                    return Ok(wire::Consistent { status: "working", jobs });
                }
                _ => tokio::time::sleep(LOOK).await,
            }
            waited += LOOK;
        }
    }
}

/// Returns the texts of the prompts, for agents that cannot request prompts.
pub(crate) struct GetDefaultPromptsTool;

impl Tool for GetDefaultPromptsTool {
    type Input = wire::GetDefaultPrompts;
    type Output = wire::DefaultPrompts;
    const NAME: &'static str = "get_default_prompts";
    const TITLE: &'static str = "Get default prompts";
    const DESCRIPTION: &'static str = "The rules for recording entries, building the context document, \
        recalling and looking back at past conversations.";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(_: ToolCall, _: Self::Input) -> Result<Self::Output> {
        Ok(wire::DefaultPrompts {
            instructions: prompts::INSTRUCTIONS,
            capture_entries: prompts::CAPTURE_ENTRIES,
            build_context: prompts::BUILD_CONTEXT,
            recall: prompts::RECALL,
            retrospect: prompts::RETROSPECT,
        })
    }
}

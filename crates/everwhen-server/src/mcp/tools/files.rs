//! Files that a model keeps for itself: Anthropic's memory tool for any client.

use everwhen::{Error, Result};

use crate::mcp::call::ToolCall;
use crate::mcp::tool::{Tool, ToolEffect, ToolEntry};
use crate::mcp::wire;
use crate::wire::memory_tool::{FILES_MEMORY, FileCommandInput};

/// The only tool of the profile.
pub(crate) fn all() -> Vec<ToolEntry> {
    vec![ToolEntry::of::<MemoryFilesTool>()]
}

/// Runs a command on files.
struct MemoryFilesTool;

impl Tool for MemoryFilesTool {
    type Input = FileCommandInput;
    type Output = wire::FileCommandOutput;
    const NAME: &'static str = "memory";
    const TITLE: &'static str = "Memory files";
    const DESCRIPTION: &'static str = "Keep notes in files below /memories, across conversations. View \
        /memories before you start, record progress and what you learn. Every version is kept with its \
        date; view takes as_of.";
    const EFFECT: ToolEffect = ToolEffect::Adds;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(call.choice.memory.as_deref().or(Some(FILES_MEMORY)))?;
        let as_of = input.as_of()?;
        let command = input.command()?;
        let vault = call.vault_to_write(None).await?;
        let answer = vault.run_file_command(memory, command, as_of, None).await?;
        match answer.is_error {
            true => Err(Error::invalid(answer.text)),
            false => Ok(wire::FileCommandOutput { text: answer.text }),
        }
    }

    fn plain_text(output: &Self::Output) -> Option<String> {
        Some(output.text.clone())
    }
}

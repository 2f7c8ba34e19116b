//! Tools for the context document.

use everwhen::ports::ContextVersion;
use everwhen::receipt::Receipt;
use everwhen::{Error, ErrorKind, Result};

use crate::mcp::call::ToolCall;
use crate::mcp::tool::{Tool, ToolEffect};
use crate::mcp::wire;

/// Returns the latest version of the document.
pub(crate) struct GetContextTool;

impl Tool for GetContextTool {
    type Input = wire::GetContext;
    type Output = wire::ContextOutput;
    const NAME: &'static str = "get_context";
    const TITLE: &'static str = "Get context";
    const DESCRIPTION: &'static str = "Read the context document: what is known about this user or \
        project, with a timeline. Read it once when you begin.";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        vault.memory(memory.clone()).await?;
        match vault.context(memory, ContextVersion::Current).await {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(wire::ContextOutput::nothing_yet())
            }
            document => Ok(wire::ContextOutput::write(document?, true)),
        }
    }

    fn nothing_yet() -> Option<Self::Output> {
        Some(wire::ContextOutput::nothing_yet())
    }
}

/// Stores a new version of the document.
pub(crate) struct PutContextTool;

impl Tool for PutContextTool {
    type Input = wire::PutContext;
    type Output = wire::ContextOutput;
    const NAME: &'static str = "put_context";
    const TITLE: &'static str = "Put context";
    const DESCRIPTION: &'static str = "Replace the whole context document; older versions are kept, and \
        yours is not replaced. \
        Timeline lines are \"YYYY-MM-DD – event\", dated by conversation_time, oldest first.";
    const EFFECT: ToolEffect = ToolEffect::Adds;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let named = input.vault.clone();
        let vault = call.vault_to_write(named.as_deref()).await?;
        let done = vault.put_context(memory.clone(), input.read()?, None).await?;
        let Receipt::Context { version, .. } = done.receipt else {
            return Err(Error::damaged("the receipt is that of another kind of write"));
        };
        let vault = call.vault(named.as_deref()).await?;
        let document = vault.context(memory, ContextVersion::Number(version)).await?;
        Ok(wire::ContextOutput::write(document, false))
    }
}

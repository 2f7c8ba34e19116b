//! Tools for conversations: read ended ones, end the active one.

use everwhen::memory::{Address, ConversationName};
use everwhen::receipt::Receipt;
use everwhen::{ConflictReason, Error, ErrorKind, Result};

use crate::mcp::call::ToolCall;
use crate::mcp::tool::{Tool, ToolEffect};
use crate::mcp::wire::{self, ConversationRequest};

/// Returns an ended conversation, or the latest ones.
pub(crate) struct GetConversationTool;

impl Tool for GetConversationTool {
    type Input = wire::GetConversation;
    type Output = wire::ConversationOutput;
    const NAME: &'static str = "get_conversation";
    const TITLE: &'static str = "Get conversation";
    const DESCRIPTION: &'static str = "Read a past conversation: whole by conversation_id, or list the \
        recent ones with title and summary. Only ended conversations.";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        match input.read()? {
            ConversationRequest::Recent(query) => {
                let page = vault.conversations(memory, query).await?;
                Ok(wire::ConversationOutput::list(page.data))
            }
            ConversationRequest::One(id) => {
                let missing = Error::not_found(format!("Conversation not found: {}", bare(&id)));
                let view = vault.conversation(memory, id).await;
                wire::ConversationOutput::whole(said_so(view, ErrorKind::NotFound, missing)?)
            }
        }
    }

    fn nothing_yet() -> Option<Self::Output> {
        Some(wire::ConversationOutput::list(Vec::new()))
    }
}

/// Ends a conversation.
pub(crate) struct EndConversationTool;

impl Tool for EndConversationTool {
    type Input = wire::EndConversationRequest;
    type Output = wire::Ended;
    const NAME: &'static str = "end_conversation";
    const TITLE: &'static str = "End conversation";
    const DESCRIPTION: &'static str = "End the current conversation; it gets a title and a summary. Use \
        when a task is done, the user says goodbye, or the topic changes completely.";
    const EFFECT: ToolEffect = ToolEffect::Sets;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let memory = call.memory(input.memory.as_deref())?;
        let vault = call.vault(input.vault.as_deref()).await?;
        let end = input.read()?;
        let (none_named, reason) = (end.conversation.is_none(), end.reason.clone());
        let done = vault.end(memory.clone(), end, None).await;
        let none_active = Error::conflict("No active conversation to end.")
            .because(ConflictReason::NoActiveConversation);
        let done = match none_named {
            true => said_so(done, ErrorKind::Conflict, none_active)?,
            false => done?,
        };
        let Receipt::Conversation(id) = done.receipt else {
            return Err(Error::damaged("the receipt is that of another kind of write"));
        };
        let view = vault.conversation(memory, Address::Id(id)).await?;
        Ok(wire::Ended::write(view.conversation, reason.as_deref()))
    }
}

/// The id or name as it was given.
fn bare(id: &ConversationName) -> String {
    match id {
        Address::Id(id) => id.to_string(),
        Address::Name(name) => name.to_string(),
    }
}

/// Replaces an engine error of this kind by the tool's own.
fn said_so<T>(result: Result<T>, kind: ErrorKind, known: Error) -> Result<T> {
    result.map_err(|error| if error.kind() == kind { known } else { error })
}

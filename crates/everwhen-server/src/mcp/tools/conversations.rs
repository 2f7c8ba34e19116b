//! Conversations: look at ended ones, end the active one.

use everwhen::memory::{Address, ConversationName};
use everwhen::receipt::Receipt;
use everwhen::{Error, ErrorKind, Result};

use crate::mcp::guest::Guest;
use crate::mcp::tool::{Effect, Tool};
use crate::mcp::wire::{self, ConversationAsked};

/// A conversation that has ended, or the last ones.
pub(crate) struct GetConversation;

impl Tool for GetConversation {
    type Takes = wire::GetConversation;
    type Gives = wire::ConversationTold;
    const NAME: &'static str = "get_conversation";
    const TITLE: &'static str = "Get conversation";
    const ABOUT: &'static str = "Read a past conversation: whole by conversation_id, or list the \
        recent ones with title and summary. Only ended conversations.";
    const EFFECT: Effect = Effect::Reads;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        let memory = guest.memory(takes.memory.as_deref())?;
        let vault = guest.vault(takes.vault.as_deref()).await?;
        match takes.read()? {
            ConversationAsked::Recent(query) => {
                let page = vault.conversations(memory, query).await?;
                Ok(wire::ConversationTold::list(page.data))
            }
            ConversationAsked::One(id) => {
                let missing = Error::not_found(format!("Conversation not found: {}", bare(&id)));
                let view = vault.conversation(memory, id).await;
                wire::ConversationTold::whole(said_so(view, ErrorKind::NotFound, missing)?)
            }
        }
    }
}

/// Ends a conversation.
pub(crate) struct EndConversation;

impl Tool for EndConversation {
    type Takes = wire::EndConversation;
    type Gives = wire::Ended;
    const NAME: &'static str = "end_conversation";
    const TITLE: &'static str = "End conversation";
    const ABOUT: &'static str = "End the current conversation; it gets a title and a summary. Use \
        when a task is done, the user says goodbye, or the topic changes completely.";
    const EFFECT: Effect = Effect::Sets;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        let memory = guest.memory(takes.memory.as_deref())?;
        let vault = guest.vault(takes.vault.as_deref()).await?;
        let (conversation, reason) = takes.read()?;
        let none_named = conversation.is_none();
        let done = vault.end_conversation(memory.clone(), conversation, reason.clone(), None).await;
        let none_active = Error::conflict("No active conversation to end.");
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

/// The sentence this tool is known for, in place of the engine's of that kind.
fn said_so<T>(result: Result<T>, kind: ErrorKind, known: Error) -> Result<T> {
    result.map_err(|error| if error.kind() == kind { known } else { error })
}

//! The context document.

use everwhen::ports::ContextVersion;
use everwhen::receipt::Receipt;
use everwhen::{Error, Result};

use crate::mcp::guest::Guest;
use crate::mcp::tool::{Effect, Tool};
use crate::mcp::wire;

/// The document as it stands.
pub(crate) struct GetContext;

impl Tool for GetContext {
    type Takes = wire::GetContext;
    type Gives = wire::ContextTold;
    const NAME: &'static str = "get_context";
    const TITLE: &'static str = "Get context";
    const ABOUT: &'static str = "Read the context document: what is known about this user or \
        project, with a timeline. Read it once when you begin.";
    const EFFECT: Effect = Effect::Reads;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        let memory = guest.memory(takes.memory.as_deref())?;
        let vault = guest.vault(takes.vault.as_deref()).await?;
        let document = vault.context(memory, ContextVersion::Current).await?;
        Ok(wire::ContextTold::write(document, true))
    }
}

/// A new version of it.
pub(crate) struct PutContext;

impl Tool for PutContext {
    type Takes = wire::PutContext;
    type Gives = wire::ContextTold;
    const NAME: &'static str = "put_context";
    const TITLE: &'static str = "Put context";
    const ABOUT: &'static str = "Store the context document anew, whole; older versions are kept, and \
        yours is not replaced. \
        Timeline lines are \"YYYY-MM-DD – event\", dated by conversation_time, oldest first.";
    const EFFECT: Effect = Effect::Adds;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        let memory = guest.memory(takes.memory.as_deref())?;
        let named = takes.vault.clone();
        let vault = guest.vault_to_write(named.as_deref()).await?;
        let done = vault.put_context(memory.clone(), takes.read()?, None).await?;
        let Receipt::Context { version, .. } = done.receipt else {
            return Err(Error::damaged("the receipt is that of another kind of write"));
        };
        let vault = guest.vault(named.as_deref()).await?;
        let document = vault.context(memory, ContextVersion::Number(version)).await?;
        Ok(wire::ContextTold::write(document, false))
    }
}

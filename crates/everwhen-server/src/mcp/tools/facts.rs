//! What is known, statement by statement.

use everwhen::Result;

use crate::mcp::guest::Guest;
use crate::mcp::tool::{Effect, Tool};
use crate::mcp::wire;

/// Dated statements, by month.
pub(crate) struct ListFacts;

impl Tool for ListFacts {
    type Takes = wire::ListFacts;
    type Gives = wire::FactsTold;
    const NAME: &'static str = "list_facts";
    const TITLE: &'static str = "List facts";
    const ABOUT: &'static str = "What is known about the user or project: short statements, each \
        with the day it was mentioned, by month. about: what held then; as_of: what was believed \
        then.";
    const EFFECT: Effect = Effect::Reads;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        let memory = guest.memory(takes.memory.as_deref())?;
        let vault = guest.vault(takes.vault.as_deref()).await?;
        let page = vault.facts(memory, takes.read()?).await?;
        Ok(wire::FactsTold::write(page, &vault.info().await?.zone))
    }
}

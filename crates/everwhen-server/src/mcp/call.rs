//! Who is visiting, and what they mean when they name no vault and no memory.
//!
//! Everything is said anew with every request: by its key, and by the query of the address
//! (`/mcp?memory=project-x&tools=full`). Nothing is kept between two requests, so a client
//! outlives a restart of the server.

use axum::extract::{Query, Request, State};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use everwhen::key::Scope;
use everwhen::memory::{Address, MemoryId, VaultId};
use everwhen::{Error, Result, Vault};

use super::wire::Choice;
use crate::ServerState;
use crate::access::Caller;
use crate::error::RequestError;

/// One request: the door it came through, who sends it, and what they chose.
#[derive(Clone)]
pub(crate) struct ToolCall {
    pub(crate) state: ServerState,
    caller: Caller,
    pub(crate) choice: Choice,
}

impl ToolCall {
    /// The vault that is meant. It exists, and the caller may hold it.
    pub(crate) async fn vault(&self, named: Option<&str>) -> Result<Vault> {
        let vault = self.caller.vault(&self.state.engine, self.address(named)?).await;
        vault.map_err(|error| self.unmade(error, named))
    }

    /// The same for a write, which makes it if it does not exist.
    pub(crate) async fn vault_to_write(&self, named: Option<&str>) -> Result<Vault> {
        self.caller.vault_to_write(&self.state.engine, self.address(named)?).await
    }

    /// The memory that is meant.
    pub(crate) fn memory(&self, named: Option<&str>) -> Result<Address<MemoryId>> {
        let usual = || self.choice.memory.as_deref().unwrap_or(&self.state.mcp.memory);
        Address::read("memory", named.unwrap_or_else(usual))
    }

    /// Refuses the holder of a key that does not allow what a tool does.
    pub(crate) fn require(&self, needed: Scope) -> Result<()> {
        self.caller.require(needed)
    }

    /// Refuses the holder of a key, who has one vault and no say over others.
    pub(crate) fn over_all_vaults(&self) -> Result<()> {
        self.caller.over_all_vaults().map_err(|_| {
            Error::new(
                everwhen::ErrorKind::Denied,
                "an API key is for one vault; other vaults need the operator's token",
            )
        })
    }

    /// The one vault of the holder of a key.
    pub(crate) fn only_vault(&self) -> Option<VaultId> {
        match self.caller {
            Caller::Holder(own, _) => Some(own),
            Caller::Operator | Caller::Anyone => None,
        }
    }

    fn address(&self, named: Option<&str>) -> Result<Address<VaultId>> {
        match (named.or(self.choice.vault.as_deref()), self.only_vault()) {
            (Some(named), _) => Address::read("vault", named),
            (None, Some(own)) => Ok(Address::Id(own)),
            (None, None) => Address::read("vault", &self.state.mcp.vault),
        }
    }

    /// A usual vault that does not exist yet is no mistake of the caller.
    fn unmade(&self, error: Error, named: Option<&str>) -> Error {
        match named {
            None if error.kind() == everwhen::ErrorKind::NotFound => Error::not_found(format!(
                "nothing has been remembered here yet ({error}); the first add_entry makes it"
            )),
            _ => error,
        }
    }
}

/// Lets in whoever may come in, as a [`ToolCall`]; everyone else gets a problem document.
pub(super) async fn admit(
    State(state): State<ServerState>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    match recognize(&mut parts, state).await {
        Ok(call) => drop(parts.extensions.insert(call)),
        Err(problem) => return problem.into_response(),
    }
    next.run(Request::from_parts(parts, body)).await
}

async fn recognize(parts: &mut Parts, state: ServerState) -> Result<ToolCall, RequestError> {
    use axum::extract::FromRequestParts;
    let caller = Caller::from_request_parts(parts, &state).await?;
    let Query(choice) = Query::<Choice>::try_from_uri(&parts.uri).map_err(|rejection| {
        let known = "use vault=, memory=, tools=full and profile=graph";
        RequestError::invalid(format!("{}; {known}", rejection.body_text()))
    })?;
    Ok(ToolCall { state, caller, choice })
}

//! The caller of one MCP request, and the vault and memory it uses by default.
//!
//! Each request carries everything: its key, and the query of the URL
//! (`/mcp?memory=project-x&tools=full`). The server keeps no state between requests, so a client
//! survives a restart of the server.

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

/// The beginning of the message that the default vault does not exist yet.
pub(super) const NOTHING_YET: &str = "nothing has been remembered here yet";

/// One request: the server's state, the caller, and the options in its URL.
#[derive(Clone)]
pub(crate) struct ToolCall {
    pub(crate) state: ServerState,
    caller: Caller,
    pub(crate) choice: Choice,
}

impl ToolCall {
    /// Opens the named or default vault, if the caller may use it.
    pub(crate) async fn vault(&self, named: Option<&str>) -> Result<Vault> {
        let vault = self.caller.vault(&self.state.engine, self.address(named)?).await;
        vault.map_err(|error| self.unmade(error, named))
    }

    /// Opens the named or default vault for a write, and creates it if it does not exist.
    pub(crate) async fn vault_to_write(&self, named: Option<&str>) -> Result<Vault> {
        self.caller.vault_to_write(&self.state.engine, self.address(named)?).await
    }

    /// The named or default memory.
    pub(crate) fn memory(&self, named: Option<&str>) -> Result<Address<MemoryId>> {
        let usual = || self.choice.memory.as_deref().unwrap_or(&self.state.mcp.memory);
        Address::read("memory", named.unwrap_or_else(usual))
    }

    /// Rejects a key whose scope does not include `needed`.
    pub(crate) fn require(&self, needed: Scope) -> Result<()> {
        self.caller.require(needed)
    }

    /// Rejects the holder of a key, who may use only one vault.
    pub(crate) fn over_all_vaults(&self) -> Result<()> {
        self.caller.over_all_vaults().map_err(|_| {
            Error::new(
                everwhen::ErrorKind::Denied,
                "an API key is for one vault; other vaults need the operator's token",
            )
        })
    }

    /// The vault of the caller's key.
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

    /// A default vault that does not exist yet is not the caller's mistake.
    fn unmade(&self, error: Error, named: Option<&str>) -> Error {
        match named {
            None if error.kind() == everwhen::ErrorKind::NotFound => {
                Error::not_found(format!("{NOTHING_YET} ({error}); the first add_entry makes it"))
            }
            _ => error,
        }
    }
}

/// Authenticates a request and adds its [`ToolCall`]; on failure answers with a problem document.
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
        let known =
            "use vault=, memory=, tools=full and profile=recall, profile=graph or profile=files";
        RequestError::invalid(format!("{}; {known}", rejection.body_text()))
    })?;
    Ok(ToolCall { state, caller, choice })
}

//! Path parameters: a vault, a memory, and what is in it.

use axum::extract::{FromRequestParts, MatchedPath, RawPathParams};
use axum::http::request::Parts;
use everwhen::Vault;
use everwhen::memory::{
    Address, ConversationId, ConversationName, EntryId, FactId, JobId, KeyId, MemoryId, VaultId,
};

use crate::ServerState;
use crate::access::{Caller, needed};
use crate::api::wire;
use crate::error::RequestError;

/// The vault in the path, opened. It exists, and the caller may do what the request does.
pub(crate) struct OpenVault(pub(crate) Vault);

/// The vault in the path, opened, or created if it does not exist.
pub(crate) struct OpenOrCreateVault(pub(crate) Vault);

/// The address of the vault in the path. It is not looked up, so the caller learns nothing from it.
pub(crate) struct VaultInPath(pub(crate) Address<VaultId>);

/// The memory in the path, by id or name.
pub(crate) struct MemoryInPath(pub(crate) Address<MemoryId>);

/// The conversation in the path, by id or by the caller's name for it.
pub(crate) struct ConversationInPath(pub(crate) ConversationName);

/// The entry in the path.
pub(crate) struct EntryInPath(pub(crate) EntryId);

/// The fact in the path.
pub(crate) struct FactInPath(pub(crate) FactId);

/// The key in the path.
pub(crate) struct KeyInPath(pub(crate) KeyId);

/// The job in the path.
pub(crate) struct JobInPath(pub(crate) JobId);

/// The version of a context document in the path.
pub(crate) struct VersionInPath(pub(crate) u64);

/// The import in the path.
pub(crate) struct ImportInPath(pub(crate) String);

/// One decoded segment of the path.
async fn segment(parts: &mut Parts, name: &str) -> Result<String, RequestError> {
    let params = RawPathParams::from_request_parts(parts, &())
        .await
        .map_err(|error| RequestError::invalid(format!("cannot read the path: {error}")))?;
    let found = params.iter().find(|(known, _)| *known == name);
    let (_, text) = found.expect("the route of this handler has this segment");
    Ok(text.to_owned())
}

/// Rejects a key whose scope does not cover this request. Called only after the vault was found, so
/// that a key of another vault learns nothing from the error.
fn allow(caller: Caller, parts: &Parts) -> Result<(), RequestError> {
    let route = parts.extensions.get::<MatchedPath>();
    let route = route.map_or_else(|| parts.uri.path(), MatchedPath::as_str);
    Ok(caller.require(needed(&parts.method, route))?)
}

impl FromRequestParts<ServerState> for VaultInPath {
    type Rejection = RequestError;

    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, RequestError> {
        Ok(Self(Address::read("vault", &segment(parts, "vault").await?)?))
    }
}

impl FromRequestParts<ServerState> for OpenVault {
    type Rejection = RequestError;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &ServerState,
    ) -> Result<Self, RequestError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let VaultInPath(address) = VaultInPath::from_request_parts(parts, state).await?;
        let vault = caller.vault(&state.engine, address).await?;
        allow(caller, parts)?;
        Ok(Self(vault))
    }
}

impl FromRequestParts<ServerState> for OpenOrCreateVault {
    type Rejection = RequestError;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &ServerState,
    ) -> Result<Self, RequestError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let VaultInPath(address) = VaultInPath::from_request_parts(parts, state).await?;
        let vault = caller.vault_to_write(&state.engine, address).await?;
        allow(caller, parts)?;
        Ok(Self(vault))
    }
}

impl FromRequestParts<ServerState> for MemoryInPath {
    type Rejection = RequestError;

    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, RequestError> {
        Ok(Self(Address::read("memory", &segment(parts, "memory").await?)?))
    }
}

impl FromRequestParts<ServerState> for ConversationInPath {
    type Rejection = RequestError;

    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, RequestError> {
        let text = segment(parts, "id").await?;
        Ok(Self(Address::<ConversationId>::read("conversation", &text)?))
    }
}

impl FromRequestParts<ServerState> for VersionInPath {
    type Rejection = RequestError;

    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, RequestError> {
        let text = segment(parts, "version").await?;
        let number = text.parse().map_err(|_| {
            RequestError::invalid(format!("version is {text:?}; versions are numbers from 1 on"))
        })?;
        Ok(Self(wire::checked_version(number)?))
    }
}

impl FromRequestParts<ServerState> for ImportInPath {
    type Rejection = RequestError;

    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, RequestError> {
        Ok(Self(segment(parts, "id").await?))
    }
}

/// Implements extraction of an id at the end of the path.
macro_rules! ids_in_the_path {
    ($($name:ident)*) => {$(
        impl FromRequestParts<ServerState> for $name {
            type Rejection = RequestError;

            async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, RequestError> {
                Ok(Self(segment(parts, "id").await?.parse()?))
            }
        }
    )*};
}

ids_in_the_path! { EntryInPath FactInPath KeyInPath JobInPath }

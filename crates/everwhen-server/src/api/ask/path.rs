//! What stands in the path: a vault, a memory, and what is in it.

use axum::extract::{FromRequestParts, MatchedPath, RawPathParams};
use axum::http::request::Parts;
use everwhen::Vault;
use everwhen::memory::{
    Address, ConversationId, ConversationName, EntryId, FactId, JobId, KeyId, MemoryId, VaultId,
};

use crate::Door;
use crate::access::{Caller, needed};
use crate::problem::Problem;

/// The vault in the path. It exists, and the caller may do with it what the request does.
pub(crate) struct VaultOf(pub(crate) Vault);

/// The same, for writes that make the vault when it does not exist.
pub(crate) struct VaultToWrite(pub(crate) Vault);

/// Where the vault in the path would be, whether or not it exists; a caller who may not hold it
/// learns nothing from this.
pub(crate) struct VaultAt(pub(crate) Address<VaultId>);

/// The memory in the path, by id or name.
pub(crate) struct MemoryAt(pub(crate) Address<MemoryId>);

/// The conversation in the path, by id or by the caller's own name for it.
pub(crate) struct ConversationAt(pub(crate) ConversationName);

/// The entry in the path.
pub(crate) struct EntryAt(pub(crate) EntryId);

/// The fact in the path.
pub(crate) struct FactAt(pub(crate) FactId);

/// The key in the path.
pub(crate) struct KeyAt(pub(crate) KeyId);

/// The job in the path.
pub(crate) struct JobAt(pub(crate) JobId);

/// One decoded segment of the path.
async fn segment(parts: &mut Parts, name: &str) -> Result<String, Problem> {
    let params = RawPathParams::from_request_parts(parts, &())
        .await
        .map_err(|error| Problem::invalid(format!("cannot read the path: {error}")))?;
    let found = params.iter().find(|(known, _)| *known == name);
    let (_, text) = found.expect("the route of this handler has this segment");
    Ok(text.to_owned())
}

/// Refuses the holder of a key whose scope does not cover this request. Only after the vault was
/// found, so that another vault's key learns nothing from it.
fn allow(caller: Caller, parts: &Parts) -> Result<(), Problem> {
    let route = parts.extensions.get::<MatchedPath>();
    let route = route.map_or_else(|| parts.uri.path(), MatchedPath::as_str);
    Ok(caller.require(needed(&parts.method, route))?)
}

impl FromRequestParts<Door> for VaultAt {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Door) -> Result<Self, Problem> {
        Ok(Self(Address::read("vault", &segment(parts, "vault").await?)?))
    }
}

impl FromRequestParts<Door> for VaultOf {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Problem> {
        let caller = Caller::from_request_parts(parts, door).await?;
        let VaultAt(address) = VaultAt::from_request_parts(parts, door).await?;
        let vault = caller.vault(&door.engine, address).await?;
        allow(caller, parts)?;
        Ok(Self(vault))
    }
}

impl FromRequestParts<Door> for VaultToWrite {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Problem> {
        let caller = Caller::from_request_parts(parts, door).await?;
        let VaultAt(address) = VaultAt::from_request_parts(parts, door).await?;
        let vault = caller.vault_to_write(&door.engine, address).await?;
        allow(caller, parts)?;
        Ok(Self(vault))
    }
}

impl FromRequestParts<Door> for MemoryAt {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Door) -> Result<Self, Problem> {
        Ok(Self(Address::read("memory", &segment(parts, "memory").await?)?))
    }
}

impl FromRequestParts<Door> for ConversationAt {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Door) -> Result<Self, Problem> {
        let text = segment(parts, "id").await?;
        Ok(Self(Address::<ConversationId>::read("conversation", &text)?))
    }
}

/// Ids that stand last in a path.
macro_rules! ids_in_the_path {
    ($($name:ident)*) => {$(
        impl FromRequestParts<Door> for $name {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, _: &Door) -> Result<Self, Problem> {
                Ok(Self(segment(parts, "id").await?.parse()?))
            }
        }
    )*};
}

ids_in_the_path! { EntryAt FactAt KeyAt JobAt }

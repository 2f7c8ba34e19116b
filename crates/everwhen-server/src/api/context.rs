//! The context document of a memory: put a version, have one written, get one, list them.

use everwhen::Error;
use everwhen::ports::ContextVersion;
use everwhen::receipt::Receipt;

use super::answer::{Answer, Answered, wrong_receipt};
use super::ask::{Asked, MemoryAt, Once, Sent, VaultOf, VaultToWrite};
use super::{cursor, wire};

/// Get the context document
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/context", tag = "context",
    params(wire::ContextQuery),
    responses((status = 200, description = "One version of it", body = wire::Context)),
)]
pub(super) async fn get_context(
    VaultOf(vault): VaultOf,
    MemoryAt(memory): MemoryAt,
    Asked(query): Asked<wire::ContextQuery>,
) -> Answered<wire::Context> {
    let (version, stored_by) = query.read()?;
    let document = vault.context(memory, version).await?;
    if stored_by.is_some_and(|by| document.creation_time > by) {
        let detail = "context not found: that version was stored later than as_of";
        return Err(Error::not_found(detail).into());
    }
    Ok(Answer::ok(document.into()))
}

/// Put the context document
///
/// Stores a new version; older ones stay. Makes the memory, and the vault, if none of that name
/// exists.
#[utoipa::path(
    put, path = "/v1/vaults/{vault}/memories/{memory}/context", tag = "context",
    request_body = wire::NewContext,
    responses((status = 201, description = "The new version", body = wire::Context)),
)]
pub(super) async fn put_context(
    VaultToWrite(vault): VaultToWrite,
    MemoryAt(memory): MemoryAt,
    Sent { body, once }: Sent<wire::NewContext>,
) -> Answered<wire::Context> {
    let done = vault.put_context(memory.clone(), body.read()?, once).await?;
    let Receipt::Context { version, .. } = done.receipt else { return Err(wrong_receipt()) };
    let document = vault.context(memory, ContextVersion::Number(version)).await?;
    Ok(Answer::created(document.into()).replayed(done.replayed))
}

/// Rebuild the context document
///
/// Writes a version from facts, chapters and conversations, also where an agent wrote the last one,
/// which stays among the versions. From then on it is kept up to date until an agent writes again.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/context/rebuild", tag = "context",
    responses((status = 201, description = "The new version", body = wire::Context)),
)]
pub(super) async fn rebuild_context(
    VaultOf(vault): VaultOf,
    MemoryAt(memory): MemoryAt,
    Once(once): Once,
) -> Answered<wire::Context> {
    let done = vault.rebuild_context(memory.clone(), once).await?;
    let Receipt::Context { version, .. } = done.receipt else { return Err(wrong_receipt()) };
    let document = vault.context(memory, ContextVersion::Number(version)).await?;
    Ok(Answer::created(document.into()).replayed(done.replayed))
}

/// List versions of the context document
///
/// Newest first.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/context/versions", tag = "context",
    params(wire::VersionsQuery),
    responses((status = 200, description = "A page of versions", body = wire::Page<wire::Context>)),
)]
pub(super) async fn list_context_versions(
    VaultOf(vault): VaultOf,
    MemoryAt(memory): MemoryAt,
    Asked(query): Asked<wire::VersionsQuery>,
) -> Answered<wire::Page<wire::Context>> {
    let page = vault.contexts(memory, query.before()?, query.limit).await?;
    Ok(Answer::ok(wire::Page::write(page, |context| Ok(context.into()), cursor::write_version)?))
}

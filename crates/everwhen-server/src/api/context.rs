//! The context document of a memory: write, rebuild, read and delete versions.

use axum::extract::State;
use everwhen::ports::ContextVersion;
use everwhen::receipt::Receipt;
use everwhen::{Error, Forget};

use super::extract::{
    IdempotencyKey, JsonBody, MemoryInPath, OpenOrCreateVault, OpenVault, QueryParams,
    VersionInPath,
};
use super::response::{ApiResult, JsonResponse, wrong_receipt};
use super::vaults::forgotten;
use super::{cursor, wire};
use crate::ServerState;

/// Get the context document
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/context", tag = "context",
    params(wire::ContextQuery),
    responses((status = 200, description = "One version of it", body = wire::Context)),
)]
pub(super) async fn get_context(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    QueryParams(query): QueryParams<wire::ContextQuery>,
) -> ApiResult<wire::Context> {
    let (version, stored_by) = query.read()?;
    let document = vault.context(memory, version).await?;
    if stored_by.is_some_and(|by| document.creation_time > by) {
        let detail = "context not found: that version was stored later than as_of";
        return Err(Error::not_found(detail).into());
    }
    Ok(JsonResponse::ok(document.into()))
}

/// Put the context document
///
/// Stores a new version; older versions are kept. Creates the memory and the vault if they do not
/// exist.
#[utoipa::path(
    put, path = "/v1/vaults/{vault}/memories/{memory}/context", tag = "context",
    request_body = wire::NewContext,
    responses((status = 201, description = "The new version", body = wire::Context)),
)]
pub(super) async fn put_context(
    OpenOrCreateVault(vault): OpenOrCreateVault,
    MemoryInPath(memory): MemoryInPath,
    JsonBody { body, once }: JsonBody<wire::NewContext>,
) -> ApiResult<wire::Context> {
    let done = vault.put_context(memory.clone(), body.read()?, once).await?;
    let Receipt::Context { version, .. } = done.receipt else { return Err(wrong_receipt()) };
    let document = vault.context(memory, ContextVersion::Number(version)).await?;
    Ok(JsonResponse::created(document.into()).replayed(done.replayed))
}

/// Rebuild the context document
///
/// Writes a version from facts, chapters and conversations, even if an agent wrote the latest one,
/// which is kept among the versions. From then on the document is updated automatically until an
/// agent writes it again.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/context/rebuild", tag = "context",
    responses((status = 201, description = "The new version", body = wire::Context)),
)]
pub(super) async fn rebuild_context(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    IdempotencyKey(once): IdempotencyKey,
) -> ApiResult<wire::Context> {
    let done = vault.rebuild_context(memory.clone(), once).await?;
    let Receipt::Context { version, .. } = done.receipt else { return Err(wrong_receipt()) };
    let document = vault.context(memory, ContextVersion::Number(version)).await?;
    Ok(JsonResponse::created(document.into()).replayed(done.replayed))
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
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    QueryParams(query): QueryParams<wire::VersionsQuery>,
) -> ApiResult<wire::Page<wire::Context>> {
    let page = vault.contexts(memory, query.before()?, query.limit).await?;
    Ok(JsonResponse::ok(wire::Page::write(
        page,
        |context| Ok(context.into()),
        cursor::write_version,
    )?))
}

/// Delete a version of the context document
///
/// Removes it permanently. Its number is not given again; without the newest version, the one before is
/// current.
#[utoipa::path(
    delete, path = "/v1/vaults/{vault}/memories/{memory}/context/versions/{version}",
    tag = "context",
    responses((status = 200, description = "What was removed", body = wire::Removed)),
)]
pub(super) async fn forget_context_version(
    State(state): State<ServerState>,
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    VersionInPath(version): VersionInPath,
    IdempotencyKey(once): IdempotencyKey,
) -> ApiResult<wire::Removed> {
    forgotten(state.forget(&vault, memory, Forget::Context(version), once).await?)
}

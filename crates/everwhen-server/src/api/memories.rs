//! Memories: create, list, get, change, forget.

use axum::extract::State;
use everwhen::Forget;

use super::extract::{
    IdempotencyKey, JsonBody, MemoryInPath, OpenOrCreateVault, OpenVault, QueryParams,
};
use super::response::{ApiResult, JsonResponse};
use super::vaults::{forgotten, memory_of};
use super::{cursor, wire};
use crate::ServerState;

/// List memories
///
/// Ordered by name.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories", tag = "memories",
    params(wire::NamesQuery),
    responses((status = 200, description = "A page of memories", body = wire::Page<wire::Memory>)),
)]
pub(super) async fn list_memories(
    OpenVault(vault): OpenVault,
    QueryParams(query): QueryParams<wire::NamesQuery>,
) -> ApiResult<wire::Page<wire::Memory>> {
    let page = vault.memories(query.after()?, query.limit).await?;
    Ok(JsonResponse::ok(wire::Page::write(page, |memory| Ok(memory.into()), cursor::write_name)?))
}

/// Create a memory
///
/// Also creates the vault if it does not exist.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories", tag = "memories",
    request_body = wire::NewMemory,
    responses((status = 201, description = "The memory", body = wire::Memory)),
)]
pub(super) async fn create_memory(
    OpenOrCreateVault(vault): OpenOrCreateVault,
    JsonBody { body, once }: JsonBody<wire::NewMemory>,
) -> ApiResult<wire::Memory> {
    let (name, about) = body.read()?;
    let done = vault.create_memory(name, about, once).await?;
    let memory = memory_of(&vault, &done).await?;
    Ok(JsonResponse::created(memory).replayed(done.replayed))
}

/// Get a memory
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}", tag = "memories",
    responses((status = 200, description = "The memory", body = wire::Memory)),
)]
pub(super) async fn get_memory(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
) -> ApiResult<wire::Memory> {
    Ok(JsonResponse::ok(vault.memory(memory).await?.into()))
}

/// Change a memory
#[utoipa::path(
    patch, path = "/v1/vaults/{vault}/memories/{memory}", tag = "memories",
    request_body = wire::MemoryPatch,
    responses((status = 200, description = "The memory as it is now", body = wire::Memory)),
)]
pub(super) async fn change_memory(
    State(state): State<ServerState>,
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    JsonBody { body, once }: JsonBody<wire::MemoryPatch>,
) -> ApiResult<wire::Memory> {
    let done = vault.change_memory(memory, body.read()?, once).await?;
    state.proxy.outbox.names.clear();
    Ok(JsonResponse::ok(memory_of(&vault, &done).await?).replayed(done.replayed))
}

/// Forget a memory
///
/// Removes it permanently, with everything in it.
#[utoipa::path(
    delete, path = "/v1/vaults/{vault}/memories/{memory}", tag = "memories",
    responses((status = 200, description = "What was removed", body = wire::Removed)),
)]
pub(super) async fn forget_memory(
    State(state): State<ServerState>,
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    IdempotencyKey(once): IdempotencyKey,
) -> ApiResult<wire::Removed> {
    forgotten(state.forget(&vault, memory, Forget::Memory, once).await?)
}

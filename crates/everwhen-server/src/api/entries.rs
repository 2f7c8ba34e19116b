//! Entries: remember, list, get, correct, tag, forget.

use axum::extract::State;
use everwhen::Forget;
use everwhen::receipt::{Done, EntriesReceipt, Receipt};

use super::extract::{
    EntryInPath, IdempotencyKey, JsonBody, MemoryInPath, OpenOrCreateVault, OpenVault, QueryParams,
};
use super::response::{ApiResult, JsonResponse, wrong_receipt};
use super::vaults::forgotten;
use super::{cursor, wire};
use crate::ServerState;
use crate::error::RequestError;

/// List entries
///
/// Ordered by `conversation_time`.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/entries", tag = "entries",
    params(wire::EntriesQuery),
    responses((status = 200, description = "A page of entries", body = wire::Page<wire::Entry>)),
)]
pub(super) async fn list_entries(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    QueryParams(query): QueryParams<wire::EntriesQuery>,
) -> ApiResult<wire::Page<wire::Entry>> {
    let (conversation, query) = query.read()?;
    let page = vault.entries(memory, conversation, query).await?;
    let write = |entry| wire::Entry::write(entry, vault.id());
    Ok(JsonResponse::ok(wire::Page::write(page, write, cursor::write_entry)?))
}

/// Remember an entry
///
/// Creates the memory and the vault if they do not exist. The response is sent once the entry is
/// durable.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/entries", tag = "entries",
    request_body = wire::NewEntry,
    responses((status = 201, description = "Remembered", body = wire::EntryReceipt)),
)]
pub(super) async fn remember_entry(
    State(state): State<ServerState>,
    OpenOrCreateVault(vault): OpenOrCreateVault,
    MemoryInPath(memory): MemoryInPath,
    JsonBody { body, once }: JsonBody<wire::NewEntry>,
) -> ApiResult<wire::EntryReceipt> {
    let done = vault.remember(memory, vec![body.read()?], once).await?;
    single(&state, done)
}

/// Remember a batch of entries
///
/// Stores up to 1000 entries in one durable write: all of them or none.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/entries/batch", tag = "entries",
    request_body = wire::Batch,
    responses((status = 201, description = "Remembered", body = wire::BatchReceipt)),
)]
pub(super) async fn remember_batch(
    State(state): State<ServerState>,
    OpenOrCreateVault(vault): OpenOrCreateVault,
    MemoryInPath(memory): MemoryInPath,
    JsonBody { body, once }: JsonBody<wire::Batch>,
) -> ApiResult<wire::BatchReceipt> {
    let done = vault.remember(memory, body.read()?, once).await?;
    let (receipt, replayed) = counted(&state, done)?;
    Ok(JsonResponse::created(receipt.into()).replayed(replayed))
}

/// Get an entry
///
/// Also returns entries that were corrected or moved to a branch.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/entries/{id}", tag = "entries",
    responses((status = 200, description = "The entry", body = wire::Entry)),
)]
pub(super) async fn get_entry(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    EntryInPath(id): EntryInPath,
) -> ApiResult<wire::Entry> {
    Ok(JsonResponse::ok(wire::Entry::write(vault.entry(memory, id).await?, vault.id())?))
}

/// Change the tags of an entry
///
/// The entry keeps its id, its text and its times.
#[utoipa::path(
    patch, path = "/v1/vaults/{vault}/memories/{memory}/entries/{id}", tag = "entries",
    request_body = wire::EntryPatch,
    responses((status = 200, description = "The entry", body = wire::Entry)),
)]
pub(super) async fn change_entry(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    EntryInPath(id): EntryInPath,
    JsonBody { body, once }: JsonBody<wire::EntryPatch>,
) -> ApiResult<wire::Entry> {
    let done = vault.set_tags(memory.clone(), id, body.read()?, once).await?;
    let entry = wire::Entry::write(vault.entry(memory, id).await?, vault.id())?;
    Ok(JsonResponse::ok(entry).replayed(done.replayed))
}

/// List tags
///
/// All tags of the current entries, by name.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/tags", tag = "entries",
    responses((status = 200, description = "All of them", body = wire::Page<wire::TagCount>)),
)]
pub(super) async fn list_tags(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
) -> ApiResult<wire::Page<wire::TagCount>> {
    let tags = vault.tags(memory).await?;
    Ok(JsonResponse::ok(wire::Page::whole(tags.into_iter().map(wire::TagCount::from).collect())))
}

/// Forget an entry
///
/// Removes it permanently, with the entry it corrects and the one that corrects it.
#[utoipa::path(
    delete, path = "/v1/vaults/{vault}/memories/{memory}/entries/{id}", tag = "entries",
    responses((status = 200, description = "What was removed", body = wire::Removed)),
)]
pub(super) async fn forget_entry(
    State(state): State<ServerState>,
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    EntryInPath(id): EntryInPath,
    IdempotencyKey(once): IdempotencyKey,
) -> ApiResult<wire::Removed> {
    forgotten(state.forget(&vault, memory, Forget::Entry(id), once).await?)
}

/// Correct an entry
///
/// A new entry replaces it; the old one stays visible to recall with an `as_of` before the
/// correction.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/entries/{id}/correction", tag = "entries",
    request_body = wire::NewCorrection,
    responses((status = 201, description = "The correction", body = wire::EntryReceipt)),
)]
pub(super) async fn correct_entry(
    State(state): State<ServerState>,
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    EntryInPath(id): EntryInPath,
    JsonBody { body, once }: JsonBody<wire::NewCorrection>,
) -> ApiResult<wire::EntryReceipt> {
    let done = vault.correct(memory, id, body.read()?, once).await?;
    single(&state, done)
}

fn single(state: &ServerState, done: Done) -> ApiResult<wire::EntryReceipt> {
    let (receipt, replayed) = counted(state, done)?;
    let receipt = wire::EntryReceipt::single(receipt).ok_or_else(wrong_receipt)?;
    Ok(JsonResponse::created(receipt).replayed(replayed))
}

fn counted(state: &ServerState, done: Done) -> Result<(EntriesReceipt, bool), RequestError> {
    let Receipt::Entries(receipt) = done.receipt else { return Err(wrong_receipt()) };
    if !done.replayed {
        state.metrics.remembered(receipt.entries.len());
    }
    Ok((receipt, done.replayed))
}

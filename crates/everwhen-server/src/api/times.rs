//! When messages of a resent history were said, for migrating to and from other systems.

use everwhen::receipt::Receipt;

use super::extract::{JsonBody, MemoryInPath, OpenOrCreateVault, OpenVault};
use super::response::{ApiResult, JsonResponse, wrong_receipt};
use super::wire;

/// Get the times of messages
///
/// One time per text, without the texts; a text that occurs several times has the time of the
/// first.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/times", tag = "memories",
    responses((status = 200, description = "The times", body = wire::TextTimes)),
)]
pub(super) async fn get_times(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
) -> ApiResult<wire::TextTimes> {
    Ok(JsonResponse::ok(vault.export_times(memory).await?.into()))
}

/// Put times of messages
///
/// The times apply to messages with those texts when they arrive. Messages that are already stored
/// keep their times. Creates the memory and the vault if they do not exist.
#[utoipa::path(
    put, path = "/v1/vaults/{vault}/memories/{memory}/times", tag = "memories",
    request_body = wire::NewTextTimes,
    responses((status = 200, description = "The times there are now", body = wire::TextTimes)),
)]
pub(super) async fn put_times(
    OpenOrCreateVault(vault): OpenOrCreateVault,
    MemoryInPath(memory): MemoryInPath,
    JsonBody { body, once }: JsonBody<wire::NewTextTimes>,
) -> ApiResult<wire::TextTimes> {
    let done = vault.import_times(memory, body.read()?, once).await?;
    let Receipt::Memory(id) = done.receipt else { return Err(wrong_receipt()) };
    let times = vault.export_times(id.into()).await?;
    Ok(JsonResponse::ok(times.into()).replayed(done.replayed))
}

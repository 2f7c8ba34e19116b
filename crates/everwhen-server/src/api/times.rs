//! When messages of a resent history were said, to bring along from another system or to take there.

use everwhen::receipt::Receipt;

use super::extract::{JsonBody, MemoryInPath, OpenOrCreateVault, OpenVault};
use super::response::{ApiResult, JsonResponse, wrong_receipt};
use super::wire;

/// Get the times of messages
///
/// One for each text, without the texts; where a text repeats, when it was said first.
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
/// They wait for messages with those texts and hold for them. Messages that are known already keep
/// their times. Makes the memory, and the vault, if none of that name exists.
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

//! When messages of a resent history were said, to bring along from another system or to take there.

use everwhen::receipt::Receipt;

use super::answer::{Answer, Answered, wrong_receipt};
use super::ask::{MemoryAt, Sent, VaultOf, VaultToWrite};
use super::wire;

/// Get the times of messages
///
/// One for each text, without the texts; where a text repeats, when it was said first.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/times", tag = "memories",
    responses((status = 200, description = "The times", body = wire::TextTimes)),
)]
pub(super) async fn get_times(
    VaultOf(vault): VaultOf,
    MemoryAt(memory): MemoryAt,
) -> Answered<wire::TextTimes> {
    Ok(Answer::ok(vault.export_times(memory).await?.into()))
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
    VaultToWrite(vault): VaultToWrite,
    MemoryAt(memory): MemoryAt,
    Sent { body, once }: Sent<wire::NewTextTimes>,
) -> Answered<wire::TextTimes> {
    let done = vault.import_times(memory, body.read()?, once).await?;
    let Receipt::Memory(id) = done.receipt else { return Err(wrong_receipt()) };
    let times = vault.export_times(id.into()).await?;
    Ok(Answer::ok(times.into()).replayed(done.replayed))
}

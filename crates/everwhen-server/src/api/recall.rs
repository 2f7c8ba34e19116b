//! Recall: answers a question with what was said about it.

use super::extract::{JsonBody, MemoryInPath, OpenVault};
use super::response::{ApiResult, JsonResponse};
use super::wire;

/// Recall
///
/// Answers a question from what was said: entries and conversations, best first, each with its date
/// and the signals it was found by; how time phrases in the question were read; and a briefing for
/// a model. No language model is called.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/recall", tag = "recall",
    request_body = wire::Question,
    responses((status = 200, description = "What was found", body = wire::Recollection)),
)]
pub(super) async fn recall(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    JsonBody { body, .. }: JsonBody<wire::Question>,
) -> ApiResult<wire::Recollection> {
    let explain = body.explain();
    let recollection = vault.recall(memory, body.read()?).await?;
    Ok(JsonResponse::ok(wire::Recollection::write(recollection, explain, vault.id())?))
}

/// Recall from all memories
///
/// Asks every memory of the vault at once; each item names its memory.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/recall", tag = "recall",
    request_body = wire::Question,
    responses((status = 200, description = "What was found", body = wire::Recollection)),
)]
pub(super) async fn recall_all(
    OpenVault(vault): OpenVault,
    JsonBody { body, .. }: JsonBody<wire::Question>,
) -> ApiResult<wire::Recollection> {
    let explain = body.explain();
    let recollection = vault.recall_all(body.read()?).await?;
    Ok(JsonResponse::ok(wire::Recollection::write(recollection, explain, vault.id())?))
}

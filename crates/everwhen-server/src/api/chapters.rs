//! Chapters and the rolling summary of a memory, and regenerating what is derived from entries.

use everwhen::receipt::Receipt;

use super::extract::{
    IdempotencyKey, JsonBody, MemoryInPath, OpenOrCreateVault, OpenVault, QueryParams,
};
use super::response::{ApiResult, JsonResponse, wrong_receipt};
use super::{cursor, wire};

/// List chapters
///
/// Oldest first.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/chapters", tag = "chapters",
    params(wire::ChaptersQuery),
    responses((status = 200, description = "A page of chapters", body = wire::Page<wire::Chapter>)),
)]
pub(super) async fn list_chapters(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    QueryParams(query): QueryParams<wire::ChaptersQuery>,
) -> ApiResult<wire::Page<wire::Chapter>> {
    let page = vault.chapters(memory, query.read()?).await?;
    Ok(JsonResponse::ok(wire::Page::write(
        page,
        |chapter| Ok(chapter.into()),
        cursor::write_entry,
    )?))
}

/// Import chapters
///
/// Stores chapters and a summary that another system wrote, in one durable write. Importing the same
/// again changes nothing. Creates the memory and the vault if they do not exist.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/chapters/import", tag = "chapters",
    params(wire::ImportQuery),
    request_body = wire::ImportedChapters,
    responses((
        status = 200, description = "Outcome of the import", body = wire::ChapterImport,
    )),
)]
pub(super) async fn import_chapters(
    OpenOrCreateVault(vault): OpenOrCreateVault,
    MemoryInPath(memory): MemoryInPath,
    QueryParams(query): QueryParams<wire::ImportQuery>,
    JsonBody { body, .. }: JsonBody<wire::ImportedChapters>,
) -> ApiResult<wire::ChapterImport> {
    let dry_run = query.dry_run.unwrap_or_default();
    let done = vault.import_chapters(memory, body.read()?, dry_run).await?;
    Ok(JsonResponse::ok(done.into()))
}

/// Get the rolling summary
///
/// The newest version.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/summary", tag = "chapters",
    responses((status = 200, description = "The summary", body = wire::RollingSummary)),
)]
pub(super) async fn get_summary(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
) -> ApiResult<wire::RollingSummary> {
    Ok(JsonResponse::ok(vault.rolling_summary(memory).await?.into()))
}

/// List versions of the rolling summary
///
/// Newest first.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/summary/versions", tag = "chapters",
    params(wire::VersionsQuery),
    responses((
        status = 200, description = "A page of versions", body = wire::Page<wire::RollingSummary>
    )),
)]
pub(super) async fn list_summary_versions(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    QueryParams(query): QueryParams<wire::VersionsQuery>,
) -> ApiResult<wire::Page<wire::RollingSummary>> {
    let page = vault.rolling_summaries(memory, query.before()?, query.limit).await?;
    Ok(JsonResponse::ok(wire::Page::write(page, |one| Ok(one.into()), cursor::write_version)?))
}

/// Distil facts
///
/// Turns every ended conversation that has not been distilled yet into facts.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/distill", tag = "chapters",
    responses((status = 202, description = "What is being done", body = wire::Regenerating)),
)]
pub(super) async fn distill(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    IdempotencyKey(once): IdempotencyKey,
) -> ApiResult<wire::Regenerating> {
    let done = vault.distill(memory, once).await?;
    let Receipt::Regenerating(conversations) = done.receipt else { return Err(wrong_receipt()) };
    Ok(JsonResponse::accepted(wire::Regenerating { conversations }).replayed(done.replayed))
}

/// Regenerate derived data
///
/// Discards chapters, summaries, facts and titles and derives them from the entries again. Dates
/// come from the entries, so they do not change. Imported chapters stay.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/regenerate", tag = "chapters",
    responses((status = 202, description = "What is being regenerated", body = wire::Regenerating)),
)]
pub(super) async fn regenerate(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    IdempotencyKey(once): IdempotencyKey,
) -> ApiResult<wire::Regenerating> {
    let done = vault.regenerate(memory, once).await?;
    let Receipt::Regenerating(conversations) = done.receipt else { return Err(wrong_receipt()) };
    Ok(JsonResponse::accepted(wire::Regenerating { conversations }).replayed(done.replayed))
}

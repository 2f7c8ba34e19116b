//! Facts of a memory: list, history, profile, pins, corrections.

use everwhen::receipt::Receipt;

use super::extract::{FactInPath, IdempotencyKey, JsonBody, MemoryInPath, OpenVault, QueryParams};
use super::response::{ApiResult, JsonResponse, wrong_receipt};
use super::{cursor, wire};

/// List facts
///
/// Pinned facts first, then by when they were first mentioned. Lists the facts that are believed now, unless the
/// query says otherwise.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/facts", tag = "facts",
    params(wire::FactsQuery),
    responses((status = 200, description = "A page of facts", body = wire::Page<wire::Fact>)),
)]
pub(super) async fn list_facts(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    QueryParams(query): QueryParams<wire::FactsQuery>,
) -> ApiResult<wire::Page<wire::Fact>> {
    let page = vault.facts(memory, query.read()?).await?;
    Ok(JsonResponse::ok(wire::Page::write(page, |fact| Ok(fact.into()), cursor::write_fact)?))
}

/// Get facts as text
///
/// The facts that are believed now, grouped by the month they were mentioned in; pinned facts
/// first. With `all`, facts that were replaced are in it, too, so that a series of values is whole.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/facts/text", tag = "facts",
    params(wire::FactsTextQuery),
    responses((status = 200, description = "The text", body = wire::FactsText)),
)]
pub(super) async fn get_facts_text(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    QueryParams(query): QueryParams<wire::FactsTextQuery>,
) -> ApiResult<wire::FactsText> {
    let text = vault.facts_by_month(memory, query.read()).await?;
    Ok(JsonResponse::ok(wire::FactsText { text }))
}

/// Get the profile
///
/// The present values of everything that has some, or those of another time. A property such as
/// `medication` has one line for each value.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/profile", tag = "facts",
    params(wire::ProfileQuery),
    responses((status = 200, description = "All values", body = wire::Page<wire::ProfileValue>)),
)]
pub(super) async fn get_profile(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    QueryParams(query): QueryParams<wire::ProfileQuery>,
) -> ApiResult<wire::Page<wire::ProfileValue>> {
    let lines = vault.profile(memory, query.read()?).await?;
    Ok(JsonResponse::ok(wire::Page::whole(
        lines.into_iter().map(wire::ProfileValue::from).collect(),
    )))
}

/// Get a fact
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/facts/{id}", tag = "facts",
    responses((status = 200, description = "The fact", body = wire::Fact)),
)]
pub(super) async fn get_fact(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    FactInPath(id): FactInPath,
) -> ApiResult<wire::Fact> {
    Ok(JsonResponse::ok(vault.fact(memory, id).await?.into()))
}

/// Correct a fact
///
/// Replaces a fact with your own words, with its date and its evidence. The corrected fact
/// stands whatever is distilled later, and has another id.
#[utoipa::path(
    put, path = "/v1/vaults/{vault}/memories/{memory}/facts/{id}", tag = "facts",
    request_body = wire::NewFactText,
    responses((status = 200, description = "The corrected fact", body = wire::Fact)),
)]
pub(super) async fn correct_fact(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    FactInPath(id): FactInPath,
    JsonBody { body, once }: JsonBody<wire::NewFactText>,
) -> ApiResult<wire::Fact> {
    let done = vault.correct_fact(memory.clone(), id, body.read()?, once).await?;
    let Receipt::Fact(id) = done.receipt else { return Err(wrong_receipt()) };
    Ok(JsonResponse::ok(vault.fact(memory, id).await?.into()).replayed(done.replayed))
}

/// Remove a fact
///
/// The fact is believed no longer, and distilling the same words again does not bring it back. What
/// was said stays; forget the entry to remove that, too.
#[utoipa::path(
    delete, path = "/v1/vaults/{vault}/memories/{memory}/facts/{id}", tag = "facts",
    responses((status = 200, description = "The fact that was removed", body = wire::FactRemoved)),
)]
pub(super) async fn remove_fact(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    FactInPath(id): FactInPath,
    IdempotencyKey(once): IdempotencyKey,
) -> ApiResult<wire::FactRemoved> {
    let done = vault.remove_fact(memory, id, once).await?;
    Ok(JsonResponse::ok(wire::FactRemoved { id: id.to_string() }).replayed(done.replayed))
}

/// Get the history of a fact
///
/// Everything that was believed about the same subject, oldest first.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/facts/{id}/history", tag = "facts",
    responses((status = 200, description = "All of it", body = wire::Page<wire::Fact>)),
)]
pub(super) async fn get_fact_history(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    FactInPath(id): FactInPath,
) -> ApiResult<wire::Page<wire::Fact>> {
    let line = vault.fact_history(memory, id).await?;
    Ok(JsonResponse::ok(wire::Page::whole(line.into_iter().map(wire::Fact::from).collect())))
}

/// Pin a fact
///
/// A pinned fact comes first in every list and never fades.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/facts/{id}/pin", tag = "facts",
    request_body = wire::Pin,
    responses((status = 200, description = "The fact", body = wire::Fact)),
)]
pub(super) async fn pin_fact(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    FactInPath(id): FactInPath,
    JsonBody { body, once }: JsonBody<wire::Pin>,
) -> ApiResult<wire::Fact> {
    let done = vault.pin_fact(memory.clone(), id, body.read(), once).await?;
    let Receipt::Fact(id) = done.receipt else { return Err(wrong_receipt()) };
    Ok(JsonResponse::ok(vault.fact(memory, id).await?.into()).replayed(done.replayed))
}

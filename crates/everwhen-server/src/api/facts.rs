//! Facts of a memory: list, history, profile and pins.

use everwhen::receipt::Receipt;

use super::extract::{FactInPath, JsonBody, MemoryInPath, OpenVault, QueryParams};
use super::response::{ApiResult, JsonResponse, wrong_receipt};
use super::{cursor, wire};

/// List facts
///
/// Ordered by when they were first mentioned. Lists the facts that are believed now, unless the
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
/// first.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/facts/text", tag = "facts",
    responses((status = 200, description = "The text", body = wire::FactsText)),
)]
pub(super) async fn get_facts_text(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
) -> ApiResult<wire::FactsText> {
    Ok(JsonResponse::ok(wire::FactsText { text: vault.facts_by_month(memory).await? }))
}

/// Get the profile
///
/// The present value of everything that has one value at a time, or its value at another time.
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

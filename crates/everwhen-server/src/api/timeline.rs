//! The timeline of a memory, and how much there is of it over time.

use super::extract::{MemoryInPath, OpenVault, QueryParams};
use super::response::{ApiResult, JsonResponse};
use super::{cursor, wire};

/// Get the timeline
///
/// What was said, one dated line each, with the days in between.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/timeline", tag = "timeline",
    params(wire::TimelineQuery),
    responses((
        status = 200, description = "A page of lines", body = wire::Page<wire::TimelineLine>,
    )),
)]
pub(super) async fn get_timeline(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    QueryParams(query): QueryParams<wire::TimelineQuery>,
) -> ApiResult<wire::Page<wire::TimelineLine>> {
    let page = vault.timeline(memory, query.read()?).await?;
    Ok(JsonResponse::ok(wire::Page::write(page, |line| Ok(line.into()), cursor::write_entry)?))
}

/// Get the timeline of events
///
/// What happened, ordered by when it happened instead of when it was said: the facts whose words
/// name a time, oldest first.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/timeline/events", tag = "timeline",
    responses((status = 200, description = "All events", body = wire::Page<wire::Fact>)),
)]
pub(super) async fn get_events(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
) -> ApiResult<wire::Page<wire::Fact>> {
    let events = vault.events(memory).await?;
    Ok(JsonResponse::ok(wire::Page::whole(events.into_iter().map(wire::Fact::from).collect())))
}

/// Get the density
///
/// How many entries there are over time, on either clock: what a strip over a timeline shows.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/density", tag = "timeline",
    params(wire::DensityQuery),
    responses((status = 200, description = "Counts", body = wire::Density)),
)]
pub(super) async fn get_density(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    QueryParams(query): QueryParams<wire::DensityQuery>,
) -> ApiResult<wire::Density> {
    Ok(JsonResponse::ok(vault.density(memory, query.read()?).await?.into()))
}

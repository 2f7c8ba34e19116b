//! The timeline of a memory.

use super::extract::{MemoryInPath, OpenVault, QueryParams};
use super::response::{ApiResult, JsonResponse};
use super::{cursor, wire};

/// Get the timeline
///
/// One dated line per entry, oldest first, with the number of days in between.
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

//! The timeline of a memory.

use super::answer::{Answer, Answered};
use super::ask::{Asked, MemoryAt, VaultOf};
use super::{cursor, wire};

/// Get the timeline
///
/// What was said, oldest first, one dated line each, with the days in between.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/timeline", tag = "timeline",
    params(wire::TimelineQuery),
    responses((
        status = 200, description = "A page of lines", body = wire::Page<wire::TimelineLine>,
    )),
)]
pub(super) async fn get_timeline(
    VaultOf(vault): VaultOf,
    MemoryAt(memory): MemoryAt,
    Asked(query): Asked<wire::TimelineQuery>,
) -> Answered<wire::Page<wire::TimelineLine>> {
    let page = vault.timeline(memory, query.read()?).await?;
    Ok(Answer::ok(wire::Page::write(page, |line| Ok(line.into()), cursor::write_entry)?))
}

//! What asking the language model took.

use super::answer::{Answer, Answered};
use super::ask::{Asked, VaultOf};
use super::wire;

/// Get usage
///
/// What asking the language model took for this vault, by day, model and purpose.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/usage", tag = "vaults",
    params(wire::UsageQuery),
    responses((status = 200, description = "What was used", body = wire::Usage)),
)]
pub(super) async fn get_usage(
    VaultOf(vault): VaultOf,
    Asked(query): Asked<wire::UsageQuery>,
) -> Answered<wire::Usage> {
    Ok(Answer::ok(vault.usage(query.read()?).await?.into()))
}

//! Usage and cost of the language model.

use super::extract::{OpenVault, QueryParams};
use super::response::{ApiResult, JsonResponse};
use super::wire;
use crate::access::Caller;

/// Get usage
///
/// Tokens and cost of the language model for this vault, by day, model and purpose, and what models cost this month beside the cap.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/usage", tag = "vaults",
    params(wire::UsageQuery),
    responses((status = 200, description = "What was used", body = wire::Usage)),
)]
pub(super) async fn get_usage(
    caller: Caller,
    OpenVault(vault): OpenVault,
    QueryParams(query): QueryParams<wire::UsageQuery>,
) -> ApiResult<wire::Usage> {
    let used = vault.usage(query.read()?).await?;
    let month = wire::UsageMonth::new(vault.month_cost().await?, caller.over_all_vaults().is_ok());
    Ok(JsonResponse::ok(wire::Usage::new(used, month)))
}

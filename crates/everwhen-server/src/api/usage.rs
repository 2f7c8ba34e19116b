//! Usage and cost of the language model.

use super::extract::{OpenVault, QueryParams};
use super::response::{ApiResult, JsonResponse};
use super::wire;

/// Get usage
///
/// Tokens and cost of the language model for this vault, by day, model and purpose.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/usage", tag = "vaults",
    params(wire::UsageQuery),
    responses((status = 200, description = "What was used", body = wire::Usage)),
)]
pub(super) async fn get_usage(
    OpenVault(vault): OpenVault,
    QueryParams(query): QueryParams<wire::UsageQuery>,
) -> ApiResult<wire::Usage> {
    Ok(JsonResponse::ok(vault.usage(query.read()?).await?.into()))
}

//! Periods in words: how the server reads "last March".

use axum::extract::State;

use super::extract::{OpenVault, QueryParams};
use super::response::{ApiResult, JsonResponse};
use super::wire;
use crate::ServerState;

/// Read a period
///
/// How a date or words such as `last March`, `yesterday` or `letzten Sommer` are read, in the zone of
/// the vault: the same reading that questions and the filter `about` of facts get.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/period", tag = "vaults",
    params(wire::PeriodQuery),
    responses((status = 200, description = "The period", body = wire::FactPeriod)),
)]
pub(super) async fn read_period(
    State(state): State<ServerState>,
    OpenVault(vault): OpenVault,
    QueryParams(query): QueryParams<wire::PeriodQuery>,
) -> ApiResult<wire::FactPeriod> {
    let zone = vault.info().await?.zone;
    Ok(JsonResponse::ok(query.read(state.engine.now(), &zone)?.into()))
}

//! Vaults: create, list, get, change, forget.

use axum::extract::State;
use everwhen::key::Scope;
use everwhen::memory::{Address, VaultInfo};
use everwhen::receipt::{Done, Receipt};
use everwhen::{Page, Vault};

use super::extract::{IdempotencyKey, JsonBody, OpenVault, QueryParams, VaultInPath};
use super::response::{ApiResult, JsonResponse, wrong_receipt};
use super::{cursor, wire};
use crate::ServerState;
use crate::access::Caller;
use crate::error::RequestError;

/// List vaults
///
/// Ordered by name. With an API key, lists only the vault of the key.
#[utoipa::path(
    get, path = "/v1/vaults", tag = "vaults",
    params(wire::NamesQuery),
    responses((status = 200, description = "A page of vaults", body = wire::Page<wire::Vault>)),
)]
pub(super) async fn list_vaults(
    State(state): State<ServerState>,
    caller: Caller,
    QueryParams(query): QueryParams<wire::NamesQuery>,
) -> ApiResult<wire::Page<wire::Vault>> {
    let (after, rows) = (query.after()?, query.rows()?);
    if let Caller::Holder(own, _) = caller {
        let vault = caller.vault(&state.engine, Address::Id(own)).await?.info().await?;
        let own = (after < Some(vault.name.clone())).then(|| vault.into());
        return Ok(JsonResponse::ok(wire::Page::whole(own.into_iter().collect())));
    }
    let mut data = state.engine.vaults(after, rows + 1).await?;
    let more = data.len() > rows;
    data.truncate(rows);
    let next = data.last().filter(|_| more).map(|vault: &VaultInfo| vault.name.clone());
    let page = Page { data, next };
    Ok(JsonResponse::ok(wire::Page::write(page, |vault| Ok(vault.into()), cursor::write_name)?))
}

/// Create a vault
#[utoipa::path(
    post, path = "/v1/vaults", tag = "vaults",
    request_body = wire::NewVault,
    responses((status = 201, description = "The vault", body = wire::Vault)),
)]
pub(super) async fn create_vault(
    State(state): State<ServerState>,
    caller: Caller,
    JsonBody { body, once }: JsonBody<wire::NewVault>,
) -> ApiResult<wire::Vault> {
    caller.over_all_vaults()?;
    let done = state.engine.create_vault(body.read()?, once).await?;
    let Receipt::Vault(id) = done.receipt else { return Err(wrong_receipt()) };
    let vault = caller.vault(&state.engine, Address::Id(id)).await?;
    Ok(JsonResponse::created(vault.info().await?.into()).replayed(done.replayed))
}

/// Get a vault
#[utoipa::path(
    get, path = "/v1/vaults/{vault}", tag = "vaults",
    responses((status = 200, description = "The vault", body = wire::Vault)),
)]
pub(super) async fn get_vault(OpenVault(vault): OpenVault) -> ApiResult<wire::Vault> {
    Ok(JsonResponse::ok(vault.info().await?.into()))
}

/// Change a vault
///
/// Needs a key with scope `admin`. Only the operator may change the name: names are shared by all
/// vaults, so trying names would reveal which others exist.
#[utoipa::path(
    patch, path = "/v1/vaults/{vault}", tag = "vaults",
    request_body = wire::VaultPatch,
    responses((status = 200, description = "The vault as it is now", body = wire::Vault)),
)]
pub(super) async fn change_vault(
    State(state): State<ServerState>,
    caller: Caller,
    OpenVault(vault): OpenVault,
    JsonBody { body, once }: JsonBody<wire::VaultPatch>,
) -> ApiResult<wire::Vault> {
    if body.renames() {
        caller.over_all_vaults()?;
    }
    let done = vault.change(body.read()?, once).await?;
    state.proxy.outbox.names.clear();
    Ok(JsonResponse::ok(vault.info().await?.into()).replayed(done.replayed))
}

/// Forget a vault
///
/// Removes it permanently, with everything in it and its keys. Needs a key with scope `admin`.
#[utoipa::path(
    delete, path = "/v1/vaults/{vault}", tag = "vaults",
    responses((status = 200, description = "What was removed", body = wire::Removed)),
)]
pub(super) async fn forget_vault(
    State(state): State<ServerState>,
    caller: Caller,
    VaultInPath(address): VaultInPath,
    IdempotencyKey(once): IdempotencyKey,
) -> ApiResult<wire::Removed> {
    let found = caller.vault(&state.engine, address).await.map_err(RequestError::from);
    let done = match (found, once) {
        (Ok(vault), once) => {
            caller.require(Scope::Admin)?;
            let done = state.forget_vault(&vault, once).await?;
            state.access.removed_vault(vault.id());
            done
        }
        (Err(gone), Some(once)) if gone.is_not_found() && caller.over_all_vaults().is_ok() => {
            state.engine.replayed(once).await?.ok_or(gone)?
        }
        (Err(problem), _) => return Err(problem),
    };
    forgotten(done)
}

/// Forget a period
///
/// Permanently removes what was said in a memory from `after` on and before `before`.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/forget", tag = "vaults",
    request_body = wire::Forget,
    responses((status = 200, description = "What was removed", body = wire::Removed)),
)]
pub(super) async fn forget_period(
    State(state): State<ServerState>,
    OpenVault(vault): OpenVault,
    JsonBody { body, once }: JsonBody<wire::Forget>,
) -> ApiResult<wire::Removed> {
    let (memory, period) = body.read()?;
    forgotten(state.forget(&vault, memory, period, once).await?)
}

/// The receipt of something forgotten.
pub(super) fn forgotten(done: Done) -> ApiResult<wire::Removed> {
    let Receipt::Forgotten(removed) = done.receipt else { return Err(wrong_receipt()) };
    Ok(JsonResponse::ok(removed.into()).replayed(done.replayed))
}

/// The memory that a receipt names, in its current state.
pub(super) async fn memory_of(vault: &Vault, done: &Done) -> Result<wire::Memory, RequestError> {
    let Receipt::Memory(id) = done.receipt else { return Err(wrong_receipt()) };
    Ok(vault.memory(Address::Id(id)).await?.into())
}

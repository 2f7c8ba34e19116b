//! Imports of uploaded files: begin, list, look at, cancel.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use everwhen::import::{DateOrder, Fields, ImportTarget, Options};
use everwhen::memory::Address;
use everwhen::time::{Zone, read_time_in};
use everwhen::{Error, ErrorKind, ImportMode, Result, Vault};

use super::extract::{ImportInPath, OpenOrCreateVault, QueryParams, VaultInPath};
use super::response::{ApiResult, JsonResponse};
use super::wire;
use crate::ServerState;
use crate::error::{Cause, RequestError};
use crate::imports::ImportJob;

/// Import a file
///
/// Takes a file or archive of another program, or an export of Everwhen, as `application/octet-stream`.
/// The file is received as a stream and may be larger than other bodies. It is recognised by its content,
/// then read and stored in the background; `GET .../imports/{id}` reports the progress. Importing a file again
/// stores only what is new.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/imports", tag = "imports",
    params(wire::ImportFileQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 202, description = "It is being imported", body = wire::ImportRun)),
)]
pub(super) async fn import_file(
    State(state): State<ServerState>,
    OpenOrCreateVault(vault): OpenOrCreateVault,
    VaultInPath(address): VaultInPath,
    QueryParams(query): QueryParams<wire::ImportFileQuery>,
    request: Request<Body>,
) -> ApiResult<wire::ImportRun> {
    let is_file = request
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().eq_ignore_ascii_case(b"application/octet-stream"));
    if !is_file {
        let detail = "send the file itself, with \"Content-Type: application/octet-stream\"";
        return Err(RequestError::new(Cause::UnsupportedMediaType, detail));
    }
    let started_at = state.engine.now();
    let options = options(&state, &vault, &query).await?;
    let memory = query.memory.as_deref().map(|name| Address::read("memory", name)).transpose()?;
    let name = query.name()?;
    let permit = state.imports.begin()?;
    let upload = state.imports.upload(name)?;
    if upload.receive(request.into_body()).await? == 0 {
        return Err(RequestError::invalid("the file is empty"));
    }
    let is_rehearsal = query.dry_run.unwrap_or_default();
    let mode = ImportMode { is_rehearsal, ..ImportMode::default() };
    let target = ImportTarget { vault, memory, mode };
    let job = ImportJob { target, options, vault: address, started_at };
    let run = state.imports.start(upload, job, permit);
    Ok(JsonResponse::accepted(wire::ImportRun::write(&run)))
}

async fn options(
    state: &ServerState,
    vault: &Vault,
    query: &wire::ImportFileQuery,
) -> Result<Options> {
    let vault_zone = match vault.info().await {
        Ok(info) => info.zone,
        Err(error) if error.kind() == ErrorKind::NotFound => state.engine.default_zone().clone(),
        Err(error) => return Err(error),
    };
    let zone = query.timezone.as_deref().map(Zone::named).transpose();
    let zone = zone.map_err(|error| Error::invalid(format!("timezone: {error}")))?;
    let in_zone = zone.clone().unwrap_or_else(|| vault_zone.clone());
    let time = |field: &str, text: &Option<String>| {
        let read = text.as_deref().map(|text| read_time_in(text, &in_zone)).transpose();
        read.map_err(|error| Error::invalid(format!("{field}: {error}")))
    };
    Ok(Options {
        from: query.from.clone(),
        date_order: query.date_order.as_deref().map(DateOrder::named).transpose()?,
        at: time("at", &query.at)?,
        since: time("since", &query.since)?,
        until: time("until", &query.until)?,
        zone,
        tools: query.tools.unwrap_or_default(),
        system: query.system.unwrap_or_default(),
        hidden: query.hidden.unwrap_or_default(),
        drop_branches: query.drop_branches.unwrap_or_default(),
        me: query.me.clone(),
        fields: Fields {
            time: query.time_field.clone(),
            role: query.role_field.clone(),
            text: query.text_field.clone(),
            conversation: query.conversation_field.clone(),
        },
        ..Options::new(vault_zone, state.engine.now())
    })
}

/// List imports
///
/// Imports of uploaded files since the server was started, newest first.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/imports", tag = "imports",
    responses((status = 200, description = "The imports", body = wire::ImportRuns)),
)]
pub(super) async fn list_imports(
    State(state): State<ServerState>,
    OpenOrCreateVault(vault): OpenOrCreateVault,
    VaultInPath(address): VaultInPath,
) -> ApiResult<wire::ImportRuns> {
    let runs = state.imports.of_vault(&address, vault.id());
    let data = runs.iter().map(|run| wire::ImportRun::write(run)).collect();
    Ok(JsonResponse::ok(wire::ImportRuns { data }))
}

/// Get an import
///
/// How far it is, and, once everything was read, what was found.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/imports/{id}", tag = "imports",
    responses((status = 200, description = "The import", body = wire::ImportRun)),
)]
pub(super) async fn get_import(
    State(state): State<ServerState>,
    OpenOrCreateVault(vault): OpenOrCreateVault,
    VaultInPath(address): VaultInPath,
    ImportInPath(id): ImportInPath,
) -> ApiResult<wire::ImportRun> {
    let run = state.imports.find(&address, vault.id(), &id)?;
    Ok(JsonResponse::ok(wire::ImportRun::write(&run)))
}

/// Cancel an import
///
/// It ends after the batch under way. What is stored stays; importing the file again continues from there.
#[utoipa::path(
    delete, path = "/v1/vaults/{vault}/imports/{id}", tag = "imports",
    responses((status = 200, description = "The import", body = wire::ImportRun)),
)]
pub(super) async fn cancel_import(
    State(state): State<ServerState>,
    OpenOrCreateVault(vault): OpenOrCreateVault,
    VaultInPath(address): VaultInPath,
    ImportInPath(id): ImportInPath,
) -> ApiResult<wire::ImportRun> {
    let run = state.imports.find(&address, vault.id(), &id)?;
    run.progress.cancel();
    Ok(JsonResponse::ok(wire::ImportRun::write(&run)))
}

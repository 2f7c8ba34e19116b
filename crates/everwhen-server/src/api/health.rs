//! Health checks, metrics and the OpenAPI document.
//!
//! `/healthz`, `/readyz`, `/docs` and `/openapi.json` answer everyone and reveal nothing about the
//! data or the configuration. `/metrics`, once there are API keys, needs the operator token or a
//! key with scope `admin`.

use std::sync::LazyLock;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use everwhen::key::Scope;
use everwhen::{Error, ErrorKind, WorkerStatus};
use tokio::time::timeout;

use super::response::{ApiResult, JsonResponse};
use super::wire;
use crate::ServerState;
use crate::access::Caller;
use crate::error::{Cause, RequestError};

/// How long the store may take to answer.
const READY: Duration = Duration::from_secs(2);

/// Liveness
///
/// Whether the process answers. Needs no key.
#[utoipa::path(
    get, path = "/healthz", tag = "health",
    responses((status = 200, description = "It answers", body = wire::HealthStatus)),
)]
pub(super) async fn live() -> JsonResponse<wire::HealthStatus> {
    JsonResponse::ok(wire::HealthStatus::ok())
}

/// Readiness
///
/// Whether the store answers within two seconds and can be written, and the outbox too. `degraded` means
/// that the server works, but something needs attention: exchanges wait in the outbox, a node of a
/// cluster does not answer, background work fails or cannot reach some vaults; `detail` says what. Needs no key; details are shown
/// to the operator, and to everyone while there are no keys.
#[utoipa::path(
    get, path = "/readyz", tag = "health",
    responses((status = 200, description = "It is ready", body = wire::HealthStatus)),
)]
pub(super) async fn ready(
    State(state): State<ServerState>,
    headers: HeaderMap,
) -> ApiResult<wire::HealthStatus> {
    let slow = |_| Err(Error::unavailable("the store does not answer within two seconds"));
    let ready = timeout(READY, state.engine.ready()).await.unwrap_or_else(slow);
    let trouble = ready.and_then(|mut partly| {
        partly.extend(state.proxy.outbox.trouble()?);
        partly.extend(state.worker.iter().flat_map(WorkerStatus::problems));
        partly.extend(state.engine.unreached().map(|unreached| unreached.to_string()));
        Ok(partly)
    });
    let caller = state.access.known_caller(&headers);
    let sees_details = matches!(caller, Some(Caller::Operator | Caller::Anyone));
    match trouble {
        Ok(partly) if partly.is_empty() => Ok(JsonResponse::ok(wire::HealthStatus::ok())),
        Ok(partly) => {
            let detail = sees_details.then(|| partly.join("; "));
            Ok(JsonResponse::ok(wire::HealthStatus::degraded(detail)))
        }
        Err(error) if sees_details => Err(error.into()),
        Err(_) => Err(not_ready()),
    }
}

/// The error without any detail about the store.
fn not_ready() -> RequestError {
    RequestError::new(Cause::Engine(ErrorKind::Unavailable), "the store does not answer")
}

/// Metrics
///
/// Metrics as Prometheus text. While a part of the store is away, the numbers of jobs are those of the last time that all
/// could be counted, and `everwhen_jobs_counted` is 0. Once there are keys, this needs the operator token or a key with
/// scope `admin`.
#[utoipa::path(
    get, path = "/metrics", tag = "health",
    responses((
        status = 200, description = "Metrics", content_type = "text/plain", body = String,
    )),
)]
pub(super) async fn metrics(
    State(state): State<ServerState>,
    caller: Caller,
) -> Result<Response, RequestError> {
    caller.require(Scope::Admin)?;
    let now = state.engine.now();
    let jobs = state.engine.count_jobs(now).await?;
    state.metrics.conversed(&state.engine.take_finished());
    if let Some(stats) = state.proxy.outbox.stats() {
        state.metrics.outbox(&stats, now);
    }
    if let Some(worker) = &state.worker {
        state.metrics.worker(worker);
    }
    state.metrics.jobs(jobs.as_deref(), state.engine.unreached().as_ref());
    let text = state.metrics.render();
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response())
}

/// OpenAPI document
///
/// This document. Needs no key.
#[utoipa::path(
    get, path = "/openapi.json", tag = "health",
    responses((
        status = 200, description = "OpenAPI 3.1", content_type = "application/json",
        body = Object,
    )),
)]
pub(super) async fn openapi_document() -> Response {
    static DOCUMENT: LazyLock<String> = LazyLock::new(super::openapi);
    ([(CONTENT_TYPE, "application/json")], DOCUMENT.as_str()).into_response()
}

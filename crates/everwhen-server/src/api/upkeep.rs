//! Maintenance for the operator: the doctor, and jobs.

use std::sync::Arc;

use axum::extract::State;
use everwhen::backup::ScheduleStatus;
use everwhen::memory::MemoryRef;
use everwhen::{Error, RetriedJobs, WorkerStatus};

use super::extract::{JobInPath, MemoryInPath, OpenVault, QueryParams};
use super::response::{ApiResult, JsonResponse};
use super::wire;
use crate::ServerState;
use crate::access::Operator;

/// Maximum number of exchanges that were set aside in a report.
const SET_ASIDE: u32 = 20;

/// Examine the server
///
/// Reports problems of the store, and which jobs are waiting or were set aside. Operator only.
#[utoipa::path(
    get, path = "/v1/doctor", tag = "operator",
    responses((status = 200, description = "What was found", body = wire::Doctor)),
)]
pub(super) async fn examine(
    _: Operator,
    State(state): State<ServerState>,
) -> ApiResult<wire::Doctor> {
    let problems = state.engine.check().await?;
    let jobs = state.engine.job_report().await?;
    let outbox = match state.proxy.outbox.stats() {
        Some(stats) => {
            let set_aside = state.proxy.outbox.set_aside(SET_ASIDE).await?;
            Some(wire::OutboxStatus::new(stats, set_aside))
        }
        None => None,
    };
    Ok(JsonResponse::ok(wire::Doctor {
        outbox,
        backup: backup_status(&state).await,
        version: env!("CARGO_PKG_VERSION").into(),
        warnings: warnings(&state, &problems).await,
        problems,
        worker: wire::WorkerTaskStatus::all(state.worker.as_ref()),
        jobs: wire::Jobs {
            groups: wire::JobGroup::all(&jobs),
            waiting: jobs.waiting(),
            set_aside: jobs.set_aside.into_iter().map(wire::SetAsideJob::from).collect(),
        },
    }))
}

/// What needs attention though the store can be examined.
async fn warnings(state: &ServerState, problems: &[String]) -> Vec<String> {
    let mut warnings = match state.engine.ready().await {
        Ok(partly) => partly,
        Err(error) => vec![error.to_string()],
    };
    warnings.retain(|warning| !problems.contains(warning));
    warnings.extend(state.worker.iter().flat_map(WorkerStatus::problems));
    warnings.extend(state.engine.unreached().map(|unreached| unreached.to_string()));
    if let (count, Some(last)) = state.engine.clock_steps().noted() {
        warnings.push(format!("the clock ran back {count} times since the start; {last}"));
    }
    match state.engine.memories_ahead().await {
        Ok(ahead) => warnings.extend(ahead.iter().map(ToString::to_string)),
        Err(error) => warnings.push(error.to_string()),
    }
    warnings
}

/// The state of the scheduled backups, if there is a schedule.
async fn backup_status(state: &ServerState) -> Option<wire::BackupStatus> {
    let backups = Arc::clone(state.backups.as_ref()?);
    let read = move || ScheduleStatus::read(&backups.0, &backups.1);
    tokio::task::spawn_blocking(read).await.ok().flatten().map(wire::BackupStatus::from)
}

/// Retry a job
///
/// Puts a job that was set aside back into the queue. Operator only.
#[utoipa::path(
    post, path = "/v1/jobs/{id}/retry", tag = "operator",
    responses((status = 200, description = "It waits again", body = wire::Retried)),
)]
pub(super) async fn retry_job(
    _: Operator,
    State(state): State<ServerState>,
    JobInPath(id): JobInPath,
) -> ApiResult<wire::Retried> {
    state.engine.retry_job(id).await?;
    Ok(JsonResponse::ok(wire::Retried { id: id.to_string() }))
}

/// Retry all jobs
///
/// Puts all jobs that were set aside back into their queues, or those of one kind. Operator only.
#[utoipa::path(
    post, path = "/v1/jobs/retry", tag = "operator",
    params(wire::RetryQuery),
    responses((status = 200, description = "How many wait again", body = wire::RetriedJobs)),
)]
pub(super) async fn retry_jobs(
    _: Operator,
    State(state): State<ServerState>,
    QueryParams(query): QueryParams<wire::RetryQuery>,
) -> ApiResult<wire::RetriedJobs> {
    let RetriedJobs { retried, unreached } = state.engine.retry_jobs(query.kind(), None).await?;
    if unreached > 0 {
        let jobs = if retried == 1 { "job waits" } else { "jobs wait" };
        let vaults = if unreached == 1 { "vault" } else { "vaults" };
        let error = Error::unavailable(format!(
            "{retried} {jobs} again, but {unreached} {vaults} cannot be reached; retry once they can"
        ));
        return Err(error.into());
    }
    Ok(JsonResponse::ok(wire::RetriedJobs { retried }))
}

/// Retry all jobs of a memory
///
/// Puts all jobs of a memory that were set aside back into their queues, or those of one kind.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/jobs/retry", tag = "memories",
    params(wire::RetryQuery),
    responses((status = 200, description = "How many wait again", body = wire::RetriedJobs)),
)]
pub(super) async fn retry_jobs_of_memory(
    State(state): State<ServerState>,
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    QueryParams(query): QueryParams<wire::RetryQuery>,
) -> ApiResult<wire::RetriedJobs> {
    let memory = MemoryRef { vault: vault.id(), memory: vault.memory(memory).await?.id };
    let RetriedJobs { retried, .. } = state.engine.retry_jobs(query.kind(), Some(memory)).await?;
    Ok(JsonResponse::ok(wire::RetriedJobs { retried }))
}

/// Run jobs
///
/// Runs due jobs until none is left or the given maximum is reached. Operator only.
#[utoipa::path(
    post, path = "/v1/settle", tag = "operator",
    params(wire::SettleQuery),
    responses((status = 200, description = "How many were done", body = wire::Settled)),
)]
pub(super) async fn settle(
    _: Operator,
    State(state): State<ServerState>,
    QueryParams(query): QueryParams<wire::SettleQuery>,
) -> ApiResult<wire::Settled> {
    let done = match query.limit {
        Some(limit) => state.engine.settle_some(limit).await?,
        None => state.engine.settle().await?,
    };
    let due = state.engine.job_report().await?.counts.iter().map(|one| one.due).sum();
    Ok(JsonResponse::ok(wire::Settled { done, due }))
}

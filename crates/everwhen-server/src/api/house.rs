//! Health checks, metrics and the OpenAPI document.
//!
//! One rule for who may ask: `/healthz`, `/readyz`, `/docs` and `/openapi.json` answer everyone and
//! say nothing about what is stored or how the server is set up. `/metrics`, once there are API keys,
//! needs the operator's token or a key with scope `admin`.

use std::sync::LazyLock;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use everwhen::ErrorKind;
use everwhen::job::JobState;
use everwhen::key::Scope;

use super::answer::{Answer, Answered};
use super::wire;
use crate::Door;
use crate::access::Caller;
use crate::problem::{Cause, Problem};

/// More jobs than this are not counted, so that asking stays cheap.
const JOBS_COUNTED: usize = 1000;

/// Liveness
///
/// Whether the process answers. Needs no key.
#[utoipa::path(
    get, path = "/healthz", tag = "house",
    responses((status = 200, description = "It answers", body = wire::Standing)),
)]
pub(super) async fn live() -> Answer<wire::Standing> {
    Answer::ok(wire::Standing::ok())
}

/// Readiness
///
/// Whether the store answers. Needs no key; why it is not ready is told to the operator, and to
/// everyone while there are no keys.
#[utoipa::path(
    get, path = "/readyz", tag = "house",
    responses((status = 200, description = "It is ready", body = wire::Standing)),
)]
pub(super) async fn ready(
    State(door): State<Door>,
    headers: HeaderMap,
) -> Answered<wire::Standing> {
    match door.engine.next_due().await {
        Ok(_) => Ok(Answer::ok(wire::Standing::ok())),
        Err(error) => match door.access.known_caller(&headers) {
            Some(Caller::Operator | Caller::Anyone) => Err(error.into()),
            _ => Err(not_ready()),
        },
    }
}

/// Not ready, without a word on where the store is or what is wrong with it.
fn not_ready() -> Problem {
    Problem::new(Cause::Engine(ErrorKind::Unavailable), "the store does not answer")
}

/// Metrics
///
/// As Prometheus text. Once there are keys, this needs the operator's token or a key with scope
/// `admin`.
#[utoipa::path(
    get, path = "/metrics", tag = "house",
    responses((
        status = 200, description = "Metrics", content_type = "text/plain", body = String,
    )),
)]
pub(super) async fn metrics(State(door): State<Door>, caller: Caller) -> Result<Response, Problem> {
    caller.require(Scope::Admin)?;
    let (jobs, now) = (door.engine.jobs(JOBS_COUNTED).await?, door.engine.now());
    let set_aside = jobs.iter().filter(|job| job.state == JobState::SetAside).count();
    let is_due = |state| !matches!(state, JobState::SetAside);
    let due = jobs.iter().filter(|job| job.due_at <= now && is_due(job.state)).count();
    door.tally.conversed(&door.engine.take_finished());
    let text = door.tally.render(due, set_aside);
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response())
}

/// OpenAPI document
///
/// This document. Needs no key.
#[utoipa::path(
    get, path = "/openapi.json", tag = "house",
    responses((
        status = 200, description = "OpenAPI 3.1", content_type = "application/json",
        body = Object,
    )),
)]
pub(super) async fn openapi_document() -> Response {
    static DOCUMENT: LazyLock<String> = LazyLock::new(super::openapi);
    ([(CONTENT_TYPE, "application/json")], DOCUMENT.as_str()).into_response()
}

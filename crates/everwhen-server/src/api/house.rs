//! What those who run the server ask: does it live, is it ready, what does it count, what can it do.

use std::sync::LazyLock;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use everwhen::job::JobState;

use super::answer::{Answer, Answered};
use super::wire;
use crate::Door;
use crate::problem::Problem;

/// More jobs than this are not counted, so that asking stays cheap.
const JOBS_COUNTED: usize = 1000;

/// Does it live?
#[utoipa::path(
    get, path = "/healthz", tag = "house",
    responses((status = 200, description = "It lives", body = wire::Standing)),
)]
pub(super) async fn live() -> Answer<wire::Standing> {
    Answer::ok(wire::Standing::ok())
}

/// Is it ready?
///
/// Whether the store answers.
#[utoipa::path(
    get, path = "/readyz", tag = "house",
    responses((status = 200, description = "It is ready", body = wire::Standing)),
)]
pub(super) async fn ready(State(door): State<Door>) -> Answered<wire::Standing> {
    door.engine.next_due().await?;
    Ok(Answer::ok(wire::Standing::ok()))
}

/// What does it count?
///
/// Metrics as Prometheus text.
#[utoipa::path(
    get, path = "/metrics", tag = "house",
    responses((
        status = 200, description = "Metrics", content_type = "text/plain", body = String,
    )),
)]
pub(super) async fn metrics(State(door): State<Door>) -> Result<Response, Problem> {
    let (jobs, now) = (door.engine.jobs(JOBS_COUNTED).await?, door.engine.now());
    let set_aside = jobs.iter().filter(|job| job.state == JobState::SetAside).count();
    let is_due = |state| !matches!(state, JobState::SetAside);
    let due = jobs.iter().filter(|job| job.due_at <= now && is_due(job.state)).count();
    door.tally.conversed(&door.engine.take_finished());
    let text = door.tally.render(due, set_aside);
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response())
}

/// What can it do?
///
/// This document.
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

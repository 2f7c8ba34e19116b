//! Retrospection: what a language model writes when it looks back at ended conversations.

use axum::extract::State;
use everwhen::limits;
use everwhen::receipt::Receipt;

use super::conversations::rules;
use super::extract::{JsonBody, MemoryInPath, OpenVault, OptionalJsonBody, QueryParams};
use super::response::{ApiResult, JsonResponse, wrong_receipt};
use super::wire;
use crate::ServerState;
use crate::error::RequestError;

/// Get retrospections
///
/// What the language model wrote when it looked back at ended conversations, as one text and
/// by conversation.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/retrospection", tag = "conversations",
    params(wire::RetrospectionsQuery),
    responses((status = 200, description = "All of them", body = wire::Retrospections)),
)]
pub(super) async fn get_retrospection(
    State(state): State<ServerState>,
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    QueryParams(query): QueryParams<wire::RetrospectionsQuery>,
) -> ApiResult<wire::Retrospections> {
    let limit = query.limit.unwrap_or(limits::PAGE_ROWS_DEFAULT);
    if !(1..=limits::PAGE_ROWS).contains(&limit) {
        let most = limits::PAGE_ROWS;
        return Err(RequestError::invalid(format!("limit is {limit}; use 1 to {most}")));
    }
    let found = vault.retrospections(memory.clone(), limit).await?;
    let rules = rules(&state, &vault, memory).await?;
    let zone = vault.info().await?.zone;
    let text = everwhen::conversations::retrospect::as_text(&found, &zone);
    let write = |one| wire::Conversation::write(one, &rules);
    let conversations = found.into_iter().map(write).collect();
    Ok(JsonResponse::ok(wire::Retrospections { text, conversations }))
}

/// Look back at conversations
///
/// Has the language model look back at ended conversations: those at which it has not yet, or all. Jobs
/// do it. With `conversations.retrospection` in the configuration it happens whenever one ends.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/retrospection", tag = "conversations",
    request_body = Option<wire::Retrospect>,
    responses((status = 202, description = "What is being done", body = wire::Regenerating)),
)]
pub(super) async fn retrospect(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    OptionalJsonBody(JsonBody { body, once }): OptionalJsonBody<wire::Retrospect>,
) -> ApiResult<wire::Regenerating> {
    let done = vault.retrospect(memory, body.again.unwrap_or_default(), once).await?;
    let Receipt::Regenerating(conversations) = done.receipt else { return Err(wrong_receipt()) };
    Ok(JsonResponse::accepted(wire::Regenerating { conversations }).replayed(done.replayed))
}

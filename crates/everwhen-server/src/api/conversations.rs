//! Conversations: list, get, end, import, fork, restore, forget, and the prompt made of them.

use axum::extract::State;
use everwhen::activity::Measured;
use everwhen::memory::{Address, MemoryId};
use everwhen::receipt::{Done, Receipt};
use everwhen::{Forget, Vault};

use super::extract::{
    ConversationInPath, IdempotencyKey, JsonBody, MemoryInPath, OpenOrCreateVault, OpenVault,
    OptionalJsonBody, QueryParams,
};
use super::response::{ApiResult, JsonResponse, wrong_receipt};
use super::vaults::forgotten;
use super::{cursor, wire};
use crate::ServerState;

/// List conversations
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/conversations", tag = "conversations",
    params(wire::ConversationsQuery),
    responses((
        status = 200, description = "A page of conversations",
        body = wire::Page<wire::Conversation>,
    )),
)]
pub(super) async fn list_conversations(
    State(state): State<ServerState>,
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    QueryParams(query): QueryParams<wire::ConversationsQuery>,
) -> ApiResult<wire::Page<wire::Conversation>> {
    let page = match query.as_of()? {
        Some(at) => vault.conversations_as_of(memory.clone(), query.read()?, at).await?,
        None => vault.conversations(memory.clone(), query.read()?).await?,
    };
    let rules = rules(&state, &vault, memory).await?;
    let row = |conversation| Ok(wire::Conversation::write(conversation, &rules));
    Ok(JsonResponse::ok(wire::Page::write(page, row, cursor::write_conversation)?))
}

/// Get a conversation
///
/// With its entries and branches.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/conversations/{id}", tag = "conversations",
    params(wire::ConversationAsOfQuery),
    responses((status = 200, description = "The conversation", body = wire::ConversationDetail)),
)]
pub(super) async fn get_conversation(
    State(state): State<ServerState>,
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    ConversationInPath(id): ConversationInPath,
    QueryParams(query): QueryParams<wire::ConversationAsOfQuery>,
) -> ApiResult<wire::ConversationDetail> {
    let (view, measured) = match query.as_of()? {
        Some(at) => {
            let nothing = Measured { time: None, activities: Vec::new() };
            (vault.conversation_as_of(memory.clone(), id, at).await?, nothing)
        }
        None => (
            vault.conversation(memory.clone(), id.clone()).await?,
            vault.conversation_time(memory.clone(), id).await?,
        ),
    };
    let rules = rules(&state, &vault, memory).await?;
    Ok(JsonResponse::ok(wire::ConversationDetail::write(view, measured, &rules)?))
}

/// The settings that decide the states of a memory's conversations now.
pub(super) async fn rules(
    state: &ServerState,
    vault: &Vault,
    memory: Address<MemoryId>,
) -> everwhen::Result<wire::Rules> {
    Ok(wire::Rules {
        vault: vault.id(),
        settings: vault.rules(memory).await?,
        now: state.engine.now(),
    })
}

/// Forget a conversation
///
/// Removes it permanently, with its entries and branches.
#[utoipa::path(
    delete, path = "/v1/vaults/{vault}/memories/{memory}/conversations/{id}",
    tag = "conversations",
    responses((status = 200, description = "What was removed", body = wire::Removed)),
)]
pub(super) async fn forget_conversation(
    State(state): State<ServerState>,
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    ConversationInPath(id): ConversationInPath,
    IdempotencyKey(once): IdempotencyKey,
) -> ApiResult<wire::Removed> {
    forgotten(state.forget(&vault, memory, Forget::Conversation(id), once).await?)
}

/// End a conversation
///
/// Ends the named conversation, or the active one if none is named.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/conversations/end", tag = "conversations",
    request_body = Option<wire::EndConversation>,
    responses((status = 200, description = "The ended conversation", body = wire::Conversation)),
)]
pub(super) async fn end_conversation(
    State(state): State<ServerState>,
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    OptionalJsonBody(JsonBody { body, once }): OptionalJsonBody<wire::EndConversation>,
) -> ApiResult<wire::Conversation> {
    let done = vault.end(memory.clone(), body.read()?, once).await?;
    conversation_response(&state, &vault, memory, &done).await
}

/// Summarize a conversation
///
/// Has the title and the summary of an ended conversation written again, by the language model if
/// one is configured. A background job does it; the response is the conversation as it is now.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/conversations/{id}/summary",
    tag = "conversations",
    responses((status = 200, description = "The conversation", body = wire::Conversation)),
)]
pub(super) async fn summarize_conversation(
    State(state): State<ServerState>,
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    ConversationInPath(id): ConversationInPath,
    IdempotencyKey(once): IdempotencyKey,
) -> ApiResult<wire::Conversation> {
    let done = vault.summarize_conversation(memory.clone(), id, once).await?;
    conversation_response(&state, &vault, memory, &done).await
}

/// Import a conversation
///
/// Stores a conversation of another system under its name there, with its own end, title, summary
/// and branches. Creates the memory and the vault if they do not exist. Importing it again, with or
/// without new entries, stores only what is new: an entry with the same role, time and text is the
/// same entry.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/conversations/import",
    tag = "conversations",
    params(wire::ImportQuery),
    request_body = wire::ImportedConversation,
    responses(
        (status = 200, description = "What would come in", body = wire::Imported),
        (status = 201, description = "What came in", body = wire::Imported),
    ),
)]
pub(super) async fn import_conversation(
    State(state): State<ServerState>,
    OpenOrCreateVault(vault): OpenOrCreateVault,
    MemoryInPath(memory): MemoryInPath,
    QueryParams(query): QueryParams<wire::ImportQuery>,
    JsonBody { body, once }: JsonBody<wire::ImportedConversation>,
) -> ApiResult<wire::Imported> {
    let imported = body.read()?;
    let name = imported.name.to_string();
    let rehearsal = query.dry_run.unwrap_or_default();
    let done = match rehearsal {
        true => vault.rehearse_import(memory, imported, once).await?,
        false => vault.import_conversation(memory, imported, once).await?,
    };
    let answer = wire::Imported::write(name, &done.receipt).ok_or_else(wrong_receipt)?;
    if rehearsal {
        return Ok(JsonResponse::ok(answer).replayed(done.replayed));
    }
    if !done.replayed {
        state.metrics.remembered(answer.entries());
    }
    Ok(JsonResponse::created(answer).replayed(done.replayed))
}

/// Import several conversations
///
/// Imports conversations of another system in one durable write, each as
/// `POST .../conversations/import` does. One that cannot be stored leaves the others as they are; one
/// that is malformed refuses the request.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/conversations/import/batch",
    tag = "conversations",
    params(wire::ImportBatchQuery),
    request_body = wire::ImportBatch,
    responses((
        status = 200, description = "Outcome of the import", body = wire::ImportOutcomes,
    )),
)]
pub(super) async fn import_conversations(
    State(state): State<ServerState>,
    OpenOrCreateVault(vault): OpenOrCreateVault,
    MemoryInPath(memory): MemoryInPath,
    QueryParams(query): QueryParams<wire::ImportBatchQuery>,
    JsonBody { body, .. }: JsonBody<wire::ImportBatch>,
) -> ApiResult<wire::ImportOutcomes> {
    let conversations = body.read()?;
    let names: Vec<String> =
        conversations.iter().map(|conversation| conversation.name.to_string()).collect();
    let mode = query.mode();
    let outcomes = vault.import_conversations(memory, conversations, mode).await?;
    let written = |(name, outcome)| wire::ImportOutcome::write(name, outcome);
    let outcomes: Vec<wire::ImportOutcome> = names.into_iter().zip(outcomes).map(written).collect();
    if !mode.is_rehearsal {
        state.metrics.remembered(outcomes.iter().map(wire::ImportOutcome::stored).sum());
    }
    Ok(JsonResponse::ok(wire::ImportOutcomes { outcomes }))
}

/// Fork a conversation
///
/// Moves the entries after a given one to a branch, so that the conversation can continue from
/// there.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/conversations/{id}/fork",
    tag = "conversations",
    request_body = wire::Fork,
    responses((status = 201, description = "The branch", body = wire::Forked)),
)]
pub(super) async fn fork_conversation(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    ConversationInPath(id): ConversationInPath,
    JsonBody { body, once }: JsonBody<wire::Fork>,
) -> ApiResult<wire::Forked> {
    let done = vault.fork(memory, id, body.read()?, once).await?;
    let Receipt::Forked { branch, entries } = done.receipt else { return Err(wrong_receipt()) };
    let forked = wire::Forked { branch_id: branch.to_string(), message_count: entries };
    Ok(JsonResponse::created(forked).replayed(done.replayed))
}

/// Restore a conversation
///
/// Makes an archived conversation appear in lists again.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/conversations/{id}/restore",
    tag = "conversations",
    responses((status = 200, description = "The conversation", body = wire::Conversation)),
)]
pub(super) async fn restore_conversation(
    State(state): State<ServerState>,
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    ConversationInPath(id): ConversationInPath,
    IdempotencyKey(once): IdempotencyKey,
) -> ApiResult<wire::Conversation> {
    let done = vault.restore(memory.clone(), id, once).await?;
    conversation_response(&state, &vault, memory, &done).await
}

/// Record activities
///
/// Records when a model or a tool was working in the conversation. Returns its conversation time.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/conversations/{id}/activities",
    tag = "conversations",
    request_body = wire::NewActivities,
    responses((status = 200, description = "Conversation time", body = wire::ConversationTime)),
)]
pub(super) async fn record_activities(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    ConversationInPath(id): ConversationInPath,
    JsonBody { body, once }: JsonBody<wire::NewActivities>,
) -> ApiResult<wire::ConversationTime> {
    let activities = body.read()?;
    let done = vault.record_activities(memory.clone(), id.clone(), activities, once).await?;
    let time = vault.conversation_time(memory, id).await?.time.ok_or_else(wrong_receipt)?;
    Ok(JsonResponse::ok(time.into()).replayed(done.replayed))
}

/// Get the context prompt
///
/// The current and the latest conversations as text for a model.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/conversations/prompt", tag = "conversations",
    responses((status = 200, description = "The prompt", body = wire::Prompt)),
)]
pub(super) async fn get_prompt(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
) -> ApiResult<wire::Prompt> {
    Ok(JsonResponse::ok(wire::Prompt { prompt: vault.prompt(memory).await? }))
}

/// The conversation that a receipt names, in its current state.
async fn conversation_response(
    state: &ServerState,
    vault: &Vault,
    memory: Address<MemoryId>,
    done: &Done,
) -> ApiResult<wire::Conversation> {
    let Receipt::Conversation(id) = done.receipt else { return Err(wrong_receipt()) };
    let view = vault.conversation(memory.clone(), Address::Id(id)).await?;
    let rules = rules(state, vault, memory).await?;
    let conversation = wire::Conversation::write(view.conversation, &rules);
    Ok(JsonResponse::ok(conversation).replayed(done.replayed))
}

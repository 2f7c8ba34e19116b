//! Recall: answers a question with what was said about it.

use everwhen::limits;
use everwhen::recall::{EntryFound, Kind, Query, Recollection};

use super::extract::{JsonBody, MemoryInPath, OpenVault};
use super::response::{ApiResult, JsonResponse};
use super::wire;

/// Recall
///
/// Answers a question from what was said: entries and conversations, best first, each with its date
/// and the signals it was found by; how time phrases in the question were read; and a briefing for
/// a model. No language model is called.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/recall", tag = "recall",
    request_body = wire::Question,
    responses((status = 200, description = "What was found", body = wire::Recollection)),
)]
pub(super) async fn recall(
    OpenVault(vault): OpenVault,
    MemoryInPath(memory): MemoryInPath,
    JsonBody { body, .. }: JsonBody<wire::Question>,
) -> ApiResult<wire::Recollection> {
    let (explain, missed, query) = (body.explain(), body.missed()?, body.read()?);
    let wider = wider(&query, missed);
    let recollection = vault.recall(memory.clone(), query).await?;
    let missed = match wider {
        Some(wider) => below(vault.recall(memory, wider).await?, &recollection, missed),
        None => Vec::new(),
    };
    Ok(JsonResponse::ok(wire::Recollection::write(recollection, missed, explain, vault.id())?))
}

/// Recall from all memories
///
/// Asks every memory of the vault at once; each item names its memory.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/recall", tag = "recall",
    request_body = wire::Question,
    responses((status = 200, description = "What was found", body = wire::Recollection)),
)]
pub(super) async fn recall_all(
    OpenVault(vault): OpenVault,
    JsonBody { body, .. }: JsonBody<wire::Question>,
) -> ApiResult<wire::Recollection> {
    let (explain, missed, query) = (body.explain(), body.missed()?, body.read()?);
    let wider = wider(&query, missed);
    let recollection = vault.recall_all(query).await?;
    let missed = match wider {
        Some(wider) => below(vault.recall_all(wider).await?, &recollection, missed),
        None => Vec::new(),
    };
    Ok(JsonResponse::ok(wire::Recollection::write(recollection, missed, explain, vault.id())?))
}

/// The same question for more entries than the limit, if those that just missed it are wanted.
fn wider(query: &Query, missed: usize) -> Option<Query> {
    let is_wanted = missed > 0 && (query.kinds.is_empty() || query.kinds.contains(&Kind::Entry));
    let limit = query.limit.unwrap_or(limits::RECALL_ITEMS_DEFAULT) + missed;
    is_wanted.then(|| Query {
        kinds: vec![Kind::Entry],
        limit: Some(limit.min(limits::PAGE_ROWS)),
        min_score: None,
        ..query.clone()
    })
}

/// The entries that only the wider question found.
fn below(wider: Recollection, answer: &Recollection, missed: usize) -> Vec<EntryFound> {
    let is_new = |found: &EntryFound| answer.items.iter().all(|one| one.entry.id != found.entry.id);
    wider.items.into_iter().filter(is_new).take(missed).collect()
}

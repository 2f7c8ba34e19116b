//! Entries: remember, list, look, correct, forget.

use axum::extract::State;
use everwhen::Forget;
use everwhen::receipt::{Done, EntriesReceipt, Receipt};

use super::answer::{Answer, Answered, wrong_receipt};
use super::ask::{Asked, EntryAt, MemoryAt, Once, Sent, VaultOf, VaultToWrite};
use super::vaults::forgotten;
use super::{cursor, wire};
use crate::Door;
use crate::problem::Problem;

/// List entries
///
/// By `conversation_time`.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/entries", tag = "entries",
    params(wire::EntriesQuery),
    responses((status = 200, description = "A page of entries", body = wire::Page<wire::Entry>)),
)]
pub(super) async fn list_entries(
    VaultOf(vault): VaultOf,
    MemoryAt(memory): MemoryAt,
    Asked(query): Asked<wire::EntriesQuery>,
) -> Answered<wire::Page<wire::Entry>> {
    let (conversation, query) = query.read()?;
    let page = vault.entries(memory, conversation, query).await?;
    Ok(Answer::ok(wire::Page::write(page, wire::Entry::write, cursor::write_entry)?))
}

/// Remember an entry
///
/// Makes the memory, and the vault, if none of that name exists. The answer comes once the entry
/// is durable.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/entries", tag = "entries",
    request_body = wire::NewEntry,
    responses((status = 201, description = "Remembered", body = wire::EntryReceipt)),
)]
pub(super) async fn remember_entry(
    State(door): State<Door>,
    VaultToWrite(vault): VaultToWrite,
    MemoryAt(memory): MemoryAt,
    Sent { body, once }: Sent<wire::NewEntry>,
) -> Answered<wire::EntryReceipt> {
    let done = vault.remember(memory, vec![body.read()?], once).await?;
    single(&door, done)
}

/// Remember many entries
///
/// At most 1000, in one durable write: all of them, or none.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/entries/batch", tag = "entries",
    request_body = wire::Batch,
    responses((status = 201, description = "Remembered", body = wire::BatchReceipt)),
)]
pub(super) async fn remember_batch(
    State(door): State<Door>,
    VaultToWrite(vault): VaultToWrite,
    MemoryAt(memory): MemoryAt,
    Sent { body, once }: Sent<wire::Batch>,
) -> Answered<wire::BatchReceipt> {
    let done = vault.remember(memory, body.read()?, once).await?;
    let (receipt, replayed) = counted(&door, done)?;
    Ok(Answer::created(receipt.into()).replayed(replayed))
}

/// Get an entry
///
/// Whatever became of it: corrected ones and those on branches too.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/memories/{memory}/entries/{id}", tag = "entries",
    responses((status = 200, description = "The entry", body = wire::Entry)),
)]
pub(super) async fn get_entry(
    VaultOf(vault): VaultOf,
    MemoryAt(memory): MemoryAt,
    EntryAt(id): EntryAt,
) -> Answered<wire::Entry> {
    Ok(Answer::ok(wire::Entry::write(vault.entry(memory, id).await?)?))
}

/// Forget an entry
///
/// Removes it for good, with what it corrects and what corrects it.
#[utoipa::path(
    delete, path = "/v1/vaults/{vault}/memories/{memory}/entries/{id}", tag = "entries",
    responses((status = 200, description = "What was removed", body = wire::Removed)),
)]
pub(super) async fn forget_entry(
    State(door): State<Door>,
    VaultOf(vault): VaultOf,
    MemoryAt(memory): MemoryAt,
    EntryAt(id): EntryAt,
    Once(once): Once,
) -> Answered<wire::Removed> {
    forgotten(door.forget(&vault, memory, Forget::Entry(id), once).await?)
}

/// Correct an entry
///
/// A new entry takes its place; the old one stays visible to `as_of` before the correction.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/entries/{id}/correction", tag = "entries",
    request_body = wire::NewCorrection,
    responses((status = 201, description = "The correction", body = wire::EntryReceipt)),
)]
pub(super) async fn correct_entry(
    State(door): State<Door>,
    VaultOf(vault): VaultOf,
    MemoryAt(memory): MemoryAt,
    EntryAt(id): EntryAt,
    Sent { body, once }: Sent<wire::NewCorrection>,
) -> Answered<wire::EntryReceipt> {
    let done = vault.correct(memory, id, body.read()?, once).await?;
    single(&door, done)
}

fn single(door: &Door, done: Done) -> Answered<wire::EntryReceipt> {
    let (receipt, replayed) = counted(door, done)?;
    let receipt = wire::EntryReceipt::single(receipt).ok_or_else(wrong_receipt)?;
    Ok(Answer::created(receipt).replayed(replayed))
}

fn counted(door: &Door, done: Done) -> Result<(EntriesReceipt, bool), Problem> {
    let Receipt::Entries(receipt) = done.receipt else { return Err(wrong_receipt()) };
    if !done.replayed {
        door.tally.remembered(receipt.entries.len());
    }
    Ok((receipt, done.replayed))
}

//! Receipts as JSON, for the receipt table.

use everwhen_engine::ports::Removed;
use everwhen_engine::receipt::{EntriesReceipt, EntryReceipt, PendingQuestion, Receipt};
use everwhen_engine::{Error, Result};
use serde::{Deserialize, Serialize};

use super::{damaged, instant, micros};

#[derive(Serialize, Deserialize)]
#[serde(tag = "did", rename_all = "snake_case")]
enum ReceiptRow {
    Vault { id: String },
    Memory { id: String },
    Entries { entries: Vec<EntryRow>, pending: Option<(String, i64)> },
    Context { id: String, version: u64 },
    Conversation { id: String },
    Imported { conversation: String, entries: u64, branches: u64 },
    Forked { branch: String, entries: u64 },
    Fact { id: String },
    Regenerating { conversations: u64 },
    Forgotten { removed: Vec<u64> },
}

#[derive(Serialize, Deserialize)]
struct EntryRow {
    id: String,
    sequence: u64,
    said: i64,
    stored: i64,
    conversation: String,
}

/// The receipt as JSON.
pub(crate) fn write_receipt(receipt: &Receipt) -> String {
    let row = match receipt {
        Receipt::Vault(id) => ReceiptRow::Vault { id: id.to_string() },
        Receipt::Memory(id) => ReceiptRow::Memory { id: id.to_string() },
        Receipt::Entries(receipt) => ReceiptRow::Entries {
            entries: receipt.entries.iter().map(entry_row).collect(),
            pending: receipt.pending.map(|p| (p.question.to_string(), micros(p.asked_at))),
        },
        Receipt::Context { id, version } => {
            ReceiptRow::Context { id: id.to_string(), version: *version }
        }
        Receipt::Conversation(id) => ReceiptRow::Conversation { id: id.to_string() },
        Receipt::Imported { conversation, entries, branches } => ReceiptRow::Imported {
            conversation: conversation.to_string(),
            entries: *entries,
            branches: *branches,
        },
        Receipt::Forked { branch, entries } => {
            ReceiptRow::Forked { branch: branch.to_string(), entries: *entries }
        }
        Receipt::Fact(id) => ReceiptRow::Fact { id: id.to_string() },
        Receipt::Regenerating(conversations) => {
            ReceiptRow::Regenerating { conversations: *conversations }
        }
        Receipt::Forgotten(removed) => ReceiptRow::Forgotten { removed: counts(removed) },
    };
    serde_json::to_string(&row).expect("a receipt can be written as JSON")
}

/// The receipt from its JSON.
pub(crate) fn read_receipt(json: &str) -> Result<Receipt> {
    let row = serde_json::from_str(json).map_err(|error| damaged("receipt", error))?;
    Ok(match row {
        ReceiptRow::Vault { id } => Receipt::Vault(read(&id)?),
        ReceiptRow::Memory { id } => Receipt::Memory(read(&id)?),
        ReceiptRow::Entries { entries, pending } => Receipt::Entries(EntriesReceipt {
            entries: entries.into_iter().map(entry).collect::<Result<_>>()?,
            pending: pending.map(pending_question).transpose()?,
        }),
        ReceiptRow::Context { id, version } => Receipt::Context { id: read(&id)?, version },
        ReceiptRow::Conversation { id } => Receipt::Conversation(read(&id)?),
        ReceiptRow::Imported { conversation, entries, branches } => {
            Receipt::Imported { conversation: read(&conversation)?, entries, branches }
        }
        ReceiptRow::Forked { branch, entries } => {
            Receipt::Forked { branch: read(&branch)?, entries }
        }
        ReceiptRow::Fact { id } => Receipt::Fact(read(&id)?),
        ReceiptRow::Regenerating { conversations } => Receipt::Regenerating(conversations),
        ReceiptRow::Forgotten { removed } => Receipt::Forgotten(removed_from(&removed)),
    })
}

fn entry_row(entry: &EntryReceipt) -> EntryRow {
    EntryRow {
        id: entry.id.to_string(),
        sequence: entry.sequence,
        said: micros(entry.conversation_time),
        stored: micros(entry.creation_time),
        conversation: entry.conversation.clone(),
    }
}

fn entry(row: EntryRow) -> Result<EntryReceipt> {
    Ok(EntryReceipt {
        id: read(&row.id)?,
        sequence: row.sequence,
        conversation_time: instant(row.said)?,
        creation_time: instant(row.stored)?,
        conversation: row.conversation,
    })
}

fn pending_question((question, asked_at): (String, i64)) -> Result<PendingQuestion> {
    Ok(PendingQuestion { question: read(&question)?, asked_at: instant(asked_at)? })
}

fn read<T: std::str::FromStr<Err = Error>>(text: &str) -> Result<T> {
    text.parse().map_err(|_| damaged("id in a receipt", text))
}

fn counts(removed: &Removed) -> Vec<u64> {
    let Removed { vaults, memories, conversations, entries, contexts, jobs, keys, facts } =
        *removed;
    vec![vaults, memories, conversations, entries, contexts, jobs, keys, facts]
}

/// Counts that were not kept yet when the receipt was written are zero.
fn removed_from(counts: &[u64]) -> Removed {
    let at = |place: usize| counts.get(place).copied().unwrap_or_default();
    Removed {
        vaults: at(0),
        memories: at(1),
        conversations: at(2),
        entries: at(3),
        contexts: at(4),
        jobs: at(5),
        keys: at(6),
        facts: at(7),
    }
}

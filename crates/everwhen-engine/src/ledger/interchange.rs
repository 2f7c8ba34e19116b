//! The map files of another system: SHA-256 of a text → `(Weekday, YYYY-MM-DD HH:MM:SS)`.
//!
//! Such a file has no texts. Its times are promises, kept until a message with that text turns up.

use std::collections::HashSet;

use jiff::Timestamp;

use crate::conversations::finish;
use crate::memory::{Address, MemoryId, TextHash};
use crate::memory_edit::MemoryEdit;
use crate::ports::{LedgerHead, LedgerLines, MemoryRef, Placeholder, Removal, Row, Snapshot};
use crate::receipt::{Done, Idempotency, Receipt};
use crate::vault::{Absent, Vault};
use crate::{Error, Result, limits};

use super::Message;

/// When texts were said, without the texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Times {
    /// Each text once.
    pub texts: Vec<(TextHash, Timestamp)>,
    /// When a reply began whose text is not settled.
    pub reply_began: Option<Timestamp>,
}

impl Vault {
    /// Takes in times of another system. They hold for messages that are not known yet.
    pub async fn import_times(
        &self,
        memory: Address<MemoryId>,
        times: Times,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        let work = move |edit: &mut MemoryEdit<'_>| import(edit, &times);
        self.edit_memory(memory, Absent::Make, idempotency, work).await
    }

    /// The times of a memory for another system: where texts repeat, when it was said first.
    pub async fn export_times(&self, memory: Address<MemoryId>) -> Result<Times> {
        self.read(memory, |view, _| export(view.snapshot, view.place)).await
    }
}

fn import(edit: &mut MemoryEdit<'_>, times: &Times) -> Result<Receipt> {
    if times.texts.len() > limits::IMPORT_ENTRIES {
        let (given, most) = (times.texts.len(), limits::IMPORT_ENTRIES);
        return Err(Error::too_large(format!("{given} times in one call; send at most {most}")));
    }
    let known = known_hashes(edit.tx.snapshot(), edit.place())?;
    for (hash, time) in times.texts.iter().filter(|(hash, _)| !known.contains(hash)) {
        edit.tx.put(Row::PromisedTime(edit.place(), hash.0, *time))?;
    }
    if let Some(started_at) = times.reply_began {
        let head = edit.tx.ledger_head(edit.place())?.unwrap_or_default();
        let placeholder = Some(Placeholder { started_at, after: None, reply: None });
        edit.tx.put(Row::LedgerHead(edit.place(), &LedgerHead { placeholder, ..head }))?;
    }
    finish::save_memory(edit)?;
    Ok(Receipt::Memory(edit.memory.id))
}

/// The hashes of messages that are here: a time for one of them is not kept for a later message.
fn known_hashes(rows: &dyn Snapshot, place: MemoryRef) -> Result<HashSet<TextHash>> {
    let mut known = HashSet::new();
    for line in rows.ledger_lines(place, LedgerLines::Behind(i64::MIN))? {
        let entry = line.entry.map(|id| rows.entry(place, id)).transpose()?.flatten();
        let forms = entry.map(|entry| TextHash::forms(entry.role, entry.content.as_str()));
        known.extend(forms.unwrap_or_default());
    }
    Ok(known)
}

fn export(rows: &dyn Snapshot, place: MemoryRef) -> Result<Times> {
    let mut seen = HashSet::new();
    let mut texts = Vec::new();
    for line in rows.ledger_lines(place, LedgerLines::Behind(i64::MIN))? {
        let entry = line.entry.map(|id| rows.entry(place, id)).transpose()?.flatten();
        let hash = entry.map(|entry| TextHash::of(entry.content.as_str()));
        texts.extend(hash.filter(|hash| seen.insert(*hash)).map(|hash| (hash, line.time)));
    }
    let promised = rows.promised_times(place, None)?.into_iter();
    let promised = promised.map(|(hash, time)| (TextHash(hash), time));
    texts.extend(promised.filter(|(hash, _)| seen.insert(*hash)));
    let waiting = rows.ledger_head(place)?.and_then(|head| head.placeholder);
    Ok(Times { texts, reply_began: waiting.map(|waiting| waiting.started_at) })
}

/// Takes the time another system had for this message, if it had one; it is used once.
pub(super) fn take_promised(
    edit: &mut MemoryEdit<'_>,
    message: &Message,
) -> Result<Option<Timestamp>> {
    for hash in TextHash::forms(message.role, message.content.as_str()) {
        let found = edit.tx.promised_times(edit.place(), Some(hash.0))?.pop().map(|(_, time)| time);
        if found.is_some() {
            edit.tx.remove(Removal::PromisedTime(edit.place(), hash.0))?;
            return Ok(found);
        }
    }
    Ok(None)
}

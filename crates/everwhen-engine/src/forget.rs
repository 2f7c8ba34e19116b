//! Forgetting: removes for good, from every table and job, and says what went.
//!
//! An entry and its corrections are versions of one thing said and go together. What was derived
//! from a forgotten entry is made again from what is left, or goes too.

use jiff::Timestamp;

use crate::conversations::finish;
use crate::desk::Desk;
pub use crate::memory::Forget;
use crate::memory::{Address, ConversationId, Entry, EntryId, MemoryId, VaultId};
use crate::ports::{EntryQuery, Erasure, Removed, Tx, Which};
use crate::receipt::{Done, Idempotency, Receipt};
use crate::vault::{Absent, Vault};
use crate::{Error, Result, chapters, erase};

/// Forgets, in a memory that is known to exist.
pub(crate) fn forget(desk: &mut Desk<'_>, what: &Forget) -> Result<Removed> {
    match what {
        Forget::Entry(id) => one_entry(desk, *id),
        Forget::Conversation(address) => {
            let conversation = desk.conversation(address)?;
            erase::conversation(desk, &conversation)
        }
        Forget::Period { after, before } => period(desk, *after, *before),
        Forget::Memory => {
            erase::replies(desk)?;
            desk.tx.erase(Erasure::Memory(desk.place()))
        }
    }
}

fn one_entry(desk: &mut Desk<'_>, id: EntryId) -> Result<Removed> {
    let entry = desk
        .tx
        .entry(desk.place(), id)?
        .ok_or_else(|| Error::not_found(format!("entry not found: {id}")))?;
    let chain = desk.versions(entry)?;
    entries(desk, &chain)
}

fn period(
    desk: &mut Desk<'_>,
    after: Option<Timestamp>,
    before: Option<Timestamp>,
) -> Result<Removed> {
    if after.is_none() && before.is_none() {
        return Err(Error::invalid(
            "forgetting a period needs after or before; to forget everything, forget the memory",
        ));
    }
    crate::time::Period::new(after, before, crate::time::Precision::Minute)?;
    let query = EntryQuery { after, before, which: Which::All, ..EntryQuery::default() };
    let doomed = desk.tx.entries(desk.place(), &query)?;
    entries(desk, &doomed)
}

/// Removes entries and puts right the conversations they were in.
fn entries(desk: &mut Desk<'_>, doomed: &[Entry]) -> Result<Removed> {
    erase::replies(desk)?;
    let ids: Vec<EntryId> = doomed.iter().map(|entry| entry.id).collect();
    let mut touched: Vec<ConversationId> = doomed.iter().map(|entry| entry.conversation).collect();
    touched.sort_unstable();
    touched.dedup();
    let mut removed = erase::said(desk, doomed, &ids)?;
    chapters::note_change(desk, Timestamp::MIN)?;
    for id in touched {
        removed = removed + repair(desk, id)?;
    }
    erase::question(desk)?;
    finish::save_memory(desk)?;
    Ok(removed)
}

/// A conversation that lost entries: gone if none is left, else counted and summarised anew.
fn repair(desk: &mut Desk<'_>, id: ConversationId) -> Result<Removed> {
    let Some(mut conversation) = desk.tx.conversation(desk.place(), id)? else {
        return Ok(Removed::default());
    };
    let any = EntryQuery { limit: Some(1), ..EntryQuery::of_conversation(id, Which::All) };
    if desk.tx.entries(desk.place(), &any)?.is_empty() {
        return desk.tx.erase(Erasure::Conversation(desk.place(), id));
    }
    conversation.summary = None;
    finish::recount(desk, conversation)?;
    Ok(Removed::default())
}

impl Vault {
    /// Forgets something in a memory for good.
    pub async fn forget(
        &self,
        memory: Address<MemoryId>,
        what: Forget,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        let embedders = self.engine.embedders.clone();
        let forget = move |desk: &mut Desk<'_>| {
            embedders.erase(desk, &what)?;
            self::forget(desk, &what).map(Receipt::Forgotten)
        };
        let done = self.at_desk(memory, Absent::Refuse, idempotency, forget).await?;
        self.drop_indexes();
        Ok(done)
    }

    /// Forgets the whole vault, with its keys.
    pub async fn forget_vault(&self, idempotency: Option<Idempotency>) -> Result<Done> {
        let embedders = self.engine.embedders.clone();
        let forget = move |tx: &mut dyn Tx, vault: VaultId| {
            embedders.erase_vault(tx.snapshot(), vault)?;
            tx.erase(Erasure::Vault(vault)).map(Receipt::Forgotten)
        };
        let done = self.write_whole(idempotency, forget).await?;
        self.drop_indexes();
        Ok(done)
    }
}

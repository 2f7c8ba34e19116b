//! Forgetting: removes permanently, from every table and job, and says what went.
//!
//! An entry and its corrections are versions of one thing said and go together. What was derived
//! from a forgotten entry is made again from what is left, or goes too.

use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;

use crate::conversations::{finish, rearrange};
use crate::engine::Engine;
pub use crate::memory::Forget;
use crate::memory::{
    Address, ConversationId, Entry, EntryId, ForgetMark, MemoryId, MemoryRef, VaultId,
};
use crate::memory_edit::MemoryEdit;
use crate::ports::{EntryQuery, Erasure, Removed, Row, Snapshot, Tx, Which};
use crate::receipt::{Done, Idempotency, Receipt};
use crate::tombstones::periods;
use crate::vault::{Absent, Vault};
use crate::{Error, Result, chapters, erase, tombstones};

impl Engine {
    /// Returns how often something in a vault was forgotten, by any process: what was read before has to be
    /// read again if it has changed.
    pub async fn forget_epoch(&self, vault: VaultId) -> Result<u64> {
        self.store.look(move |snapshot| snapshot.forget_epoch(vault)).await
    }
}

/// Forgets, in a memory that is known to exist.
pub(crate) fn forget(edit: &mut MemoryEdit<'_>, what: &Forget) -> Result<Removed> {
    match what {
        Forget::Entry(id) => one_entry(edit, *id),
        Forget::Conversation(address) => {
            let conversation = edit.conversation(address)?;
            erase::conversation(edit, &conversation)
        }
        Forget::Period { after, before } => period(edit, *after, *before),
        Forget::Context(version) => context(edit, *version),
        Forget::Memory => {
            erase::replies(edit)?;
            let (place, now, chance) = (edit.place(), edit.now, edit.chance);
            tombstones::keep_history(edit.tx, place, now, chance)?;
            tombstones::imported::keep_memory(edit.tx, place, now, chance)?;
            tombstones::keep_moment(edit.tx, place.vault, &edit.memory.name, now, chance)?;
            periods::drop_all(edit.tx, place)?;
            edit.tx.erase(Erasure::Memory(place))
        }
    }
}

/// Removes one version of the context document. What models were told may contain it.
fn context(edit: &mut MemoryEdit<'_>, version: u64) -> Result<Removed> {
    if !edit.remove_context(version)? {
        return Err(Error::not_found(format!("context version not found: {version}")));
    }
    erase::replies(edit)?;
    edit.memory.forgotten += 1;
    edit.save_memory()?;
    Ok(Removed { contexts: 1, ..Removed::default() })
}

fn one_entry(edit: &mut MemoryEdit<'_>, id: EntryId) -> Result<Removed> {
    let entry = edit
        .tx
        .entry(edit.place(), id)?
        .ok_or_else(|| Error::not_found(format!("entry not found: {id}")))?;
    let chain = edit.versions(entry)?;
    let mut times: Vec<Timestamp> = chain.iter().map(|version| version.conversation_time).collect();
    times.dedup();
    for time in times {
        keep_period(edit, time..periods::just_after(time))?;
    }
    entries(edit, &chain)
}

fn period(
    edit: &mut MemoryEdit<'_>,
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
    let doomed = edit.tx.entries(edit.place(), &query)?;
    keep_period(edit, after.unwrap_or(Timestamp::MIN)..before.unwrap_or(Timestamp::MAX))?;
    entries(edit, &doomed)
}

/// Keeps when something that is forgotten was said: more of it may wait in the outbox of another server.
fn keep_period(edit: &mut MemoryEdit<'_>, said: Range<Timestamp>) -> Result<()> {
    let (place, now) = (edit.place(), edit.now);
    periods::keep(edit.tx, place, said, now)
}

/// Removes entries and puts right the conversations they were in.
fn entries(edit: &mut MemoryEdit<'_>, doomed: &[Entry]) -> Result<Removed> {
    erase::replies(edit)?;
    let ids: Vec<EntryId> = doomed.iter().map(|entry| entry.id).collect();
    let mut touched: Vec<ConversationId> = doomed.iter().map(|entry| entry.conversation).collect();
    touched.sort_unstable();
    touched.dedup();
    let mut removed = erase::said(edit, doomed, &ids)?;
    chapters::note_change(edit, Timestamp::MIN)?;
    for id in touched {
        let own = doomed.iter().filter(|entry| entry.conversation == id);
        let times: Vec<Timestamp> = own.map(|entry| entry.conversation_time).collect();
        removed = removed + repair(edit, id, &times)?;
    }
    erase::question(edit)?;
    finish::save_memory(edit)?;
    Ok(removed)
}

/// A conversation that lost entries of these times: gone if none is left, else counted and summarised again, and
/// two if they held it together.
fn repair(
    edit: &mut MemoryEdit<'_>,
    id: ConversationId,
    forgotten: &[Timestamp],
) -> Result<Removed> {
    let Some(mut conversation) = edit.tx.conversation(edit.place(), id)? else {
        return Ok(Removed::default());
    };
    let any = EntryQuery { limit: Some(1), ..EntryQuery::of_conversation(id, Which::All) };
    if edit.tx.entries(edit.place(), &any)?.is_empty() {
        return edit.tx.erase(Erasure::Conversation(edit.place(), id));
    }
    // Not kept as what it was: it may tell what was forgotten.
    (conversation.summary, conversation.retrospection) = (None, None);
    edit.tx.put(Row::Conversation(edit.vault.id, &conversation))?;
    if !rearrange::split(edit, &conversation, forgotten)? {
        finish::recount(edit, conversation)?;
    }
    Ok(Removed::default())
}

impl Vault {
    /// Returns what has been forgotten in a memory by now. A caller that keeps something later which is made of what
    /// the memory says reads this first.
    pub async fn forget_mark(&self, memory: Address<MemoryId>) -> Result<ForgetMark> {
        let read = move |snapshot: &dyn Snapshot, vault: VaultId| {
            let found = match &memory {
                Address::Id(id) => snapshot.memory(MemoryRef { vault, memory: *id })?,
                Address::Name(name) => snapshot.memory_named(vault, name)?,
            };
            let memory = found.map(|memory| (memory.id, memory.forgotten));
            Ok(Some(ForgetMark { vault: snapshot.forget_epoch(vault)?, memory }))
        };
        self.look(read).await.map(Option::unwrap_or_default)
    }

    /// Forgets something in a memory permanently.
    pub async fn forget(
        &self,
        memory: Address<MemoryId>,
        what: Forget,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        let embedders = self.engine.embedders.clone();
        let forget = move |edit: &mut MemoryEdit<'_>| {
            embedders.erase(edit, &what)?;
            self::forget(edit, &what).map(Receipt::Forgotten)
        };
        let done = self.edit_memory(memory, Absent::Refuse, idempotency, forget).await?;
        self.drop_indexes();
        Ok(done)
    }

    /// Forgets the whole vault, with its keys.
    pub async fn forget_vault(&self, idempotency: Option<Idempotency>) -> Result<Done> {
        let (embedders, world) = (self.engine.embedders.clone(), Arc::clone(&self.engine.world));
        let forget = move |tx: &mut dyn Tx, vault: VaultId| {
            embedders.erase_vault(tx.snapshot(), vault)?;
            if let Some(info) = tx.vault(vault)? {
                tombstones::keep_vault(tx, &info, world.now(), &*world.chance)?;
            }
            tx.erase(Erasure::Vault(vault)).map(Receipt::Forgotten)
        };
        let done = self.write_whole(idempotency, forget).await?;
        self.drop_indexes();
        Ok(done)
    }
}

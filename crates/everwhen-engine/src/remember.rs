//! Remembering. Walk: check → place in a conversation → add → note a waiting question → receipt.

use jiff::Timestamp;

use crate::conversations::finish;
use crate::conversations::place::{Placed, Placer};
use crate::memory::vaults::check_description;
use crate::memory::{
    Address, ContextBy, ContextDocument, Corrected, Correction, Entry, EntryId, MemoryId, Metadata,
    Name, NewContext, NewEntry, Role, Said, check_tags,
};
use crate::memory_edit::MemoryEdit;
use crate::ports::{EntryChange, Row};
use crate::receipt::{Done, EntriesReceipt, EntryReceipt, Idempotency, PendingQuestion, Receipt};
use crate::time::to_microsecond;
use crate::vault::{Absent, Vault};
use crate::{ConflictReason, Error, Result, chapters, limits};

/// Stores entries, each in the conversation its time or its caller names.
pub(crate) fn entries(
    edit: &mut MemoryEdit<'_>,
    mut new: Vec<NewEntry>,
    receipt: Option<&Name>,
) -> Result<Receipt> {
    for entry in &mut new {
        entry.conversation_time = entry.conversation_time.map(to_microsecond);
    }
    check(&new, edit.clock)?;
    date_farewell(edit, &mut new);
    let stored = store(edit, new, receipt)?;
    finish::save_memory(edit)?;
    Ok(Receipt::Entries(stored))
}

/// Stores entries that have been checked, as part of a larger verb.
pub(crate) fn store(
    edit: &mut MemoryEdit<'_>,
    new: Vec<NewEntry>,
    receipt: Option<&Name>,
) -> Result<EntriesReceipt> {
    let mut placer = Placer::new();
    let mut receipts = vec![None; new.len()];
    let pending = answer_or_ask(edit, &new);
    let first = edit.memory.last_sequence + 1;
    let ids: Vec<EntryId> = new.iter().map(|_| edit.mint()).collect();
    for index in in_order_of_time(&new, edit.clock) {
        let (id, sequence) = (ids[index], first + index as u64);
        let time = new[index].conversation_time.unwrap_or(edit.clock);
        let placed = placer.place(edit, &new[index], time)?;
        let entry = entry(edit, &new[index], (id, sequence, time), &placed);
        edit.tx.put(Row::Entry(edit.vault.id, &entry, receipt))?;
        receipts[index] = Some(receipt_of(&entry, placed.wire_name));
    }
    placer.finish(edit)?;
    edit.memory.last_sequence += new.len() as u64;
    note_question(edit, &new, &ids);
    let times = new.iter().map(|entry| entry.conversation_time.unwrap_or(edit.clock));
    chapters::note_said(edit, times.min().unwrap_or(edit.clock))?;
    let entries = receipts.into_iter().flatten().collect();
    Ok(EntriesReceipt { entries, pending })
}

/// Dates what opens the exchange in which a conversation was ended, if it is stored only now and
/// without a time of its own: it was said before the end, so it belongs to the conversation that it
/// ends. Whatever opens an exchange next is a new one.
fn date_farewell(edit: &mut MemoryEdit<'_>, new: &mut [NewEntry]) {
    let Some(end) = edit.memory.unfinished_end else { return };
    let Some(opener) = new.iter_mut().find(|entry| !entry.role.is_reply()) else { return };
    edit.memory.unfinished_end = None;
    let is_now = opener.conversation_time.is_none() && opener.conversation.is_none();
    if is_now && edit.clock.duration_since(end) <= limits::FAREWELL {
        opener.conversation_time = Some(end);
    }
}

fn check(new: &[NewEntry], now: Timestamp) -> Result<()> {
    if new.is_empty() {
        return Err(Error::invalid("no entries given; send at least one"));
    }
    if new.len() > limits::BATCH_ENTRIES {
        return Err(Error::too_large(format!(
            "{} entries in one call; send at most {}",
            new.len(),
            limits::BATCH_ENTRIES
        )));
    }
    if let [single] = new {
        return single.check(now);
    }
    new.iter().enumerate().try_for_each(|(index, entry)| {
        entry.check(now).map_err(|e| e.at(format!("entries[{index}]")))
    })
}

/// The order in which entries are placed: by time, replies last, so that neighbours come in turn.
fn in_order_of_time(new: &[NewEntry], now: Timestamp) -> Vec<usize> {
    let mut order: Vec<usize> = (0..new.len()).collect();
    let key = |index: &usize| {
        let entry = &new[*index];
        (entry.conversation_time.unwrap_or(now), entry.role.is_reply())
    };
    order.sort_by_key(key);
    order
}

fn entry(
    edit: &MemoryEdit<'_>,
    new: &NewEntry,
    (id, sequence, conversation_time): (EntryId, u64, Timestamp),
    placed: &Placed,
) -> Entry {
    Entry {
        id,
        memory: edit.memory.id,
        sequence,
        place: sequence,
        role: new.role,
        speaker: new.speaker.clone(),
        content: new.content.clone(),
        summary: new.summary.clone(),
        tags: new.tags.clone(),
        metadata: new.metadata.clone(),
        tools_used: new.tools_used.clone(),
        is_question: new.is_question,
        conversation_time,
        creation_time: edit.now,
        conversation: placed.conversation,
        conversation_name: None,
        placed_by_time: placed.by_time,
        corrects: None,
        corrected: None,
        branch: None,
        provenance: new.provenance.clone(),
    }
}

fn receipt_of(entry: &Entry, conversation: String) -> EntryReceipt {
    EntryReceipt {
        id: entry.id,
        sequence: entry.sequence,
        conversation_time: entry.conversation_time,
        creation_time: entry.creation_time,
        conversation,
    }
}

/// The question that waited for the first user entry, unless the answer comes too late. A user
/// entry that was said before the question is older history and answers nothing.
fn answer_or_ask(edit: &mut MemoryEdit<'_>, new: &[NewEntry]) -> Option<PendingQuestion> {
    let (question, asked_at) = edit.memory.waiting?;
    let answer = new
        .iter()
        .filter(|entry| entry.role == Role::User)
        .map(|entry| entry.conversation_time.unwrap_or(edit.clock))
        .find(|time| *time >= asked_at)?;
    edit.memory.waiting = None;
    let waited = answer.duration_since(asked_at);
    (waited <= edit.vault.settings.state_timeout())
        .then_some(PendingQuestion { question, asked_at })
}

/// An assistant's question waits if no user entry follows it in the same call.
fn note_question(edit: &mut MemoryEdit<'_>, new: &[NewEntry], ids: &[EntryId]) {
    for (entry, id) in new.iter().zip(ids) {
        let time = entry.conversation_time.unwrap_or(edit.clock);
        match entry.role {
            Role::Assistant if entry.is_question => edit.memory.waiting = Some((*id, time)),
            Role::User if edit.memory.waiting.is_some_and(|(_, asked)| time >= asked) => {
                edit.memory.waiting = None;
            }
            _ => {}
        }
    }
}

/// What a correction says.
#[derive(Debug, Clone)]
pub struct NewCorrection {
    /// What should have been said.
    pub content: Said,
    /// Why.
    pub reason: String,
    /// Its tags; those it had if absent.
    pub tags: Option<Vec<Name>>,
    /// What the caller attaches; what was attached before if absent.
    pub metadata: Option<Metadata>,
}

/// Stores a correction: a new entry in place of an old one, at the time the old one was said.
pub(crate) fn correction(
    edit: &mut MemoryEdit<'_>,
    id: EntryId,
    new: NewCorrection,
    receipt: Option<&Name>,
) -> Result<Receipt> {
    if new.reason.trim().is_empty() {
        return Err(Error::invalid("reason is empty; say why the entry is corrected"));
    }
    check_description("reason", Some(&new.reason))?;
    let old = correctable(edit, id)?;
    let is_same = new.content == old.content;
    let correction = Entry {
        id: edit.mint(),
        sequence: edit.memory.last_sequence + 1,
        summary: old.summary.clone().filter(|_| is_same),
        tags: new.tags.unwrap_or_else(|| old.tags.clone()),
        metadata: new.metadata.or_else(|| old.metadata.clone()),
        content: new.content,
        creation_time: edit.now,
        placed_by_time: false,
        corrects: Some(Correction { entry: id, reason: new.reason }),
        ..old.clone()
    };
    edit.tx.put(Row::Entry(edit.vault.id, &correction, receipt))?;
    let corrected = Corrected { by: correction.id, at: edit.now };
    edit.change_entries(&[id], EntryChange::Corrected(corrected))?;
    if let Some((question, _)) = &mut edit.memory.waiting
        && *question == id
    {
        *question = correction.id;
    }
    chapters::note_change(edit, old.conversation_time)?;
    if let Some(conversation) = edit.tx.conversation(edit.place(), old.conversation)? {
        finish::recount(edit, conversation)?;
    }
    edit.memory.last_sequence += 1;
    finish::save_memory(edit)?;
    let conversation =
        old.conversation_name.map_or_else(|| old.conversation.to_string(), |name| name.to_string());
    let entries = vec![receipt_of(&correction, conversation)];
    Ok(Receipt::Entries(EntriesReceipt { entries, pending: None }))
}

fn correctable(edit: &MemoryEdit<'_>, id: EntryId) -> Result<Entry> {
    let old = edit
        .tx
        .entry(edit.place(), id)?
        .ok_or_else(|| Error::not_found(format!("entry not found: {id}")))?;
    if let Some(corrected) = &old.corrected {
        return Err(Error::conflict(format!(
            "entry {id} has already been corrected by {}; correct that one",
            corrected.by
        ))
        .because(ConflictReason::AlreadyCorrected));
    }
    if old.branch.is_some() {
        return Err(Error::conflict(format!("entry {id} is on a branch; it cannot be corrected"))
            .because(ConflictReason::OnBranch));
    }
    Ok(old)
}

/// Gives an entry other tags. Nothing else about it changes.
fn set_tags(edit: &mut MemoryEdit<'_>, id: EntryId, tags: &[Name]) -> Result<Receipt> {
    check_tags(tags)?;
    let entry = edit
        .tx
        .entry(edit.place(), id)?
        .ok_or_else(|| Error::not_found(format!("entry not found: {id}")))?;
    if let Some(corrected) = &entry.corrected {
        return Err(Error::conflict(format!(
            "entry {id} has been corrected by {}; change the tags of that one",
            corrected.by
        ))
        .because(ConflictReason::AlreadyCorrected));
    }
    edit.change_entries(&[id], EntryChange::Tags(tags, edit.now))?;
    edit.note_moved()?;
    finish::save_memory(edit)?;
    let name = entry.conversation_name.as_ref();
    let conversation = name.map_or_else(|| entry.conversation.to_string(), Name::to_string);
    let entries = vec![receipt_of(&entry, conversation)];
    Ok(Receipt::Entries(EntriesReceipt { entries, pending: None }))
}

/// Stores a version of the context document.
pub(crate) fn context(edit: &mut MemoryEdit<'_>, new: NewContext) -> Result<Receipt> {
    let conversation_time = new.conversation_time().map_or(edit.clock, to_microsecond);
    if conversation_time > edit.clock + limits::FUTURE_SLACK {
        return Err(Error::conflict(format!(
            "conversation_time {conversation_time} is more than a minute in the future"
        ))
        .because(ConflictReason::FutureTime));
    }
    let document = ContextDocument {
        id: edit.mint(),
        memory: edit.memory.id,
        version: edit.next_context()?,
        content: new.content().to_owned(),
        conversation_time,
        creation_time: edit.now,
        by: ContextBy::Agent,
    };
    edit.put_context(&document)?;
    finish::save_memory(edit)?;
    Ok(Receipt::Context { id: document.id, version: document.version })
}

impl Vault {
    /// Remembers entries, in one durable write. Makes the memory if it does not exist.
    pub async fn remember(
        &self,
        memory: Address<MemoryId>,
        entries: Vec<NewEntry>,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        let key = idempotency.as_ref().map(|idempotency| idempotency.key.clone());
        let add =
            move |edit: &mut MemoryEdit<'_>| self::entries(edit, entries.clone(), key.as_ref());
        let done = self.edit_memory(memory.clone(), Absent::Make, idempotency, add).await?;
        self.note_growth(&memory, &done);
        Ok(done)
    }

    /// Corrects an entry: a new one takes its place.
    pub async fn correct(
        &self,
        memory: Address<MemoryId>,
        entry: EntryId,
        correction: NewCorrection,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        let key = idempotency.as_ref().map(|idempotency| idempotency.key.clone());
        self.edit_memory(memory, Absent::Refuse, idempotency, move |edit| {
            self::correction(edit, entry, correction.clone(), key.as_ref())
        })
        .await
    }

    /// Gives an entry other tags in place of those it has.
    pub async fn set_tags(
        &self,
        memory: Address<MemoryId>,
        entry: EntryId,
        tags: Vec<Name>,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        self.edit_memory(memory, Absent::Refuse, idempotency, move |edit| {
            self::set_tags(edit, entry, &tags)
        })
        .await
    }

    /// The tags of the entries of a memory, each with the number of entries that have it, by name.
    pub async fn tags(&self, memory: Address<MemoryId>) -> Result<Vec<(Name, u64)>> {
        self.read(memory, |view, _| view.snapshot.tags(view.place)).await
    }

    /// Stores a version of the context document. Makes the memory if it does not exist.
    pub async fn put_context(
        &self,
        memory: Address<MemoryId>,
        context: NewContext,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        self.edit_memory(memory, Absent::Make, idempotency, move |edit| {
            self::context(edit, context.clone())
        })
        .await
    }
}

//! What callers and jobs do to conversations: end, fork, restore, close, summarise.

use jiff::{SignedDuration, Timestamp};

use super::boundary::{self, is_pause};
use super::finish;
use crate::job::{Job, JobKind};
use crate::memory::vaults::check_description;
use crate::memory::{BranchId, Conversation, ConversationName, Ended, EndedBy, EntryId};
use crate::memory_edit::MemoryEdit;
use crate::ports::{EntryChange, EntryQuery, Removal, Row, Speakers, Tx, Which};
use crate::receipt::Receipt;
use crate::time::to_microsecond;
use crate::{ConflictReason, Error, Result, chapters, job_run, summary};

/// The jobs that follow on a summary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Followers {
    /// A language model writes it again.
    pub(crate) summarize_with_model: bool,
    /// A language model looks back at the conversation.
    pub(crate) retrospect: bool,
}

/// Ends a conversation at once: the one named, else the active one. If that happens inside an exchange
/// that is stored afterwards, what opens that exchange still belongs to it.
pub(crate) fn end(
    edit: &mut MemoryEdit<'_>,
    address: Option<&ConversationName>,
    reason: Option<String>,
    in_exchange: bool,
) -> Result<Receipt> {
    check_description("reason", reason.as_deref())?;
    let mut conversation = match address {
        Some(address) => still_open(edit, edit.conversation(address)?)?,
        None => boundary::active(edit.tx.snapshot(), edit.place(), &edit.vault, edit.clock)?
            .ok_or_else(|| {
                Error::conflict("no active conversation to end")
                    .because(ConflictReason::NoActiveConversation)
            })?,
    };
    let at = instant_of_end(edit, &conversation)?;
    conversation.ended = Some(Ended { at, by: EndedBy::Caller { reason } });
    if conversation.name.is_none() {
        edit.tx.put(Row::Ending(edit.place(), at))?;
        edit.memory.last_ending = edit.memory.last_ending.max(Some(at));
        let unfinished = in_exchange && is_answered(edit, &conversation)?;
        edit.memory.unfinished_end = unfinished.then_some(at);
    }
    let id = conversation.id;
    finish::close(edit, conversation)?;
    finish::save_memory(edit)?;
    Ok(Receipt::Conversation(id))
}

/// Whether the last thing said in a conversation is a reply, so that an exchange in which it is ended
/// has not been stored yet.
fn is_answered(edit: &MemoryEdit<'_>, conversation: &Conversation) -> Result<bool> {
    let last = edit.tx.before(edit.place(), conversation.last_at, Speakers::All)?;
    Ok(last.is_some_and(|last| last.conversation == conversation.id && last.role.is_reply()))
}

/// Now, but before whatever was said later in another conversation: that one is not ended.
fn instant_of_end(edit: &MemoryEdit<'_>, conversation: &Conversation) -> Result<Timestamp> {
    let at = edit.clock.max(conversation.last_at);
    let later = edit.tx.after(edit.place(), conversation.last_at, Speakers::All)?;
    let other = later.filter(|later| later.time <= at && conversation.name.is_none());
    Ok(other.map_or(at, |other| other.time - SignedDuration::from_micros(1)))
}

fn still_open(edit: &MemoryEdit<'_>, conversation: Conversation) -> Result<Conversation> {
    let idle_since = edit.vault.settings.silent_at(conversation.last_at);
    let ended = conversation.ended.as_ref().map(|ended| ended.at);
    match ended.or((idle_since < edit.clock).then_some(idle_since)) {
        Some(at) => Err(Error::conflict(format!(
            "conversation {} has already ended, at {at}",
            conversation.wire_name()
        ))
        .because(ConflictReason::AlreadyEnded)),
        None => Ok(conversation),
    }
}

/// Puts the entries after a given one on a branch, with what they corrected, so that the
/// conversation can go on from there.
pub(crate) fn fork(
    edit: &mut MemoryEdit<'_>,
    address: &ConversationName,
    after: EntryId,
) -> Result<Receipt> {
    let conversation = edit.conversation(address)?;
    let query = EntryQuery::of_conversation(conversation.id, Which::Current);
    let entries = edit.tx.entries(edit.place(), &query)?;
    let place = entries.iter().position(|entry| entry.id == after).ok_or_else(|| {
        Error::not_found(format!(
            "entry {after} is not a current entry of conversation {}",
            conversation.wire_name()
        ))
    })?;
    let said = entries.len() - place - 1;
    if said == 0 {
        return Err(Error::conflict(format!(
            "entry {after} is the last of its conversation; there is nothing after it to put aside"
        ))
        .because(ConflictReason::NothingToDo));
    }
    let mut rest: Vec<EntryId> = Vec::new();
    let since = entries[place].conversation_time;
    for entry in entries.into_iter().skip(place + 1) {
        rest.extend(edit.versions(entry)?.iter().map(|version| version.id));
    }
    let branch: BranchId = edit.mint();
    edit.change_entries(&rest, EntryChange::Branch(branch, edit.now))?;
    edit.memory.waiting = edit.memory.waiting.filter(|(question, _)| !rest.contains(question));
    chapters::note_change(edit, since)?;
    finish::recount(edit, conversation)?;
    finish::save_memory(edit)?;
    Ok(Receipt::Forked { branch, entries: said as u64 })
}

/// Brings an archived conversation back into lists.
pub(crate) fn restore(edit: &mut MemoryEdit<'_>, address: &ConversationName) -> Result<Receipt> {
    let mut conversation = edit.conversation(address)?;
    if conversation.archived_at.is_none() {
        return Err(Error::conflict(format!(
            "conversation {} is not archived",
            conversation.wire_name()
        ))
        .because(ConflictReason::NotArchived));
    }
    conversation.archived_at = None;
    conversation.restored_at = Some(edit.now);
    edit.put_conversation(&conversation)?;
    edit.ended_some = true;
    finish::save_memory(edit)?;
    Ok(Receipt::Conversation(conversation.id))
}

/// Runs a claimed job and removes it, in one transaction. A summary is followed by the jobs that the
/// engine asks for.
pub(crate) fn run(edit: &mut MemoryEdit<'_>, job: &Job, followers: Followers) -> Result<()> {
    match job.kind {
        JobKind::Close => close_if_idle(edit, job)?,
        JobKind::Summarize => summarize(edit, job, followers)?,
        kind => return Err(Error::damaged(format!("{} is no quick job", kind.as_str()))),
    }
    finish::retain(edit)
}

/// Ends a conversation that fell silent; one that went on is looked at again later.
fn close_if_idle(edit: &mut MemoryEdit<'_>, job: &Job) -> Result<()> {
    let open = job_run::subject(edit, job)?.filter(|one| one.ended.is_none());
    let Some(mut conversation) = open else { return drop_job(edit.tx, job) };
    let at = edit.vault.settings.silent_at(conversation.last_at);
    if is_pause(conversation.last_at, edit.clock, edit.vault.settings.idle_timeout()) {
        conversation.ended = Some(Ended { at, by: EndedBy::Idle });
        return finish::close(edit, conversation);
    }
    let later = Job {
        due_at: to_microsecond(at + SignedDuration::from_micros(1)),
        tries: 0,
        state: crate::job::JobState::Waiting,
        ..job.clone()
    };
    edit.tx.put(Row::Job(&later))
}

fn summarize(edit: &mut MemoryEdit<'_>, job: &Job, followers: Followers) -> Result<()> {
    let Some(mut conversation) = job_run::ended_subject(edit, job)? else {
        return drop_job(edit.tx, job);
    };
    let query = EntryQuery::of_conversation(conversation.id, Which::Current);
    let entries = edit.tx.entries(edit.place(), &query)?;
    conversation.summary = Some(summary::extract(&entries, &edit.vault.zone));
    edit.put_conversation(&conversation)?;
    if followers.summarize_with_model {
        edit.put_job(JobKind::Retell, conversation.id, edit.now)?;
    }
    if followers.retrospect {
        edit.put_job(JobKind::Retrospect, conversation.id, edit.now)?;
    }
    drop_job(edit.tx, job)
}

fn drop_job(tx: &mut dyn Tx, job: &Job) -> Result<()> {
    tx.remove(Removal::Job(job.vault, job.kind, job.subject)).map(drop)
}

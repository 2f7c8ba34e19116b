//! What callers and jobs do to conversations: end, fork, restore, close, summarise.

use jiff::{SignedDuration, Timestamp};

use super::boundary::{self, is_pause};
use super::finish;
use crate::desk::Desk;
use crate::job::{Job, JobKind};
use crate::memory::vaults::check_description;
use crate::memory::{BranchId, Conversation, ConversationName, Ended, EndedBy, EntryId};
use crate::ports::{EntryChange, EntryQuery, Removal, Row, Speakers, Tx, Which};
use crate::receipt::Receipt;
use crate::time::to_microsecond;
use crate::{Error, Result, chapters, job_run, summary};

/// Ends a conversation at once: the one named, else the active one.
pub(crate) fn end(
    desk: &mut Desk<'_>,
    address: Option<&ConversationName>,
    reason: Option<String>,
) -> Result<Receipt> {
    check_description("reason", reason.as_deref())?;
    let mut conversation = match address {
        Some(address) => still_open(desk, desk.conversation(address)?)?,
        None => boundary::active(desk.tx.snapshot(), desk.place(), &desk.vault, desk.now)?
            .ok_or_else(|| Error::conflict("no active conversation to end"))?,
    };
    let at = instant_of_end(desk, &conversation)?;
    conversation.ended = Some(Ended { at, by: EndedBy::Caller { reason } });
    if conversation.name.is_none() {
        desk.tx.put(Row::Ending(desk.place(), at))?;
        desk.memory.last_ending = desk.memory.last_ending.max(Some(at));
    }
    let id = conversation.id;
    finish::close(desk, conversation)?;
    finish::save_memory(desk)?;
    Ok(Receipt::Conversation(id))
}

/// Now, but before whatever was said later in another conversation: that one is not ended.
fn instant_of_end(desk: &Desk<'_>, conversation: &Conversation) -> Result<Timestamp> {
    let at = desk.now.max(conversation.last_at);
    let later = desk.tx.after(desk.place(), conversation.last_at, Speakers::All)?;
    let other = later.filter(|later| later.time <= at && conversation.name.is_none());
    Ok(other.map_or(at, |other| other.time - SignedDuration::from_micros(1)))
}

fn still_open(desk: &Desk<'_>, conversation: Conversation) -> Result<Conversation> {
    let idle_since = desk.vault.settings.silent_at(conversation.last_at);
    let ended = conversation.ended.as_ref().map(|ended| ended.at);
    match ended.or((idle_since < desk.now).then_some(idle_since)) {
        Some(at) => Err(Error::conflict(format!(
            "conversation {} has already ended, at {at}",
            conversation.wire_name()
        ))),
        None => Ok(conversation),
    }
}

/// Puts the entries after a given one on a branch, with what they corrected, so that the
/// conversation can go on from there.
pub(crate) fn fork(
    desk: &mut Desk<'_>,
    address: &ConversationName,
    after: EntryId,
) -> Result<Receipt> {
    let conversation = desk.conversation(address)?;
    let query = EntryQuery::of_conversation(conversation.id, Which::Current);
    let entries = desk.tx.entries(desk.place(), &query)?;
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
        )));
    }
    let mut rest: Vec<EntryId> = Vec::new();
    let since = entries[place].conversation_time;
    for entry in entries.into_iter().skip(place + 1) {
        rest.extend(desk.versions(entry)?.iter().map(|version| version.id));
    }
    let branch: BranchId = desk.mint();
    desk.tx.change_entries(desk.place(), &rest, EntryChange::Branch(branch, desk.now))?;
    desk.memory.waiting = desk.memory.waiting.filter(|(question, _)| !rest.contains(question));
    chapters::note_change(desk, since)?;
    finish::recount(desk, conversation)?;
    finish::save_memory(desk)?;
    Ok(Receipt::Forked { branch, entries: said as u64 })
}

/// Brings an archived conversation back into lists.
pub(crate) fn restore(desk: &mut Desk<'_>, address: &ConversationName) -> Result<Receipt> {
    let mut conversation = desk.conversation(address)?;
    if conversation.archived_at.is_none() {
        return Err(Error::conflict(format!(
            "conversation {} is not archived",
            conversation.wire_name()
        )));
    }
    conversation.archived_at = None;
    conversation.restored_at = Some(desk.now);
    desk.tx.put(Row::Conversation(desk.vault.id, &conversation))?;
    desk.ended_some = true;
    finish::save_memory(desk)?;
    Ok(Receipt::Conversation(conversation.id))
}

/// Runs a claimed job and removes it, in one transaction. Where there is a `model`, it gets its turn.
pub(crate) fn run(desk: &mut Desk<'_>, job: &Job, model: bool) -> Result<()> {
    match job.kind {
        JobKind::Close => close_if_idle(desk, job)?,
        JobKind::Summarize => summarize(desk, job, model)?,
        kind => return Err(Error::damaged(format!("{} is no quick job", kind.as_str()))),
    }
    finish::retain(desk)
}

/// Ends a conversation that fell silent; one that went on is looked at again later.
fn close_if_idle(desk: &mut Desk<'_>, job: &Job) -> Result<()> {
    let open = job_run::subject(desk, job)?.filter(|one| one.ended.is_none());
    let Some(mut conversation) = open else { return drop_job(desk.tx, job) };
    let at = desk.vault.settings.silent_at(conversation.last_at);
    if is_pause(conversation.last_at, desk.now, desk.vault.settings.idle_timeout()) {
        conversation.ended = Some(Ended { at, by: EndedBy::Idle });
        return finish::close(desk, conversation);
    }
    let later = Job {
        due_at: to_microsecond(at + SignedDuration::from_micros(1)),
        tries: 0,
        state: crate::job::JobState::Waiting,
        ..job.clone()
    };
    desk.tx.put(Row::Job(&later))
}

fn summarize(desk: &mut Desk<'_>, job: &Job, model: bool) -> Result<()> {
    let Some(mut conversation) = job_run::ended_subject(desk, job)? else {
        return drop_job(desk.tx, job);
    };
    let query = EntryQuery::of_conversation(conversation.id, Which::Current);
    let entries = desk.tx.entries(desk.place(), &query)?;
    conversation.summary = Some(summary::extract(&entries, &desk.vault.zone));
    desk.tx.put(Row::Conversation(desk.vault.id, &conversation))?;
    if model {
        desk.put_job(JobKind::Retell, conversation.id, desk.now)?;
    }
    drop_job(desk.tx, job)
}

fn drop_job(tx: &mut dyn Tx, job: &Job) -> Result<()> {
    tx.remove(Removal::Job(job.vault, job.kind, job.subject)).map(drop)
}

//! Keeps a conversation's end, its jobs and the number retained in step with its entries.

use jiff::{SignedDuration, Timestamp};

use super::boundary::is_pause;
use crate::desk::Desk;
use crate::forget;
use crate::job::{Job, JobKind, JobState};
use crate::memory::{Conversation, ConversationId, Ended, EndedBy, Retention, Role};
use crate::ports::{ConversationOrder, ConversationQuery, EntryQuery, Which};
use crate::{Error, Result};

/// A summary waits this long for more entries: an import adds them one by one.
const SUMMARY_DELAY: SignedDuration = SignedDuration::from_secs(2);

/// Whether the job that will close an open conversation is known to exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timer {
    /// It runs; when it finds newer entries it waits on.
    Running,
    /// It has to be started if the conversation is open.
    Stopped,
}

/// Writes a conversation whose entries changed, with the end and the jobs that follow from them.
pub(crate) fn save(
    desk: &mut Desk<'_>,
    mut conversation: Conversation,
    timer: Timer,
) -> Result<()> {
    conversation.ended = end_of(desk, &conversation);
    desk.tx.put_conversation(desk.vault.id, &conversation)?;
    if conversation.ended.is_none() {
        return match timer {
            Timer::Running => Ok(()),
            Timer::Stopped => {
                let due = conversation.last_at + desk.vault.settings.idle_timeout();
                put_job(desk, JobKind::Close, &conversation, due)
            }
        };
    }
    desk.tx.remove_job(JobKind::Close, conversation.id)?;
    put_job(desk, JobKind::Summarize, &conversation, desk.now + SUMMARY_DELAY)?;
    retain(desk)
}

/// The end that follows from the entries: somebody's word stands, else silence decides.
fn end_of(desk: &Desk<'_>, conversation: &Conversation) -> Option<Ended> {
    if let Some(Ended { at, by: by @ EndedBy::Caller { .. } }) = &conversation.ended {
        return Some(Ended { at: (*at).max(conversation.last_at), by: by.clone() });
    }
    let timeout = desk.vault.settings.idle_timeout();
    is_pause(conversation.last_at, desk.now, timeout)
        .then(|| Ended { at: conversation.last_at + timeout, by: EndedBy::Idle })
}

/// Ends a conversation because a later one begins, even if its timer has not run out yet.
pub(crate) fn end_by_successor(desk: &mut Desk<'_>, id: ConversationId) -> Result<()> {
    let Some(mut conversation) = desk.tx.conversation(desk.place(), id)? else { return Ok(()) };
    if conversation.ended.is_some() {
        return Ok(());
    }
    let at = conversation.last_at + desk.vault.settings.idle_timeout();
    conversation.ended = Some(Ended { at, by: EndedBy::Idle });
    close(desk, conversation)
}

/// Writes a conversation that has just ended: its summary is due, and the oldest may have to go.
pub(crate) fn close(desk: &mut Desk<'_>, conversation: Conversation) -> Result<()> {
    desk.tx.put_conversation(desk.vault.id, &conversation)?;
    desk.tx.remove_job(JobKind::Close, conversation.id)?;
    put_job(desk, JobKind::Summarize, &conversation, desk.now)?;
    retain(desk)
}

/// Takes back the end of a conversation of the caller's own when it goes on after all.
pub(crate) fn reopen_for(conversation: &mut Conversation, time: Timestamp, role: Role) {
    if conversation.ended.as_ref().is_some_and(|ended| ended.at < time) && !role.is_reply() {
        conversation.ended = None;
    }
}

/// Makes two conversations one; the later goes on under the id of the earlier.
pub(crate) fn merge(desk: &mut Desk<'_>, from: ConversationId, into: ConversationId) -> Result<()> {
    let place = desk.place();
    let missing = || Error::damaged("a conversation to merge does not exist");
    let later = desk.tx.conversation(place, from)?.ok_or_else(missing)?;
    let mut earlier = desk.tx.conversation(place, into)?.ok_or_else(missing)?;
    earlier.started_at = earlier.started_at.min(later.started_at);
    earlier.last_at = earlier.last_at.max(later.last_at);
    earlier.entries += later.entries;
    earlier.ended = later.ended;
    absorb(desk, from, into)?;
    save(desk, earlier, Timer::Stopped)
}

/// Moves whatever `from` still holds to `into`, which answers for both from now on.
pub(crate) fn absorb(
    desk: &mut Desk<'_>,
    from: ConversationId,
    into: ConversationId,
) -> Result<()> {
    for kind in JobKind::ALL {
        desk.tx.remove_job(kind, from)?;
    }
    desk.tx.merge_conversation(desk.place(), from, into)
}

/// Counts a conversation's entries anew and writes it.
pub(crate) fn recount(desk: &mut Desk<'_>, mut conversation: Conversation) -> Result<()> {
    let query = EntryQuery::of_conversation(conversation.id, Which::Current);
    let entries = desk.tx.entries(desk.place(), &query)?;
    conversation.entries = entries.len() as u64;
    if let (Some(first), Some(last)) = (entries.first(), entries.last()) {
        conversation.started_at = first.conversation_time;
        conversation.last_at = last.conversation_time;
    }
    save(desk, conversation, Timer::Stopped)
}

fn put_job(
    desk: &mut Desk<'_>,
    kind: JobKind,
    conversation: &Conversation,
    due_at: Timestamp,
) -> Result<()> {
    let job = Job {
        id: desk.mint(),
        vault: desk.vault.id,
        memory: desk.memory.id,
        conversation: conversation.id,
        kind,
        due_at,
        tries: 0,
        state: JobState::Waiting,
        last_error: None,
    };
    desk.tx.put_job(&job)
}

/// Lets the oldest ended conversations go when there are more than the vault retains.
pub(crate) fn retain(desk: &mut Desk<'_>) -> Result<()> {
    let most = u64::from(desk.vault.settings.conversations_retained);
    let retained = desk.tx.retained(desk.place())?;
    let Some(surplus) = retained.checked_sub(most).filter(|surplus| *surplus > 0) else {
        return Ok(());
    };
    let oldest = ConversationQuery {
        ended: Some(true),
        by: ConversationOrder::Ended,
        limit: usize::try_from(surplus).ok(),
        ..ConversationQuery::default()
    };
    for mut conversation in desk.tx.conversations(desk.place(), &oldest)? {
        match desk.vault.settings.retention {
            Retention::Archive => {
                conversation.archived_at = Some(desk.now);
                desk.tx.put_conversation(desk.vault.id, &conversation)?;
            }
            Retention::Delete => {
                forget::conversation(desk, &conversation)?;
            }
        }
    }
    Ok(())
}

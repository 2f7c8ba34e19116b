//! Keeps a conversation's end, its jobs and the number retained in step with its entries.

use jiff::{SignedDuration, Timestamp};

use super::boundary::is_pause;
use crate::erase;
use crate::job::JobKind;
use crate::memory::{Conversation, ConversationId, Ended, EndedBy, Entry, Retention, Role};
use crate::memory_edit::MemoryEdit;
use crate::ports::{EntryQuery, Row, Which};
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
    edit: &mut MemoryEdit<'_>,
    mut conversation: Conversation,
    timer: Timer,
) -> Result<()> {
    conversation.ended = end_of(edit, &conversation);
    (conversation.distilled_at, conversation.retrospection) = (None, None);
    if conversation.ended.is_none() {
        // One whose timer runs was open before: nothing about it was due.
        if timer == Timer::Stopped {
            edit.drop_job(JobKind::Retell, conversation.id)?;
            edit.drop_job(JobKind::Distill, conversation.id)?;
            edit.drop_job(JobKind::Retrospect, conversation.id)?;
        }
        let Conversation { summary, archived_at, restored_at, .. } = &mut conversation;
        (*summary, *archived_at, *restored_at) = (None, None, None);
    }
    if timer == Timer::Running && conversation.ended.is_none() {
        // It was open and is: nothing about it has changed but its entries.
        edit.tx.put(Row::Conversation(edit.vault.id, &conversation))?;
    } else {
        edit.put_conversation(&conversation)?;
    }
    if conversation.ended.is_none() {
        return match timer {
            Timer::Running => Ok(()),
            Timer::Stopped => {
                let due = edit.vault.settings.silent_at(conversation.last_at);
                edit.put_job(JobKind::Close, conversation.id, due)
            }
        };
    }
    note_end(edit, &conversation, edit.now + SUMMARY_DELAY)
}

/// The end that follows from the entries: an explicit end stands, else silence decides. A farewell
/// moves the end on, but not where a later opener would take the word back: it has to know when the
/// word was said.
fn end_of(edit: &MemoryEdit<'_>, conversation: &Conversation) -> Option<Ended> {
    if let Some(Ended { at, by: by @ EndedBy::Caller { .. } }) = &conversation.ended {
        let farewell = conversation.name.is_none().then_some(conversation.last_at);
        return Some(Ended { at: farewell.max(Some(*at))?, by: by.clone() });
    }
    is_pause(conversation.last_at, edit.clock, edit.vault.settings.idle_timeout()).then(|| Ended {
        at: edit.vault.settings.silent_at(conversation.last_at),
        by: EndedBy::Idle,
    })
}

/// Ends a conversation because a later one begins, even if its timer has not run out yet. A later
/// one that lies in the future ends nothing: the present one may still go on.
pub(crate) fn end_by_successor(edit: &mut MemoryEdit<'_>, id: ConversationId) -> Result<()> {
    let Some(mut conversation) = edit.tx.conversation(edit.place(), id)? else { return Ok(()) };
    if conversation.ended.is_some() {
        return Ok(());
    }
    conversation.ended = end_of(edit, &conversation);
    if conversation.ended.is_none() {
        return Ok(());
    }
    close(edit, conversation)
}

/// Writes a conversation that has just ended: its summary is due, and the oldest may have to go.
pub(crate) fn close(edit: &mut MemoryEdit<'_>, conversation: Conversation) -> Result<()> {
    edit.put_conversation(&conversation)?;
    note_end(edit, &conversation, edit.now)
}

/// What the end of a conversation brings about: no timer, a summary, facts, and maybe one too many.
fn note_end(edit: &mut MemoryEdit<'_>, conversation: &Conversation, due: Timestamp) -> Result<()> {
    edit.ended_some = true;
    edit.drop_job(JobKind::Close, conversation.id)?;
    edit.put_job(JobKind::Summarize, conversation.id, due)?;
    edit.put_job(JobKind::Distill, conversation.id, due)
}

/// Takes back the end of a conversation of the caller's own when it goes on after all.
pub(crate) fn reopen_for(conversation: &mut Conversation, time: Timestamp, role: Role) {
    if conversation.ended.as_ref().is_some_and(|ended| ended.at < time) && !role.is_reply() {
        conversation.ended = None;
    }
}

/// Makes two conversations one; the later goes on under the id of the earlier.
pub(crate) fn merge(
    edit: &mut MemoryEdit<'_>,
    from: ConversationId,
    into: ConversationId,
) -> Result<()> {
    let place = edit.place();
    let missing = || Error::damaged("a conversation to merge does not exist");
    let later = edit.tx.conversation(place, from)?.ok_or_else(missing)?;
    let mut earlier = edit.tx.conversation(place, into)?.ok_or_else(missing)?;
    earlier.started_at = earlier.started_at.min(later.started_at);
    earlier.last_at = earlier.last_at.max(later.last_at);
    earlier.entries += later.entries;
    earlier.archived_at = earlier.archived_at.and(later.archived_at);
    earlier.restored_at = earlier.restored_at.max(later.restored_at);
    let ends = [earlier.ended.take(), later.ended].into_iter().flatten();
    earlier.ended = ends.into_iter().find(Ended::is_by_caller);
    absorb(edit, from, into)?;
    save(edit, earlier, Timer::Stopped)
}

/// Moves whatever `from` still holds to `into`, which answers for both from now on.
pub(crate) fn absorb(
    edit: &mut MemoryEdit<'_>,
    from: ConversationId,
    into: ConversationId,
) -> Result<()> {
    for kind in JobKind::OF_CONVERSATIONS {
        edit.drop_job(kind, from)?;
    }
    edit.keep_conversation(from)?;
    edit.tx.merge_conversation(edit.place(), from, into)?;
    edit.note_moved()
}

/// Counts a conversation's entries again and writes it.
pub(crate) fn recount(edit: &mut MemoryEdit<'_>, mut conversation: Conversation) -> Result<()> {
    let query = EntryQuery::of_conversation(conversation.id, Which::Current);
    let entries = edit.tx.entries(edit.place(), &query)?;
    conversation.entries = entries.len() as u64;
    if let (Some(first), Some(last)) = (entries.first(), entries.last()) {
        conversation.started_at = first.conversation_time;
        conversation.last_at = last.conversation_time;
    }
    conversation.ended = word_that_ended(edit, &conversation, &entries)?;
    save(edit, conversation, Timer::Stopped)
}

/// When a caller ended a conversation: farewells move the end on, and if they leave, the end
/// goes back to the word.
fn word_that_ended(
    edit: &MemoryEdit<'_>,
    conversation: &Conversation,
    entries: &[Entry],
) -> Result<Option<Ended>> {
    let Some(Ended { at, by: by @ EndedBy::Caller { .. } }) = &conversation.ended else {
        return Ok(conversation.ended.clone());
    };
    let opener = entries.iter().rfind(|entry| !entry.role.is_reply());
    let since = opener.map_or(conversation.started_at, |opener| opener.conversation_time);
    let until = *at + SignedDuration::from_micros(1);
    let words = match conversation.name {
        None => edit.tx.endings(edit.place(), since, until)?,
        Some(_) => Vec::new(),
    };
    Ok(Some(Ended { at: words.first().copied().unwrap_or(*at), by: by.clone() }))
}

/// Finishes a verb: lets surplus conversations go and writes back what changed in the memory.
pub(crate) fn save_memory(edit: &mut MemoryEdit<'_>) -> Result<()> {
    retain(edit)?;
    edit.save_memory()
}

/// Lets the oldest ended conversations go when there are more than the vault retains. Once at the
/// end of a verb is enough, however many it ended.
pub(super) fn retain(edit: &mut MemoryEdit<'_>) -> Result<()> {
    if !std::mem::take(&mut edit.ended_some) {
        return Ok(());
    }
    let keep = u64::from(edit.vault.settings.conversations_retained);
    for mut conversation in edit.tx.surplus(edit.place(), keep)? {
        match edit.vault.settings.retention {
            Retention::Archive => {
                conversation.archived_at = Some(edit.now);
                edit.put_conversation(&conversation)?;
            }
            Retention::Delete => {
                erase::conversation(edit, &conversation)?;
            }
        }
    }
    Ok(())
}

//! Removing what was said for good, with everything that was derived from it: facts, chapters,
//! summaries, context documents, replies of models and jobs that carry text.

use jiff::Timestamp;

use crate::desk::Desk;
use crate::job::JobKind;
use crate::memory::{Conversation, Entry, EntryId};
use crate::ports::{EntryQuery, Erasure, JobSelection, Removal, Removed, Which};
use crate::{Result, chapters, contexts, facts, limits};

/// Removes a conversation with all its entries.
pub(crate) fn conversation(desk: &mut Desk<'_>, conversation: &Conversation) -> Result<Removed> {
    replies(desk)?;
    let place = desk.place();
    let query = EntryQuery::of_conversation(conversation.id, Which::All);
    let doomed = desk.tx.entries(place, &query)?;
    let ids: Vec<EntryId> = doomed.iter().map(|entry| entry.id).collect();
    let removed = said(desk, &doomed, &ids)?;
    chapters::note_change(desk, Timestamp::MIN)?;
    let removed = removed + desk.tx.erase(Erasure::Conversation(place, conversation.id))?;
    question(desk)?;
    desk.save_memory()?;
    Ok(removed)
}

/// Removes what was said, and the facts, chapters, summaries and documents that rest on it.
pub(crate) fn said(desk: &mut Desk<'_>, doomed: &[Entry], ids: &[EntryId]) -> Result<Removed> {
    desk.memory.forgotten += 1;
    chapters::forget_said(desk, doomed)?;
    let entries = desk.tx.remove(Removal::Entries(desk.place(), ids))?;
    let facts = facts::forget_entries(desk, ids)?;
    let contexts = contexts::forget_written(desk)?;
    Ok(Removed { entries, facts, contexts, ..Removed::default() })
}

/// What a model said about the vault may say what is forgotten, so all of it goes.
/// So may what a workflow has yet to do, and what was added to messages of chats.
pub(crate) fn replies(desk: &mut Desk<'_>) -> Result<()> {
    workflows(desk)?;
    desk.tx.remove(Removal::Additions(desk.vault.id))?;
    desk.tx.remove(Removal::Replies(desk.vault.id, None)).map(drop)
}

/// Drops what workflows have yet to do in a memory: it holds what was said.
fn workflows(desk: &mut Desk<'_>) -> Result<()> {
    let jobs = desk.tx.jobs(JobSelection::Due(Some(desk.vault.id), limits::JOBS_READ))?;
    let place = desk.place();
    let doomed = jobs.iter().filter(|job| job.place() == place && job.kind == JobKind::Workflow);
    for job in doomed {
        desk.tx.remove(Removal::Job(desk.vault.id, job.kind, job.subject))?;
    }
    Ok(())
}

/// A forgotten question no longer waits for its answer.
pub(crate) fn question(desk: &mut Desk<'_>) -> Result<()> {
    if let Some((question, _)) = desk.memory.waiting
        && desk.tx.entry(desk.place(), question)?.is_none()
    {
        desk.memory.waiting = None;
    }
    Ok(())
}

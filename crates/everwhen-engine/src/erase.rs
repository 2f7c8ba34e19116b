//! Removing what was said permanently, with everything that was derived from it: facts, chapters,
//! summaries, context documents, replies of models and jobs that carry text.

use std::ops::Range;

use jiff::Timestamp;

use crate::index::embedded_passages;
use crate::job::JobKind;
use crate::memory::{Conversation, Entry, EntryId, Fact};
use crate::memory_edit::MemoryEdit;
use crate::ports::{
    EntryQuery, Erasure, JobSelection, LedgerLine, LedgerLines, Removal, Removed, Row, Speakers,
    Which,
};
use crate::tombstones::periods;
use crate::{Result, chapters, contexts, facts, tombstones};

/// Removes a conversation with all its entries.
pub(crate) fn conversation(
    edit: &mut MemoryEdit<'_>,
    conversation: &Conversation,
) -> Result<Removed> {
    replies(edit)?;
    let place = edit.place();
    let query = EntryQuery::of_conversation(conversation.id, Which::All);
    let doomed = edit.tx.entries(place, &query)?;
    let ids: Vec<EntryId> = doomed.iter().map(|entry| entry.id).collect();
    if let Some(period) = period(edit, conversation, &doomed)? {
        periods::keep(edit.tx, place, period, edit.now)?;
    }
    let removed = said(edit, &doomed, &ids)?;
    chapters::note_change(edit, Timestamp::MIN)?;
    let removed = removed + edit.tx.erase(Erasure::Conversation(place, conversation.id))?;
    question(edit)?;
    edit.save_memory()?;
    Ok(removed)
}

/// When something is said that is placed in this conversation by its time; `None` if nothing is. What is near enough
/// to the conversation before it belongs to that one.
fn period(
    edit: &MemoryEdit<'_>,
    conversation: &Conversation,
    said: &[Entry],
) -> Result<Option<Range<Timestamp>>> {
    let times = said.iter().filter(|entry| entry.placed_by_time).map(|one| one.conversation_time);
    let (Some(first), Some(last)) = (times.clone().min(), times.max()) else { return Ok(None) };
    let pause = edit.vault.settings.idle_timeout();
    let paused = |time: Timestamp| time.checked_add(pause).unwrap_or(Timestamp::MAX);
    let until = conversation
        .ended
        .as_ref()
        .map_or(paused(last), |ended| ended.at.clamp(last, paused(last)));
    let earlier = edit.tx.before(edit.place(), periods::just_before(first), Speakers::All)?;
    let of_earlier = earlier.map(|earlier| periods::just_after(paused(earlier.time)));
    let from = of_earlier.max(first.checked_sub(pause).ok()).unwrap_or(Timestamp::MIN);
    Ok(Some(from.min(first)..periods::just_after(until)))
}

/// Removes what was said, and the facts, chapters, summaries and documents that rest on it.
pub(crate) fn said(
    edit: &mut MemoryEdit<'_>,
    doomed: &[Entry],
    ids: &[EntryId],
) -> Result<Removed> {
    edit.memory.forgotten += 1;
    let (place, memory) = (edit.place(), edit.memory.name.clone());
    let (now, chance) = (edit.now, edit.chance);
    tombstones::imported::keep(edit.tx, (place, &memory), doomed, now, chance)?;
    let facts = facts::forget::made_of(edit, doomed)?;
    vectors(edit, doomed, &facts);
    chapters::forget_said(edit, doomed)?;
    hide_lines(edit, ids)?;
    let entries = edit.tx.remove(Removal::Entries(edit.place(), ids))?;
    let facts = facts::forget::forget(edit, &facts)?;
    let contexts = contexts::forget_written(edit)?;
    Ok(Removed { entries, facts, contexts, ..Removed::default() })
}

/// The lines of what is forgotten stay in the ledger, without a plain hash of it.
fn hide_lines(edit: &mut MemoryEdit<'_>, ids: &[EntryId]) -> Result<()> {
    let place = edit.place();
    let mut lines = edit.tx.ledger_lines(place, LedgerLines::Of(ids))?;
    // An earlier version left plain hashes of what it forgot. What else has no entry is recognised as well by the
    // other mark.
    if edit.memory.forgotten > 1 && edit.line_salt()?.is_none() {
        lines.extend(edit.tx.ledger_lines(place, LedgerLines::WithoutEntry)?);
    }
    if lines.is_empty() {
        return Ok(());
    }
    let salt = edit.make_line_salt()?;
    for line in lines {
        let hidden = LedgerLine { mark: salt.keyed(line.mark), entry: None, ..line };
        edit.tx.put(Row::LedgerLine(place, &hidden))?;
    }
    Ok(())
}

/// Has vectors erased that are kept outside the store: of the passages of entries, of the whole of them, which
/// may have been a question, and of facts. If the transaction fails afterwards, they are computed again.
fn vectors(edit: &MemoryEdit<'_>, doomed: &[Entry], facts: &[Fact]) {
    if edit.keepers.is_empty() {
        return;
    }
    let mut texts: Vec<&str> = doomed.iter().flat_map(embedded_passages).collect();
    texts.extend(doomed.iter().map(|entry| entry.content.as_str()));
    texts.extend(facts.iter().map(|fact| fact.statement.as_str()));
    edit.keepers.iter().for_each(|keeper| keeper.forget(&texts));
}

/// What a model said about the vault may say what is forgotten, so all of it goes.
/// So may what a workflow has yet to do, and what was added to messages of chats.
pub(crate) fn replies(edit: &mut MemoryEdit<'_>) -> Result<()> {
    workflows(edit)?;
    edit.tx.remove(Removal::Additions(edit.vault.id))?;
    edit.tx.remove(Removal::Replies(edit.vault.id, None)).map(drop)
}

/// Drops what workflows have yet to do in a memory: it holds what was said.
fn workflows(edit: &mut MemoryEdit<'_>) -> Result<()> {
    for job in edit.tx.jobs(JobSelection::Of(edit.place(), JobKind::Workflow))? {
        edit.tx.remove(Removal::Job(edit.vault.id, job.kind, job.subject))?;
    }
    Ok(())
}

/// A forgotten question no longer waits for its answer.
pub(crate) fn question(edit: &mut MemoryEdit<'_>) -> Result<()> {
    if let Some((question, _)) = edit.memory.waiting
        && edit.tx.entry(edit.place(), question)?.is_none()
    {
        edit.memory.waiting = None;
    }
    Ok(())
}

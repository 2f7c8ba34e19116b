//! Forgetting: removes for good, from every table and job, and says what went.
//!
//! An entry and its corrections are versions of one thing said and go together. What was derived
//! from a forgotten entry is made anew from what is left, or goes too.

use jiff::Timestamp;

use crate::conversations::finish;
use crate::desk::Desk;
use crate::memory::{Conversation, ConversationId, ConversationName, Entry, EntryId};
use crate::ports::{EntryQuery, Erasure, Removal, Removed, Which};
use crate::{Error, Result, chapters, contexts, facts, work};

/// What to forget in a memory.
#[derive(Debug, Clone)]
pub enum Forget {
    /// One entry, with its corrections.
    Entry(EntryId),
    /// A conversation and all its entries, branches too.
    Conversation(ConversationName),
    /// Everything said at or after `after` and before `before`.
    Period {
        /// First instant.
        after: Option<Timestamp>,
        /// First instant that is kept.
        before: Option<Timestamp>,
    },
    /// The memory and all in it.
    Memory,
}

/// Forgets, in a memory that is known to exist.
pub(crate) fn forget(desk: &mut Desk<'_>, what: &Forget) -> Result<Removed> {
    match what {
        Forget::Entry(id) => one_entry(desk, *id),
        Forget::Conversation(address) => {
            let conversation = desk.conversation(address)?;
            self::conversation(desk, &conversation)
        }
        Forget::Period { after, before } => period(desk, *after, *before),
        Forget::Memory => {
            forget_replies(desk)?;
            desk.tx.erase(Erasure::Memory(desk.place()))
        }
    }
}

fn one_entry(desk: &mut Desk<'_>, id: EntryId) -> Result<Removed> {
    let entry = desk
        .tx
        .entry(desk.place(), id)?
        .ok_or_else(|| Error::not_found(format!("entry not found: {id}")))?;
    let chain = versions(desk, entry)?;
    entries(desk, &chain)
}

/// All versions of one thing said: what it corrects and what corrects it.
pub(crate) fn versions(desk: &Desk<'_>, entry: Entry) -> Result<Vec<Entry>> {
    let mut chain = vec![entry];
    while let Some(older) = &chain[0].corrects {
        let Some(older) = desk.tx.entry(desk.place(), older.entry)? else { break };
        chain.insert(0, older);
    }
    while let Some(newer) = chain.last().and_then(|entry| entry.corrected) {
        let Some(newer) = desk.tx.entry(desk.place(), newer.by)? else { break };
        chain.push(newer);
    }
    Ok(chain)
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
    forget_replies(desk)?;
    let ids: Vec<EntryId> = doomed.iter().map(|entry| entry.id).collect();
    let mut touched: Vec<ConversationId> = doomed.iter().map(|entry| entry.conversation).collect();
    touched.sort_unstable();
    touched.dedup();
    let mut removed = said(desk, doomed, &ids)?;
    desk.note_change(Timestamp::MIN)?;
    for id in touched {
        removed = removed + repair(desk, id)?;
    }
    forget_question(desk)?;
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

/// Removes a conversation with all its entries.
pub(crate) fn conversation(desk: &mut Desk<'_>, conversation: &Conversation) -> Result<Removed> {
    forget_replies(desk)?;
    let place = desk.place();
    let query = EntryQuery::of_conversation(conversation.id, Which::All);
    let doomed = desk.tx.entries(place, &query)?;
    let ids: Vec<EntryId> = doomed.iter().map(|entry| entry.id).collect();
    let removed = said(desk, &doomed, &ids)?;
    desk.note_change(Timestamp::MIN)?;
    let removed = removed + desk.tx.erase(Erasure::Conversation(place, conversation.id))?;
    forget_question(desk)?;
    Ok(removed)
}

/// Removes what was said, and the facts, chapters, summaries and documents that rest on it.
fn said(desk: &mut Desk<'_>, doomed: &[Entry], ids: &[EntryId]) -> Result<Removed> {
    chapters::forget_said(desk, doomed)?;
    let entries = desk.tx.remove(Removal::Entries(desk.place(), ids))?;
    let facts = facts::forget_entries(desk, ids)?;
    let contexts = contexts::forget_written(desk)?;
    Ok(Removed { entries, facts, contexts, ..Removed::default() })
}

/// What a model said about the vault may say what is forgotten, so all of it goes.
/// So may what a workflow has yet to do, and what was added to messages of chats.
fn forget_replies(desk: &mut Desk<'_>) -> Result<()> {
    work::forget_outside(desk)?;
    desk.tx.remove(Removal::Additions(desk.vault.id))?;
    desk.tx.remove(Removal::Replies(desk.vault.id, None)).map(drop)
}

/// A forgotten question no longer waits for its answer.
fn forget_question(desk: &mut Desk<'_>) -> Result<()> {
    if let Some((question, _)) = desk.memory.waiting
        && desk.tx.entry(desk.place(), question)?.is_none()
    {
        desk.memory.waiting = None;
    }
    desk.save_memory()
}

impl std::ops::Add for Removed {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            vaults: self.vaults + other.vaults,
            memories: self.memories + other.memories,
            conversations: self.conversations + other.conversations,
            entries: self.entries + other.entries,
            contexts: self.contexts + other.contexts,
            jobs: self.jobs + other.jobs,
            keys: self.keys + other.keys,
            facts: self.facts + other.facts,
        }
    }
}

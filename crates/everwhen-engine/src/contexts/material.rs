//! What a context document is written from: facts, chapters, and the conversations that are over.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::Result;
use crate::chapters::Chapter;
use crate::facts::{FactView, views};
use crate::memory::{ContextBy, ContextDocument, Conversation, FactId, Memory, VaultInfo};
use crate::ports::{
    ArchiveFilter, ChapterSelection, ContextSelection, ConversationQuery, Cursor, FactSelection,
    MemoryRef, Order, Snapshot,
};

/// The number of conversations that are read, the last ones.
const CONVERSATIONS: usize = 60;

/// All that is known for it.
pub(super) struct ContextMaterial {
    pub(super) vault: VaultInfo,
    pub(super) memory: Memory,
    /// In order of mention, those that were replaced too.
    pub(super) facts: Vec<FactView>,
    /// Those about the conversations below, oldest first.
    pub(super) chapters: Vec<Chapter>,
    /// The last ones that are over, oldest first.
    pub(super) conversations: Vec<Conversation>,
    /// When the first one began.
    pub(super) since: Option<Timestamp>,
    newest: Option<ContextDocument>,
}

impl ContextMaterial {
    /// Reads it; nothing if there is no such memory any more.
    pub(super) fn look(rows: &dyn Snapshot, place: MemoryRef) -> Result<Option<Self>> {
        let (Some(vault), Some(memory)) = (rows.vault(place.vault)?, rows.memory(place)?) else {
            return Ok(None);
        };
        let conversations = conversations(rows, place, Order::Newest, CONVERSATIONS)?;
        let first = conversations.first().map(|one| one.started_at);
        let behind = first.map(|time| Cursor { time, sequence: 0 });
        let began = self::conversations(rows, place, Order::Oldest, 1)?;
        Ok(Some(Self {
            facts: views(rows.facts(place, FactSelection::All)?, &vault.zone),
            chapters: rows.chapters(place, ChapterSelection::Story(behind, None))?,
            since: began.first().map(|one| one.started_at),
            newest: rows.contexts(place, ContextSelection::All, 1)?.pop(),
            conversations,
            vault,
            memory,
        }))
    }

    /// Whether the document is written here: there is none, or the newest was.
    pub(super) fn is_ours(&self) -> bool {
        self.newest.as_ref().is_none_or(|newest| newest.by != ContextBy::Agent)
    }

    /// Whether there is anything to tell.
    pub(super) fn has_content(&self) -> bool {
        !self.facts.is_empty() || !self.conversations.is_empty()
    }

    /// What is believed now, in order of mention.
    pub(super) fn current(&self) -> impl DoubleEndedIterator<Item = &FactView> {
        self.facts.iter().filter(|view| view.is_current())
    }

    /// Facts by id, to find what one replaced.
    pub(super) fn by_id(&self) -> HashMap<FactId, &FactView> {
        self.facts.iter().map(|view| (view.fact.id, view)).collect()
    }

    /// Up to when it tells.
    pub(super) fn until(&self) -> Option<Timestamp> {
        let times = self.conversations.iter().map(|one| one.last_at);
        times.chain(self.facts.iter().map(|view| view.last_mentioned_at)).max()
    }
}

/// Conversations that are over, archived ones too, oldest first.
fn conversations(
    rows: &dyn Snapshot,
    place: MemoryRef,
    order: Order,
    limit: usize,
) -> Result<Vec<Conversation>> {
    let (ended, archive, limit) = (Some(true), ArchiveFilter::Both, Some(limit));
    let query = ConversationQuery { ended, archive, order, limit, ..ConversationQuery::default() };
    let mut found = rows.conversations(place, &query)?;
    found.sort_by_key(|one| (one.started_at, one.id));
    Ok(found)
}

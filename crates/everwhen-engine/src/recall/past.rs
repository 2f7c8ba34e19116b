//! Recall as of an earlier moment: what was found is shown as it stood then.

use std::ops::Deref;
use std::sync::{Arc, RwLockReadGuard};

use everwhen_search::Micros;
use jiff::Timestamp;

use super::{ConversationFound, PreparedMemory, Question, Recollection};
use crate::Result;
use crate::engine::Engine;
use crate::index::{MemoryIndex, PastMoment, SharedIndex};
use crate::memory::{Conversation, Memory};
use crate::past::{PastMemory, restore_conversations};
use crate::ports::{MemoryRef, Snapshot};

/// The index that a question searches: that of the memory, or a copy of it as it was.
pub(super) enum SearchedIndex<'i> {
    Shared(RwLockReadGuard<'i, MemoryIndex>),
    Rewound(&'i MemoryIndex),
}

impl Deref for SearchedIndex<'_> {
    type Target = MemoryIndex;

    fn deref(&self) -> &MemoryIndex {
        match self {
            Self::Shared(index) => index,
            Self::Rewound(index) => index,
        }
    }
}

impl PreparedMemory {
    /// Returns the index to search.
    pub(super) fn read(&self) -> SearchedIndex<'_> {
        match self.moment.as_deref().and_then(|moment| moment.rewound.as_ref()) {
            Some(index) => SearchedIndex::Rewound(index),
            None => {
                let index = self.index.as_ref().expect("an index is dropped after the search");
                SearchedIndex::Shared(index.read())
            }
        }
    }
}

impl Question {
    /// Returns the moment that is asked for, as the index counts time.
    pub(super) fn as_of(&self) -> Option<Micros> {
        self.query.as_of.map(Timestamp::as_microsecond)
    }

    /// Returns the memory at the moment that is asked for. The index has to be up to date before, so that
    /// nothing changes in between unnoticed.
    pub(super) async fn past_moment(
        &self,
        engine: &Engine,
        place: MemoryRef,
        index: &SharedIndex,
        memory: &Memory,
    ) -> Result<Option<Arc<PastMoment>>> {
        let Some(at) = self.query.as_of else { return Ok(None) };
        if let Some(known) = index.moment(at, memory) {
            return Ok(Some(known));
        }
        let past = engine.store.look(move |snapshot| PastMemory::read(snapshot, place, at)).await?;
        Ok(Some(index.add_moment(past, memory)))
    }

    /// Shows what was found as it stood at the moment that is asked for.
    pub(super) async fn restore_past(
        &self,
        engine: &Engine,
        memories: &[PreparedMemory],
        recollection: &mut Recollection,
    ) -> Result<()> {
        for memory in memories {
            let Some(past) = memory.past.as_deref() else { continue };
            for item in &mut recollection.items {
                if item.entry.memory == memory.place.memory {
                    item.entry = past.entry(item.entry.clone());
                }
            }
            show_conversations(engine, memory.place, past.at, recollection).await?;
        }
        if self.query.as_of.is_some() {
            // Equal ones come in an order that does not depend on when the index was built.
            let id = |one: &ConversationFound| one.conversation.id;
            let found = &mut recollection.conversations;
            found.sort_by(|a, b| b.score.total_cmp(&a.score).then(id(a).cmp(&id(b))));
        }
        Ok(())
    }
}

async fn show_conversations(
    engine: &Engine,
    place: MemoryRef,
    at: Timestamp,
    recollection: &mut Recollection,
) -> Result<()> {
    let is_here = |found: &ConversationFound| found.conversation.memory == place.memory;
    let here = recollection.conversations.iter().filter(|found| is_here(found));
    let now: Vec<Conversation> = here.map(|found| found.conversation.clone()).collect();
    if now.is_empty() {
        return Ok(());
    }
    let read =
        move |snapshot: &dyn Snapshot| restore_conversations(snapshot, place, at, now.clone());
    let mut stood = engine.store.peek(read).await?.into_iter();
    recollection.conversations.retain_mut(|found| {
        if !is_here(found) {
            return true;
        }
        let Some(conversation) = stood.next().flatten() else { return false };
        found.conversation = conversation;
        true
    });
    Ok(())
}

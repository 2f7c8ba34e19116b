//! Rows of entries at hand: those that came last, and those that were read since.
//!
//! What a question found is told from here; only the rest is read from the store. Entries in force
//! are kept and no others: all that can change about one is that it moves, or is in force no longer,
//! and of both the index learns with the standings. Then its row goes. Under a budget, the row that
//! came first goes first.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use foldhash::fast::RandomState;
use jiff::Timestamp;

use super::dot::expect;
use super::{EntryFacts, Index};
use crate::limits;
use crate::memory::{ConversationId, Correction, Entry, MemoryId, Metadata, Name, Said};

/// So many bytes of a text are asked for beforehand; the rest of a long one comes by itself.
const EXPECTED: usize = 1_024;

/// The rows of an index, by the numbers of their entries.
#[derive(Debug)]
pub(super) struct Rows {
    budget: usize,
    bytes: usize,
    rows: HashMap<u32, Row, RandomState>,
    /// Their numbers, in the order they came.
    order: VecDeque<u32>,
}

/// What an index does not know of an entry anyway.
#[derive(Debug)]
struct Row {
    content: Said,
    /// Shared with the row before, where both are of one conversation.
    conversation_name: Option<Arc<Name>>,
    more: Option<Box<More>>,
    is_question: bool,
    placed_by_time: bool,
}

/// What few entries have.
#[derive(Debug, Clone, PartialEq, Default)]
struct More {
    speaker: Option<Name>,
    summary: Option<String>,
    tags: Vec<Name>,
    metadata: Option<Metadata>,
    tools_used: Vec<Name>,
    corrects: Option<Correction>,
}

impl Index {
    /// Keeps the row of an entry, if it is in force and stands where the index has it.
    pub(crate) fn keep_row(&mut self, number: u32, entry: Entry) {
        let (home, facts) = (self.homes[number as usize], &self.facts[number as usize]);
        let is_in_force = entry.corrected.is_none() && entry.branch.is_none();
        let is_here = self.conversations[home.conversation as usize] == entry.conversation;
        if facts.id == entry.id && home.is_current() && is_in_force && is_here {
            self.rows.put(number, entry);
        }
    }

    /// Says that an entry will be told soon: rows are waited for one by one otherwise.
    pub(crate) fn expect_row(&self, number: u32) {
        expect(&self.facts[number as usize..][..1]);
        if let Some(row) = self.rows.rows.get(&number) {
            let bytes = row.content.as_str().as_bytes();
            expect(&bytes[..bytes.len().min(EXPECTED)]);
        }
    }

    /// An entry of this memory, if its row is at hand.
    pub(crate) fn at_hand(&self, memory: MemoryId, number: u32) -> Option<Entry> {
        let row = self.rows.rows.get(&number)?;
        let conversation = self.conversations[self.homes[number as usize].conversation as usize];
        row.entry(memory, conversation, &self.facts[number as usize])
    }
}

impl Rows {
    fn put(&mut self, number: u32, entry: Entry) {
        if self.rows.contains_key(&number) {
            return;
        }
        let before = self.order.back().and_then(|last| self.rows.get(last));
        let row = Row::of(entry, before);
        self.bytes += row.size();
        self.rows.insert(number, row);
        self.order.push_back(number);
        while self.bytes > self.budget
            && let Some(first) = self.order.pop_front()
        {
            self.let_go(first);
        }
    }

    /// Lets go of a row; [`Rows::settle`] is called after the last one.
    pub(super) fn let_go(&mut self, number: u32) {
        self.bytes -= self.rows.remove(&number).map_or(0, |row| row.size());
    }

    /// Puts the order right after rows were let go.
    pub(super) fn settle(&mut self) {
        if self.order.len() != self.rows.len() {
            self.order.retain(|number| self.rows.contains_key(number));
        }
    }

    /// Bytes held, roughly.
    pub(super) fn size(&self) -> usize {
        self.bytes
    }
}

impl Default for Rows {
    fn default() -> Self {
        let (rows, order) = (HashMap::default(), VecDeque::new());
        Self { budget: limits::ROWS_BYTES, bytes: 0, rows, order }
    }
}

impl Row {
    fn of(entry: Entry, before: Option<&Self>) -> Self {
        let known = before.and_then(|row| row.conversation_name.as_ref());
        let share = |name: Name| match known.filter(|known| ***known == name) {
            Some(known) => Arc::clone(known),
            None => Arc::new(name),
        };
        let Entry { speaker, summary, tags, metadata, tools_used, corrects, .. } = entry;
        let more = More { speaker, summary, tags, metadata, tools_used, corrects };
        Self {
            content: entry.content,
            conversation_name: entry.conversation_name.map(share),
            more: (more != More::default()).then(|| Box::new(more)),
            is_question: entry.is_question,
            placed_by_time: entry.placed_by_time,
        }
    }

    fn entry(
        &self,
        memory: MemoryId,
        conversation: ConversationId,
        facts: &EntryFacts,
    ) -> Option<Entry> {
        let more = self.more.as_deref().cloned().unwrap_or_default();
        Some(Entry {
            id: facts.id,
            memory,
            sequence: facts.sequence,
            role: facts.role,
            speaker: more.speaker,
            content: self.content.clone(),
            summary: more.summary,
            tags: more.tags,
            metadata: more.metadata,
            tools_used: more.tools_used,
            is_question: self.is_question,
            conversation_time: Timestamp::from_microsecond(facts.time).ok()?,
            creation_time: Timestamp::from_microsecond(facts.created).ok()?,
            conversation,
            conversation_name: self.conversation_name.as_deref().cloned(),
            placed_by_time: self.placed_by_time,
            corrects: more.corrects,
            corrected: None,
            branch: None,
        })
    }

    /// Bytes it takes with its place, roughly.
    fn size(&self) -> usize {
        let place = size_of::<(u32, Self)>() * 3 / 2;
        let name = self.conversation_name.as_ref().map_or(0, |name| name.as_str().len());
        let more = self.more.as_ref().map_or(0, |more| more.size());
        place + self.content.as_str().len() + name + more
    }
}

impl More {
    fn size(&self) -> usize {
        let names = self.speaker.iter().chain(&self.tags).chain(&self.tools_used);
        let reason = self.corrects.as_ref().map(|corrects| corrects.reason.as_str());
        let metadata = self.metadata.as_ref().map(Metadata::as_str);
        let texts = self.summary.as_deref().into_iter().chain(reason).chain(metadata);
        size_of::<Self>()
            + names.map(|name| size_of::<Name>() + name.as_str().len()).sum::<usize>()
            + texts.map(str::len).sum::<usize>()
    }
}

#[cfg(test)]
mod tests;

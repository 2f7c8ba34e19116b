//! The tail: the postings of the newest documents, which still grow.

use super::SEGMENT_DOCUMENTS;
use super::block::{Block, MOST_COUNT};
use crate::index::Term;

/// Marks a term that does not occur.
const NO_LIST: u32 = u32::MAX;

/// The postings of the newest documents.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tail {
    /// The number of documents.
    pub(crate) documents: u32,
    /// The position of the list of each term.
    positions: Vec<u32>,
    lists: Vec<TailList>,
    /// The number of bytes in lists.
    bytes: usize,
}

/// The occurrences of one term.
#[derive(Debug, Clone, Default)]
pub(crate) struct TailList {
    term: Term,
    pub(crate) groups: u32,
    /// The group of the newest document.
    newest_group: u32,
    /// The offset of each document above sixteen bits of its count.
    pub(crate) units: Vec<u32>,
}

impl Tail {
    /// Returns whether no further document fits.
    pub(crate) fn is_full(&self) -> bool {
        self.documents as usize >= SEGMENT_DOCUMENTS
    }

    /// Adds an occurrence in the document at an offset.
    pub(crate) fn add(&mut self, term: Term, offset: u32, count: u32, group: u32) {
        if self.positions.len() <= term as usize {
            self.positions.resize(term as usize + 1, NO_LIST);
        }
        let position = &mut self.positions[term as usize];
        if *position == NO_LIST {
            *position = self.lists.len() as u32;
            self.lists.push(TailList { term, ..TailList::default() });
            self.bytes += size_of::<TailList>();
        }
        let list = &mut self.lists[*position as usize];
        if list.units.is_empty() || list.newest_group != group {
            (list.groups, list.newest_group) = (list.groups + 1, group);
        }
        let before = list.units.capacity();
        if list.units.len() == before {
            // Grows by a half: there are many lists, and most of them stay short.
            list.units.reserve_exact((before / 2).max(2));
        }
        list.units.push(offset << 16 | count.min(MOST_COUNT));
        self.bytes += (list.units.capacity() - before) * 4;
    }

    /// Returns the list of a term, if it occurs.
    pub(crate) fn list(&self, term: Term) -> Option<&TailList> {
        let position = *self.positions.get(term as usize)?;
        self.lists.get(position as usize)
    }

    /// Returns the same postings as a block.
    pub(crate) fn to_block(&self) -> Block {
        let mut block = Block::empty(self.documents);
        let mut lists: Vec<&TailList> = self.lists.iter().collect();
        lists.sort_unstable_by_key(|list| list.term);
        let mut occurrences = Vec::new();
        for list in lists {
            occurrences.clear();
            occurrences.extend(list.units.iter().map(|unit| (unit >> 16, unit & 0xffff)));
            block.push(list.term, &occurrences, list.groups);
        }
        block.finish()
    }

    /// Returns a block as a tail, to which documents can be added; `group` is the group of the document at
    /// an offset.
    pub(crate) fn from_block(block: &Block, group: impl Fn(u32) -> u32) -> Self {
        let mut tail = Self::default();
        for (position, term) in block.terms.iter().enumerate() {
            let list = block.list_at(position);
            for (number, unit) in list.offsets.iter().enumerate() {
                let offset = u32::from(unit >> 1);
                tail.add(*term, offset, list.count(number), group(offset));
            }
        }
        tail.documents = block.documents;
        tail
    }

    /// Returns the number of bytes in use.
    pub(crate) fn size(&self) -> usize {
        self.bytes + self.positions.capacity() * 4
    }
}

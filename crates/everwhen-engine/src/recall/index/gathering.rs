//! Some conversations with their entries beside each other.

use std::ops::Range;

use super::Index;

/// Conversations and the entries of each, in the order they arrived.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gathering {
    pub(crate) conversations: Vec<u32>,
    pub(crate) entries: Vec<u32>,
    /// The place behind the last entry of each conversation.
    ends: Vec<usize>,
}

impl Gathering {
    /// Adds a conversation with those of its entries that are admitted, if there is one.
    pub(crate) fn add(&mut self, index: &Index, conversation: u32, admits: impl Fn(u32) -> bool) {
        let first = self.entries.len();
        for stretch in index.stretches(conversation) {
            self.entries.extend(stretch.rev().filter(|entry| admits(*entry)));
        }
        if self.entries.len() > first {
            self.entries[first..].reverse();
            self.conversations.push(conversation);
            self.ends.push(self.entries.len());
        }
    }

    /// Adds a conversation of another gathering, with the places of its entries there.
    pub(crate) fn take(&mut self, other: &Self, place: usize, span: Range<usize>) {
        self.entries.extend_from_slice(&other.entries[span]);
        self.conversations.push(other.conversations[place]);
        self.ends.push(self.entries.len());
    }

    /// The places of the entries of each conversation.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Range<usize>> + Clone {
        let mut start = 0;
        self.ends.iter().map(move |end| std::mem::replace(&mut start, *end)..*end)
    }

    /// The places of the entries of one conversation.
    pub(crate) fn span(&self, place: usize) -> Range<usize> {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[place]
    }

    /// The highest value among the entries of each conversation, at least zero.
    pub(crate) fn highest(&self, values: &[f32]) -> Vec<f32> {
        let highest = |span: Range<usize>| values[span].iter().copied().fold(0.0, f32::max);
        self.spans().map(highest).collect()
    }
}

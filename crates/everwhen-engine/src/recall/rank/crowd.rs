//! Who takes part in a ranking: conversations, and their entries beside each other.

use std::ops::Range;

use crate::recall::fuse::Candidates;
use crate::recall::index::Index;
use crate::recall::scope::Scope;

/// Conversations and their entries. Some were picked; the others are a sample of the rest and
/// stand for it, so that means and deviations come out as if everybody took part.
#[derive(Debug, Default)]
pub(super) struct Crowd {
    pub(super) conversations: Vec<u32>,
    /// The entries of all of them, those of one conversation in the order they arrived.
    pub(super) entries: Vec<u32>,
    /// The place behind the last entry of each conversation.
    ends: Vec<usize>,
    /// Conversations and entries that speak for themselves.
    picked: (usize, usize),
    stand_for: f64,
}

impl Crowd {
    /// Gathers picked conversations.
    pub(super) fn of(index: &Index, scope: &Scope<'_>, picked: impl Iterator<Item = u32>) -> Self {
        let mut crowd = Self { stand_for: 1.0, ..Self::default() };
        picked.for_each(|conversation| crowd.add(index, scope, conversation));
        crowd.picked = (crowd.conversations.len(), crowd.entries.len());
        crowd
    }

    /// Lets a sample stand for `rest` conversations.
    pub(super) fn with_sample(
        mut self,
        index: &Index,
        scope: &Scope<'_>,
        sample: &[u32],
        rest: usize,
    ) -> Self {
        sample.iter().for_each(|conversation| self.add(index, scope, *conversation));
        self.stand_for = rest as f64 / sample.len().max(1) as f64;
        self
    }

    fn add(&mut self, index: &Index, scope: &Scope<'_>, conversation: u32) {
        let first = self.entries.len();
        for entry in index.backwards(conversation).filter(|entry| scope.admits(*entry)) {
            self.entries.push(entry);
        }
        if self.entries.len() > first {
            self.entries[first..].reverse();
            self.conversations.push(conversation);
            self.ends.push(self.entries.len());
        }
    }

    /// The conversations, to rank.
    pub(super) fn of_conversations(&self) -> Candidates<'_> {
        let (numbers, picked) = (&self.conversations[..], self.picked.0);
        Candidates { numbers, picked, stand_for: self.stand_for }
    }

    /// The entries, to rank.
    pub(super) fn of_entries(&self) -> Candidates<'_> {
        let (numbers, picked) = (&self.entries[..], self.picked.1);
        Candidates { numbers, picked, stand_for: self.stand_for }
    }

    /// Whether everybody takes part.
    pub(super) fn is_whole(&self) -> bool {
        self.picked.0 == self.conversations.len()
    }

    /// The places of the entries of each conversation.
    pub(super) fn spans(&self) -> impl Iterator<Item = Range<usize>> + Clone {
        let mut start = 0;
        self.ends.iter().map(move |end| std::mem::replace(&mut start, *end)..*end)
    }

    /// The highest value among the entries of each conversation, at least zero.
    pub(super) fn highest(&self, values: &[f32]) -> Vec<f32> {
        let highest = |span: Range<usize>| values[span].iter().copied().fold(0.0, f32::max);
        self.spans().map(highest).collect()
    }
}

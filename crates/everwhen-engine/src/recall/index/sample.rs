//! Conversations from all over, which stand for all others in a large memory. Every question looks at
//! them, so they are kept together with their vectors until one of them changes.

use std::sync::OnceLock;

use super::{Gathering, Index, Vectors};

/// So many conversations stand for the rest.
pub(crate) const SAMPLED: usize = 16;

/// Some conversations, and the vectors of their entries by place.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    pub(crate) gathered: Gathering,
    pub(crate) vectors: Vectors,
    /// They were drawn from so many conversations.
    drawn_from: usize,
}

impl Sample {
    /// These conversations, with the entries that are admitted.
    pub(crate) fn of(
        index: &Index,
        numbers: impl Iterator<Item = u32>,
        admits: impl Fn(u32) -> bool,
    ) -> Self {
        let mut sample = Self::default();
        numbers.for_each(|one| sample.gathered.add(index, one, &admits));
        for (place, entry) in (0..).zip(&sample.gathered.entries) {
            let passages = index.vectors.of(*entry);
            let scales = index.vectors.scales(passages.clone());
            for (passage, scale) in passages.zip(scales) {
                let row = index.vectors.rows(passage..passage + 1);
                sample.vectors.add_row(place, row, *scale);
            }
        }
        sample
    }
}

/// The sample of all conversations, once it has been drawn.
#[derive(Debug, Default)]
pub(crate) struct Drawn {
    sample: OnceLock<Sample>,
}

impl Drawn {
    /// Notes that something changed in a conversation, one of so many.
    pub(super) fn note(&mut self, conversation: u32, of: usize) {
        let is_stale = |sample: &Sample| {
            sample.drawn_from != drawn_from(of)
                || sample.gathered.conversations.contains(&conversation)
        };
        if self.sample.get().is_some_and(is_stale) {
            self.forget();
        }
    }

    /// Lets go of it.
    pub(super) fn forget(&mut self) {
        self.sample.take();
    }
}

impl Index {
    /// A sample of all conversations with entries in force. It depends on nothing but what is in
    /// here, and stays the same until there are some more.
    pub(crate) fn sample(&self) -> &Sample {
        self.drawn.sample.get_or_init(|| {
            let all = drawn_from(self.conversations.len());
            let numbers = (0..SAMPLED).map(|one| ((2 * one + 1) * all / (2 * SAMPLED)) as u32);
            let is_current = |entry: u32| self.homes[entry as usize].is_current();
            Sample { drawn_from: all, ..Sample::of(self, numbers, is_current) }
        })
    }
}

/// Of so many conversations, the first so many are drawn from: at least four fifths.
fn drawn_from(count: usize) -> usize {
    let spare = (count.max(1).ilog2() as usize).saturating_sub(2);
    count >> spare << spare
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Role;
    use crate::recall::index::tests::{index_of, said};

    #[test]
    fn it_is_drawn_from_nearly_all() {
        assert_eq!([0, 1, 5, 8, 9, 10, 1_000].map(drawn_from), [0, 1, 5, 8, 8, 10, 896]);
    }

    #[test]
    fn it_follows_what_changes_in_its_conversations() {
        let entries: Vec<_> = (0..100).map(|one| (one, Role::User, "a")).collect();
        let mut index = index_of(&entries);
        let first = index.sample().gathered.conversations.clone();
        assert_eq!((first.len(), index.sample().vectors.len()), (SAMPLED, 0));
        (0..100).for_each(|entry| index.embed("test", entry, &[vec![1.0, 0.0]]));
        assert_eq!(index.sample().vectors.len(), SAMPLED);
        index.add(&said(101, u128::from(first[7]), Role::User, "b"));
        assert_eq!(index.sample().gathered.entries.len(), SAMPLED + 1);
        for one in 102..130 {
            index.add(&said(one, one.into(), Role::User, "b"));
        }
        assert_ne!(index.sample().gathered.conversations, first);
    }
}

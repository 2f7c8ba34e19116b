//! How rare words are over several indexes, so that one query means the same in each of them.

use std::collections::HashMap;

use crate::index::Index;
use crate::lanes::words::rarity;
use crate::text::tokens;

/// How rare the words of a query are over the documents of several indexes.
#[derive(Debug)]
pub struct SharedRarity(HashMap<String, f32>);

/// How often the words of a query occur in the indexes that were added.
#[derive(Debug)]
pub struct RarityCounts {
    documents: u32,
    words: HashMap<String, u32>,
}

impl RarityCounts {
    /// Begins to count the words of a query.
    pub fn new(text: &str) -> Self {
        Self { documents: 0, words: tokens(text).map(|token| (token.to_string(), 0)).collect() }
    }

    /// Counts them in an index.
    pub fn add(&mut self, index: &Index) {
        self.documents += index.len() as u32;
        self.words.iter_mut().for_each(|(token, count)| *count += occurs_in(index, token));
    }

    /// Returns how rare they are.
    pub fn rarity(&self) -> SharedRarity {
        let shared =
            |(token, count): (&String, &u32)| (token.clone(), rarity(*count, self.documents));
        SharedRarity(self.words.iter().map(shared).collect())
    }
}

impl SharedRarity {
    /// Counts the words of a query in all indexes.
    pub fn new<'i>(indexes: impl Iterator<Item = &'i Index>, text: &str) -> Self {
        let mut counts = RarityCounts::new(text);
        indexes.for_each(|index| counts.add(index));
        counts.rarity()
    }

    /// Returns by how much the rarity of a word in one index has to be multiplied to get its shared
    /// rarity.
    pub(crate) fn correction(&self, index: &Index, token: &str) -> f32 {
        let own = rarity(occurs_in(index, token), index.len() as u32);
        self.0.get(token).map_or(1.0, |shared| shared / own)
    }
}

fn occurs_in(index: &Index, token: &str) -> u32 {
    index.term(token).map_or(0, |term| index.postings(term).len())
}

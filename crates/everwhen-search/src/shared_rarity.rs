//! How rare words are over several indexes, so that one query means the same in each of them.

use std::collections::HashMap;

use crate::index::Index;
use crate::lanes::words::rarity;
use crate::text::tokens;

/// How rare the words of a query are over the documents of several indexes.
#[derive(Debug)]
pub struct SharedRarity(HashMap<String, f32>);

impl SharedRarity {
    /// Counts the words of a query in all indexes.
    pub fn new<'i>(indexes: impl Iterator<Item = &'i Index> + Clone, text: &str) -> Self {
        let total: u32 = indexes.clone().map(|index| index.len() as u32).sum();
        let shared =
            |token: &str| rarity(indexes.clone().map(|one| occurs_in(one, token)).sum(), total);
        Self(tokens(text).map(|token| (token.to_string(), shared(&token))).collect())
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

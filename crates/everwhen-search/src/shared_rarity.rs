//! How rare words are over several indexes, so that one query means the same in each of them.

use std::collections::HashMap;

use crate::document::Micros;
use crate::index::Index;
use crate::lanes::words::rarity;
use crate::scope::{Scope, SearchFilter};
use crate::text::tokens;

/// How rare the words of a query are over the documents of several indexes.
#[derive(Debug)]
pub struct SharedRarity {
    words: HashMap<String, f32>,
    /// Only what had been stored by then counts.
    as_of: Option<Micros>,
}

/// How often the words of a query occur in the indexes that were added.
#[derive(Debug)]
pub struct RarityCounts {
    documents: u32,
    words: HashMap<String, u32>,
    as_of: Option<Micros>,
}

impl RarityCounts {
    /// Begins to count the words of a query, as of an earlier time if one is given.
    pub fn new(text: &str, as_of: Option<Micros>) -> Self {
        let words = tokens(text).map(|token| (token.to_string(), 0)).collect();
        Self { documents: 0, words, as_of }
    }

    /// Counts them in an index.
    pub fn add(&mut self, index: &Index) {
        let counter = WordCounter::new(index, self.as_of);
        self.documents += counter.documents();
        self.words.iter_mut().for_each(|(token, count)| *count += counter.occurs_in(token));
    }

    /// Returns how rare they are.
    pub fn rarity(&self) -> SharedRarity {
        let shared =
            |(token, count): (&String, &u32)| (token.clone(), rarity(*count, self.documents));
        SharedRarity { words: self.words.iter().map(shared).collect(), as_of: self.as_of }
    }
}

impl SharedRarity {
    /// Counts the words of a query in all indexes, as of an earlier time if one is given.
    pub fn new<'i>(
        indexes: impl Iterator<Item = &'i Index>,
        text: &str,
        as_of: Option<Micros>,
    ) -> Self {
        let mut counts = RarityCounts::new(text, as_of);
        indexes.for_each(|index| counts.add(index));
        counts.rarity()
    }

    /// Returns by how much the rarity of a word in one index has to be multiplied to get its shared
    /// rarity.
    pub(crate) fn correction(&self, index: &Index, token: &str) -> f32 {
        let counter = WordCounter::new(index, self.as_of);
        let own = rarity(counter.occurs_in(token), counter.documents());
        self.words.get(token).map_or(1.0, |shared| shared / own)
    }
}

/// Counts documents with a word in one index: all of them, or those of an earlier time.
struct WordCounter<'i> {
    index: &'i Index,
    past: Option<Scope<'i>>,
}

impl<'i> WordCounter<'i> {
    fn new(index: &'i Index, as_of: Option<Micros>) -> Self {
        let filter = SearchFilter { as_of, ..SearchFilter::default() };
        Self { index, past: as_of.map(|_| Scope::new(index, &filter)) }
    }

    fn documents(&self) -> u32 {
        let all = || self.index.len() as u32;
        self.past.as_ref().map_or_else(all, |past| past.counts.totals.documents)
    }

    fn occurs_in(&self, token: &str) -> u32 {
        let Some(term) = self.index.term(token) else { return 0 };
        let postings = self.index.postings(term);
        self.past.as_ref().map_or(postings.len(), |past| past.occurs_in(postings))
    }
}

//! The terms of known tokens. Every word of every document is looked up here, so a token of ordinary length is in
//! the hash table itself: looking it up touches one place in memory, which can be prefetched.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use super::Term;
use super::text_table::TextTable;
use crate::vectors::prefetch;

/// The length of the longest token that is in the table itself.
const SHORT: usize = 16;
/// The number of slots of the smallest table.
const FEWEST_SLOTS: usize = 16;
/// A placeholder for the term of a stop word, which has none.
const NO_TERM: Term = Term::MAX;

/// Tokens and their terms.
#[derive(Debug, Clone, Default)]
pub(super) struct TokenTerms {
    /// An open-addressing hash table of short tokens, at most three quarters of it used.
    slots: Vec<Slot>,
    used: usize,
    hasher: RandomState,
    long: TextTable,
    /// The terms of long tokens.
    long_terms: Vec<Term>,
}

/// A short token with its term; unused if its length is 0.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    letters: [u64; 2],
    len: u32,
    term: Term,
}

/// A token as it is looked up.
#[derive(Debug, Clone, Copy)]
pub(super) struct TokenKey {
    /// The bytes of a short token, then zeros.
    letters: [u64; 2],
    len: u32,
    hash: u64,
}

impl TokenKey {
    fn is_short(&self) -> bool {
        self.len as usize <= SHORT
    }
}

impl TokenTerms {
    /// Returns a token as it is looked up.
    pub(super) fn key(&self, token: &str) -> TokenKey {
        let mut bytes = [0; SHORT];
        if let Some(letters) = bytes.get_mut(..token.len()) {
            letters.copy_from_slice(token.as_bytes());
        }
        let (halves, _) = bytes.as_chunks::<8>();
        let letters = [u64::from_le_bytes(halves[0]), u64::from_le_bytes(halves[1])];
        let hash = self.hasher.hash_one((letters[0], letters[1]));
        TokenKey { letters, len: token.len() as u32, hash }
    }

    /// Prefetches what [`TokenTerms::get`] reads.
    pub(super) fn prefetch(&self, key: &TokenKey) {
        if let Some(start) = self.start(key) {
            prefetch(&self.slots[start..=start]);
        }
    }

    /// Returns the term of a token, if the token is known; stop words have none.
    pub(super) fn get(&self, token: &str, key: &TokenKey) -> Option<Option<Term>> {
        let term = match key.is_short() {
            true => self.slots[self.find(key).ok()?].term,
            false => self.long_terms[self.long.get(token)? as usize],
        };
        Some((term != NO_TERM).then_some(term))
    }

    /// Adds a token that is not known.
    pub(super) fn insert(&mut self, token: &str, key: &TokenKey, term: Option<Term>) {
        let term = term.unwrap_or(NO_TERM);
        if !key.is_short() {
            self.long.add(token);
            return self.long_terms.push(term);
        }
        if (self.used + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        if let Err(Some(free)) = self.find(key) {
            self.slots[free] = Slot { letters: key.letters, len: key.len, term };
            self.used += 1;
        }
    }

    /// Returns the slot at which a short token begins to be looked for; `None` if there are no slots.
    fn start(&self, key: &TokenKey) -> Option<usize> {
        (!self.slots.is_empty()).then(|| key.hash as usize & (self.slots.len() - 1))
    }

    /// Returns the slot of a short token, or else the free slot it belongs to, if there is one.
    fn find(&self, key: &TokenKey) -> Result<usize, Option<usize>> {
        let mut slot = self.start(key).ok_or(None)?;
        loop {
            let Slot { letters, len, .. } = &self.slots[slot];
            if *letters == key.letters && *len == key.len {
                return Ok(slot);
            }
            if *len == 0 {
                return Err(Some(slot));
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    fn grow(&mut self) {
        let count = (2 * self.slots.len()).max(FEWEST_SLOTS);
        let before = std::mem::replace(&mut self.slots, vec![Slot::default(); count]);
        for slot in before.into_iter().filter(|slot| slot.len > 0) {
            let hash = self.hasher.hash_one((slot.letters[0], slot.letters[1]));
            let key = TokenKey { letters: slot.letters, len: slot.len, hash };
            if let Err(Some(free)) = self.find(&key) {
                self.slots[free] = slot;
            }
        }
    }

    /// Returns the number of bytes in use.
    pub(super) fn size(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + self.long.size()
            + self.long_terms.capacity() * size_of::<Term>()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn terms_are_those_of_a_map(tokens in proptest::collection::vec("[a-cé]{1,4}|[a-b]{14,19}", 0..300)) {
            let (mut table, mut map) = (TokenTerms::default(), HashMap::new());
            for (number, token) in (0..).zip(&tokens) {
                let key = table.key(token);
                table.prefetch(&key);
                prop_assert_eq!(table.get(token, &key), map.get(token).copied());
                if !map.contains_key(token) {
                    let term = (number % 5 > 0).then_some(number);
                    table.insert(token, &key, term);
                    map.insert(token, term);
                }
            }
            for token in &tokens {
                prop_assert_eq!(table.get(token, &table.key(token)), map.get(token).copied());
            }
        }
    }
}

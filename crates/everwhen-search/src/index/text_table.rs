//! A table of distinct texts, in one piece of memory. Each has a number, counted from zero in the order
//! they were added.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use crate::vectors::prefetch;

/// Distinct texts and their numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextTable {
    /// All texts, one after the other.
    texts: String,
    /// The end of each text.
    ends: Vec<u32>,
    /// An open-addressing hash table. A used slot has the upper half of the hash of a text above its
    /// number plus one, so that nearly all comparisons of texts find equal ones.
    slots: Vec<u64>,
    hasher: RandomState,
}

/// The number of slots of the smallest table.
const FEWEST_SLOTS: usize = 16;

impl TextTable {
    /// Returns the number of texts.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the text with a number; `None` if there is none.
    pub(crate) fn text(&self, number: u32) -> Option<&str> {
        let end = *self.ends.get(number as usize)? as usize;
        let before = (number as usize).checked_sub(1);
        let start = before.map_or(0, |before| self.ends[before] as usize);
        self.texts.get(start..end)
    }

    /// Returns the number of a text, if it was added.
    pub(crate) fn get(&self, text: &str) -> Option<u32> {
        self.find(text, self.hash(text)).ok()
    }

    /// Returns the number of a text, and adds it if it is new.
    pub(crate) fn add(&mut self, text: &str) -> u32 {
        self.reserve(1);
        self.add_hashed(text, self.hash(text))
    }

    /// Adds several texts and returns their numbers. Their slots are far from each other in memory, so all of
    /// them are prefetched before the first is looked at.
    pub(crate) fn add_all<const N: usize>(&mut self, texts: [&str; N]) -> [u32; N] {
        self.reserve(N);
        let hashes = texts.map(|text| self.hash(text));
        for hash in hashes {
            let slot = hash as usize & (self.slots.len() - 1);
            prefetch(&self.slots[slot..=slot]);
        }
        std::array::from_fn(|one| self.add_hashed(texts[one], hashes[one]))
    }

    /// Makes room for this many more texts.
    pub(crate) fn reserve(&mut self, texts: usize) {
        let needed = (self.len() + texts) * 2;
        if needed > self.slots.len() {
            self.grow(needed.next_power_of_two().max(FEWEST_SLOTS));
        }
    }

    fn add_hashed(&mut self, text: &str, hash: u64) -> u32 {
        match self.find(text, hash) {
            Ok(number) => number,
            Err(slot) => {
                let number = self.len() as u32;
                self.texts.push_str(text);
                self.ends.push(self.texts.len() as u32);
                self.slots[slot] = used(hash, number);
                number
            }
        }
    }

    /// Returns the number of a text, or else the free slot it belongs to.
    fn find(&self, text: &str, hash: u64) -> Result<u32, usize> {
        if self.slots.is_empty() {
            return Err(0);
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let value = self.slots[slot];
            if value == 0 {
                return Err(slot);
            }
            let number = value as u32 - 1;
            if value >> 32 == hash >> 32 && self.text(number) == Some(text) {
                return Ok(number);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self, count: usize) {
        self.slots = vec![0; count];
        for number in 0..self.len() as u32 {
            let hash = self.text(number).map_or(0, |text| self.hash(text));
            let mut slot = hash as usize & (count - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (count - 1);
            }
            self.slots[slot] = used(hash, number);
        }
    }

    fn hash(&self, text: &str) -> u64 {
        self.hasher.hash_one(text)
    }

    /// Returns the number of bytes in use.
    pub(crate) fn size(&self) -> usize {
        self.texts.capacity() + self.ends.capacity() * 4 + self.slots.capacity() * 8
    }
}

fn used(hash: u64, number: u32) -> u64 {
    hash >> 32 << 32 | u64::from(number + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_texts_are_added_as_one_by_one() {
        let texts: Vec<String> =
            (0..4_000u32).map(|one| format!("word{}", one * one % 1_777)).collect();
        let (mut one_by_one, mut together) = (TextTable::default(), TextTable::default());
        for four in texts.chunks_exact(4) {
            let four = [0, 1, 2, 3].map(|one| four[one].as_str());
            assert_eq!(together.add_all(four), four.map(|text| one_by_one.add(text)));
        }
        assert_eq!(together.len(), one_by_one.len());
        together.reserve(100_000);
        for number in 0..together.len() as u32 {
            assert_eq!(together.text(number), one_by_one.text(number));
            assert_eq!(together.get(one_by_one.text(number).unwrap()), Some(number));
        }
    }

    #[test]
    fn texts_keep_their_numbers_while_the_table_grows() {
        let mut table = TextTable::default();
        assert_eq!((table.get("a"), table.text(0)), (None, None));
        let text = |number: u32| format!("word{}", number.wrapping_mul(2_654_435_761));
        for number in 0..5_000 {
            assert_eq!(table.add(&text(number)), number);
            assert_eq!(table.add(&text(number / 2)), number / 2);
        }
        assert_eq!(table.add(""), 5_000);
        for number in 0..5_000 {
            assert_eq!(table.get(&text(number)), Some(number));
            assert_eq!(table.text(number), Some(text(number).as_str()));
        }
        assert_eq!((table.get(""), table.get("other"), table.len()), (Some(5_000), None, 5_001));
    }
}

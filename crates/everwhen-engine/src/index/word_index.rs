//! A small inverted index of items by word, for facts and chapters.

use std::collections::{BTreeSet, HashMap};

/// The approximate number of bytes that an item takes besides its words.
const ITEM_BYTES: usize = 1_500;
/// The approximate number of bytes that a word takes besides its letters.
const WORD_BYTES: usize = 64;

/// Items in order, and which of them use a word.
#[derive(Debug)]
pub(crate) struct WordIndex<T> {
    items: Vec<T>,
    /// The numbers of the items that use each word, in rising order.
    users: HashMap<Box<str>, Vec<u32>>,
    /// The number of bytes that words take.
    word_bytes: usize,
}

impl<T> Default for WordIndex<T> {
    fn default() -> Self {
        Self { items: Vec::new(), users: HashMap::new(), word_bytes: 0 }
    }
}

impl<T> WordIndex<T> {
    /// Indexes items by the words that `words` finds in them.
    pub(crate) fn new(items: Vec<T>, words: impl Fn(&T) -> BTreeSet<String>) -> Self {
        let mut all = Self::default();
        for item in items {
            let words = words(&item);
            all.push(item, words);
        }
        all
    }

    /// Appends an item.
    pub(crate) fn push(&mut self, item: T, words: BTreeSet<String>) {
        let number = self.items.len() as u32;
        self.items.push(item);
        for word in words {
            self.word_bytes += size_of::<u32>();
            match self.users.get_mut(word.as_str()) {
                Some(users) => users.push(number),
                None => {
                    self.word_bytes += WORD_BYTES + word.len();
                    self.users.insert(word.into(), vec![number]);
                }
            }
        }
    }

    /// Removes all but the first `length` items; `words` finds the words they were added with.
    pub(crate) fn truncate(&mut self, length: usize, words: impl Fn(&T) -> BTreeSet<String>) {
        if length == 0 {
            *self = Self::default();
        }
        for removed in self.items.drain(length.min(self.items.len())..) {
            for word in words(&removed) {
                let Some(users) = self.users.get_mut(word.as_str()) else { continue };
                let stay = users.partition_point(|user| (*user as usize) < length);
                self.word_bytes -= (users.len() - stay) * size_of::<u32>();
                users.truncate(stay);
                if users.is_empty() {
                    self.word_bytes -= WORD_BYTES + word.len();
                    self.users.remove(word.as_str());
                }
            }
        }
    }

    /// Returns all items, in order.
    pub(crate) fn all(&self) -> &[T] {
        &self.items
    }

    /// Returns how many of these words each item uses.
    pub(crate) fn shared(&self, words: &BTreeSet<String>) -> Vec<u32> {
        let mut shared = vec![0; self.items.len()];
        for user in words.iter().filter_map(|word| self.users.get(word.as_str())).flatten() {
            shared[*user as usize] += 1;
        }
        shared
    }

    /// Returns the approximate number of bytes in use.
    pub(crate) fn size(&self) -> usize {
        self.items.len() * ITEM_BYTES + self.word_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &&str) -> BTreeSet<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn items_are_found_by_the_words_they_use() {
        let all = WordIndex::new(vec!["red apple", "green apple", "green green pear"], words);
        assert_eq!(all.shared(&words(&"green apple plum")), [1, 2, 1]);
        assert_eq!(all.shared(&words(&"plum")), [0, 0, 0]);
        assert_eq!(all.all().len(), 3);
    }

    #[test]
    fn removed_items_leave_no_trace() {
        let items = vec!["red apple", "green apple", "green green pear", "red plum"];
        let mut all = WordIndex::new(items.clone(), words);
        all.truncate(1, words);
        let one = WordIndex::new(vec![items[0]], words);
        assert_eq!((all.users.clone(), all.word_bytes), (one.users.clone(), one.word_bytes));
        all.push("green plum", words(&"green plum"));
        assert_eq!(all.shared(&words(&"green apple plum")), [1, 2]);
        all.truncate(5, words);
        assert_eq!(all.all().len(), 2);
        all.truncate(0, words);
        assert!(all.users.is_empty() && all.size() == 0);
    }
}

//! Things that are told, in order, and which of them use a word. A question looks at those that
//! share a word with it and at no others.

use std::collections::{BTreeSet, HashMap};

/// Roughly what one of them takes besides its words.
const OVERHEAD: usize = 1_500;
/// Roughly what a word takes besides its letters.
const WORD_OVERHEAD: usize = 64;

/// Things and their words.
#[derive(Debug)]
pub(super) struct Worded<T> {
    told: Vec<T>,
    /// For each word, the numbers of those that use it, in order.
    users: HashMap<Box<str>, Vec<u32>>,
    /// Bytes held by words.
    worded: usize,
}

impl<T> Default for Worded<T> {
    fn default() -> Self {
        Self { told: Vec::new(), users: HashMap::new(), worded: 0 }
    }
}

impl<T> Worded<T> {
    /// All of these, each with the words that `words` finds in it.
    pub(super) fn new(told: Vec<T>, words: impl Fn(&T) -> BTreeSet<String>) -> Self {
        let mut all = Self::default();
        for one in told {
            let words = words(&one);
            all.push(one, words);
        }
        all
    }

    /// Puts one behind all others.
    pub(super) fn push(&mut self, one: T, words: BTreeSet<String>) {
        let number = self.told.len() as u32;
        self.told.push(one);
        for word in words {
            self.worded += size_of::<u32>();
            match self.users.get_mut(word.as_str()) {
                Some(users) => users.push(number),
                None => {
                    self.worded += WORD_OVERHEAD + word.len();
                    self.users.insert(word.into(), vec![number]);
                }
            }
        }
    }

    /// Takes all but the first so many away; `words` finds the words they were put with.
    pub(super) fn truncate(&mut self, length: usize, words: impl Fn(&T) -> BTreeSet<String>) {
        if length == 0 {
            *self = Self::default();
        }
        for gone in self.told.drain(length.min(self.told.len())..) {
            for word in words(&gone) {
                let Some(users) = self.users.get_mut(word.as_str()) else { continue };
                let stay = users.partition_point(|user| (*user as usize) < length);
                self.worded -= (users.len() - stay) * size_of::<u32>();
                users.truncate(stay);
                if users.is_empty() {
                    self.worded -= WORD_OVERHEAD + word.len();
                    self.users.remove(word.as_str());
                }
            }
        }
    }

    /// All of them, in order.
    pub(super) fn all(&self) -> &[T] {
        &self.told
    }

    /// How many of these words each one uses.
    pub(super) fn shared(&self, words: &BTreeSet<String>) -> Vec<u32> {
        let mut shared = vec![0; self.told.len()];
        for user in words.iter().filter_map(|word| self.users.get(word.as_str())).flatten() {
            shared[*user as usize] += 1;
        }
        shared
    }

    /// Bytes held, roughly.
    pub(super) fn size(&self) -> usize {
        self.told.len() * OVERHEAD + self.worded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &&str) -> BTreeSet<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn each_is_found_by_the_words_it_uses() {
        let all = Worded::new(vec!["red apple", "green apple", "green green pear"], words);
        assert_eq!(all.shared(&words(&"green apple plum")), [1, 2, 1]);
        assert_eq!(all.shared(&words(&"plum")), [0, 0, 0]);
        assert_eq!(all.all().len(), 3);
    }

    #[test]
    fn taken_away_means_as_if_never_there() {
        let told = vec!["red apple", "green apple", "green green pear", "red plum"];
        let mut all = Worded::new(told.clone(), words);
        all.truncate(1, words);
        let one = Worded::new(vec![told[0]], words);
        assert_eq!((all.users.clone(), all.worded), (one.users.clone(), one.worded));
        all.push("green plum", words(&"green plum"));
        assert_eq!(all.shared(&words(&"green apple plum")), [1, 2]);
        all.truncate(5, words);
        assert_eq!(all.all().len(), 2);
        all.truncate(0, words);
        assert!(all.users.is_empty() && all.size() == 0);
    }
}

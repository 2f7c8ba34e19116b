//! Words of a query that are next to each other in a text, too.
//!
//! The index does not know where in a text a word is, so this looks at texts: a caller that has those of the
//! leading documents available can put them in order once more. Stop words are passed over, and words are compared
//! by their stems. Scripts without blanks have no pairs, because their tokens overlap.

use std::borrow::Cow;

use crate::signal::{Reason, Signal};
use crate::text::{Language, is_unspaced, stem, tokens};

/// What a pair adds to the score of a document, and to that of its group. Found by `docs/recall.md`, not fitted.
const PAIR: f32 = 2.0;
/// Number of tokens of a text that are looked at.
const LOOKED_AT: usize = 4_000;

/// The words of a query that are next to each other, as stems.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordPairs(Vec<(String, String)>);

impl WordPairs {
    /// Returns the distinct pairs of a query.
    pub fn of(query: &str) -> Self {
        let (language, mut pairs) = (Language::of(query), Vec::new());
        let mut before: Option<String> = None;
        for token in tokens(query).filter(|token| !language.has_stop_word(token)) {
            let word =
                (!token.starts_with(is_unspaced)).then(|| stem(&token, language).into_owned());
            if let Some(pair) = before.zip(word.clone()).filter(|pair| !pairs.contains(pair)) {
                pairs.push(pair);
            }
            before = word;
        }
        Self(pairs)
    }

    /// Returns how many of the pairs a text has.
    pub fn count_in(&self, text: &str) -> usize {
        if self.0.is_empty() {
            return 0;
        }
        let tokens: Vec<Cow<'_, str>> = tokens(text).take(LOOKED_AT).collect();
        let language = Language::of_tokens(tokens.iter().map(|token| &**token));
        let mut found = vec![false; self.0.len()];
        let mut before: Option<Cow<'_, str>> = None;
        for token in &tokens {
            let may_match = self.begins_like(token);
            if (!may_match && before.is_none()) || language.has_stop_word(token) {
                continue;
            }
            let word = may_match.then(|| stem(token, language));
            if let (Some(first), Some(second)) = (&before, &word) {
                let pairs = self.0.iter().zip(&mut found);
                pairs.for_each(|((a, b), found)| *found |= a == first && b == second);
            }
            before = word;
        }
        found.into_iter().filter(|found| *found).count()
    }

    /// Returns whether a word of a pair begins like a token. Stemming takes the most time, and a stem begins as its
    /// word does (but for "dying", "lying" and "tying").
    fn begins_like(&self, token: &str) -> bool {
        let start = start_of(token);
        self.0.iter().any(|(a, b)| start_of(a) == start || start_of(b) == start)
    }

    /// Returns what a number of pairs adds to a score, as a reason.
    pub fn reason(count: usize) -> Reason {
        let value = count as f32;
        Reason { signal: Signal::WordPairs, value, share: PAIR * value }
    }
}

/// Returns the first two bytes of a word.
fn start_of(word: &str) -> &[u8] {
    &word.as_bytes()[..word.len().min(2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(query: &str, text: &str) -> usize {
        WordPairs::of(query).count_in(text)
    }

    #[test]
    fn words_count_only_next_to_each_other_in_the_order_of_the_query() {
        let query = "Which support group did she visit?";
        assert_eq!(count(query, "My support groups are great"), 1);
        assert_eq!(count(query, "A group that I visited: support for all"), 1);
        assert_eq!(count(query, "The group gave me support"), 0);
        assert_eq!(count(query, "Support from a friendly group"), 0);
        assert_eq!(count(query, "support group, support group"), 1, "a pair counts once");
    }

    #[test]
    fn stop_words_are_passed_over_and_a_single_word_is_no_pair() {
        assert_eq!(count("the capital of France", "a capital in the France of today"), 1);
        assert_eq!(count("capital", "capital capital"), 0);
        assert_eq!(count("", "anything"), 0);
        assert_eq!(count("capital France", ""), 0);
    }

    #[test]
    fn languages_with_blanks_have_pairs_and_scripts_without_have_none() {
        assert_eq!(count("Wo ist die neue Zahnärztin?", "Das ist die neue Zahnärztin von mir"), 1);
        assert_eq!(WordPairs::of("日本の歴史"), WordPairs::default());
    }

    #[test]
    fn a_pair_is_a_reason_of_its_own() {
        let reason = WordPairs::reason(3);
        assert_eq!((reason.signal, reason.value, reason.share), (Signal::WordPairs, 3.0, 6.0));
    }
}

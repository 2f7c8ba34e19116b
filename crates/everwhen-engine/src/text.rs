//! Small helpers for texts: the words that carry meaning, one shortened line, and what was said as
//! it may be quoted to a model.

pub(crate) mod quantity;
mod quoted;

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::LazyLock;

use unicode_segmentation::UnicodeSegmentation;

pub(crate) use quoted::{quote, quoted};

/// Whether a word, in lower case, says nothing about what a text is about.
pub(crate) fn is_stop_word(word: &str) -> bool {
    static ALL: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP_WORDS.iter().copied().collect());
    ALL.contains(word)
}

/// The words of a text that say something, in lower case.
pub(crate) fn content_words(text: &str) -> impl Iterator<Item = String> {
    text.unicode_words().map(str::to_lowercase).filter(|word| !is_stop_word(word))
}

/// A text on one line, cut at a word if it is longer than `most` characters.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    Shortened::new(text, most).to_string()
}

/// A text on one line, cut at a word if it is longer than a limit. Copied only where
/// blanks in it change.
pub(crate) struct Shortened<'t> {
    line: Cow<'t, str>,
    is_cut: bool,
}

impl<'t> Shortened<'t> {
    pub(crate) fn new(text: &'t str, most: usize) -> Self {
        if text.len() <= most && is_one_line(text) && !text.ends_with(' ') {
            return Self { line: Cow::Borrowed(text), is_cut: false };
        }
        match text.split_at_checked(most) {
            Some((head, rest)) if has_words(rest) && is_one_line(head) => {
                Self { line: Cow::Borrowed(whole_words(&head[..most - 1])), is_cut: true }
            }
            _ => Self::copied(text, most),
        }
    }

    fn copied(text: &str, most: usize) -> Self {
        let (mut line, is_cut) = joined(text, most);
        if is_cut {
            let end = line.char_indices().nth(most - 1).map_or(line.len(), |(place, _)| place);
            line.truncate(whole_words(&line[..end]).len());
        }
        Self { line: Cow::Owned(line), is_cut }
    }

    /// Quotes it, so that it may stand in a text for a model.
    pub(crate) fn quoted(mut self) -> Self {
        self.line = quote(self.line);
        self
    }

    /// How many characters it has.
    pub(crate) fn chars(&self) -> usize {
        self.line.chars().count() + usize::from(self.is_cut)
    }

    /// How many bytes it takes, or a few less.
    pub(crate) fn size(&self) -> usize {
        self.line.len()
    }
}

impl fmt::Display for Shortened<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)?;
        if self.is_cut { f.write_str("…") } else { Ok(()) }
    }
}

/// Most bytes that a character takes.
const CHAR_BYTES: usize = 4;

/// The words of a text parted by single spaces, up to the first that is beyond `most` characters,
/// and whether there is such a one.
fn joined(text: &str, most: usize) -> (String, bool) {
    let (mut line, mut chars) = (String::with_capacity(text.len().min(CHAR_BYTES * most)), 0);
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
            chars += 1;
        }
        line.push_str(word);
        chars += word.chars().count();
        if chars > most {
            return (line, true);
        }
    }
    (line, false)
}

/// A line that was cut somewhere, up to its last whole word.
fn whole_words(line: &str) -> &str {
    let words = line.rsplit_once(' ').map_or(line, |(head, _)| head);
    words.trim_end_matches([',', ';', ':', ' '])
}

/// Whether the text begins with a word and words are parted by single spaces, as far as that can be
/// seen without looking at letters beyond ASCII.
fn is_one_line(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Without a way out in the middle, so that many letters are looked at together.
    let is_plain = bytes.iter().fold(true, |is, byte| is & (b' '..0x7f).contains(byte));
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    let is_parted = pairs.fold(true, |is, (a, b)| is & ((*a != b' ') | (*b != b' ')));
    is_plain && is_parted && !text.starts_with(' ')
}

fn has_words(text: &str) -> bool {
    text.contains(|letter: char| !letter.is_whitespace())
}

/// Words that say nothing about what a conversation was about.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at",
    "be", "because", "been", "before", "but", "by", "can", "could", "did", "do", "does", "don't",
    "for", "from", "get", "got", "had", "has", "have", "he", "hello", "her", "here", "hi", "him",
    "his", "how", "i", "i'd", "i'll", "i'm", "i've", "if", "in", "into", "is", "it", "it's", "its",
    "just", "let", "like", "me", "more", "my", "no", "not", "now", "of", "ok", "okay", "on", "or",
    "our", "out", "please", "she", "should", "so", "some", "sure", "than", "thank", "thanks",
    "that", "that's", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "to", "too", "up", "us", "very", "was", "we", "well", "were", "what", "when", "where", "which",
    "while", "who", "why", "will", "with", "would", "yes", "you", "you're", "your",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_long_line_is_cut_at_a_word() {
        assert_eq!(shorten("one two three", 9), "one two…");
        assert_eq!(shorten("one\n two", 9), "one two");
    }

    proptest! {
        #[test]
        fn what_is_not_copied_reads_the_same(text in "[ab,é \n]{0,30}", most in 1usize..20) {
            let copied = Shortened::copied(&text, most).to_string();
            prop_assert!(copied.chars().count() <= most);
            let shortened = Shortened::new(&text, most);
            prop_assert_eq!(shortened.chars(), copied.chars().count());
            prop_assert_eq!(shortened.to_string(), copied);
        }
    }
}

//! Text processing: tokens, stems, stop words, and the passages that are embedded.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use foldhash::fast::FixedState;

/// Number of characters in a passage.
const PASSAGE_CHARS: usize = 500;
/// Number of characters that two consecutive passages share.
const PASSAGE_OVERLAP: usize = 100;
/// Length of the longest token that is indexed; longer ones are data, not words.
const TOKEN_BYTES: usize = 64;

type WordList = LazyLock<HashSet<&'static str, FixedState>>;

/// English words that carry no topic.
static STOP_WORDS: WordList =
    LazyLock::new(|| include_str!("text/stop_words.txt").split_whitespace().collect());

/// Words that introduce a question ("remind me", "how many") and rarely name what it asks for.
static FRAME_WORDS: WordList =
    LazyLock::new(|| include_str!("text/frame_words.txt").split_whitespace().collect());

/// Exceptions to the stemmer, which would otherwise merge "evening" with "even" and "added" with
/// "ad". Each line of the file has a stem, then its tokens.
static STEMS: LazyLock<HashMap<&'static str, &'static str, FixedState>> = LazyLock::new(|| {
    let line = |line: &'static str| {
        let mut words = line.split_whitespace();
        let stem = words.next().unwrap_or_default();
        words.map(move |token| (token, stem))
    };
    include_str!("text/stems.txt").lines().flat_map(line).collect()
});

/// Returns whether a lower-case token is a stop word.
pub(crate) fn is_stop_word(token: &str) -> bool {
    STOP_WORDS.contains(token)
}

/// Returns whether a lower-case token mostly introduces a question.
pub(crate) fn is_frame_word(token: &str) -> bool {
    FRAME_WORDS.contains(token)
}

/// Splits a text into lower-case tokens: runs of letters and digits, decimal numbers as one token, and
/// each CJK character as a token of its own.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(char::is_alphanumeric)?;
            rest = &rest[start..];
            let (token, after) = rest.split_at(token_end(rest));
            rest = after;
            if token.len() <= TOKEN_BYTES {
                return Some(lowercase(token));
            }
        }
    })
}

/// Returns the length in bytes of the token at the beginning of a text.
fn token_end(text: &str) -> usize {
    let first = text.chars().next().map_or(0, char::len_utf8);
    if text.starts_with(is_cjk) {
        return first;
    }
    let run = text.find(|c: char| !c.is_alphanumeric() || is_cjk(c)).unwrap_or(text.len());
    let decimals = text[run..]
        .strip_prefix('.')
        .map_or(0, |rest| rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
    if decimals == 0 { run } else { run + 1 + decimals }
}

/// Returns a token in lower case, borrowed where it already is.
pub fn lowercase(token: &str) -> Cow<'_, str> {
    if token.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'.')
    {
        return Cow::Borrowed(token);
    }
    Cow::Owned(token.to_lowercase())
}

/// Returns whether a character belongs to a script that puts no spaces between words.
fn is_cjk(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF
        | 0x20000..=0x2FA1F)
}

/// Returns the stem of a lower-case token. Only ASCII words are stemmed.
pub(crate) fn stem(token: &str) -> Cow<'_, str> {
    use rust_stemmers::{Algorithm, Stemmer};
    if let Some(stem) = STEMS.get(token) {
        return Cow::Borrowed(stem);
    }
    if token.is_ascii() { Stemmer::create(Algorithm::English).stem(token) } else { token.into() }
}

/// Splits a text into overlapping passages, in order: the units that are embedded.
pub fn passages(text: &str) -> Vec<&str> {
    let starts: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
    let mut passages = Vec::new();
    let mut from = 0;
    while from < starts.len() {
        let to = starts.get(from + PASSAGE_CHARS).copied().unwrap_or(text.len());
        passages.push(&text[starts[from]..to]);
        if to == text.len() {
            break;
        }
        from += PASSAGE_CHARS - PASSAGE_OVERLAP;
    }
    passages
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        tokens(text).map(Cow::into_owned).collect()
    }

    #[test]
    fn tokens_are_lower_case_runs_with_whole_decimals() {
        assert_eq!(found("It's 3.5 km, v2.0.1 — OK."), ["it", "s", "3.5", "km", "v2.0", "1", "ok"]);
        assert_eq!(found("Ängste über日本へ"), ["ängste", "über", "日", "本", "へ"]);
        assert_eq!(found(&format!("a {} b", "x".repeat(65))), ["a", "b"]);
    }

    #[test]
    fn stems_meet_and_stop_words_are_known() {
        assert_eq!(stem("running"), stem("runs"));
        assert_eq!(stem("größe"), "größe");
        assert_eq!(stem("added"), stem("adds"));
        assert_ne!(stem("evening"), stem("even"));
        assert!(is_stop_word("the") && !is_stop_word("dentist"));
        assert!(is_frame_word("recommended") && !is_frame_word("dentist"));
    }

    #[test]
    fn passages_overlap_and_cover_everything() {
        let text: String = ('a'..='z').cycle().take(1_234).collect();
        let passages = passages(&text);
        assert_eq!(passages.iter().map(|p| p.len()).collect::<Vec<_>>(), [500, 500, 434]);
        assert!(text.ends_with(passages[2]));
        assert_eq!(passages[0][400..], passages[1][..100]);
        assert_eq!(super::passages("kurz"), ["kurz"]);
        assert!(super::passages("").is_empty());
    }
}

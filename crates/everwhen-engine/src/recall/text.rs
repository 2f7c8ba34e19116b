//! Words of a text as recall sees them, and the passages a text is embedded in.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use foldhash::fast::FixedState;

/// Characters in a passage.
const PASSAGE_CHARS: usize = 500;
/// Characters a passage shares with the one before.
const PASSAGE_OVERLAP: usize = 100;
/// Longest token that is worth keeping; longer ones are data, not words.
const TOKEN_BYTES: usize = 64;

type WordList = LazyLock<HashSet<&'static str, FixedState>>;

/// English words that say nothing about what a text is about.
static STOP_WORDS: WordList =
    LazyLock::new(|| include_str!("stop_words.txt").split_whitespace().collect());

/// Words that mostly frame a question and say little about what it asks for.
static FRAME_WORDS: WordList =
    LazyLock::new(|| include_str!("frame_words.txt").split_whitespace().collect());

/// Stems of tokens that the stemmer takes for other words: without them an evening is even, and what
/// was added was an ad. Each line has a stem, then its tokens.
static STEMS: LazyLock<HashMap<&'static str, &'static str, FixedState>> = LazyLock::new(|| {
    let line = |line: &'static str| {
        let mut words = line.split_whitespace();
        let stem = words.next().unwrap_or_default();
        words.map(move |token| (token, stem))
    };
    include_str!("stems.txt").lines().flat_map(line).collect()
});

/// Whether a lowered token is a stop word.
pub(crate) fn is_stop_word(token: &str) -> bool {
    STOP_WORDS.contains(token)
}

/// Whether a lowered token mostly frames a question.
pub(crate) fn is_frame_word(token: &str) -> bool {
    FRAME_WORDS.contains(token)
}

/// The tokens of a text in lower case: runs of letters and digits, decimals kept whole, CJK
/// characters one by one.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(char::is_alphanumeric)?;
            rest = &rest[start..];
            let (token, after) = rest.split_at(token_end(rest));
            rest = after;
            if token.len() <= TOKEN_BYTES {
                return Some(lowered(token));
            }
        }
    })
}

/// Where the token at the beginning of a text ends.
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

/// A token in lower case.
pub(crate) fn lowered(token: &str) -> Cow<'_, str> {
    if token.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'.')
    {
        return Cow::Borrowed(token);
    }
    Cow::Owned(token.to_lowercase())
}

/// Characters of scripts that write no blanks between words.
fn is_cjk(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF
        | 0x20000..=0x2FA1F)
}

/// The stem of a lowered token; words of other alphabets are their own stems.
pub(crate) fn stem(token: &str) -> Cow<'_, str> {
    use rust_stemmers::{Algorithm, Stemmer};
    if let Some(stem) = STEMS.get(token) {
        return Cow::Borrowed(stem);
    }
    if token.is_ascii() { Stemmer::create(Algorithm::English).stem(token) } else { token.into() }
}

/// The passages of a text, in order; each but the first begins in the one before.
pub(crate) fn passages(text: &str) -> Vec<&str> {
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
    fn tokens_are_lowered_runs_with_decimals_kept_whole() {
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

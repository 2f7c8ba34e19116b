//! Text processing: tokens, stems, stop words, and the passages that are embedded.
//!
//! In scripts with blanks a token is a run of letters and digits. Other scripts (Chinese, Japanese,
//! Korean, Thai) have no ends of words to be seen, so every two neighboring characters are a token:
//! two characters are about a word, need no dictionary and meet wherever a query begins. Korean has
//! blanks, but its words end in particles, which pairs pass over. A Chinese character is a token by
//! itself too, because it carries meaning; a letter of the others does not.

mod language;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

pub(crate) use language::Language;

/// Number of characters in a passage.
const PASSAGE_CHARS: usize = 500;
/// Number of characters that two consecutive passages share.
const PASSAGE_OVERLAP: usize = 100;
/// Length of the longest token that is indexed; longer ones are data, not words.
const TOKEN_BYTES: usize = 64;

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

/// Returns whether a lower-case token is an English stop word.
pub(crate) fn is_stop_word(token: &str) -> bool {
    Language::English.has_stop_word(token)
}

/// Returns whether a text ends by asking.
pub(crate) fn ends_by_asking(text: &str) -> bool {
    text.trim_end().ends_with(['?', '？'])
}

/// Splits a text into lower-case tokens: runs of letters and digits, decimal numbers as one token, and
/// of a run of characters in a script without blanks every two neighbors.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut rest = text;
    let mut pairs = Vec::new().into_iter();
    std::iter::from_fn(move || {
        loop {
            if let Some(pair) = pairs.next() {
                return Some(Cow::Borrowed(pair));
            }
            let start = rest.find(|c: char| c.is_alphanumeric() || is_unspaced(c))?;
            rest = &rest[start..];
            if rest.starts_with(is_unspaced) {
                let (run, after) =
                    rest.split_at(rest.find(|c| !is_unspaced(c)).unwrap_or(rest.len()));
                (pairs, rest) = (neighbors(run).into_iter(), after);
                continue;
            }
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
    let inside = |c: char| (c.is_alphanumeric() || joins(c)) && !is_unspaced(c);
    let run = text.find(|c: char| !inside(c)).unwrap_or(text.len());
    let decimals = text[run..]
        .strip_prefix('.')
        .map_or(0, |rest| rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
    if decimals == 0 { run } else { run + 1 + decimals }
}

/// Returns whether a character is a mark on the letter before it: an accent, a vowel sign.
fn joins(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{1cff}') && is_combining_mark(c)
}

/// Returns every two neighboring characters of a run, and each Chinese character, in order. A single
/// character is a token whatever it is.
fn neighbors(run: &str) -> Vec<&str> {
    let ends: Vec<usize> = run.grapheme_indices(true).map(|(at, one)| at + one.len()).collect();
    let mut tokens = Vec::with_capacity(2 * ends.len());
    let mut start = 0;
    for (number, end) in ends.iter().enumerate() {
        if ends.len() == 1 || run[start..].starts_with(is_han) {
            tokens.push(&run[start..*end]);
        }
        tokens.extend(ends.get(number + 1).map(|next| &run[start..*next]));
        start = *end;
    }
    tokens
}

/// Returns a token in lower case, borrowed where it already is.
pub fn lowercase(token: &str) -> Cow<'_, str> {
    if token.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'.')
    {
        return Cow::Borrowed(token);
    }
    Cow::Owned(token.to_lowercase())
}

/// Returns whether a character belongs to a script in which the ends of words cannot be seen: Thai, Lao,
/// Burmese, Khmer, Chinese, Japanese, Korean.
pub(crate) fn is_unspaced(c: char) -> bool {
    !c.is_ascii()
        && (is_han(c)
            || matches!(u32::from(c), 0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF
                | 0x3040..=0x30FF | 0xAC00..=0xD7AF))
}

/// Returns whether a character is a Chinese one.
fn is_han(c: char) -> bool {
    matches!(u32::from(c), 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x2FA1F)
}

/// Returns the stem of a lower-case token in a language. Of English words only those in ASCII are
/// stemmed.
pub(crate) fn stem(token: &str, language: Language) -> Cow<'_, str> {
    use rust_stemmers::Stemmer;
    if language == Language::English {
        if let Some(stem) = STEMS.get(token) {
            return Cow::Borrowed(stem);
        }
        if !token.is_ascii() {
            return token.into();
        }
    }
    match language.stemmer() {
        Some(algorithm) => Stemmer::create(algorithm).stem(token),
        None => token.into(),
    }
}

/// Returns a lower-case token without accents, if it has any: the second form under which it is found.
/// Letters that are another letter without their mark, such as a Cyrillic й, keep it.
pub(crate) fn without_accents(token: &str) -> Option<String> {
    if token.is_ascii() || token.starts_with(is_unspaced) {
        return None;
    }
    let mut plain = String::with_capacity(token.len());
    for letter in token.chars() {
        match letter {
            'ß' => plain.push_str("ss"),
            'æ' => plain.push_str("ae"),
            'œ' => plain.push_str("oe"),
            'ø' => plain.push('o'),
            'ł' => plain.push('l'),
            'đ' => plain.push('d'),
            'ё' => plain.push('е'),
            '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                plain.extend(letter.nfd().filter(|c| !is_combining_mark(*c)));
            }
            '\u{300}'..='\u{36f}' => {}
            other => plain.push(other),
        }
    }
    (plain != token).then_some(plain)
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
        assert_eq!(found("Ängste über日本へ"), ["ängste", "über", "日", "日本", "本", "本へ"]);
        assert_eq!(found("cafe\u{301}s हिन्दी"), ["cafe\u{301}s", "हिन्दी"]);
        assert_eq!(found("학교에 가요"), ["학교", "교에", "가요"]);
        assert_eq!(found("กินข้าว"), ["กิน", "นข้", "ข้า", "าว"]);
        assert_eq!(found("に 猫"), ["に", "猫"]);
        assert_eq!(found(&format!("a {} b", "x".repeat(65))), ["a", "b"]);
    }

    #[test]
    fn stems_meet_and_stop_words_are_known() {
        let stem = |token| super::stem(token, Language::English);
        assert_eq!(stem("running"), stem("runs"));
        assert_eq!(stem("größe"), "größe");
        assert_eq!(stem("added"), stem("adds"));
        assert_ne!(stem("evening"), stem("even"));
        let german = |token| super::stem(token, Language::German);
        assert_eq!(german("zahnärzte"), german("zahnärzten"));
        assert!(is_stop_word("the") && !is_stop_word("dentist"));
    }

    #[test]
    fn accents_come_off_letters_and_nothing_else() {
        for (token, plain) in [
            ("café", Some("cafe")),
            ("größe", Some("grosse")),
            ("łódź", Some("lodz")),
            ("cafe\u{301}", Some("cafe")),
            ("ещё", Some("еще")),
            ("мой", None),
            ("cafe", None),
            ("日本", None),
            ("학교", None),
        ] {
            assert_eq!(without_accents(token).as_deref(), plain, "{token}");
        }
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

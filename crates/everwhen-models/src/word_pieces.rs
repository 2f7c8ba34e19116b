//! Splits text into word pieces exactly as the tokenizers of BERT models do.
//!
//! Clean, set CJK characters apart, drop accents, lower the case; split at blanks and around
//! punctuation; then cut each word greedily into the longest pieces the vocabulary knows.

mod known;

use std::borrow::Cow;

use unicode_categories::UnicodeCategories;
use unicode_normalization::UnicodeNormalization;

use self::known::Known;

/// The vocabulary of bert-base-uncased, which most English embedding models share. One piece per
/// line; the line number is the id.
pub(crate) static BERT_UNCASED: &str = include_str!("../data/bert-base-uncased.vocab.txt");
/// What replaces a word that cannot be cut into known pieces.
const UNKNOWN: &str = "[UNK]";
/// Words longer than this are unknown.
const MAX_WORD_CHARS: usize = 100;

/// What becomes of letters before words are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Letters {
    /// Upper case becomes lower case.
    pub(crate) lower: bool,
    /// Accents go.
    pub(crate) plain: bool,
}

/// A vocabulary, beginnings of words and continuations apart.
pub(crate) struct WordPieces {
    letters: Letters,
    beginnings: Known,
    continuations: Known,
    unknown: u32,
}

impl WordPieces {
    /// The pieces of bert-base-uncased.
    pub(crate) fn bert_uncased() -> Self {
        let pieces = BERT_UNCASED.lines().map(Cow::Borrowed).zip(0..);
        let uncased = Letters { lower: true, plain: true };
        Self::new(pieces, uncased).expect("the vocabulary has a piece for unknown words")
    }

    /// Pieces with their ids; nothing if none of them is for unknown words.
    pub(crate) fn new(
        pieces: impl IntoIterator<Item = (Cow<'static, str>, u32)>,
        letters: Letters,
    ) -> Option<Self> {
        let (mut beginnings, mut continuations) = (Vec::new(), Vec::new());
        for (piece, id) in pieces {
            match continuation(piece) {
                Ok(rest) => continuations.push((rest, id)),
                Err(piece) => beginnings.push((piece, id)),
            }
        }
        let (beginnings, continuations) = (Known::new(beginnings), Known::new(continuations));
        let unknown = beginnings.get(UNKNOWN)?;
        Some(Self { letters, beginnings, continuations, unknown })
    }

    /// The id of a piece that begins words, such as `[CLS]`.
    pub(crate) fn id(&self, piece: &str) -> Option<u32> {
        self.beginnings.get(piece)
    }

    /// The ids of the first `limit` pieces.
    pub(crate) fn ids(&self, text: &str, limit: usize) -> Vec<u32> {
        let normal = normalize(text, self.letters);
        let mut ids = Vec::with_capacity(limit.min(normal.len() / 4 + 1));
        for word in words(&normal) {
            self.cut(word, &mut ids);
            if ids.len() >= limit {
                ids.truncate(limit);
                break;
            }
        }
        ids
    }

    /// Cuts one word; a word with an unknown rest is unknown as a whole.
    fn cut(&self, word: &str, ids: &mut Vec<u32>) {
        let before = ids.len();
        if word.len() > MAX_WORD_CHARS && word.chars().count() > MAX_WORD_CHARS {
            return ids.push(self.unknown);
        }
        let mut rest = word;
        while !rest.is_empty() {
            let known =
                if rest.len() == word.len() { &self.beginnings } else { &self.continuations };
            let Some((id, length)) = known.longest(rest) else {
                ids.truncate(before);
                return ids.push(self.unknown);
            };
            ids.push(id);
            rest = &rest[length..];
        }
    }
}

/// What a piece continues a word with, or the piece itself if it begins one.
fn continuation(piece: Cow<'static, str>) -> Result<Cow<'static, str>, Cow<'static, str>> {
    match piece {
        Cow::Borrowed(text) => match text.strip_prefix("##") {
            Some(rest) if !rest.is_empty() => Ok(Cow::Borrowed(rest)),
            _ => Err(piece),
        },
        Cow::Owned(text) => match text.strip_prefix("##") {
            Some(rest) if !rest.is_empty() => Ok(Cow::Owned(rest.to_owned())),
            _ => Err(Cow::Owned(text)),
        },
    }
}

/// The pieces between blanks, punctuation marks one by one.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(char::is_whitespace).flat_map(around_marks)
}

fn around_marks(run: &str) -> impl Iterator<Item = &str> {
    let mut rest = run;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = if is_mark(first) {
            first.len_utf8()
        } else {
            rest.find(is_mark).unwrap_or(rest.len())
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

fn normalize(text: &str, letters: Letters) -> String {
    if text.is_ascii() {
        let mut clean = text.to_owned();
        clean.retain(is_kept);
        if letters.lower {
            clean.make_ascii_lowercase();
        }
        return clean;
    }
    let mut normal = set_apart(text);
    if letters.plain {
        normal = normal.nfd().filter(|c| !c.is_mark_nonspacing()).collect();
    }
    if letters.lower {
        normal = normal.chars().flat_map(char::to_lowercase).collect();
    }
    normal
}

/// Without control characters, and with blanks around the characters of scripts that write none.
fn set_apart(text: &str) -> String {
    let mut spread = String::with_capacity(text.len() + 8);
    for c in text.chars().filter(|c| is_kept(*c)) {
        if is_cjk(c) {
            spread.extend([' ', c, ' ']);
        } else {
            spread.push(if c.is_whitespace() { ' ' } else { c });
        }
    }
    spread
}

/// Control characters go, except those that separate words.
fn is_kept(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, '\t' | '\n' | '\r') || !c.is_ascii_control();
    }
    !(c == '\u{fffd}' || c.is_other())
}

fn is_mark(c: char) -> bool {
    c.is_ascii_punctuation() || (!c.is_ascii() && c.is_punctuation())
}

fn is_cjk(c: char) -> bool {
    matches!(u32::from(c),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F
        | 0x2B740..=0x2B81F | 0x2B920..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stand_alone_and_blanks_vanish() {
        let found: Vec<&str> = words(" don't  stop... ").collect();
        assert_eq!(found, ["don", "'", "t", "stop", ".", ".", "."]);
    }

    #[test]
    fn control_characters_go_unless_they_separate_words() {
        for c in (0..=0x200u32).filter_map(char::from_u32) {
            let separates = matches!(c, '\t' | '\n' | '\r');
            assert_eq!(is_kept(c), separates || !c.is_other(), "{c:?}");
        }
    }

    #[test]
    fn an_unknown_rest_makes_the_whole_word_unknown() {
        let pieces = WordPieces::bert_uncased();
        assert_eq!(pieces.ids("🦀", 9), [100]);
        assert_eq!(pieces.ids(&"a".repeat(101), 9), [100]);
        assert_eq!(pieces.ids("hello hello hello", 2).len(), 2);
    }

    #[test]
    fn a_cased_vocabulary_sees_case_and_accents() {
        let words = ["[UNK]", "Café", "cafe", "##s"];
        let pieces = || words.map(Cow::Borrowed).into_iter().zip(0..);
        let ids = |lower, plain, text| {
            WordPieces::new(pieces(), Letters { lower, plain }).unwrap().ids(text, 9)
        };
        assert_eq!(ids(false, false, "Cafés cafe"), [1, 3, 2]);
        assert_eq!(ids(true, true, "Cafés cafe"), [2, 3, 2]);
        assert_eq!(ids(true, false, "Café"), [0]);
        assert!(WordPieces::new([("a".into(), 0)], Letters { lower: true, plain: true }).is_none());
    }
}

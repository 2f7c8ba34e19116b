//! Cuts a text into tokens that remember where they stood.
//!
//! What only looks like a number to count with (prices, versions, decimals, phone numbers, links)
//! becomes one token of its own kind that no rule of the grammar accepts.

use jiff::Timestamp;
use jiff::civil::DateTime;

use super::classes::{Classes, NONE, classes};
use super::numerals::{self, Written};

/// One token: a word, a numeral or a mark.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    /// Lower case, without a possessive ending.
    pub(super) text: &'t str,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Nothing stands between this token and the one before.
    pub(super) glued: bool,
    /// The word begins with a capital.
    pub(super) capital: bool,
    /// The word ended in `'s` or `s'`.
    pub(super) possessive: bool,
    /// What it can begin.
    pub(super) classes: Classes,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Word,
    /// A whole number in digits.
    Number(u32),
    /// A number and a half: `2.5`.
    Half(u32),
    /// `3rd`.
    Nth(u32),
    /// `1990s`, or `90s` as 90.
    Decade(i16),
    /// `'23`.
    ShortYear(i16),
    /// A date in figures.
    Date(Written),
    /// `13:56`.
    Clock(i8, i8),
    /// `2023-05-08T13:56`.
    Wall(DateTime),
    /// `2023-05-08T13:56:00Z`.
    Instant(Timestamp),
    /// A punctuation mark; dashes of every length are `-`, apostrophes `'`.
    Mark(char),
    /// Figures that are none of the above.
    Other,
}

/// Words to which a number may be tied with a hyphen; elsewhere (`covid-19`) it is a name.
const TIED: [&str; 9] =
    ["mid", "early", "late", "pre", "post", "last", "past", "session", "sessions"];

/// The tokens of a text. `lower` is the same text in ASCII lower case, byte for byte.
pub(super) fn tokens<'t>(text: &str, lower: &'t str) -> Vec<Token<'t>> {
    let mut tokens: Vec<Token<'t>> = Vec::with_capacity(lower.len() / 5 + 4);
    let mut at = 0;
    while let Some(first) = lower[at..].chars().next() {
        let mut token = token_at(lower, at, first, tokens.last());
        at = token.end;
        if first.is_whitespace() {
            continue;
        }
        token.capital = text[token.start..].starts_with(char::is_uppercase);
        token.classes = classes(token.kind, token.text);
        token.glued = tokens.last().is_some_and(|before| before.end == token.start);
        tokens.push(token);
    }
    tokens
}

fn token_at<'t>(lower: &'t str, at: usize, first: char, before: Option<&Token<'_>>) -> Token<'t> {
    let rest = &lower[at..];
    if first.is_ascii_digit() {
        let (kind, length) = numerals::numeral(rest);
        let kind = if counts(lower, at, before) { kind } else { Kind::Other };
        return token(kind, rest, at, length);
    }
    if first.is_alphabetic() {
        return word(rest, at);
    }
    if let Some((kind, length)) = apostrophe(first).then(|| numerals::shortened(rest)).flatten() {
        return token(kind, rest, at, length);
    }
    token(Kind::Mark(plain(first)), rest, at, first.len_utf8())
}

fn token(kind: Kind, rest: &str, at: usize, length: usize) -> Token<'_> {
    Token {
        kind,
        text: &rest[..length],
        start: at,
        end: at + length,
        glued: false,
        capital: false,
        possessive: false,
        classes: NONE,
    }
}

/// Whether the figures at `at` stand by themselves, by the character before them.
fn counts(lower: &str, at: usize, before: Option<&Token<'_>>) -> bool {
    let mut back = lower[..at].chars().rev();
    match (back.next(), back.next()) {
        (Some('$' | '€' | '£' | '¥' | '₹' | '_' | '/' | '\\' | '@' | '&' | '=' | '+'), _) => {
            false
        }
        (Some('.' | ',' | ':'), Some(earlier)) => !earlier.is_alphanumeric(),
        (Some('-'), Some(earlier)) if earlier.is_alphabetic() => lower[..at - 1]
            .rsplit(|c: char| !c.is_alphabetic())
            .next()
            .is_some_and(|word| TIED.contains(&word) || super::calendar::is_month(word)),
        _ => before.is_none_or(|b| b.end < at || matches!(b.kind, Kind::Mark(_))),
    }
}

fn word(rest: &str, at: usize) -> Token<'_> {
    let length = word_length(rest);
    if rest[length..].starts_with("://") || rest[length..].starts_with('@') {
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        return token(Kind::Other, rest, at, length);
    }
    let whole = &rest[..length];
    let stem = whole
        .strip_suffix("'s")
        .or_else(|| whole.strip_suffix("’s"))
        .or_else(|| whole.strip_suffix(apostrophe))
        .unwrap_or(whole);
    Token { text: stem, possessive: stem.len() < length, ..token(Kind::Word, rest, at, length) }
}

/// Letters and digits, with apostrophes inside, or after a final `s`.
fn word_length(rest: &str) -> usize {
    let mut last = ' ';
    for (at, c) in rest.char_indices() {
        let next = rest[at + c.len_utf8()..].chars().next();
        let joins =
            apostrophe(c) && (next.is_some_and(char::is_alphabetic) || ends_plural(last, next));
        if !(c.is_alphanumeric() || is_mark_on_letter(c) || joins) {
            return at;
        }
        last = c;
    }
    rest.len()
}

fn ends_plural(last: char, next: Option<char>) -> bool {
    last == 's' && next.is_none_or(|c| c.is_whitespace() || matches!(c, ',' | '.' | '?' | '!'))
}

/// Combining marks belong to the letter before them.
fn is_mark_on_letter(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

fn apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

fn plain(c: char) -> char {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '’' | '‘' => '\'',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        tokens(text, &text.to_ascii_lowercase()).iter().map(|token| token.kind).collect()
    }

    #[test]
    fn what_only_looks_like_a_number_is_other() {
        for text in ["$5", "v1.2.3", "3.75", "5%", "covid-19", "10kg", "24/7", "a@b.c/2023"] {
            let kinds = kinds(text);
            let counted = |k: &Kind| matches!(k, Kind::Number(_) | Kind::Date(_) | Kind::Nth(_));
            assert!(!kinds.iter().any(counted), "{text}: {kinds:?}");
        }
    }

    #[test]
    fn figures_are_understood() {
        assert_eq!(
            kinds("3rd 21 2.5 13:56 1990s '90s '23"),
            [
                Kind::Nth(3),
                Kind::Number(21),
                Kind::Half(2),
                Kind::Clock(13, 56),
                Kind::Decade(1990),
                Kind::Decade(90),
                Kind::ShortYear(23),
            ]
        );
        assert_eq!(kinds("5pm")[0], Kind::Number(5));
        assert_eq!(kinds("1,000")[0], Kind::Number(1000));
    }

    #[test]
    fn a_possessive_is_the_word() {
        let lower = "new year’s two weeks' didn't";
        let words: Vec<_> = tokens(lower, lower).iter().map(|t| (t.text, t.possessive)).collect();
        assert_eq!(
            words,
            [("new", false), ("year", true), ("two", false), ("weeks", true), ("didn't", false),]
        );
    }
}

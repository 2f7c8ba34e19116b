//! Cuts a text in any language into pieces: words without accents, numbers, dates in figures, marks.
//!
//! In scripts without blanks between words every character is a piece, so that a table's words are
//! found wherever they stand.

use std::borrow::Cow;

use super::super::lexer::Kind;
use super::super::numerals;

/// One piece of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece<'t> {
    pub(super) what: What<'t>,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Nothing stands between this piece and the one before.
    pub(super) glued: bool,
}

impl Piece<'_> {
    /// Whether it is a sign or figures that no pattern can begin with.
    pub(super) fn is_mark(&self) -> bool {
        matches!(self.what, What::Mark(_) | What::Other)
    }
}

/// What a piece is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum What<'t> {
    /// A word in lower case without accents, or one character of a script without blanks.
    Word(Cow<'t, str>),
    Number(u32),
    /// Day, month and year in figures.
    Date(u32, u32, u32),
    /// Day and month in figures, each with a dot: `3.5.`
    DayMonth(u32, u32),
    /// `15:30`.
    Clock(u32, u32),
    /// A punctuation mark or another sign.
    Mark(char),
    /// Figures of another form.
    Other,
}

/// The pieces of a text, in order.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = Vec::with_capacity(text.len() / 4 + 4);
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let (what, length) = piece(&text[at..], first, pieces.last(), at);
        if let Some(what) = what {
            let glued = pieces.last().is_some_and(|before| before.end == at);
            pieces.push(Piece { what, start: at, end: at + length, glued });
        }
        at += length;
    }
    pieces
}

/// The piece at the start of `rest`, or nothing for blanks and for marks inside a word.
fn piece<'t>(
    rest: &'t str,
    first: char,
    before: Option<&Piece<'_>>,
    at: usize,
) -> (Option<What<'t>>, usize) {
    let length = first.len_utf8();
    if first.is_whitespace() {
        return (None, length);
    }
    if first.is_ascii_digit() {
        let (what, length) = figures(rest);
        return (Some(what), length);
    }
    if let Some(digit) = full_width(first) {
        return wide_number(rest, digit);
    }
    if is_unspaced(first) {
        return (Some(What::Word(Cow::Borrowed(&rest[..length]))), length);
    }
    if first.is_alphabetic() {
        let end = rest.find(|c: char| !is_letter(c)).unwrap_or(rest.len());
        return (Some(What::Word(fold(&rest[..end]))), end);
    }
    let after_word =
        before.is_some_and(|piece| piece.end == at && matches!(piece.what, What::Word(_)));
    let before_word = rest[length..].starts_with(char::is_alphabetic);
    let inside = matches!(first, '\'' | '’' | '-') && after_word && before_word;
    (Some(What::Mark(first)).filter(|_| !inside), length)
}

/// Dates, clock times and numbers; what only looks like one is no number.
fn figures(rest: &str) -> (What<'_>, usize) {
    if let Some(read) = date(rest).or_else(|| day_and_month(rest)) {
        return read;
    }
    let (kind, length) = numerals::numeral(rest);
    match kind {
        Kind::Number(number) => (What::Number(number), length),
        Kind::Clock(hour, minute) => {
            (What::Clock(u32::from(hour.unsigned_abs()), u32::from(minute.unsigned_abs())), length)
        }
        Kind::Other => number_before_letters(rest).unwrap_or((What::Other, length)),
        _ => (What::Other, length),
    }
}

/// `3天`, `15h30`, `1er`, `1°`: a number that letters or a degree sign follow without a blank.
fn number_before_letters(rest: &str) -> Option<(What<'_>, usize)> {
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    let letters = rest[length..].starts_with(|c: char| c.is_alphabetic() || c == '°');
    let number = rest[..length].parse().ok().filter(|_| letters && length <= 9)?;
    Some((What::Number(number), length))
}

/// `3.5.2024`, `03/05/24`, `3-5-2024`: day first; four figures in front are a year.
fn date(rest: &str) -> Option<(What<'_>, usize)> {
    let separator = rest.chars().find(|c| !c.is_ascii_digit())?;
    let length = rest.find(|c: char| !(c.is_ascii_digit() || c == separator));
    let written = rest[..length.unwrap_or(rest.len())].trim_end_matches(separator);
    let fields: Vec<&str> =
        written.split(separator).filter(|_| matches!(separator, '.' | '/' | '-')).collect();
    let [a, b, c] = fields[..] else { return None };
    let follows = rest[written.len()..].starts_with(char::is_alphanumeric);
    let value = |field: &str| field.parse::<u32>().ok().filter(|_| field.len() <= 4);
    let (day, month, year) = match (a.len(), c.len()) {
        (4, 1 | 2) => (value(c)?, value(b)?, value(a)?),
        (1 | 2, 4) => (value(a)?, value(b)?, value(c)?),
        (1 | 2, 2) if b.len() <= 2 => (value(a)?, value(b)?, century(value(c)?)),
        _ => return None,
    };
    let fits = (1..=31).contains(&day) && (1..=12).contains(&month) && !follows;
    fits.then_some((What::Date(day, month, year), written.len()))
}

fn century(year: u32) -> u32 {
    if year < 70 { 2000 + year } else { 1900 + year }
}

/// `3.5.`, with a dot behind the month.
fn day_and_month(rest: &str) -> Option<(What<'_>, usize)> {
    let (day, tail) = rest.split_once('.')?;
    let (month, after) = tail.split_once('.')?;
    let short = |field: &str| (1..=2).contains(&field.len());
    let (day_number, month_number): (u32, u32) = (day.parse().ok()?, month.parse().ok()?);
    let fits = short(day) && short(month) && (1..=31).contains(&day_number);
    let ends = !after.starts_with(|c: char| c.is_ascii_digit());
    (fits && ends && (1..=12).contains(&month_number))
        .then_some((What::DayMonth(day_number, month_number), day.len() + month.len() + 2))
}

fn full_width(c: char) -> Option<u32> {
    u32::from(c).checked_sub(0xFF10).filter(|digit| *digit < 10)
}

fn wide_number(rest: &str, first: u32) -> (Option<What<'_>>, usize) {
    let mut number = Some(first);
    let mut length = 3;
    while let Some(digit) = rest[length..].chars().next().and_then(full_width) {
        number = number.and_then(|n| n.checked_mul(10)?.checked_add(digit));
        length += 3;
    }
    (Some(number.map_or(What::Other, What::Number)), length)
}

/// Whether a character belongs to a script in which a word has no end that can be seen.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c), 0x3005..=0x3007 | 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xAC00..=0xD7AF)
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !is_unspaced(c) || is_combining(c)
}

fn is_combining(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

/// A word in lower case without accents: `März` as `marz`.
pub(super) fn fold(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    let mut folded = String::with_capacity(word.len());
    for letter in word.chars().flat_map(char::to_lowercase).filter(|c| !is_combining(*c)) {
        match plain(letter) {
            Some(plain) => folded.push_str(plain),
            None => folded.push(letter),
        }
    }
    Cow::Owned(folded)
}

/// A letter without its accent, for the letters of the languages that are read.
fn plain(letter: char) -> Option<&'static str> {
    Some(match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ą' => "a",
        'ç' | 'ć' => "c",
        'è' | 'é' | 'ê' | 'ë' | 'ę' => "e",
        'ì' | 'í' | 'î' | 'ï' => "i",
        'ł' => "l",
        'ñ' | 'ń' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => "o",
        'ś' => "s",
        'ß' => "ss",
        'ù' | 'ú' | 'û' | 'ü' => "u",
        'ź' | 'ż' => "z",
        'œ' => "oe",
        'ё' => "е",
        _ => return None,
    })
}

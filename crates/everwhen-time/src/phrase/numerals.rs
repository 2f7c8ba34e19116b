//! Figures: plain numbers, dates, clock times, decades, and what is none of them.
//!
//! A date with slashes is month first (`5/8/2023` is 8 May) unless the first figure can only be a
//! day; one with dots is day first (`8.5.2023`), as in the countries that write dots.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};

use super::lexer::Kind;

/// A date in figures, as far as it was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Written {
    pub(super) year: Option<i16>,
    pub(super) month: i8,
    pub(super) day: Option<i8>,
    /// Month and day could not be mistaken for each other.
    pub(super) sure: bool,
}

/// The numeral at the start of `rest`, which begins with a digit, and its length in bytes.
pub(super) fn numeral(rest: &str) -> (Kind, usize) {
    instant(rest)
        .or_else(|| date(rest))
        .or_else(|| clock(rest))
        .or_else(|| plain(rest))
        .unwrap_or_else(|| (Kind::Other, blob(rest)))
}

/// `'90s` or `'23` after an apostrophe.
pub(super) fn shortened(rest: &str) -> Option<(Kind, usize)> {
    let mark = rest.chars().next()?.len_utf8();
    let figures = &rest[mark..];
    let value: i16 = figures.get(..2)?.parse().ok()?;
    match &figures[2..] {
        tail if tail.starts_with('s') && ends(&tail[1..]) && value % 10 == 0 => {
            Some((Kind::Decade(value), mark + 3))
        }
        tail if ends(tail) => Some((Kind::ShortYear(value), mark + 2)),
        _ => None,
    }
}

/// `2023-05-08T13:56`, with or without seconds and offset.
fn instant(rest: &str) -> Option<(Kind, usize)> {
    let marked = rest.len() > 15 && rest.as_bytes()[4] == b'-' && rest.as_bytes()[10] == b't';
    if !marked {
        return None;
    }
    let written = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '.' | '+');
    let whole = rest.find(|c| !written(c)).map_or(rest, |end| &rest[..end]);
    let whole = whole.trim_end_matches(['.', ':', '-']);
    if let Ok(instant) = whole.parse::<Timestamp>() {
        return Some((Kind::Instant(instant), whole.len()));
    }
    Some((Kind::Wall(whole.parse::<DateTime>().ok()?), whole.len()))
}

fn date(rest: &str) -> Option<(Kind, usize)> {
    dashed(rest).or_else(|| slashed(rest)).or_else(|| dotted(rest))
}

/// `2023-05-08`, `2023-05`.
fn dashed(rest: &str) -> Option<(Kind, usize)> {
    if let Some(([year, month, day], length)) = fields::<3>(rest, '-') {
        return written(year, month, Some(day), true).map(|date| (date, length));
    }
    let ([year, month], length) = fields::<2>(rest, '-')?;
    let two = month.len() == 2;
    written(year, month, None, true).filter(|_| two).map(|date| (date, length))
}

/// `5/8/2023` and `2023/05/08`; `5/8` without a year.
fn slashed(rest: &str) -> Option<(Kind, usize)> {
    if let Some(([a, b, c], length)) = fields::<3>(rest, '/') {
        let date = written(a, b, Some(c), true).or_else(|| month_first(a, b, c));
        return date.map(|date| (date, length));
    }
    let ([month, day], length) = fields::<2>(rest, '/')?;
    let (month, day) = (two_digits(month, 12)?, two_digits(day, 31)?);
    Some((Kind::Date(Written { year: None, month, day: Some(day), sure: false }), length))
}

fn month_first(a: &str, b: &str, year: &str) -> Option<Kind> {
    if two_digits(a, 12).is_some() {
        let sure = a == b || two_digits(b, 12).is_none();
        return written(year, a, Some(b), sure);
    }
    written(year, b, Some(a), true)
}

/// `8.5.2023`.
fn dotted(rest: &str) -> Option<(Kind, usize)> {
    let ([day, month, year], length) = fields::<3>(rest, '.')?;
    written(year, month, Some(day), true).map(|date| (date, length))
}

fn written(year: &str, month: &str, day: Option<&str>, sure: bool) -> Option<Kind> {
    let year = (year.len() == 4).then(|| year.parse().ok()).flatten().filter(|y| *y >= 1000)?;
    let month = two_digits(month, 12)?;
    let day = match day {
        Some(day) => Some(two_digits(day, 31)?),
        None => None,
    };
    Date::new(year, month, day.unwrap_or(1)).ok()?;
    Some(Kind::Date(Written { year: Some(year), month, day, sure }))
}

fn two_digits(figures: &str, most: i8) -> Option<i8> {
    let value: i8 = figures.parse().ok()?;
    (figures.len() <= 2 && (1..=most).contains(&value)).then_some(value)
}

/// `13:56`, `1:56`, `13:56:04`.
fn clock(rest: &str) -> Option<(Kind, usize)> {
    let (hour, minute, length) = match fields::<3>(rest, ':') {
        Some(([hour, minute, _], length)) => (hour, minute, length),
        None => hour_and_minute(rest)?,
    };
    let (hour, minute): (i8, i8) = (hour.parse().ok()?, minute.parse().ok()?);
    (hour < 24 && (0..60).contains(&minute)).then_some((Kind::Clock(hour, minute), length))
}

fn hour_and_minute(rest: &str) -> Option<(&str, &str, usize)> {
    let hour = leading(rest);
    let tail = rest[hour..].strip_prefix(':')?;
    (leading(tail) == 2).then(|| (&rest[..hour], &tail[..2], hour + 3))
}

/// Longer numbers count nothing that has a date.
const MOST_DIGITS: usize = 9;

/// A whole number, one in thousands, one and a half, `3rd`, `1990s`.
fn plain(rest: &str) -> Option<(Kind, usize)> {
    let digits = Some(leading(rest)).filter(|digits| *digits <= MOST_DIGITS)?;
    let (value, length) = grouped(rest).or_else(|| Some((rest[..digits].parse().ok()?, digits)))?;
    let tail = &rest[length..];
    let letters = tail.find(|c: char| !c.is_alphabetic()).unwrap_or(tail.len());
    let kind = match &tail[..letters] {
        "" if tail.starts_with(".5") && ends(&tail[2..]) => {
            return Some((Kind::Half(value), length + 2));
        }
        "" | "am" | "pm" => return ends(&tail[letters..]).then_some((Kind::Number(value), length)),
        "st" | "nd" | "rd" | "th" => Kind::Nth(value),
        "s" if value % 10 == 0 => Kind::Decade(i16::try_from(value).ok()?),
        _ => return None,
    };
    ends(&tail[letters..]).then_some((kind, length + letters))
}

/// `10,000`.
fn grouped(rest: &str) -> Option<(u32, usize)> {
    let first = leading(rest);
    let tail = rest.get(first..first + 4)?.strip_prefix(',')?;
    let three = tail.bytes().all(|b| b.is_ascii_digit()) && leading(&rest[first + 1..]) == 3;
    if !three || first > 3 {
        return None;
    }
    Some((format!("{}{tail}", &rest[..first]).parse().ok()?, first + 4))
}

/// Figures kept apart by `separator`, and their whole length.
fn fields<const N: usize>(rest: &str, separator: char) -> Option<([&str; N], usize)> {
    let mut fields = [""; N];
    let mut at = 0;
    for (nth, field) in fields.iter_mut().enumerate() {
        if nth > 0 {
            at += rest[at..].starts_with(separator).then_some(1)?;
        }
        let digits = leading(&rest[at..]);
        if digits == 0 || digits > 4 {
            return None;
        }
        *field = &rest[at..at + digits];
        at += digits;
    }
    (ends(&rest[at..]) && !rest[at..].starts_with(separator)).then_some((fields, at))
}

/// Whether a numeral can end before `tail`.
fn ends(tail: &str) -> bool {
    let mut chars = tail.chars();
    match (chars.next(), chars.next()) {
        (Some(c), _) if c.is_alphanumeric() => false,
        (Some('.' | ',' | ':' | '/'), Some(next)) => !next.is_ascii_digit(),
        (Some('%' | '°' | '$' | '€' | '£' | '_'), _) => false,
        _ => true,
    }
}

fn leading(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// How far something that is no number runs.
fn blob(rest: &str) -> usize {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | ':' | '/' | '_' | '%');
    let end = rest.find(|c| !inside(c)).unwrap_or(rest.len());
    rest[..end].trim_end_matches(['.', ',', ':', '/']).len().max(1)
}

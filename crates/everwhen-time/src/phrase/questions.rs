//! What a question asks about time itself: when, how long, in which order.

use super::cursor::{Cursor, Read};
use super::lexer::Kind;
use super::units::many_spans;
use super::{Length, Precision, Side, TimeQuestion};

/// Verbs that follow a "when" which asks; after other words it only joins clauses.
const ASKING: [&str; 16] = [
    "did", "do", "does", "was", "were", "is", "are", "have", "has", "had", "will", "would",
    "should", "can", "could", "am",
];

/// Words before a "when" in the middle of a sentence that still asks.
const ASKING_WORDS: [&str; 9] = [
    "remember",
    "know",
    "recall",
    "exactly",
    "say",
    "wondering",
    "tell me",
    "remind me",
    "show me",
];

const KINDS: [(&str, Precision); 9] = [
    ("day of the week", Precision::Day),
    ("weekday", Precision::Day),
    ("day", Precision::Day),
    ("date", Precision::Day),
    ("month", Precision::Month),
    ("year", Precision::Year),
    ("time of day", Precision::Minute),
    ("time", Precision::Minute),
    ("week", Precision::Day),
];

/// Words that ask for an order in time.
const ORDERS: [&str; 8] = [
    "what is the order of",
    "what was the order of",
    "in chronological order",
    "in order of time",
    "in order of date",
    "in what order",
    "in which order",
    "chronologically",
];

/// The ends of an order in time: "from oldest to newest" names both.
const ENDS: [(&str, Side); 7] = [
    ("most recent", Side::Last),
    ("latest", Side::Last),
    ("newest", Side::Last),
    ("last", Side::Last),
    ("earliest", Side::First),
    ("oldest", Side::First),
    ("first", Side::First),
];

/// How far ahead in the same sentence a word may say what the length is of.
const AHEAD: usize = 14;

/// What a length is of, by the words right after it.
const LENGTHS: [(&str, Length); 7] = [
    ("ago", Length::Ago),
    ("before", Length::Between),
    ("after", Length::Between),
    ("since", Length::Ago),
    ("has it been since", Length::Ago),
    ("had it been since", Length::Ago),
    ("until", Length::Until),
];

/// Verbs for time that goes by; an auxiliary may stand before them.
const PASSING: [&str; 8] =
    ["gone by", "went by", "go by", "passed by", "passed", "pass", "elapsed", "elapse"];

/// The question about time asked here.
pub(super) fn asked_at(c: Cursor<'_>) -> Read<'_, TimeQuestion> {
    let rules = [when, which_day, how_long, how_many, order];
    rules.iter().filter_map(|rule| rule(c)).max_by_key(|(_, after)| after.position())
}

fn when(c: Cursor<'_>) -> Read<'_, TimeQuestion> {
    let after = c.word("when")?;
    let asks = after.any(&ASKING).is_some() || after.mark('?').is_some();
    let opens =
        c.begins() || c.previous().is_some_and(|before| matches!(before.text, "and" | "or"));
    (opens && asks || is_asked(c)).then_some((TimeQuestion::When(None), after))
}

/// Whether the words before ask to be told.
fn is_asked(c: Cursor<'_>) -> bool {
    let (Some(last), before) = (c.previous(), c.back(2).map_or("", |token| token.text)) else {
        return false;
    };
    ASKING_WORDS.iter().any(|words| match words.split_once(' ') {
        Some((first, second)) => before == first && last.text == second,
        None => last.text == *words,
    })
}

/// `what day did`, `in which year`, `what was the date`.
fn which_day(c: Cursor<'_>) -> Read<'_, TimeQuestion> {
    let start = c.maybe(&["in", "on", "at"]).any(&["what", "which"])?;
    if let Some((precision, end)) =
        start.one_of(&["was the", "is the"]).and_then(|s| s.pick(&KINDS))
    {
        let dated = matches!(end.back(1)?.text, "date" | "day" | "year" | "month");
        return dated.then_some((TimeQuestion::When(Some(precision)), end));
    }
    let (precision, end) = start.pick(&KINDS)?;
    let asks = end.text().is_some_and(|word| ASKING.contains(&word)) || end.mark('?').is_some();
    asks.then_some((TimeQuestion::When(Some(precision)), end))
}

/// `how long ago`, `how long did it take`, `how long between A and B`, `how much time passed`.
fn how_long(c: Cursor<'_>) -> Read<'_, TimeQuestion> {
    let after = c.word("how")?.one_of(&[
        "long",
        "much time",
        "much later",
        "much earlier",
        "much longer",
    ])?;
    if after.word("is").is_some() && after.step().text() == Some("the") {
        return None;
    }
    let (length, end) = length_of(after);
    Some((TimeQuestion::HowLong { unit: None, length }, end))
}

/// `how many days ago`, `how many weeks passed between`. "How many days a week" asks how often.
fn how_many(c: Cursor<'_>) -> Read<'_, TimeQuestion> {
    let after = c.words("how many")?.maybe(&["more", "total", "full", "whole"]);
    let (span, after) = many_spans(after)?;
    let often = after.any(&["a", "per", "each", "every"]).is_some();
    let (length, end) = length_of(after);
    (!often).then_some((TimeQuestion::HowLong { unit: Some(span.measure()), length }, end))
}

/// What the length is of: by the word right here, or by a word further on.
fn length_of(c: Cursor<'_>) -> (Length, Cursor<'_>) {
    if c.word("between").is_some() {
        return (Length::Between, c);
    }
    if let Some((length, end)) = c.pick(&LENGTHS).or_else(|| passing(c)) {
        return (length, end);
    }
    let mut ahead = c;
    for _ in 0..AHEAD {
        match ahead.text() {
            Some("between" | "passed" | "elapsed") => return (Length::Between, c),
            _ if matches!(ahead.kind(), None | Some(Kind::Mark('?' | '.' | '!'))) => break,
            _ => ahead = ahead.step(),
        }
    }
    (Length::Lasting, c)
}

/// `passed`, `have gone by`, `had elapsed since`: up to now if a beginning follows, else between
/// two things.
fn passing(c: Cursor<'_>) -> Read<'_, Length> {
    let end = c.maybe(&["have", "has", "had", "did"]).one_of(&PASSING)?;
    Some(end.word("since").map_or((Length::Between, end), |end| (Length::Ago, end)))
}

/// `in which order`, `from earliest to latest`, `in chronological order`.
fn order(c: Cursor<'_>) -> Read<'_, TimeQuestion> {
    let end = c.one_of(&ORDERS).or_else(|| from_end_to_end(c))?;
    Some((TimeQuestion::Order, end))
}

/// `from oldest to newest`, either way round.
fn from_end_to_end(c: Cursor<'_>) -> Option<Cursor<'_>> {
    let (from, after) = c.word("from")?.maybe(&["the"]).pick(&ENDS)?;
    let (to, end) = after.word("to")?.maybe(&["the"]).pick(&ENDS)?;
    (from != to).then_some(end)
}

/// Words that can begin a question about time.
pub(super) fn words() -> Vec<&'static str> {
    ORDERS.into_iter().chain(["from", "when", "what", "which", "how", "in", "on", "at"]).collect()
}

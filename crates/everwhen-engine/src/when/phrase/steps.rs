//! Counted stretches, "2 days, 5 hours", and the words that tilt them: "about", "more than".

use super::classes::UNIT;
use super::counts::{Count, quantity};
use super::cursor::{Cursor, Read};
use super::days::Unit;
use super::lexer::Token;
use super::vocabulary::List;

/// Words for units of time, with how many of the unit they are.
pub(super) const UNITS: [(&str, (Unit, u32)); 27] = [
    ("minutes", (Unit::Minute, 1)),
    ("minute", (Unit::Minute, 1)),
    ("mins", (Unit::Minute, 1)),
    ("min", (Unit::Minute, 1)),
    ("hours", (Unit::Hour, 1)),
    ("hour", (Unit::Hour, 1)),
    ("hrs", (Unit::Hour, 1)),
    ("hr", (Unit::Hour, 1)),
    ("days", (Unit::Day, 1)),
    ("day", (Unit::Day, 1)),
    ("nights", (Unit::Day, 1)),
    ("night", (Unit::Day, 1)),
    ("weekends", (Unit::Weekend, 1)),
    ("weekend", (Unit::Weekend, 1)),
    ("weeks", (Unit::Week, 1)),
    ("week", (Unit::Week, 1)),
    ("fortnights", (Unit::Week, 2)),
    ("fortnight", (Unit::Week, 2)),
    ("months", (Unit::Month, 1)),
    ("month", (Unit::Month, 1)),
    ("quarters", (Unit::Quarter, 1)),
    ("quarter", (Unit::Quarter, 1)),
    ("years", (Unit::Year, 1)),
    ("year", (Unit::Year, 1)),
    ("yrs", (Unit::Year, 1)),
    ("decades", (Unit::Decade, 1)),
    ("decade", (Unit::Decade, 1)),
];

/// What the words around a number make of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tilt {
    Plain,
    Exact,
    About,
    Over,
    Under,
}

const TILTS: [(&str, Tilt); 21] = [
    ("just over", Tilt::Over),
    ("a little over", Tilt::Over),
    ("more than", Tilt::Over),
    ("at least", Tilt::Over),
    ("well over", Tilt::Over),
    ("over", Tilt::Over),
    ("less than", Tilt::Under),
    ("no more than", Tilt::Under),
    ("within", Tilt::Under),
    ("just under", Tilt::About),
    ("under", Tilt::Under),
    ("almost", Tilt::About),
    ("nearly", Tilt::About),
    ("about", Tilt::About),
    ("around", Tilt::About),
    ("approximately", Tilt::About),
    ("roughly", Tilt::About),
    ("maybe", Tilt::About),
    ("some", Tilt::About),
    ("exactly", Tilt::Exact),
    ("precisely", Tilt::Exact),
];

/// Words that have a topic: an "about" after them does not widen the time that follows.
static TOPICAL: List = List::of(
    "\
    talk talked talking talks chat chatted chatting speak spoke spoken speaking tell told \
    telling say said saying ask asked asking know knew think thought thinking hear heard read \
    write wrote written learn learned learnt forget forgot complain complained worried excited \
    happy dream dreamed mention mentioned what how discussion",
);

/// So many of a unit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) count: Count,
    pub(super) unit: Unit,
}

/// What stands before a counted time: `about`, `more than`.
pub(super) fn tilt(c: Cursor<'_>) -> (Tilt, Cursor<'_>) {
    if c.text() == Some("about") && c.previous().is_some_and(is_about_something) {
        return (Tilt::Plain, c);
    }
    if let Some(after) = c.mark('~').filter(|after| after.is_glued()) {
        return (Tilt::About, after);
    }
    c.pick(&TILTS).unwrap_or((Tilt::Plain, c))
}

/// Whether an "about" after this word belongs to it: "what did we talk about two weeks ago".
fn is_about_something(token: &Token<'_>) -> bool {
    TOPICAL.has(token.text)
}

/// A unit, with what it multiplies a count by.
pub(super) fn unit(c: Cursor<'_>) -> Read<'_, (Unit, u32)> {
    let word = c.at_one_of(UNIT)?.text()?;
    let found = UNITS.iter().find(|(name, _)| *name == word)?;
    Some((found.1, c.step()))
}

/// Up to three counts with units: `2 days, 5 hours and 10 minutes`.
pub(super) fn steps(c: Cursor<'_>) -> Read<'_, Vec<Step>> {
    let (mut steps, mut c) = one_step(c)?;
    for _ in 0..2 {
        let joined = c.comma().maybe(&["and"]);
        match one_step(joined).filter(|_| joined.position() > c.position()) {
            Some((more, after)) if more[0].unit < finest(&steps) => {
                steps.extend(more);
                c = after;
            }
            _ => break,
        }
    }
    Some((steps, c))
}

fn one_step(c: Cursor<'_>) -> Read<'_, Vec<Step>> {
    let (mut count, after) = quantity(c)?;
    let ((unit, times), mut after) = unit(after.hyphen())?;
    if let Some(end) = after.words("and a half") {
        (count.half, after) = (true, end);
    } else if let Some(end) = after.one_of(&["or so", "or two"]).filter(|_| count.is_exact()) {
        (count.high, after) = (count.high + 1, end);
    }
    let scaled = |number: u32| number.checked_mul(times);
    let (low, likely, high) = (scaled(count.low)?, scaled(count.likely)?, scaled(count.high)?);
    let mut steps = vec![Step { count: Count { low, likely, high, half: count.half }, unit }];
    if count.half {
        steps.push(half_of(unit)?);
    }
    Some((steps, after))
}

/// Half a unit in the next finer one that people count in.
fn half_of(unit: Unit) -> Option<Step> {
    let (count, unit) = match unit {
        Unit::Minute | Unit::Weekend => return None,
        Unit::Hour => (30, Unit::Minute),
        Unit::Day => (12, Unit::Hour),
        Unit::Week => (3, Unit::Day),
        Unit::Month => (2, Unit::Week),
        Unit::Quarter => (6, Unit::Week),
        Unit::Year => (6, Unit::Month),
        Unit::Decade => (5, Unit::Year),
    };
    Some(Step { count: Count::exactly(count), unit })
}

/// The finest unit counted in.
pub(super) fn finest(steps: &[Step]) -> Unit {
    steps.iter().map(|step| step.unit).min().unwrap_or(Unit::Day)
}

/// Words that can begin a counted time with a tilt.
pub(super) fn tilt_words() -> Vec<&'static str> {
    TILTS.map(|(words, _)| words).to_vec()
}

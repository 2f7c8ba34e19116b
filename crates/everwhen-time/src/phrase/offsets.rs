//! Times beside another time in the phrase: "the week before 9 June", "three days after Easter",
//! "the weekend of May 8", "the Friday before last".

use super::Precision;
use super::amounts::{Amount, amounts, finest};
use super::classes::{NONE, NTH};
use super::context::Context;
use super::counts::{ordinal, quantity};
use super::cursor::{Cursor, Read};
use super::day_phrase::day_phrase;
use super::days::Days;
use super::last_next::named_at;
use super::named::{Named, Season};
use super::relative::sense_from;
use super::sense::{DayPhrase, Sense};
use super::units::{Span, one_span};

/// Plurals that can be counted: "two Fridays ago", "two summers ago".
const PLURALS: [(&str, Named); 13] = [
    ("mondays", Named::Weekday(jiff::civil::Weekday::Monday)),
    ("tuesdays", Named::Weekday(jiff::civil::Weekday::Tuesday)),
    ("wednesdays", Named::Weekday(jiff::civil::Weekday::Wednesday)),
    ("thursdays", Named::Weekday(jiff::civil::Weekday::Thursday)),
    ("fridays", Named::Weekday(jiff::civil::Weekday::Friday)),
    ("saturdays", Named::Weekday(jiff::civil::Weekday::Saturday)),
    ("sundays", Named::Weekday(jiff::civil::Weekday::Sunday)),
    ("weekends", Named::Weekend),
    ("springs", Named::Season(Season::Spring)),
    ("summers", Named::Season(Season::Summer)),
    ("falls", Named::Season(Season::Fall)),
    ("autumns", Named::Season(Season::Fall)),
    ("winters", Named::Season(Season::Winter)),
];

/// Which direction of the other time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Before,
    After,
}

const DIRECTIONS: [(&str, Direction); 11] = [
    ("right before", Direction::Before),
    ("just before", Direction::Before),
    ("immediately before", Direction::Before),
    ("before", Direction::Before),
    ("prior to", Direction::Before),
    ("preceding", Direction::Before),
    ("leading up to", Direction::Before),
    ("right after", Direction::After),
    ("just after", Direction::After),
    ("after", Direction::After),
    ("following", Direction::After),
];

impl Direction {
    fn sign(self) -> i64 {
        if self == Self::Before { -1 } else { 1 }
    }

    /// The n-th of this name before or after some days.
    fn names(self, named: Named, base: Days, nth: i64) -> Option<Days> {
        match self {
            Self::Before => named.before(base.first, nth),
            Self::After => named.after(base.end, nth),
        }
    }
}

/// The other time, one phrase deeper.
pub(super) fn other<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Sense> {
    let (phrase, after) = day_phrase(c.deeper()?, context)?;
    Some((phrase.resolve(context)?, after.level_with(c)))
}

/// Days found from another time: as surely, and from where it was found.
pub(super) fn found_from(base: Sense, days: Days) -> Sense {
    Sense { sure: base.sure, origin: base.origin, ..Sense::written(days) }
}

/// `the week before 9 June 2023`, `the Friday after Easter`, `the day before yesterday`.
pub(super) fn beside<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let start = c.maybe(&["the"]);
    let (nth, named) = ordinal(start).unwrap_or((1, start));
    let counted = start.previous().is_some_and(|token| token.classes & NTH != NONE);
    let (what, after) = neighbor(named).filter(|_| !counted)?;
    let (direction, after) = after.pick(&DIRECTIONS)?;
    let (base, end) = other(after, context)?;
    Some((DayPhrase::settled(what.beside(base, direction, i64::from(nth))?), end))
}

/// `the week before last`, `the Friday before last`.
pub(super) fn before_last<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let (what, after) = neighbor(c.maybe(&["the"]))?;
    let end = after.words("before last")?;
    let sense = match what {
        Neighbor::Span(Span::DAY) => return None,
        Neighbor::Span(span) => Sense::counted(span.on_calendar(context.today, -2)?),
        Neighbor::Name(named) => Sense::counted(named.before(context.today, 2)?),
    };
    Some((DayPhrase::settled(sense), end))
}

/// What can stand beside another time.
#[derive(Debug, Clone, Copy)]
pub(super) enum Neighbor {
    Span(Span),
    Name(Named),
}

fn neighbor(c: Cursor<'_>) -> Read<'_, Neighbor> {
    if let Some(after) = c.word("weekend") {
        return Some((Neighbor::Name(Named::Weekend), after));
    }
    if let Some((span, after)) = one_span(c).filter(|(span, _)| !span.is_clock()) {
        return Some((Neighbor::Span(span), after));
    }
    named_at(c).map(|(named, after)| (Neighbor::Name(named), after))
}

impl Neighbor {
    fn beside(self, base: Sense, direction: Direction, nth: i64) -> Option<Sense> {
        match self {
            Self::Name(named) => {
                let days = direction.names(named, base.days, nth)?;
                let slack = i64::from(!days.is_day());
                Some(found_from(base, days).within(slack, slack))
            }
            Self::Span(span) => {
                let days = nth_beside(base.days, nth, span, direction)?;
                let slack = if span == Span::DAY { 0 } else { days.length() / 2 + 1 };
                let (before, after) =
                    if direction == Direction::Before { (slack, 0) } else { (0, slack) };
                Some(found_from(base, days).within(before, after))
            }
        }
    }
}

/// The n-th span before or after some days.
fn nth_beside(base: Days, nth: i64, span: Span, direction: Direction) -> Option<Days> {
    let all = run_beside(base, nth, span, direction)?;
    if nth == 1 {
        return Some(all);
    }
    let nearer = run_beside(base, nth - 1, span, direction)?;
    match direction {
        Direction::Before => Days::run(all.first, nearer.first, all.precision),
        Direction::After => Days::run(nearer.end, all.end, all.precision),
    }
}

/// The run of spans that ends where the other time begins, or begins where it ends. Beside a whole
/// month or year it is the next calendar one.
fn run_beside(base: Days, count: i64, span: Span, direction: Direction) -> Option<Days> {
    let precision = if base.is_day() { Precision::Day } else { base.precision };
    match direction {
        Direction::Before => Days::run(span.moved(base.first, -count)?, base.first, precision),
        Direction::After => Days::run(base.end, span.moved(base.end, count)?, precision),
    }
}

/// `three days after 2023-05-04`, `two weekends before 17 July`, `a week from Friday`.
pub(super) fn distant<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    if let Some(read) = distant_names(c, context) {
        return Some(read);
    }
    let (amounts, after) = amounts(c)?;
    if let Some(start) = after.word("from") {
        return ahead_of(&amounts, start, context);
    }
    let (direction, after) = after.pick(&DIRECTIONS)?;
    let (base, end) = other(after, context)?;
    let day = if direction == Direction::Before { base.days.first } else { base.days.last() };
    if finest(&amounts).is_clock() {
        return None;
    }
    let sense = sense_from(day, &amounts, direction.sign())?;
    let sure = sense.sure.min(base.sure);
    Some((DayPhrase::settled(Sense { origin: base.origin, sure, ..sense }), end))
}

/// `a week from Friday`: counted from one to come, and to the day. Today's would be said as "today".
fn ahead_of<'t>(amounts: &[Amount], c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let (phrase, after) = day_phrase(c.deeper()?, context)?;
    let base = phrase.next(context.tomorrow()?).filter(|sense| sense.days.is_day())?;
    let sense = sense_from(base.days.first, amounts, 1).filter(|_| !finest(amounts).is_clock())?;
    let day = sense.likely.unwrap_or(sense.days);
    Some((DayPhrase::settled(found_from(base, day)), after.level_with(c)))
}

/// `two Fridays ago`, `two summers before 2020`.
fn distant_names<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let (count, after) = quantity(c)?;
    let (named, after) = after.pick(&PLURALS)?;
    if let Some(end) = after.any(&["ago", "back"]) {
        let near = named.before(context.today, i64::from(count.low))?;
        let far = named.before(context.today, i64::from(count.high))?;
        let sense = Sense::counted(near.hull(far)).within(1, 1);
        return Some((
            DayPhrase::settled(if count.is_exact() { sense } else { sense.unsure() }),
            end,
        ));
    }
    let count = i64::from(count.is_exact().then_some(count.likely)?);
    if let Some(end) = after.words("from now") {
        let days = named.after(context.tomorrow()?, count)?;
        return Some((DayPhrase::settled(Sense::counted(days).within(1, 1)), end));
    }
    let (direction, after) = after.pick(&DIRECTIONS)?;
    let (base, end) = other(after, context)?;
    let days = direction.names(named, base.days, count)?;
    Some((DayPhrase::settled(found_from(base, days).within(1, 1)), end))
}

/// `the two weeks before Christmas`: all of them.
pub(super) fn run_up<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let (amounts, after) = amounts(c.word("the")?)?;
    let (direction, after) = after.pick(&DIRECTIONS)?;
    let (base, end) = other(after, context)?;
    let [amount] = amounts.as_slice() else { return None };
    if amount.span.is_clock() || amount.span.is_weekend() {
        return None;
    }
    let days = run_beside(base.days, i64::from(amount.count.likely), amount.span, direction)?;
    Some((DayPhrase::settled(found_from(base, days)), end))
}

/// `the week of May 8`, `the weekend of 17 July`.
pub(super) fn week_of<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let (span, after) = one_span(c.maybe(&["the"])).filter(|(span, _)| span.can_be_of_a_day())?;
    let (base, end) = other(after.word("of")?, context)?;
    let days = span.around(base.days.first)?;
    (base.days.length() <= 31).then_some((DayPhrase::settled(found_from(base, days)), end))
}

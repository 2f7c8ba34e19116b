//! ClockTime times and parts of the day, on a day that the phrase names.

use jiff::SignedDuration;
use jiff::civil::Time;

use super::ambiguity::is_owned;
use super::context::{Context, Timed};
use super::cursor::{Cursor, Read};
use super::day_phrase::day_phrase;
use super::days::{Days, plus};
use super::lexer::Kind;
use super::sense::Sense;
use super::units::one_span;
use super::{Confidence, Date, Origin, Period, PhrasePeriod};

/// Hours of a day, from the first inside to the first after; above 24 they are the next day's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DayHours(i8, i8);

/// Parts of the day. English calls two o'clock at night "two in the morning".
const PARTS: [(&str, DayHours); 10] = [
    ("early morning", DayHours(0, 8)),
    ("late night", DayHours(22, 28)),
    ("morning", DayHours(0, 12)),
    ("lunchtime", DayHours(11, 14)),
    ("early afternoon", DayHours(12, 15)),
    ("late afternoon", DayHours(15, 18)),
    ("afternoon", DayHours(12, 18)),
    ("evening", DayHours(17, 24)),
    ("night", DayHours(18, 30)),
    ("dawn", DayHours(4, 8)),
];

/// Parts of days counted from today: how many days on, and which hours.
const NEAR_PARTS: [(&str, (i64, DayHours)); 12] = [
    ("early this morning", (0, DayHours(0, 8))),
    ("this morning", (0, DayHours(0, 12))),
    ("this afternoon", (0, DayHours(12, 18))),
    ("this evening", (0, DayHours(17, 24))),
    ("late tonight", (0, DayHours(22, 28))),
    ("tonight", (0, DayHours(18, 30))),
    ("late last night", (-1, DayHours(22, 28))),
    ("last night", (-1, DayHours(18, 30))),
    ("last evening", (-1, DayHours(17, 24))),
    ("the night before last", (-2, DayHours(18, 30))),
    ("this lunchtime", (0, DayHours(11, 14))),
    ("yesterday lunchtime", (-1, DayHours(11, 14))),
];

/// How far a part of the day may be missed.
const PART_SLACK: SignedDuration = SignedDuration::from_hours(2);
/// How far a clock time may be missed.
const CLOCK_SLACK: SignedDuration = SignedDuration::from_mins(30);

/// A time on the clock; a bare hour is the whole hour.
#[derive(Debug, Clone, Copy)]
struct ClockTime {
    time: Time,
    length: SignedDuration,
}

/// A part of a day or a clock time on a day: `yesterday evening`, `1:56 pm on 8 May, 2023`.
pub(super) fn on_a_day<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let rules = [part_near, clock_then_day, day_then_clock, part_of_day, clock_to_clock];
    rules.iter().filter_map(|rule| rule(c, context)).max_by_key(|(_, after)| after.position())
}

/// `this morning`, `last night`, `tonight`, with a clock time or without.
fn part_near<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let ((turn, part), after) = c.pick(&NEAR_PARTS)?;
    let day = plus(context.today, turn)?;
    let sense = Sense::counted(Days::one(day)?);
    if let Some((clock, end)) = clock_after(after) {
        return Some((at_clock(sense, clock, context)?, end));
    }
    Some((in_part(sense, part, context)?, after))
}

/// `at 1:56 pm on 8 May, 2023`, `5pm yesterday`, `at 10:30 am this morning`.
fn clock_then_day<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let (clock, after) = clock(c.maybe(&["at", "around", "about"]))?;
    let after = after.comma().one_of(&["on the", "on", "of"]).unwrap_or(after.comma());
    if let Some(((turn, _), end)) = after.pick(&NEAR_PARTS) {
        let day = Days::one(plus(context.today, turn)?)?;
        return Some((at_clock(Sense::counted(day), clock, context)?, end));
    }
    let (sense, end) = one_day(after, context)?;
    Some((at_clock(sense, clock, context)?, end))
}

/// `yesterday evening`, `on May 8 at 1:56 pm`, `last Friday in the afternoon`.
fn day_then_clock<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let on = c.maybe(&["on"]);
    let (sense, after) = one_day(on, context)?;
    if on.position() == c.position() && is_owned(c) {
        return None;
    }
    if let Some((clock, end)) = clock_after(after) {
        return Some((at_clock(sense, clock, context)?, end));
    }
    let in_the = after.one_of(&["in the", "at"]).unwrap_or(after);
    let (part, end) = in_the.pick(&PARTS)?;
    if let Some((clock, end)) = clock_after(end) {
        return Some((at_clock(sense, clock, context)?, end));
    }
    Some((in_part(sense, part, context)?, end))
}

/// `the morning of May 8`, `the night before Christmas`.
fn part_of_day<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let (part, after) = c.one_of(&["on the", "in the", "the"])?.pick(&PARTS)?;
    let (turn, after) = after.pick(&[("of", 0), ("before", -1), ("after", 1)])?;
    let (sense, end) = one_day(after, context)?;
    let day = Days::one(plus(sense.days.first, turn)?)?;
    Some((in_part(Sense { days: day, ..sense }, part, context)?, end))
}

/// `between 2 and 4 pm yesterday`, `from 9:00 to 17:00 on May 8`.
fn clock_to_clock<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let start = c.any(&["between", "from"]).unwrap_or(c);
    let joined = |c: Cursor<'t>| c.any(&["and", "to", "until"]).or_else(|| c.mark('-'));
    let (first, (last, after)) = match clock(start) {
        Some((first, after)) => (first, clock(joined(after)?)?),
        None => {
            let Some(Kind::Number(hour @ 1..=12)) = start.kind() else { return None };
            let (last, after) = clock(joined(start.step())?)?;
            let noon = if last.time.hour() >= 12 && hour < 12 { 12 } else { 0 };
            (ClockTime::at(i8::try_from(hour).ok()? + noon, 0)?, (last, after))
        }
    };
    let (sense, end) = one_day(after.one_of(&["on the", "on"]).unwrap_or(after), context)?;
    let since = context.instant(sense.days.first.to_datetime(first.time))?;
    let until = context.instant(sense.days.first.to_datetime(last.time))?;
    Some(((context.moment(since, until, CLOCK_SLACK, sense.origin)?, sense.sure), end))
}

/// `earlier today`, `earlier this morning`, `earlier in the week`, `later this month`.
pub(super) fn earlier<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let (ahead, after) = c.pick(&[("earlier", false), ("later", true)])?;
    let ((when, sure), end) = present_stretch(after.maybe(&["on"]), context)?;
    let now = Some(context.now.timestamp());
    let precision = when.period.precision();
    let cut =
        if ahead { Period::new(now, None, precision) } else { Period::new(None, now, precision) };
    let cut = cut.ok()?;
    let reach = when.reach.intersection(&cut)?;
    let period = when.period.intersection(&cut).unwrap_or(reach);
    Some(((PhrasePeriod { period, likely: period, reach, earlier: !ahead, ..when }, sure), end))
}

/// What is going on now: `today`, `this week`, `in the morning`.
fn present_stretch<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    if let Some(read) = part_near(c, context) {
        return Some(read);
    }
    let today = Sense::counted(Days::one(context.today)?);
    if let Some(after) = c.one_of(&["today", "in the day"]) {
        return Some((context.when(today)?, after));
    }
    if let Some((part, after)) = c.words("in the").and_then(|after| after.pick(&PARTS)) {
        return Some((in_part(today, part, context)?, after));
    }
    let (span, after) = one_span(c.one_of(&["in the", "this"])?)?;
    let days = span.around(context.today).filter(|_| span.is_long())?;
    Some((context.when(Sense::counted(days))?, after))
}

fn one_day<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Sense> {
    let (phrase, after) = day_phrase(c, context)?;
    let sense = phrase.resolve(context).filter(|sense| sense.days.is_day())?;
    Some((sense, after))
}

fn clock_after(c: Cursor<'_>) -> Read<'_, ClockTime> {
    let at = c.comma().one_of(&["at around", "at about", "at", "around", "about"]);
    clock(at.unwrap_or(c.comma()))
}

impl ClockTime {
    fn at(hour: i8, minute: i8) -> Option<Self> {
        let time = Time::new(hour, minute, 0, 0).ok()?;
        let length =
            if minute == 0 { SignedDuration::from_hours(1) } else { SignedDuration::from_mins(1) };
        Some(Self { time, length })
    }

    fn to_the_minute(self) -> Self {
        Self { length: SignedDuration::from_mins(1), ..self }
    }
}

/// `5 pm`, `1:56 pm`, `13:56`, `08:30`, `3 o'clock in the afternoon`, `noon`.
fn clock(c: Cursor<'_>) -> Read<'_, ClockTime> {
    if let Some((hour, after)) = c.pick(&[("noon", 12), ("midday", 12), ("midnight", 0)]) {
        return Some((ClockTime::at(hour, 0)?, after));
    }
    match c.kind()? {
        Kind::Clock(hour, minute) => {
            let after = c.step();
            if let Some((hour, end)) = half_of_day(hour, after) {
                return Some((ClockTime::at(hour, minute)?.to_the_minute(), end));
            }
            let clear = hour > 12 || c.peek()?.text.starts_with('0') || hour == 0;
            clear.then_some((ClockTime::at(hour, minute)?.to_the_minute(), after))
        }
        Kind::Number(hour @ 1..=12) => {
            let (hour, end) = half_of_day(i8::try_from(hour).ok()?, c.step())?;
            Some((ClockTime::at(hour, 0)?, end))
        }
        _ => None,
    }
}

/// The hour of the day, by what follows the hour: `pm`, `p.m.`, `o'clock in the morning`.
fn half_of_day(hour: i8, c: Cursor<'_>) -> Read<'_, i8> {
    if !(1..=12).contains(&hour) {
        return None;
    }
    let spelled = c.one_of(&["o'clock in the", "o’clock in the", "in the"]);
    let (after_noon, after) = match spelled {
        Some(part) => part.pick(&[("morning", false), ("afternoon", true), ("evening", true)])?,
        None => c.pick(&[("am", false), ("pm", true)]).or_else(|| dotted(c))?,
    };
    let hour = hour % 12 + if after_noon { 12 } else { 0 };
    Some((hour, after))
}

/// `p.m.`
fn dotted(c: Cursor<'_>) -> Read<'_, bool> {
    let (after_noon, after) = c.pick(&[("a", false), ("p", true)])?;
    let after = after.mark('.')?.word("m")?;
    Some((after_noon, after.mark('.').unwrap_or(after)))
}

fn at_clock(sense: Sense, clock: ClockTime, context: &Context<'_>) -> Option<Timed> {
    let since = context.instant(sense.days.first.to_datetime(clock.time))?;
    let until = since.checked_add(clock.length).ok()?;
    Some((context.moment(since, until, CLOCK_SLACK, sense.origin)?, sense.sure))
}

fn in_part(sense: Sense, part: DayHours, context: &Context<'_>) -> Option<Timed> {
    let DayHours(from, to) = part;
    let hour = |day: Date, hour: i8| context.instant(day.at(hour, 0, 0, 0));
    let since = hour(sense.days.first, from)?;
    let until = hour(plus(sense.days.first, i64::from(to / 24))?, to % 24)?;
    Some((context.moment(since, until, PART_SLACK, sense.origin)?, sense.sure))
}

/// A complete time in figures: `2023-05-08T13:56:00Z`.
pub(super) fn in_figures<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let start = c.maybe(&["on", "at"]);
    let since = match start.kind()? {
        Kind::Instant(instant) => instant,
        Kind::Wall(wall) => context.instant(wall)?,
        _ => return None,
    };
    let until = since.checked_add(SignedDuration::from_mins(1)).ok()?;
    let when = context.moment(since, until, CLOCK_SLACK, Origin::Written)?;
    Some(((when, Confidence::Certain), start.step()))
}

/// Words that can begin a clock time or a part of a day.
pub(super) fn words() -> Vec<&'static str> {
    let near = NEAR_PARTS.map(|(words, _)| words);
    near.into_iter()
        .chain(["noon", "midday", "midnight", "earlier", "later", "between", "just"])
        .collect()
}

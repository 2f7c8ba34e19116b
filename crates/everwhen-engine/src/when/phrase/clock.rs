//! Clock times and parts of the day, on a day that the phrase names.

use jiff::SignedDuration;
use jiff::civil::Time;

use super::cursor::{Cursor, Read};
use super::days::{Days, Unit, plus};
use super::lexer::Kind;
use super::place::place;
use super::scene::{Scene, Timed};
use super::sense::Sense;
use super::steps::unit;
use super::vocabulary::is_owned;
use super::{Confidence, Date, Origin, Period, When};

/// Hours of a day, from the first inside to the first after; above 24 they are the next day's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part(i8, i8);

/// Parts of the day. English calls two o'clock at night "two in the morning".
const PARTS: [(&str, Part); 10] = [
    ("early morning", Part(0, 8)),
    ("late night", Part(22, 28)),
    ("morning", Part(0, 12)),
    ("lunchtime", Part(11, 14)),
    ("early afternoon", Part(12, 15)),
    ("late afternoon", Part(15, 18)),
    ("afternoon", Part(12, 18)),
    ("evening", Part(17, 24)),
    ("night", Part(18, 30)),
    ("dawn", Part(4, 8)),
];

/// Parts of days counted from today: how many days on, and which hours.
const NEAR_PARTS: [(&str, (i64, Part)); 12] = [
    ("early this morning", (0, Part(0, 8))),
    ("this morning", (0, Part(0, 12))),
    ("this afternoon", (0, Part(12, 18))),
    ("this evening", (0, Part(17, 24))),
    ("late tonight", (0, Part(22, 28))),
    ("tonight", (0, Part(18, 30))),
    ("late last night", (-1, Part(22, 28))),
    ("last night", (-1, Part(18, 30))),
    ("last evening", (-1, Part(17, 24))),
    ("the night before last", (-2, Part(18, 30))),
    ("this lunchtime", (0, Part(11, 14))),
    ("yesterday lunchtime", (-1, Part(11, 14))),
];

/// How far a part of the day may be missed.
const PART_SLACK: SignedDuration = SignedDuration::from_hours(2);
/// How far a clock time may be missed.
const CLOCK_SLACK: SignedDuration = SignedDuration::from_mins(30);

/// A time on the clock; a bare hour stands for the whole hour.
#[derive(Debug, Clone, Copy)]
struct Clock {
    time: Time,
    length: SignedDuration,
}

/// A part of a day or a clock time on a day: `yesterday evening`, `1:56 pm on 8 May, 2023`.
pub(super) fn on_a_day<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Timed> {
    let rules = [part_near, clock_then_day, day_then_clock, part_of_day, clock_to_clock];
    rules.iter().filter_map(|rule| rule(c, scene)).max_by_key(|(_, after)| after.position())
}

/// `this morning`, `last night`, `tonight`, with a clock time or without.
fn part_near<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Timed> {
    let ((turn, part), after) = c.pick(&NEAR_PARTS)?;
    let day = plus(scene.today, turn)?;
    let sense = Sense::counted(Days::one(day)?);
    if let Some((clock, end)) = clock_after(after) {
        return Some((at_clock(sense, clock, scene)?, end));
    }
    Some((in_part(sense, part, scene)?, after))
}

/// `at 1:56 pm on 8 May, 2023`, `5pm yesterday`, `at 10:30 am this morning`.
fn clock_then_day<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Timed> {
    let (clock, after) = clock(c.maybe(&["at", "around", "about"]))?;
    let after = after.comma().one_of(&["on the", "on", "of"]).unwrap_or(after.comma());
    if let Some(((turn, _), end)) = after.pick(&NEAR_PARTS) {
        let day = Days::one(plus(scene.today, turn)?)?;
        return Some((at_clock(Sense::counted(day), clock, scene)?, end));
    }
    let (sense, end) = one_day(after, scene)?;
    Some((at_clock(sense, clock, scene)?, end))
}

/// `yesterday evening`, `on May 8 at 1:56 pm`, `last Friday in the afternoon`.
fn day_then_clock<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Timed> {
    let on = c.maybe(&["on"]);
    let (sense, after) = one_day(on, scene)?;
    if on.position() == c.position() && is_owned(c) {
        return None;
    }
    if let Some((clock, end)) = clock_after(after) {
        return Some((at_clock(sense, clock, scene)?, end));
    }
    let in_the = after.one_of(&["in the", "at"]).unwrap_or(after);
    let (part, end) = in_the.pick(&PARTS)?;
    if let Some((clock, end)) = clock_after(end) {
        return Some((at_clock(sense, clock, scene)?, end));
    }
    Some((in_part(sense, part, scene)?, end))
}

/// `the morning of May 8`, `the night before Christmas`.
fn part_of_day<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Timed> {
    let (part, after) = c.one_of(&["on the", "in the", "the"])?.pick(&PARTS)?;
    let (turn, after) = after.pick(&[("of", 0), ("before", -1), ("after", 1)])?;
    let (sense, end) = one_day(after, scene)?;
    let day = Days::one(plus(sense.days.first, turn)?)?;
    Some((in_part(Sense { days: day, ..sense }, part, scene)?, end))
}

/// `between 2 and 4 pm yesterday`, `from 9:00 to 17:00 on May 8`.
fn clock_to_clock<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Timed> {
    let start = c.any(&["between", "from"]).unwrap_or(c);
    let joined = |c: Cursor<'t>| c.any(&["and", "to", "until"]).or_else(|| c.mark('-'));
    let (first, (last, after)) = match clock(start) {
        Some((first, after)) => (first, clock(joined(after)?)?),
        None => {
            let Some(Kind::Number(hour @ 1..=12)) = start.kind() else { return None };
            let (last, after) = clock(joined(start.step())?)?;
            let noon = if last.time.hour() >= 12 && hour < 12 { 12 } else { 0 };
            (Clock::at(i8::try_from(hour).ok()? + noon, 0)?, (last, after))
        }
    };
    let (sense, end) = one_day(after.one_of(&["on the", "on"]).unwrap_or(after), scene)?;
    let since = scene.instant(sense.days.first.to_datetime(first.time))?;
    let until = scene.instant(sense.days.first.to_datetime(last.time))?;
    Some(((scene.moment(since, until, CLOCK_SLACK, sense.origin)?, sense.sure), end))
}

/// `earlier today`, `earlier this morning`, `earlier in the week`, `later this month`.
pub(super) fn earlier<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Timed> {
    let (ahead, after) = c.pick(&[("earlier", false), ("later", true)])?;
    let ((when, sure), end) = present_stretch(after.maybe(&["on"]), scene)?;
    let now = Some(scene.now.timestamp());
    let precision = when.period.precision();
    let cut =
        if ahead { Period::new(now, None, precision) } else { Period::new(None, now, precision) };
    let cut = cut.ok()?;
    let reach = when.reach.intersection(&cut)?;
    let period = when.period.intersection(&cut).unwrap_or(reach);
    Some(((When { period, likely: period, reach, earlier: !ahead, ..when }, sure), end))
}

/// What is going on now: `today`, `this week`, `in the morning`.
fn present_stretch<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Timed> {
    if let Some(read) = part_near(c, scene) {
        return Some(read);
    }
    let today = Sense::counted(Days::one(scene.today)?);
    if let Some(after) = c.one_of(&["today", "in the day"]) {
        return Some((scene.when(today)?, after));
    }
    if let Some((part, after)) = c.words("in the").and_then(|after| after.pick(&PARTS)) {
        return Some((in_part(today, part, scene)?, after));
    }
    let ((unit, _), after) = unit(c.one_of(&["in the", "this"])?)?;
    let long = matches!(unit, Unit::Week | Unit::Month | Unit::Quarter | Unit::Year);
    let days = scene.unit(unit, 0).filter(|_| long)?;
    Some((scene.when(Sense::counted(days))?, after))
}

fn one_day<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Sense> {
    let (place, after) = place(c, scene)?;
    let sense = place.resolve(scene).filter(|sense| sense.days.is_day())?;
    Some((sense, after))
}

fn clock_after(c: Cursor<'_>) -> Read<'_, Clock> {
    let at = c.comma().one_of(&["at around", "at about", "at", "around", "about"]);
    clock(at.unwrap_or(c.comma()))
}

impl Clock {
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
fn clock(c: Cursor<'_>) -> Read<'_, Clock> {
    if let Some((hour, after)) = c.pick(&[("noon", 12), ("midday", 12), ("midnight", 0)]) {
        return Some((Clock::at(hour, 0)?, after));
    }
    match c.kind()? {
        Kind::Clock(hour, minute) => {
            let after = c.step();
            if let Some((hour, end)) = half_of_day(hour, after) {
                return Some((Clock::at(hour, minute)?.to_the_minute(), end));
            }
            let clear = hour > 12 || c.peek()?.text.starts_with('0') || hour == 0;
            clear.then_some((Clock::at(hour, minute)?.to_the_minute(), after))
        }
        Kind::Number(hour @ 1..=12) => {
            let (hour, end) = half_of_day(i8::try_from(hour).ok()?, c.step())?;
            Some((Clock::at(hour, 0)?, end))
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

fn at_clock(sense: Sense, clock: Clock, scene: &Scene<'_>) -> Option<Timed> {
    let since = scene.instant(sense.days.first.to_datetime(clock.time))?;
    let until = since.checked_add(clock.length).ok()?;
    Some((scene.moment(since, until, CLOCK_SLACK, sense.origin)?, sense.sure))
}

fn in_part(sense: Sense, part: Part, scene: &Scene<'_>) -> Option<Timed> {
    let Part(from, to) = part;
    let hour = |day: Date, hour: i8| scene.instant(day.at(hour, 0, 0, 0));
    let since = hour(sense.days.first, from)?;
    let until = hour(plus(sense.days.first, i64::from(to / 24))?, to % 24)?;
    Some((scene.moment(since, until, PART_SLACK, sense.origin)?, sense.sure))
}

/// A complete time in figures: `2023-05-08T13:56:00Z`.
pub(super) fn in_figures<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Timed> {
    let start = c.maybe(&["on", "at"]);
    let since = match start.kind()? {
        Kind::Instant(instant) => instant,
        Kind::Wall(wall) => scene.instant(wall)?,
        _ => return None,
    };
    let until = since.checked_add(SignedDuration::from_mins(1)).ok()?;
    let when = scene.moment(since, until, CLOCK_SLACK, Origin::Written)?;
    Some(((when, Confidence::Certain), start.step()))
}

/// Words that can begin a clock time or a part of a day.
pub(super) fn words() -> Vec<&'static str> {
    let near = NEAR_PARTS.map(|(words, _)| words);
    near.into_iter()
        .chain(["noon", "midday", "midnight", "earlier", "later", "between", "just"])
        .collect()
}

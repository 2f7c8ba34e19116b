//! Times counted from the anchor: today and its neighbors, "two weeks ago", "an hour ago",
//! "in two weeks' time", "the other day".

use jiff::civil::Weekday;
use jiff::{SignedDuration, Span, Timestamp};

use super::calendar::{any_weekday, weekday};
use super::classes::{COUNT, IN, UNIT};
use super::counts::Count;
use super::cursor::{Cursor, Read};
use super::days::{Days, Unit, moved, plus};
use super::lexer::{Kind, Token};
use super::named::Named;
use super::scene::{Scene, Timed};
use super::sense::{Place, Sense, counted_from};
use super::steps::{Step, Tilt, finest, steps, tilt};
use super::vocabulary::closes;
use super::{Confidence, Date, Lean, Origin, Precision};

/// "Weeks ago": how many an unsaid number may be.
const UNSAID: [(&str, Unit, Count); 5] = [
    ("hours", Unit::Hour, Count::between(2, 4, 12)),
    ("days", Unit::Day, Count::between(2, 3, 7)),
    ("weeks", Unit::Week, Count::between(2, 3, 8)),
    ("months", Unit::Month, Count::between(2, 4, 12)),
    ("years", Unit::Year, Count::between(2, 4, 15)),
];

/// Fuzzy words: from how many days ago up to, but without, how many; and how far they reach back.
const FUZZY: [(&str, (i64, i64, i64)); 6] = [
    ("the other day", (7, 0, 14)),
    ("the other night", (7, 0, 14)),
    ("the other week", (28, 5, 42)),
    ("in recent days", (7, -1, 14)),
    ("recently", (30, -1, 92)),
    ("lately", (30, -1, 92)),
];

/// `today`, `yesterday`, `tomorrow`.
pub(super) fn day_word<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    let (turn, after) = c.pick(&[("today", 0), ("yesterday", -1), ("tomorrow", 1)])?;
    Some((Place::settled(Sense::counted(Days::one(plus(scene.today, turn)?)?)), after))
}

/// `the other day`, `recently`.
pub(super) fn fuzzy<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Timed> {
    let ((from, to, reach), after) = c.pick(&FUZZY)?;
    let bounded = |before: &Token<'_>| {
        matches!(before.text, "until" | "till" | "since" | "by" | "before" | "after")
    };
    if c.previous().is_some_and(bounded) {
        return None;
    }
    let (first, end) = (plus(scene.today, -from)?, plus(scene.today, -to)?);
    let sense = Sense::counted(Days::run(first, end, Precision::Day)?);
    Some((scene.when(sense.within(reach - from, 0).unsure())?, after))
}

/// `two weeks ago`, `a year and two months ago`, `a week ago Friday`, `three days from now`, in
/// whole days.
pub(super) fn counted<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    if let Some((weekday, after)) = weekday(c)
        && let Some(((steps, _, sign), end)) = counted_steps(after, scene)
    {
        return Some((in_its_week(&steps, sign, weekday, scene)?, end));
    }
    let ((steps, tilt, sign), after) = counted_steps(c, scene)?;
    if let Some(end) = after.word("today") {
        let sense = sense_of(&steps, Tilt::Exact, sign, scene)?;
        return Some((Place::settled(sense), end));
    }
    if let Some((weekday, end)) = after.word("on").and_then(any_weekday)
        && let Some(place) = in_its_week(&steps, sign, weekday, scene)
    {
        return Some((place, end));
    }
    if let Some((weekday, end)) = any_weekday(after).filter(|_| sign < 0)
        && let Some(place) = weeks_before(&steps, weekday, scene)
    {
        return Some((place, end));
    }
    Some((Place::settled(sense_of(&steps, tilt, sign, scene)?), after))
}

/// `an hour ago`, `20 minutes ago`: finer than days.
pub(super) fn counted_moment<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Timed> {
    if let Some(after) = c.words("just now") {
        let since = scene.now.timestamp().checked_sub(SignedDuration::from_mins(15)).ok()?;
        let slack = SignedDuration::from_mins(45);
        let when = scene.moment(since, scene.now.timestamp(), slack, Origin::Counted)?;
        return Some(((when, Confidence::Likely), after));
    }
    let ((steps, tilt, sign), after) = counted_steps(c, scene)?;
    Some((moment_of(&steps, tilt, sign, scene)?, after))
}

type Counted = (Vec<Step>, Tilt, i64);

fn counted_steps<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Counted> {
    let (tilt, start) = tilt(c);
    if !start.begins_with(COUNT | UNIT | IN) {
        return None;
    }
    if let Some((steps, after)) = unsaid(start) {
        return Some(((steps, tilt, -1), after));
    }
    if let Some(after) = c.word("in") {
        let (tilt, after) = super::steps::tilt(after);
        let (steps, after) = steps(after)?;
        let said = after.previous().is_some_and(|unit| unit.possessive);
        let end = after.word("time").filter(|_| said);
        let ahead = scene.lean != Lean::Past && closes(after) && finest(&steps) > Unit::Minute;
        return Some(((steps, tilt, 1), end.or(ahead.then_some(after))?));
    }
    let (steps, after) = steps(start)?;
    if let Some(end) = after.word("ago").or_else(|| back(after)) {
        return Some(((steps, tilt, -1), end));
    }
    Some(((steps, tilt, 1), after.one_of(&["from now", "from today", "hence"])?))
}

/// `two years back`; "for 4 days back in February" is something else.
fn back(c: Cursor<'_>) -> Option<Cursor<'_>> {
    let other = ["in", "at", "to", "on", "from", "home", "and", "with", "then"];
    c.word("back").filter(|after| after.any(&other).is_none())
}

/// `weeks ago`, without a number anywhere before it.
fn unsaid(c: Cursor<'_>) -> Read<'_, Vec<Step>> {
    let (_, unit, count) = UNSAID.iter().find(|(name, ..)| Some(*name) == c.text())?;
    let after = c.step().word("ago")?;
    let figures = c.previous().is_some_and(|t| !matches!(t.kind, Kind::Word | Kind::Mark(_)));
    (!figures).then(|| (vec![Step { count: *count, unit: *unit }], after))
}

/// What so many units before or after today mean.
pub(super) fn sense_of(steps: &[Step], tilt: Tilt, sign: i64, scene: &Scene<'_>) -> Option<Sense> {
    let sense = sense_from(scene.today, steps, sign)?;
    match tilt {
        Tilt::Plain => Some(sense),
        Tilt::Exact => {
            Some(Sense { days: sense.likely.unwrap_or(sense.days), reach: None, ..sense })
        }
        Tilt::About => sense.about(),
        Tilt::Over => {
            let days = sense.days.widened(sense.days.length().max(1), 0)?;
            Some(Sense { days, ..sense }.within(days.length(), 0).unsure())
        }
        Tilt::Under => {
            let first = sense.likely.unwrap_or(sense.days).first;
            let days =
                Days::run(first.min(scene.today), first.max(scene.tomorrow()?), Precision::Day)?;
            Some(Sense::counted(days).unsure())
        }
    }
}

/// What so many units before or after a day mean.
pub(super) fn sense_from(day: Date, steps: &[Step], sign: i64) -> Option<Sense> {
    let (last, before) = steps.split_last()?;
    let start = before
        .iter()
        .try_fold(day, |day, step| moved(day, sign * i64::from(step.count.likely), step.unit))?;
    let at = |count: u32| counted_from(start, sign * i64::from(count), last.unit);
    let likely = at(last.count.likely)?;
    let halved = before.last().is_some_and(|step| step.count.half);
    if halved {
        return likely.about();
    }
    if last.count.is_exact() {
        return Some(likely);
    }
    let (low, high) = (at(last.count.low)?, at(last.count.high)?);
    Some(Sense {
        days: low.days.hull(high.days),
        likely: Some(likely.days),
        reach: Some(low.reach_or_days().hull(high.reach_or_days())),
        ..likely.unsure()
    })
}

fn in_its_week(steps: &[Step], sign: i64, weekday: Weekday, scene: &Scene<'_>) -> Option<Place> {
    let sense = sense_of(steps, Tilt::Plain, sign, scene)?;
    let day = sense.days.weekday(weekday).filter(|_| finest(steps) == Unit::Week)?;
    Some(Place::settled(Sense::counted(Days::one(day)?)))
}

/// `a week ago Friday`: a week before the latest Friday; some mean the Friday of that week.
fn weeks_before(steps: &[Step], weekday: Weekday, scene: &Scene<'_>) -> Option<Place> {
    let [Step { count, unit: Unit::Week }] = steps else { return None };
    let latest = Named::Weekday(weekday).before(scene.today, 1)?;
    let day = Days::one(plus(latest.first, -7 * i64::from(count.likely))?)?;
    Some(Place::settled(Sense::counted(day).within(0, 7).unsure()))
}

fn moment_of(steps: &[Step], tilt: Tilt, sign: i64, scene: &Scene<'_>) -> Option<Timed> {
    let finest = finest(steps);
    let last = steps.last()?.count;
    if finest > Unit::Hour {
        return None;
    }
    let (near, far) =
        (shifted(steps, sign, scene, |c| c.low)?, shifted(steps, sign, scene, |c| c.high)?);
    let tenth = i64::from(last.likely / 10).max(1);
    let halved = steps.iter().any(|step| step.count.half);
    let minutes = if finest == Unit::Hour {
        30
    } else if halved {
        10
    } else {
        tenth
    };
    let half = SignedDuration::from_mins(if tilt == Tilt::About { 2 * minutes } else { minutes });
    let since = near.min(far).checked_sub(half).ok()?;
    let until = near.max(far).checked_add(half).ok()?;
    let sure = if last.is_exact() { Confidence::Certain } else { Confidence::Likely };
    Some((scene.moment(since, until, half, Origin::Counted)?, sure))
}

fn shifted(
    steps: &[Step],
    sign: i64,
    scene: &Scene<'_>,
    number: fn(Count) -> u32,
) -> Option<Timestamp> {
    let moved = steps.iter().try_fold(scene.now.clone(), |at, step| {
        let count = sign * i64::from(number(step.count));
        let span = match step.unit {
            Unit::Minute => Span::new().try_minutes(count),
            Unit::Hour => Span::new().try_hours(count),
            unit => {
                return at
                    .datetime()
                    .checked_add(whole(unit, count)?)
                    .ok()?
                    .to_zoned(at.time_zone().clone())
                    .ok();
            }
        };
        at.checked_add(span.ok()?).ok()
    })?;
    Some(moved.timestamp())
}

fn whole(unit: Unit, count: i64) -> Option<Span> {
    let span = Span::new();
    match unit {
        Unit::Week => span.try_weeks(count).ok(),
        Unit::Month => span.try_months(count).ok(),
        Unit::Year => span.try_years(count).ok(),
        _ => span.try_days(count).ok(),
    }
}

/// Words that can begin a fuzzy time.
pub(super) fn fuzzy_words() -> Vec<&'static str> {
    FUZZY.map(|(words, _)| words).to_vec()
}

//! Last, this and next: "last week", "this past Friday", "next summer", "this time last year".

use super::Precision;
use super::calendar::{any_weekday, full_month, season, weekday};
use super::cursor::{Cursor, Read};
use super::days::{Days, Unit, moved};
use super::holidays::holiday_at;
use super::lexer::Kind;
use super::named::Named;
use super::place::place;
use super::scene::Scene;
use super::sense::{Place, Sense, What};
use super::steps::unit;
use super::vocabulary::compounds;

/// Which one is meant, seen from now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Last,
    This,
    Next,
}

/// Words for a turn, longer ones first.
const TURNS: [(&str, Turn); 14] = [
    ("this past", Turn::Last),
    ("this last", Turn::Last),
    ("this previous", Turn::Last),
    ("this coming", Turn::Next),
    ("this current", Turn::This),
    ("this", Turn::This),
    ("the current", Turn::This),
    ("current", Turn::This),
    ("last", Turn::Last),
    ("past", Turn::Last),
    ("previous", Turn::Last),
    ("next", Turn::Next),
    ("coming", Turn::Next),
    ("upcoming", Turn::Next),
];

/// Units that a turn can stand before; "last minute" and "this day" are other things.
const TURNING: [Unit; 6] =
    [Unit::Weekend, Unit::Week, Unit::Month, Unit::Quarter, Unit::Year, Unit::Decade];

impl Turn {
    fn steps(self) -> i64 {
        match self {
            Self::Last => -1,
            Self::This => 0,
            Self::Next => 1,
        }
    }
}

/// `last week`, `this Friday`, `next March`, `last Christmas`.
pub(super) fn turned<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    let (turn, after) = c.pick(&TURNS)?;
    if let Some((sense, end)) = turned_unit(turn, after, scene) {
        let inside = weekday_of(sense, end).or_else(|| name_of(sense, end, scene));
        return Some(inside.unwrap_or((Place::settled(sense), end)));
    }
    let (named, end) = named_at(after)?;
    let sense = turned_name(turn, named, scene)?;
    Some((Place::settled(sense), end))
}

fn turned_unit<'t>(turn: Turn, c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Sense> {
    let ((unit, times), after) = unit(c)?;
    let plural = c.text()?.ends_with('s');
    if plural || times > 1 || !TURNING.contains(&unit) {
        return None;
    }
    if unit == Unit::Weekend {
        return Some((turned_name(turn, Named::Weekend, scene)?, after));
    }
    let sense = Sense::counted(scene.unit(unit, turn.steps())?);
    let slack = match (turn, unit) {
        (Turn::This, _) => 0,
        (_, Unit::Week) => 3,
        (_, Unit::Month) => 7,
        (_, Unit::Quarter) => 14,
        _ => 31,
    };
    Some((sense.within(slack, slack), after))
}

/// `last week on Friday`: a weekday of the week just read.
fn weekday_of(week: Sense, c: Cursor<'_>) -> Read<'_, Place> {
    let (weekday, after) = weekday(c.comma().maybe(&["on"]))?;
    let day = week.days.weekday(weekday).filter(|_| week.days.length() == 7)?;
    Some((Place::settled(Sense::counted(Days::one(day)?)), after))
}

/// `last year in March`, `last year's Christmas`: a yearly name of the year just read.
fn name_of<'t>(year: Sense, c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    let whole = (365..=366).contains(&year.days.length()).then_some(year.days.first.year())?;
    let start = c.comma().maybe(&["in", "on", "at"]);
    let (place, after) = place(start.deeper()?, scene)?;
    let What::Recurring(named, slice) = place.what else { return None };
    let days = named.in_year(whole)?;
    let days = slice.map_or(Some(days), |slice| slice.cut(days))?;
    Some((Place::settled(Sense::counted(days)), after.level_with(c)))
}

/// A name that a turn can stand before.
pub(super) fn named_at(c: Cursor<'_>) -> Read<'_, Named> {
    any_weekday(c)
        .map(|(weekday, after)| (Named::Weekday(weekday), after))
        .or_else(|| full_month(c).map(|(month, after)| (Named::Month(month), after)))
        .or_else(|| season(c).map(|(season, after)| (Named::Season(season), after)))
        .or_else(|| holiday_at(c).map(|(holiday, after)| (Named::Holiday(holiday), after)))
        .filter(|(_, after)| !compounds(*after))
}

fn turned_name(turn: Turn, named: Named, scene: &Scene<'_>) -> Option<Sense> {
    let days = match turn {
        Turn::Last => named.before(scene.today, 1)?,
        Turn::This => named.present(scene.today)?,
        Turn::Next => named.after(scene.tomorrow()?, 1)?,
    };
    let sense = Sense::counted(days);
    Some(match (named, turn) {
        (Named::Weekday(_), Turn::Last) => sense.within(7, 0),
        (Named::Weekday(_), Turn::Next) => sense.within(0, 7),
        (Named::Weekend, Turn::This) => sense.within(7, 1),
        (Named::Weekend | Named::Holiday(_), _) => sense.within(1, 1),
        (Named::Season(_), _) => sense.within(21, 21),
        _ => sense,
    })
}

/// `Friday last week`, `Friday of next week`, `the Monday of this week`.
pub(super) fn weekday_in_turn<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    let (weekday, after) = weekday(c.maybe(&["the"]))?;
    let after = after.comma().maybe(&["of", "in"]);
    let (week, end) = match after.words("the week before last") {
        Some(end) => (scene.unit(Unit::Week, -2)?, end),
        None => {
            let (turn, after) = after.pick(&TURNS)?;
            (scene.unit(Unit::Week, turn.steps())?, after.word("week")?)
        }
    };
    Some((Place::settled(Sense::counted(Days::one(week.weekday(weekday)?)?)), end))
}

/// `last month`, `this month`: the month of "the 3rd of last month".
pub(super) fn month_by_turn<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Sense> {
    if let Some(end) = c.words("the month") {
        return Some((Sense::counted(scene.unit(Unit::Month, 0)?), end));
    }
    let (turn, after) = c.pick(&TURNS)?;
    Some((Sense::counted(scene.unit(Unit::Month, turn.steps())?), after.word("month")?))
}

/// `the week`, `the month`, `the year`: the present one, where "of" stands before it.
pub(super) fn present_unit<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    let ((unit, times), after) = unit(c.word("the")?)?;
    let long = matches!(unit, Unit::Week | Unit::Month | Unit::Quarter | Unit::Year | Unit::Decade);
    let singular = times == 1 && !c.step().text()?.ends_with('s');
    let followed = matches!(after.kind(), Some(Kind::Number(_)));
    (long && singular && !followed)
        .then(|| Some((Place::settled(Sense::counted(scene.unit(unit, 0)?)), after)))?
}

/// `the weekend`: the one that a preposition and the lean choose.
pub(super) fn the_weekend<'t>(c: Cursor<'t>, _: &Scene<'_>) -> Read<'t, Place> {
    Some((Place::recurring(Named::Weekend), c.words("the weekend")?))
}

/// `this time last year`: the day itself and a few around it.
pub(super) fn this_time<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    let after = c.one_of(&["this time", "about this time", "around this time"])?;
    let (turn, after) = after.pick(&TURNS)?;
    let ((unit, times), end) = unit(after)?;
    let around = match unit {
        Unit::Week => 1,
        Unit::Month => 5,
        Unit::Year => 15,
        _ => return None,
    };
    let day = moved(scene.today, turn.steps() * i64::from(times), unit)?;
    let days = Days::one(day)?.widened(around, around)?.known_to(Precision::Day);
    Some((Place::settled(Sense::counted(days).likely_on(day).within(around, around)), end))
}

/// Words that can begin a turn.
pub(super) fn words() -> Vec<&'static str> {
    TURNS.map(|(words, _)| words).to_vec()
}

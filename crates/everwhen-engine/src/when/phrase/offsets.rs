//! Times beside another time in the phrase: "the week before 9 June", "three days after Easter",
//! "the weekend of May 8", "the Friday before last".

use super::Precision;
use super::classes::{NONE, NTH};
use super::counts::{ordinal, quantity};
use super::cursor::{Cursor, Read};
use super::days::{Days, Unit, moved};
use super::named::{Named, Season};
use super::place::place;
use super::relative::sense_from;
use super::scene::Scene;
use super::sense::{Place, Sense};
use super::steps::{Step, UNITS, finest, steps, unit};
use super::turns::named_at;

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

/// Which side of the other time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

const SIDES: [(&str, Side); 11] = [
    ("right before", Side::Before),
    ("just before", Side::Before),
    ("immediately before", Side::Before),
    ("before", Side::Before),
    ("prior to", Side::Before),
    ("preceding", Side::Before),
    ("leading up to", Side::Before),
    ("right after", Side::After),
    ("just after", Side::After),
    ("after", Side::After),
    ("following", Side::After),
];

impl Side {
    fn sign(self) -> i64 {
        if self == Self::Before { -1 } else { 1 }
    }

    /// The how-manieth of this name on this side of some days.
    fn names(self, named: Named, base: Days, nth: i64) -> Option<Days> {
        match self {
            Self::Before => named.before(base.first, nth),
            Self::After => named.after(base.end, nth),
        }
    }
}

/// The other time, one phrase deeper.
pub(super) fn other<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Sense> {
    let (place, after) = place(c.deeper()?, scene)?;
    Some((place.resolve(scene)?, after.level_with(c)))
}

/// Days found from another time: as surely, and from where it was found.
pub(super) fn found_from(base: Sense, days: Days) -> Sense {
    Sense { sure: base.sure, origin: base.origin, ..Sense::written(days) }
}

/// `the week before 9 June 2023`, `the Friday after Easter`, `the day before yesterday`.
pub(super) fn beside<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    let start = c.maybe(&["the"]);
    let (nth, named) = ordinal(start).unwrap_or((1, start));
    let counted = start.previous().is_some_and(|token| token.classes & NTH != NONE);
    let (what, after) = neighbor(named).filter(|_| !counted)?;
    let (side, after) = after.pick(&SIDES)?;
    let (base, end) = other(after, scene)?;
    Some((Place::settled(what.beside(base, side, i64::from(nth))?), end))
}

/// `the week before last`, `the Friday before last`.
pub(super) fn before_last<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    let (what, after) = neighbor(c.maybe(&["the"]))?;
    let end = after.words("before last")?;
    let sense = match what {
        Neighbor::Unit(Unit::Day) => return None,
        Neighbor::Unit(unit) => Sense::counted(scene.unit(unit, -2)?),
        Neighbor::Name(named) => Sense::counted(named.before(scene.today, 2)?),
    };
    Some((Place::settled(sense), end))
}

/// What can stand beside another time.
#[derive(Debug, Clone, Copy)]
pub(super) enum Neighbor {
    Unit(Unit),
    Name(Named),
}

fn neighbor(c: Cursor<'_>) -> Read<'_, Neighbor> {
    if let Some(after) = c.word("weekend") {
        return Some((Neighbor::Name(Named::Weekend), after));
    }
    if let Some(((unit, times), after)) = unit(c) {
        let singular = times == 1 && !c.text()?.ends_with('s') && unit > Unit::Hour;
        return singular.then_some((Neighbor::Unit(unit), after));
    }
    named_at(c).map(|(named, after)| (Neighbor::Name(named), after))
}

impl Neighbor {
    fn beside(self, base: Sense, side: Side, nth: i64) -> Option<Sense> {
        match self {
            Self::Name(named) => {
                let days = side.names(named, base.days, nth)?;
                let slack = i64::from(!days.is_day());
                Some(found_from(base, days).within(slack, slack))
            }
            Self::Unit(unit) => {
                let days = nth_beside(base.days, nth, unit, side)?;
                let slack = if unit == Unit::Day { 0 } else { days.length() / 2 + 1 };
                let (before, after) = if side == Side::Before { (slack, 0) } else { (0, slack) };
                Some(found_from(base, days).within(before, after))
            }
        }
    }
}

/// The how-manieth unit before or after some days.
fn nth_beside(base: Days, nth: i64, unit: Unit, side: Side) -> Option<Days> {
    let all = run_beside(base, nth, unit, side)?;
    if nth == 1 {
        return Some(all);
    }
    let nearer = run_beside(base, nth - 1, unit, side)?;
    match side {
        Side::Before => Days::run(all.first, nearer.first, all.precision),
        Side::After => Days::run(nearer.end, all.end, all.precision),
    }
}

/// The run of so many units that ends where the other time begins, or begins where it ends. Beside
/// a whole month or year it is the next calendar one.
fn run_beside(base: Days, count: i64, unit: Unit, side: Side) -> Option<Days> {
    let precision = if base.is_day() { Precision::Day } else { base.precision };
    match side {
        Side::Before => Days::run(moved(base.first, -count, unit)?, base.first, precision),
        Side::After => Days::run(base.end, moved(base.end, count, unit)?, precision),
    }
}

/// `three days after 2023-05-04`, `two weekends before 17 July`, `a week from Friday`.
pub(super) fn distant<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    if let Some(read) = distant_names(c, scene) {
        return Some(read);
    }
    let (steps, after) = steps(c)?;
    if let Some(start) = after.word("from") {
        return ahead_of(&steps, start, scene);
    }
    let (side, after) = after.pick(&SIDES)?;
    let (base, end) = other(after, scene)?;
    let day = if side == Side::Before { base.days.first } else { base.days.last() };
    if finest(&steps) < Unit::Day {
        return None;
    }
    let sense = sense_from(day, &steps, side.sign())?;
    let sure = sense.sure.min(base.sure);
    Some((Place::settled(Sense { origin: base.origin, sure, ..sense }), end))
}

/// `a week from Friday`: counted from one to come, and to the day.
fn ahead_of<'t>(steps: &[Step], c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    let (place, after) = place(c.deeper()?, scene)?;
    let base = place.next(scene.today).filter(|sense| sense.days.is_day())?;
    let sense = sense_from(base.days.first, steps, 1).filter(|_| finest(steps) >= Unit::Day)?;
    let day = sense.likely.unwrap_or(sense.days);
    Some((Place::settled(found_from(base, day)), after.level_with(c)))
}

/// `two Fridays ago`, `two summers before 2020`.
fn distant_names<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    let (count, after) = quantity(c)?;
    let (named, after) = after.pick(&PLURALS)?;
    if let Some(end) = after.any(&["ago", "back"]) {
        let near = named.before(scene.today, i64::from(count.low))?;
        let far = named.before(scene.today, i64::from(count.high))?;
        let sense = Sense::counted(near.hull(far)).within(1, 1);
        return Some((Place::settled(if count.is_exact() { sense } else { sense.unsure() }), end));
    }
    let count = i64::from(count.is_exact().then_some(count.likely)?);
    if let Some(end) = after.words("from now") {
        let days = named.after(scene.tomorrow()?, count)?;
        return Some((Place::settled(Sense::counted(days).within(1, 1)), end));
    }
    let (side, after) = after.pick(&SIDES)?;
    let (base, end) = other(after, scene)?;
    let days = side.names(named, base.days, count)?;
    Some((Place::settled(found_from(base, days).within(1, 1)), end))
}

/// `the two weeks before Christmas`: all of them.
pub(super) fn run_up<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    let (steps, after) = steps(c.word("the")?)?;
    let (side, after) = after.pick(&SIDES)?;
    let (base, end) = other(after, scene)?;
    let [step] = steps.as_slice() else { return None };
    if step.unit < Unit::Day || step.unit == Unit::Weekend {
        return None;
    }
    let days = run_beside(base.days, i64::from(step.count.likely), step.unit, side)?;
    Some((Place::settled(found_from(base, days)), end))
}

/// `the week of May 8`, `the weekend of 17 July`.
pub(super) fn week_of<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    let (unit, after) = c.maybe(&["the"]).pick(&[
        ("week of", Unit::Week),
        ("weekend of", Unit::Weekend),
        ("month of", Unit::Month),
    ])?;
    let (base, end) = other(after, scene)?;
    let days = Days::around(base.days.first, unit)?;
    (base.days.length() <= 31).then_some((Place::settled(found_from(base, days)), end))
}

/// Words that can begin a time beside another, and plurals that can be counted from now.
pub(super) fn words() -> Vec<&'static str> {
    UNITS.map(|(word, _)| word).into_iter().chain(["final"]).collect()
}

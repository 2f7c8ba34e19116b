//! Times inside another time in the phrase: "the second Tuesday of June", "the first two weeks of
//! May", "the last day of 2022".

use super::Date;
use super::calendar::weekday;
use super::counts::{ordinal, quantity};
use super::cursor::{Cursor, Read};
use super::days::{Days, Unit, moved, plus};
use super::named::Named;
use super::offsets::{Neighbor, found_from, other};
use super::scene::Scene;
use super::sense::{Place, Sense};
use super::slice::nth_week;
use super::steps::{UNITS, unit};
use super::turns::present_unit;

/// `the first two weeks of May`, `the last few days of 2022`.
pub(super) fn edge_inside<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    let (first, after) =
        c.maybe(&["the"]).pick(&[("first", true), ("last", false), ("final", false)])?;
    let (count, after) = quantity(after).unwrap_or((super::counts::FEW, after));
    let ((unit, times), after) =
        unit(after).filter(|_| after.text().is_some_and(|w| w.ends_with('s')))?;
    let (base, end) = container(after.any(&["of", "in"])?, scene)?;
    let length = i64::from(count.likely.checked_mul(times)?);
    let days = if first {
        Days::run(base.days.first, moved(base.days.first, length, unit)?, base.days.precision)?
    } else {
        Days::run(moved(base.days.end, -length, unit)?, base.days.end, base.days.precision)?
    };
    let sense = found_from(base, days.known_to(super::Precision::Day));
    let fits = unit > Unit::Hour && unit != Unit::Weekend && days.length() < base.days.length();
    fits.then_some((Place::settled(if count.is_exact() { sense } else { sense.unsure() }), end))
}

/// `the second Tuesday of June`, `the last week of May`, `the first day of 2023`.
pub(super) fn nth_inside<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    let c = c.maybe(&["the"]);
    let (nth, after) = match c.any(&["last", "final"]) {
        Some(after) => (None, after),
        None => ordinal(c).map(|(nth, after)| (Some(nth), after))?,
    };
    let (what, after) = inside_unit(after)?;
    let (base, end) = container(after.any(&["of", "in"])?, scene)?;
    let days = nth_of(what, nth, base.days)?;
    let inside =
        base.days.hull(days).length() == base.days.length() && days.length() < base.days.length();
    inside.then_some((Place::settled(found_from(base, days)), end))
}

fn inside_unit(c: Cursor<'_>) -> Read<'_, Neighbor> {
    if let Some((weekday, after)) = weekday(c) {
        return Some((Neighbor::Name(Named::Weekday(weekday)), after));
    }
    if let Some(after) = c.word("weekend") {
        return Some((Neighbor::Name(Named::Weekend), after));
    }
    let (word, after) = (c.text()?, c.step());
    let found = UNITS.iter().find(|(name, (unit, _))| *name == word && *unit >= Unit::Day)?;
    Some((Neighbor::Unit(found.1.0), after)).filter(|_| !word.ends_with('s'))
}

fn container<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Sense> {
    let (sense, after) = match present_unit(c, scene) {
        Some((place, after)) => (place.resolve(scene)?, after),
        None => other(c, scene)?,
    };
    (sense.days.length() >= 7).then_some((sense, after))
}

fn nth_of(what: Neighbor, nth: Option<u32>, base: Days) -> Option<Days> {
    let count = nth.map(i64::from);
    match what {
        Neighbor::Name(named) => match count {
            Some(nth) => named.after(base.first, nth),
            None => named.before(base.end, 1),
        },
        Neighbor::Unit(Unit::Week) => nth_week(base, nth),
        Neighbor::Unit(Unit::Day) => Days::one(nth_day(base, count)?),
        Neighbor::Unit(unit) => {
            let first = match count {
                Some(nth) => moved(base.first, nth - 1, unit)?,
                None => base.last(),
            };
            Days::around(first, unit)
        }
    }
}

fn nth_day(base: Days, nth: Option<i64>) -> Option<Date> {
    match nth {
        Some(nth) => plus(base.first, nth - 1),
        None => Some(base.last()),
    }
}

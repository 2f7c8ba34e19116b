//! Words for some days, whichever family of the grammar reads them: the longest reading wins.

use super::calendar::{self, any_weekday, weekday};
use super::classes::{
    COUNT, Classes, DAY, DECADE, FIGURES, HOLIDAY, IN, MONTH, NTH, PLACE, QUARTER, SEASON, SLICE,
    THE, TILT, TURN, UNIT, WEEKDAY,
};
use super::cursor::{Cursor, Read};
use super::named::Named;
use super::scene::Scene;
use super::sense::{Place, What};
use super::slice::Slice;
use super::{inside, offsets, relative, turns};

type Rule = for<'t> fn(Cursor<'t>, &Scene<'_>) -> Read<'t, Place>;

/// Each rule with what it can begin with.
const RULES: [(Classes, Rule); 23] = [
    (FIGURES, calendar::figures),
    (WEEKDAY | MONTH | COUNT | NTH | THE, calendar::date),
    (THE, calendar::day_of_month),
    (COUNT | THE | UNIT, calendar::year),
    (SEASON | THE, calendar::season_of),
    (COUNT | QUARTER | NTH | THE, calendar::quarter),
    (DECADE | THE, calendar::decade),
    (HOLIDAY | THE, calendar::holiday),
    (WEEKDAY, weekday_name),
    (DAY, relative::day_word),
    (WEEKDAY | TILT | COUNT | UNIT | IN, relative::counted),
    (TURN, turns::turned),
    (WEEKDAY | THE, turns::weekday_in_turn),
    (TURN | TILT, turns::this_time),
    (THE, turns::the_weekend),
    (THE | NTH | UNIT | WEEKDAY | MONTH | SEASON | HOLIDAY, offsets::beside),
    (THE | UNIT | WEEKDAY | MONTH | SEASON | HOLIDAY, offsets::before_last),
    (COUNT, offsets::distant),
    (THE, offsets::run_up),
    (THE | UNIT, offsets::week_of),
    (THE | NTH | TURN | UNIT, inside::nth_inside),
    (THE | NTH | TURN | UNIT, inside::edge_inside),
    (SLICE, sliced),
];

/// Words for a part of what follows them.
const SLICES: [(&str, Slice); 22] = [
    ("early in", Slice::Early),
    ("early", Slice::Early),
    ("the early", Slice::Early),
    ("the beginning of", Slice::Early),
    ("beginning of", Slice::Early),
    ("the start of", Slice::Early),
    ("start of", Slice::Early),
    ("mid", Slice::Mid),
    ("the mid", Slice::Mid),
    ("the middle of", Slice::Mid),
    ("middle of", Slice::Mid),
    ("late in", Slice::Late),
    ("late", Slice::Late),
    ("the late", Slice::Late),
    ("the end of", Slice::Late),
    ("end of", Slice::Late),
    ("toward the end of", Slice::Late),
    ("towards the end of", Slice::Late),
    ("the first half of", Slice::FirstHalf),
    ("first half of", Slice::FirstHalf),
    ("the second half of", Slice::SecondHalf),
    ("second half of", Slice::SecondHalf),
];

/// The days named here.
pub(super) fn place<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    if is_idle(c) {
        return None;
    }
    RULES
        .iter()
        .filter(|(classes, _)| c.begins_with(*classes))
        .filter_map(|(_, rule)| rule(c, scene))
        .max_by_key(|(_, after)| after.position())
}

/// Whether an article stands here before a word that no rule goes on with, as most do.
fn is_idle(c: Cursor<'_>) -> bool {
    match c.text() {
        Some("the") => !c.step().begins_with(PLACE),
        Some("a" | "an") => {
            !c.step().begins_with(COUNT | UNIT) && c.step().word("little").is_none()
        }
        _ => false,
    }
}

/// A bare weekday; a short one only with a capital, since "sat" and "sun" are words.
fn weekday_name<'t>(c: Cursor<'t>, _: &Scene<'_>) -> Read<'t, Place> {
    let full = weekday(c);
    let short = || any_weekday(c).filter(|_| c.peek().is_some_and(|token| token.capital));
    let (weekday, after) = full.or_else(short)?;
    Some((Place::recurring(Named::Weekday(weekday)), after))
}

/// `early 2021`, `mid-March`, `the end of last year`.
fn sliced<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    let (slice, after) = c.pick(&SLICES)?;
    let after = after.hyphen().deeper()?;
    let (whole, end) = turns::present_unit(after, scene).or_else(|| place(after, scene))?;
    let long = match whole.what {
        What::Settled(sense) => sense.days.length() >= 7,
        What::Recurring(named, _) => {
            matches!(named, Named::Month(_) | Named::Season(_) | Named::Quarter(_) | Named::Half(_))
        }
    };
    let part = whole.sliced(slice).filter(|_| long && !is_age(c, whole))?;
    Some((part, end.level_with(c)))
}

/// Whether a decade is somebody's: "in her early thirties".
fn is_age(c: Cursor<'_>, whole: Place) -> bool {
    let decade = matches!(whole.what, What::Settled(sense) if sense.days.length() > 3600);
    let owned = |word| matches!(word, "my" | "your" | "his" | "her" | "our" | "their");
    decade && c.previous().is_some_and(|token| token.possessive || owned(token.text))
}

/// Words that can begin a part of a stretch.
pub(super) fn slice_words() -> Vec<&'static str> {
    SLICES.map(|(words, _)| words).to_vec()
}

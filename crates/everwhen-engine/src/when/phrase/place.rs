//! Words for some days, whichever family of the grammar reads them: the longest reading wins.

use super::calendar::{self, any_weekday, weekday};
use super::cursor::{Cursor, Read};
use super::named::Named;
use super::scene::Scene;
use super::sense::{Place, What};
use super::slice::Slice;
use super::{offsets, relative, turns};

type Rule = for<'t> fn(Cursor<'t>, &Scene<'_>) -> Read<'t, Place>;

const RULES: [Rule; 24] = [
    calendar::figures,
    calendar::date,
    calendar::day_of_month,
    calendar::year,
    calendar::season_of,
    calendar::quarter,
    calendar::decade,
    calendar::holiday,
    weekday_name,
    relative::day_word,
    relative::fuzzy,
    relative::counted,
    turns::turned,
    turns::weekday_in_turn,
    turns::this_time,
    turns::the_weekend,
    offsets::beside,
    offsets::before_last,
    offsets::distant,
    offsets::run_up,
    offsets::week_of,
    offsets::nth_inside,
    sliced,
    now,
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
    c.peek()?;
    RULES.iter().filter_map(|rule| rule(c, scene)).max_by_key(|(_, after)| after.position())
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
    let part = whole.sliced(slice).filter(|_| long)?;
    Some((part, end.level_with(c)))
}

/// `now`, where a stretch ends or begins with it; alone it asks about no time.
fn now<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Place> {
    let after = c.one_of(&["right now", "now", "the present"])?;
    let today = super::days::Days::one(scene.today)?;
    Some((Place::settled(super::sense::Sense::counted(today)).weak(), after))
}

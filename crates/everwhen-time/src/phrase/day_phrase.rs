//! Words for some days, whichever family of the grammar reads them: the longest reading wins.

use super::calendar::{self, any_weekday, weekday};
use super::classes::{
    COUNT, Classes, DAY, DECADE, FIGURES, HOLIDAY, IN, MODIFIER, MONTH, NTH, PART, PLACE, QUARTER,
    SEASON, THE, TURN, UNIT, WEEKDAY,
};
use super::context::Context;
use super::cursor::{Cursor, Read};
use super::named::Named;
use super::parts::Part;
use super::sense::{DayPhrase, DayPhraseKind};
use super::{inside, last_next, offsets, relative};

type DayRule = for<'t> fn(Cursor<'t>, &Context<'_>) -> Read<'t, DayPhrase>;

/// Each rule with what it can begin with.
const RULES: [(Classes, DayRule); 23] = [
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
    (WEEKDAY | MODIFIER | COUNT | UNIT | IN, relative::counted),
    (TURN, last_next::turned),
    (WEEKDAY | THE, last_next::weekday_in_turn),
    (TURN | MODIFIER, last_next::this_time),
    (THE, last_next::the_weekend),
    (THE | NTH | UNIT | WEEKDAY | MONTH | SEASON | HOLIDAY, offsets::beside),
    (THE | UNIT | WEEKDAY | MONTH | SEASON | HOLIDAY, offsets::before_last),
    (COUNT, offsets::distant),
    (THE, offsets::run_up),
    (THE | UNIT, offsets::week_of),
    (THE | NTH | TURN | UNIT, inside::nth_inside),
    (THE | NTH | TURN | UNIT, inside::edge_inside),
    (PART, sliced),
];

/// Words for a part of what follows them.
const PARTS: [(&str, Part); 22] = [
    ("early in", Part::Early),
    ("early", Part::Early),
    ("the early", Part::Early),
    ("the beginning of", Part::Early),
    ("beginning of", Part::Early),
    ("the start of", Part::Early),
    ("start of", Part::Early),
    ("mid", Part::Mid),
    ("the mid", Part::Mid),
    ("the middle of", Part::Mid),
    ("middle of", Part::Mid),
    ("late in", Part::Late),
    ("late", Part::Late),
    ("the late", Part::Late),
    ("the end of", Part::Late),
    ("end of", Part::Late),
    ("toward the end of", Part::Late),
    ("towards the end of", Part::Late),
    ("the first half of", Part::FirstHalf),
    ("first half of", Part::FirstHalf),
    ("the second half of", Part::SecondHalf),
    ("second half of", Part::SecondHalf),
];

/// The days named here.
pub(super) fn day_phrase<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    if is_idle(c) {
        return None;
    }
    RULES
        .iter()
        .filter(|(classes, _)| c.begins_with(*classes))
        .filter_map(|(_, rule)| rule(c, context))
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
fn weekday_name<'t>(c: Cursor<'t>, _: &Context<'_>) -> Read<'t, DayPhrase> {
    let full = weekday(c);
    let short = || any_weekday(c).filter(|_| c.peek().is_some_and(|token| token.capital));
    let (weekday, after) = full.or_else(short)?;
    Some((DayPhrase::recurring(Named::Weekday(weekday)), after))
}

/// `early 2021`, `mid-March`, `the end of last year`.
fn sliced<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let (part, after) = c.pick(&PARTS)?;
    let after = after.hyphen().deeper()?;
    let (whole, end) =
        last_next::present_span(after, context).or_else(|| day_phrase(after, context))?;
    let long = match whole.what {
        DayPhraseKind::Settled(sense) => sense.days.length() >= 7,
        DayPhraseKind::Recurring(named, _) => {
            matches!(named, Named::Month(_) | Named::Season(_) | Named::Quarter(_) | Named::Half(_))
        }
    };
    let part = whole.sliced(part).filter(|_| long && !is_age(c, whole))?;
    Some((part, end.level_with(c)))
}

/// Whether a decade is an age: "in her early thirties".
fn is_age(c: Cursor<'_>, whole: DayPhrase) -> bool {
    let decade = matches!(whole.what, DayPhraseKind::Settled(sense) if sense.days.length() > 3600);
    let owned = |word| matches!(word, "my" | "your" | "his" | "her" | "our" | "their");
    decade && c.previous().is_some_and(|token| token.possessive || owned(token.text))
}

/// Words that can begin a part of a stretch.
pub(super) fn part_words() -> Vec<&'static str> {
    PARTS.map(|(words, _)| words).to_vec()
}

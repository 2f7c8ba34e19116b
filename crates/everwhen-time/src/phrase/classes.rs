//! What a word can begin. Found once per token, so that most tokens are passed over at once and
//! most rules are never tried: this is what keeps reading in microseconds.
//!
//! The classes are made from the tables of the grammar itself; a word added to a table is known
//! here without another edit.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::lexer::Kind;
use super::{
    ambiguity, amounts, calendar, clock, counts, day_phrase, holidays, last_next, ordinals,
    questions, ranges, relative, units,
};

/// A set of classes.
pub(super) type Classes = u32;

pub(super) const NONE: Classes = 0;
pub(super) const THE: Classes = 1;
pub(super) const COUNT: Classes = 1 << 1;
pub(super) const NTH: Classes = 1 << 2;
pub(super) const MONTH: Classes = 1 << 3;
pub(super) const WEEKDAY: Classes = 1 << 4;
pub(super) const SEASON: Classes = 1 << 5;
pub(super) const QUARTER: Classes = 1 << 6;
pub(super) const DECADE: Classes = 1 << 7;
pub(super) const HOLIDAY: Classes = 1 << 8;
pub(super) const FIGURES: Classes = 1 << 9;
pub(super) const DAY: Classes = 1 << 10;
pub(super) const TURN: Classes = 1 << 11;
pub(super) const UNIT: Classes = 1 << 12;
pub(super) const PART: Classes = 1 << 13;
pub(super) const MODIFIER: Classes = 1 << 14;
pub(super) const IN: Classes = 1 << 15;
/// Begins a preposition or a part of a day: something that carries a time.
pub(super) const CARRIER: Classes = 1 << 16;
pub(super) const RANGE: Classes = 1 << 17;
pub(super) const ORDINAL: Classes = 1 << 18;
pub(super) const ASKED: Classes = 1 << 19;

/// Everything that can begin the words for some days.
pub(super) const PLACE: Classes = CARRIER - 1;
/// Everything that can begin one time.
pub(super) const POINT: Classes = PLACE | CARRIER;

static WORDS: LazyLock<HashMap<&'static str, Classes, FixedState>> = LazyLock::new(words);

/// What a token can begin.
pub(super) fn classes(kind: Kind, text: &str) -> Classes {
    match kind {
        Kind::Word => WORDS.get(text).copied().unwrap_or(NONE),
        Kind::Number(_) | Kind::Half(_) => COUNT | RANGE | ORDINAL,
        Kind::Nth(_) => NTH | RANGE | ORDINAL,
        Kind::Decade(_) => DECADE | RANGE,
        Kind::Date(_) => FIGURES | RANGE,
        Kind::Wall(_) | Kind::Instant(_) | Kind::Clock(..) => CARRIER,
        Kind::Mark('~') => MODIFIER,
        Kind::ShortYear(_) | Kind::Mark(_) | Kind::Other => NONE,
    }
}

/// The first word of an entry, and the one after an article.
fn beginning(entry: &str) -> impl Iterator<Item = &str> {
    let article = entry.starts_with("the ") || entry.starts_with("a ");
    entry.split(' ').take(if article { 2 } else { 1 })
}

fn words() -> HashMap<&'static str, Classes, FixedState> {
    let mut words = HashMap::default();
    let tables: [(Classes, Vec<&'static str>); 19] = [
        (THE, vec!["the"]),
        (IN, vec!["in"]),
        (COUNT | ORDINAL, counts::quantity_words()),
        (NTH | ORDINAL, counts::ordinal_words()),
        (MONTH | RANGE, calendar::month_words()),
        (WEEKDAY | RANGE, calendar::weekday_words()),
        (SEASON | RANGE, calendar::season_words()),
        (QUARTER | RANGE, calendar::quarter_words()),
        (DECADE | RANGE, calendar::decade_words()),
        (HOLIDAY, holidays::names()),
        (DAY | CARRIER | RANGE, vec!["today", "yesterday", "tomorrow"]),
        (CARRIER, relative::fuzzy_words()),
        (TURN | RANGE, last_next::words()),
        (UNIT, units::words().into_iter().chain(["final"]).collect()),
        (PART | RANGE, day_phrase::part_words()),
        (MODIFIER, amounts::modifier_words()),
        (CARRIER, clock::words().into_iter().chain(ambiguity::words()).collect()),
        (RANGE, ranges::words()),
        (ORDINAL, ordinals::words()),
    ];
    for (class, entries) in tables.into_iter().chain([(ASKED, questions::words())]) {
        for entry in entries {
            for word in beginning(entry) {
                *words.entry(word).or_insert(NONE) |= class;
            }
        }
    }
    words
}

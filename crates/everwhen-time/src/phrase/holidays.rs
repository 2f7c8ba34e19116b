//! Holidays whose date follows from the year by rule: fixed days, the n-th weekday of a
//! month, and days counted from Easter. Holidays of lunar calendars are not read.

use jiff::civil::Weekday::{self, Monday, Sunday, Thursday};

use super::classes::HOLIDAY;
use super::cursor::{Cursor, Read};
use super::days::{Days, plus};
use super::{Date, Precision};

/// A holiday and the rule for its date.
#[derive(Debug)]
pub(super) struct Holiday {
    /// Every way to say it, in lower case and without possessive endings.
    names: &'static [&'static str],
    rule: DateRule,
    /// How many days it lasts.
    length: i64,
}

#[derive(Debug)]
enum DateRule {
    On(i8, i8),
    /// The n-th weekday of a month; negative from its end.
    Nth(i8, i8, Weekday),
    /// A number of days after the n-th weekday of a month.
    After(i64, i8, i8, Weekday),
    /// A number of days after Easter Sunday.
    Easter(i64),
}

const fn holiday(names: &'static [&'static str], rule: DateRule) -> Holiday {
    Holiday { names, rule, length: 1 }
}

/// Names that begin another name come after it.
static HOLIDAYS: [Holiday; 37] = [
    holiday(&["new year eve", "new years eve", "nye"], DateRule::On(12, 31)),
    holiday(&["new year day", "new years day", "new year", "new years"], DateRule::On(1, 1)),
    holiday(&["epiphany"], DateRule::On(1, 6)),
    holiday(&["martin luther king day", "mlk day"], DateRule::Nth(1, 3, Monday)),
    holiday(&["groundhog day"], DateRule::On(2, 2)),
    holiday(&["valentine day", "valentines day", "valentine", "valentines"], DateRule::On(2, 14)),
    holiday(&["presidents day", "president day"], DateRule::Nth(2, 3, Monday)),
    holiday(&["mardi gras", "shrove tuesday"], DateRule::Easter(-47)),
    holiday(&["ash wednesday"], DateRule::Easter(-46)),
    holiday(&["international women day", "international womens day"], DateRule::On(3, 8)),
    holiday(&["saint patrick day", "st patrick day", "st patricks day"], DateRule::On(3, 17)),
    holiday(&["april fools day", "april fool day", "april fools"], DateRule::On(4, 1)),
    holiday(&["palm sunday"], DateRule::Easter(-7)),
    holiday(&["maundy thursday"], DateRule::Easter(-3)),
    holiday(&["good friday"], DateRule::Easter(-2)),
    holiday(&["easter monday"], DateRule::Easter(1)),
    holiday(&["easter sunday", "easter"], DateRule::Easter(0)),
    holiday(&["ascension day"], DateRule::Easter(39)),
    holiday(&["whit monday"], DateRule::Easter(50)),
    holiday(&["pentecost sunday", "pentecost", "whit sunday"], DateRule::Easter(49)),
    holiday(&["earth day"], DateRule::On(4, 22)),
    holiday(&["may day"], DateRule::On(5, 1)),
    holiday(&["cinco de mayo"], DateRule::On(5, 5)),
    holiday(&["mother day", "mothers day"], DateRule::Nth(5, 2, Sunday)),
    holiday(&["memorial day"], DateRule::Nth(5, -1, Monday)),
    holiday(&["father day", "fathers day"], DateRule::Nth(6, 3, Sunday)),
    holiday(&["juneteenth"], DateRule::On(6, 19)),
    holiday(&["independence day"], DateRule::On(7, 4)),
    holiday(&["labor day", "labour day"], DateRule::Nth(9, 1, Monday)),
    holiday(&["halloween"], DateRule::On(10, 31)),
    holiday(&["bonfire night", "guy fawkes night"], DateRule::On(11, 5)),
    holiday(&["veterans day", "remembrance day"], DateRule::On(11, 11)),
    holiday(&["thanksgiving day", "thanksgiving"], DateRule::Nth(11, 4, Thursday)),
    holiday(&["black friday"], DateRule::After(1, 11, 4, Thursday)),
    holiday(&["cyber monday"], DateRule::After(4, 11, 4, Thursday)),
    holiday(&["christmas eve", "xmas eve"], DateRule::On(12, 24)),
    holiday(&["boxing day"], DateRule::On(12, 26)),
];

/// Christmas by itself, after every name that begins with it.
static CHRISTMAS: Holiday =
    holiday(&["christmas day", "xmas day", "christmas", "xmas"], DateRule::On(12, 25));

/// From Christmas Eve over New Year's Day.
static THE_HOLIDAYS: Holiday = Holiday {
    names: &["the holidays", "the holiday season"],
    rule: DateRule::On(12, 24),
    length: 9,
};

impl Holiday {
    /// Its days in a year.
    pub(super) fn in_year(&self, year: i16) -> Option<Days> {
        let day = match self.rule {
            DateRule::On(month, day) => Date::new(year, month, day).ok()?,
            DateRule::Nth(month, nth, weekday) => nth_weekday(year, month, nth, weekday)?,
            DateRule::After(days, month, nth, weekday) => {
                plus(nth_weekday(year, month, nth, weekday)?, days)?
            }
            DateRule::Easter(days) => plus(easter(year)?, days)?,
        };
        Days::run(day, plus(day, self.length)?, Precision::Day)
    }
}

fn all() -> impl Iterator<Item = &'static Holiday> {
    HOLIDAYS.iter().chain([&CHRISTMAS, &THE_HOLIDAYS])
}

/// The holiday named here.
pub(super) fn holiday_at(c: Cursor<'_>) -> Read<'_, &'static Holiday> {
    let c = c.at_one_of(HOLIDAY)?;
    all().find_map(|holiday| {
        let after = c.one_of(holiday.names).or_else(|| dotted_saint(c, holiday))?;
        Some((holiday, after))
    })
}

/// `St. Patrick's Day`: the dot is a mark between the words.
fn dotted_saint<'t>(c: Cursor<'t>, holiday: &Holiday) -> Option<Cursor<'t>> {
    let after = c.word("st")?.mark('.')?;
    holiday.names.iter().find_map(|name| after.words(name.strip_prefix("st ")?))
}

fn nth_weekday(year: i16, month: i8, nth: i8, weekday: Weekday) -> Option<Date> {
    Date::new(year, month, 1).ok()?.nth_weekday_of_month(nth, weekday).ok()
}

/// Easter Sunday of the Gregorian calendar, after Meeus, Jones and Butcher.
fn easter(year: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y % 19, y / 100, y % 100);
    let (d, e, g) = (b / 4, b % 4, (8 * b + 13) / 25);
    let h = (19 * a + b - d - g + 15) % 30;
    let l = (32 + 2 * e + 2 * (c / 4) - h - c % 4) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let days = h + l - 7 * m + 114;
    Date::new(year, i8::try_from(days / 31).ok()?, i8::try_from(days % 31 + 1).ok()?).ok()
}

/// Every name of a holiday.
pub(super) fn names() -> Vec<&'static str> {
    all().flat_map(|holiday| holiday.names).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn easter_sundays() {
        for (year, month, day) in [
            (1961, 4, 2),
            (2000, 4, 23),
            (2008, 3, 23),
            (2011, 4, 24),
            (2022, 4, 17),
            (2023, 4, 9),
            (2024, 3, 31),
            (2025, 4, 20),
            (2026, 4, 5),
            (2038, 4, 25),
        ] {
            assert_eq!(easter(year), Date::new(year, month, day).ok());
        }
    }

    #[test]
    fn no_name_hides_a_longer_one() {
        let names: Vec<&str> = HOLIDAYS.iter().flat_map(|h| h.names).copied().collect();
        for (at, name) in names.iter().enumerate() {
            for later in &names[at + 1..] {
                let hidden = later.starts_with(name) && later[name.len()..].starts_with(' ');
                assert!(!hidden, "{name} hides {later}");
            }
        }
    }
}

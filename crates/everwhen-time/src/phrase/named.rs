//! Names that come round again: weekdays, days of the month, dates without a year, months,
//! seasons, quarters, holidays. Which one is meant depends on the day from which it is said.

use jiff::civil::Weekday;

use super::days::{Days, plus};
use super::holidays::Holiday;
use super::parts::Part;
use super::sense::Sense;
use super::units::Span;
use super::{Confidence, Date};

/// A name that comes round again.
#[derive(Debug, Clone, Copy)]
pub(super) enum Named {
    Weekday(Weekday),
    Weekend,
    /// The 3rd.
    Monthly(i8),
    /// Friday the 13th.
    WeekdayNth(Weekday, i8),
    /// 8 May.
    Date(i8, i8),
    Month(i8),
    Season(Season),
    Quarter(i8),
    Half(i8),
    Holiday(&'static Holiday),
}

/// How many weeks, months or years away a name is still looked for.
const FARTHEST: i64 = 2000;

/// A season of the northern half of the world, three calendar months long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Season {
    Spring,
    Summer,
    Fall,
    Winter,
}

impl Season {
    fn first_month(self) -> i8 {
        match self {
            Self::Spring => 3,
            Self::Summer => 6,
            Self::Fall => 9,
            Self::Winter => 12,
        }
    }

    /// The season that begins in this year: the winter of 2022 runs into 2023.
    pub(super) fn of(self, year: i16) -> Option<Days> {
        Days::months(year, self.first_month(), 3)
    }
}

impl Named {
    /// The occurrence in the week, month or year of `day`, moved on by `turn` such cycles. Some
    /// cycles have none: no February has a 30th.
    pub(super) fn occurrence(self, day: Date, turn: i64) -> Option<Days> {
        let year = || Span::YEAR.moved(day, turn).map(|day| day.year());
        match self {
            Self::Weekday(weekday) => {
                Days::one(Days::week(plus(day, 7 * turn)?)?.weekday(weekday)?)
            }
            Self::Weekend => Days::weekend(plus(day, 7 * turn)?),
            Self::Monthly(nth) => Days::one(in_month(day, turn, nth)?),
            Self::WeekdayNth(weekday, nth) => {
                Days::one(in_month(day, turn, nth).filter(|day| day.weekday() == weekday)?)
            }
            Self::Date(month, nth) => Days::one(Date::new(year()?, month, nth).ok()?),
            Self::Month(month) => Days::month(year()?, month),
            Self::Season(season) => season.of(year()?),
            Self::Quarter(quarter) => Days::months(year()?, 3 * quarter - 2, 3),
            Self::Half(half) => Days::months(year()?, 6 * half - 5, 6),
            Self::Holiday(holiday) => holiday.in_year(year()?),
        }
    }

    /// The occurrence in a given year, for names that come once a year.
    pub(super) fn in_year(self, year: i16) -> Option<Days> {
        let yearly = !matches!(
            self,
            Self::Weekday(_) | Self::Weekend | Self::Monthly(_) | Self::WeekdayNth(..)
        );
        yearly.then(|| self.occurrence(Date::new(year, 6, 15).ok()?, 0)).flatten()
    }

    /// The n-th occurrence back from `day`, of those that are over by then.
    pub(super) fn before(self, day: Date, nth: i64) -> Option<Days> {
        let nth = Some(nth).filter(|nth| (1..=FARTHEST).contains(nth))?;
        let mut over = (-60 - nth..=1)
            .rev()
            .filter_map(|turn| self.occurrence(day, turn))
            .filter(|days| days.end <= day);
        over.nth(usize::try_from(nth.checked_sub(1)?).ok()?)
    }

    /// The n-th occurrence that begins on `day` or later.
    pub(super) fn after(self, day: Date, nth: i64) -> Option<Days> {
        let nth = Some(nth).filter(|nth| (1..=FARTHEST).contains(nth))?;
        let mut ahead = (-1..=60 + nth)
            .filter_map(|turn| self.occurrence(day, turn))
            .filter(|days| days.first >= day);
        ahead.nth(usize::try_from(nth.checked_sub(1)?).ok()?)
    }

    /// The one that "this" means: for a weekday or weekend the one of this week, for months and
    /// dates the one of this year, for seasons and holidays the nearest.
    pub(super) fn present(self, day: Date) -> Option<Days> {
        if !matches!(self, Self::Season(_) | Self::Holiday(_)) {
            return self.occurrence(day, 0);
        }
        let distance = |days: &Days| {
            let (ahead, behind) =
                (super::days::between(day, days.first), super::days::between(days.last(), day));
            ahead.max(behind).max(0)
        };
        (-1..=1).filter_map(|turn| self.occurrence(day, turn)).min_by_key(distance)
    }

    /// What these days mean when said by this name, with the tolerance it has.
    pub(super) fn sense(self, days: Days, part: Option<Part>) -> Sense {
        let sense = Sense { sure: self.sureness(), ..Sense::named(days) };
        if part.is_some() {
            let overhang = days.length() / 2;
            return sense.within(overhang, overhang);
        }
        match self {
            Self::Season(_) => sense.within(21, 21),
            Self::Holiday(_) | Self::Weekend => sense.within(1, 1),
            _ => sense,
        }
    }

    fn sureness(self) -> Confidence {
        match self {
            Self::Date(..) | Self::Month(_) | Self::Holiday(_) | Self::WeekdayNth(..) => {
                Confidence::Certain
            }
            _ => Confidence::Likely,
        }
    }
}

fn in_month(day: Date, turn: i64, nth: i8) -> Option<Date> {
    let month = Span::MONTH.moved(day.first_of_month(), turn)?;
    Date::new(month.year(), month.month(), nth).ok()
}

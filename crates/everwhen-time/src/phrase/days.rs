//! Runs of whole days on a wall calendar, and arithmetic that refuses to leave it.

use jiff::Span;
use jiff::civil::{Date, Weekday};

use super::Precision;

/// A run of whole days: `first` is inside, `end` is not. Never empty, always in the years 1 to
/// 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Days {
    pub(super) first: Date,
    pub(super) end: Date,
    pub(super) precision: Precision,
}

impl Days {
    /// From `first` up to, but without, `end`.
    pub(super) fn run(first: Date, end: Date, precision: Precision) -> Option<Self> {
        (first < end && first.year() >= 1).then_some(Self { first, end, precision })
    }

    /// One day.
    pub(super) fn one(day: Date) -> Option<Self> {
        Self::run(day, day.tomorrow().ok()?, Precision::Day)
    }

    /// The week of this day, Monday to Sunday.
    pub(super) fn week(day: Date) -> Option<Self> {
        let first = plus(day, -i64::from(day.weekday().to_monday_zero_offset()))?;
        Self::run(first, plus(first, 7)?, Precision::Day)
    }

    /// Saturday and Sunday of this day's week.
    pub(super) fn weekend(day: Date) -> Option<Self> {
        let week = Self::week(day)?;
        Self::run(plus(week.first, 5)?, week.end, Precision::Day)
    }

    /// A calendar month.
    pub(super) fn month(year: i16, month: i8) -> Option<Self> {
        Self::months(year, month, 1)
    }

    /// A run of months.
    pub(super) fn months(year: i16, month: i8, count: i64) -> Option<Self> {
        let first = Date::new(year, month, 1).ok()?;
        Self::run(
            first,
            first.checked_add(Span::new().try_months(count).ok()?).ok()?,
            Precision::Month,
        )
    }

    /// A calendar year.
    pub(super) fn year(year: i16) -> Option<Self> {
        Self::years(year, 1)
    }

    /// A run of calendar years.
    pub(super) fn years(year: i16, count: i64) -> Option<Self> {
        let first = Date::new(year, 1, 1).ok()?;
        Self::run(
            first,
            first.checked_add(Span::new().try_years(count).ok()?).ok()?,
            Precision::Year,
        )
    }

    /// The last day inside.
    pub(super) fn last(self) -> Date {
        self.end.yesterday().unwrap_or(self.first)
    }

    /// Whether this is a single day.
    pub(super) fn is_day(self) -> bool {
        self.last() == self.first
    }

    /// How many days.
    pub(super) fn length(self) -> i64 {
        between(self.first, self.end)
    }

    /// Whether the day lies inside.
    pub(super) fn contains(self, day: Date) -> bool {
        self.first <= day && day < self.end
    }

    /// From the earlier beginning to the later end, as exact as the coarser of both.
    pub(super) fn hull(self, other: Self) -> Self {
        Self {
            first: self.first.min(other.first),
            end: self.end.max(other.end),
            precision: self.precision.max(other.precision),
        }
    }

    /// Adds days before and after, or takes them away if they are negative.
    pub(super) fn widened(self, before: i64, after: i64) -> Option<Self> {
        Self::run(plus(self.first, -before)?, plus(self.end, after)?, self.precision)
    }

    /// Sets how exactly the days are known.
    pub(super) fn known_to(self, precision: Precision) -> Self {
        Self { precision, ..self }
    }

    /// The weekday inside this run, if it has exactly one.
    pub(super) fn weekday(self, weekday: Weekday) -> Option<Date> {
        let ahead = weekday.since(self.first.weekday());
        let day = plus(self.first, i64::from(ahead))?;
        (self.contains(day) && self.length() <= 7).then_some(day)
    }
}

/// The day that lies `days` days after, or before.
pub(super) fn plus(day: Date, days: i64) -> Option<Date> {
    day.checked_add(Span::new().try_days(days).ok()?).ok()
}

/// Whole days from one date to another.
pub(super) fn between(earlier: Date, later: Date) -> i64 {
    (later - earlier).get_days().into()
}

//! Words for lengths of time: "week", "fortnight", "decade".
//!
//! Each word is a [`Span`], a number of calendar units that stays in one piece: its fields
//! are private to this file, so no rule of the grammar can use the unit and lose the number. A
//! new word is one line in [`WORDS`] and is then read by every rule.

use jiff::civil::Date;
use jiff::{Span as CalendarSpan, Zoned};

use super::classes::UNIT;
use super::counts::{Count, FEW};
use super::cursor::{Cursor, Read};
use super::days::{Days, plus};
use super::{Measure, Precision, TimeUnit};

/// Words for lengths of time: singular, plural, and how long one of them is.
const WORDS: [(&str, &str, Span); 14] = [
    ("minute", "minutes", Span::MINUTE),
    ("min", "mins", Span::MINUTE),
    ("hour", "hours", Span::HOUR),
    ("hr", "hrs", Span::HOUR),
    ("day", "days", Span::DAY),
    ("night", "nights", Span::DAY),
    ("weekend", "weekends", Span::of(1, Unit::Weekend)),
    ("week", "weeks", Span::WEEK),
    ("fortnight", "fortnights", Span::of(2, Unit::Week)),
    ("month", "months", Span::MONTH),
    ("quarter", "quarters", Span::of(3, Unit::Month)),
    ("year", "years", Span::YEAR),
    ("yr", "yrs", Span::YEAR),
    ("decade", "decades", Span::of(10, Unit::Year)),
];

/// What the calendar counts in, from short to long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Minute,
    Hour,
    Day,
    Weekend,
    Week,
    Month,
    Year,
}

/// A length of time that has a word of its own, such as a fortnight: two weeks. Shorter ones come
/// first in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    unit: Unit,
    count: u32,
}

impl Span {
    pub(super) const MINUTE: Self = Self::of(1, Unit::Minute);
    pub(super) const HOUR: Self = Self::of(1, Unit::Hour);
    pub(super) const DAY: Self = Self::of(1, Unit::Day);
    pub(super) const WEEK: Self = Self::of(1, Unit::Week);
    pub(super) const MONTH: Self = Self::of(1, Unit::Month);
    pub(super) const YEAR: Self = Self::of(1, Unit::Year);

    const fn of(count: u32, unit: Unit) -> Self {
        Self { unit, count }
    }

    /// Whether it is shorter than a day.
    pub(super) fn is_clock(self) -> bool {
        self.unit < Unit::Day
    }

    /// Whether it is a weekend, which is a name for two days rather than a length.
    pub(super) fn is_weekend(self) -> bool {
        self.unit == Unit::Weekend
    }

    /// Whether it is a stretch of the calendar longer than a day: weeks, months or years.
    pub(super) fn is_long(self) -> bool {
        self.unit >= Unit::Week
    }

    /// Whether it is counted in weeks.
    pub(super) fn is_weeks(self) -> bool {
        self.unit == Unit::Week
    }

    /// Whether "the week of 8 May" can be said with it; "a quarter of May" is a fraction.
    pub(super) fn can_be_of_a_day(self) -> bool {
        self.is_weekend() || self.is_weeks() || self == Self::MONTH
    }

    /// About how many days long it is.
    fn days(self) -> i64 {
        let one = match self.unit {
            Unit::Minute | Unit::Hour => 0,
            Unit::Day => 1,
            Unit::Weekend => 2,
            Unit::Week => 7,
            Unit::Month => 30,
            Unit::Year => 365,
        };
        i64::from(self.count) * one
    }

    /// How many days off the calendar's "last week" or "next year" may be.
    pub(super) fn calendar_slack(self) -> i64 {
        match self.days() {
            ..=7 => 3,
            8..=31 => 7,
            32..=92 => 14,
            _ => 31,
        }
    }

    /// How many days on either side "this time last year" covers.
    pub(super) fn same_time_slack(self) -> i64 {
        match self.days() {
            ..=7 => 1,
            8..=92 => 5,
            _ => 15,
        }
    }

    /// How many an unsaid number may be: "weeks ago".
    pub(super) fn unsaid(self) -> Option<Count> {
        match self.unit {
            Unit::Minute | Unit::Weekend => None,
            _ if self.count > 1 => Some(FEW),
            Unit::Hour => Some(Count::between(2, 4, 12)),
            Unit::Day => Some(Count::between(2, 3, 7)),
            Unit::Week => Some(Count::between(2, 3, 8)),
            Unit::Month => Some(Count::between(2, 4, 12)),
            Unit::Year => Some(Count::between(2, 4, 15)),
        }
    }

    /// Half of it, as a number of a shorter span that people count in.
    pub(super) fn half(self) -> Option<(u32, Self)> {
        if self.count.is_multiple_of(2) {
            return Some((self.count / 2, Self::of(1, self.unit)));
        }
        let (count, unit) = match self.unit {
            Unit::Minute | Unit::Weekend => return None,
            Unit::Hour => (30, Unit::Minute),
            Unit::Day => (12, Unit::Hour),
            Unit::Week => (3, Unit::Day),
            Unit::Month => (2, Unit::Week),
            Unit::Year => (6, Unit::Month),
        };
        Some((count * self.count, Self::of(1, unit)))
    }

    /// How many minutes it takes, if it is shorter than a day.
    pub(super) fn minutes(self) -> Option<i64> {
        match self.unit {
            Unit::Minute => Some(i64::from(self.count)),
            Unit::Hour => Some(60 * i64::from(self.count)),
            _ => None,
        }
    }

    /// What a question asks for with it: "how many fortnights".
    pub(super) fn measure(self) -> Measure {
        let unit = match self.unit {
            Unit::Minute => TimeUnit::Minute,
            Unit::Hour => TimeUnit::Hour,
            Unit::Day => TimeUnit::Day,
            Unit::Weekend | Unit::Week => TimeUnit::Week,
            Unit::Month => TimeUnit::Month,
            Unit::Year => TimeUnit::Year,
        };
        Measure { count: self.count, unit }
    }

    /// This span `times` times over, for arithmetic on the calendar.
    fn times(self, times: i64) -> Option<CalendarSpan> {
        let count = times.checked_mul(i64::from(self.count))?;
        let span = CalendarSpan::new();
        match self.unit {
            Unit::Minute => span.try_minutes(count),
            Unit::Hour => span.try_hours(count),
            Unit::Day => span.try_days(count),
            Unit::Weekend | Unit::Week => span.try_weeks(count),
            Unit::Month => span.try_months(count),
            Unit::Year => span.try_years(count),
        }
        .ok()
    }

    /// The day that lies `times` spans after `day`, or before it. The last day of a shorter month
    /// replaces one it does not have. Spans shorter than a day move no day.
    pub(super) fn moved(self, day: Date, times: i64) -> Option<Date> {
        let span = self.times(times).filter(|_| !self.is_clock())?;
        day.checked_add(span).ok()
    }

    /// The moment `times` spans after `at`: hours and minutes pass as they do on a stopwatch, days
    /// and longer keep the time on the wall clock.
    pub(super) fn moved_clock(self, at: &Zoned, times: i64) -> Option<Zoned> {
        let span = self.times(times)?;
        if self.is_clock() {
            return at.checked_add(span).ok();
        }
        at.datetime().checked_add(span).ok()?.to_zoned(at.time_zone().clone()).ok()
    }

    /// The stretch of the calendar in which `day` falls: its quarter, its decade. Weeks have no
    /// larger calendar, so the fortnight of a day begins with the week of that day.
    pub(super) fn around(self, day: Date) -> Option<Days> {
        let count = i64::from(self.count);
        match self.unit {
            Unit::Minute | Unit::Hour => None,
            Unit::Day => Days::run(day, plus(day, count)?, Precision::Day),
            Unit::Weekend => Days::weekend(day),
            Unit::Week => {
                let first = Days::week(day)?.first;
                Days::run(first, plus(first, 7 * count)?, Precision::Day)
            }
            Unit::Month => {
                let length = i8::try_from(self.count).ok()?;
                Days::months(day.year(), (day.month() - 1) / length * length + 1, count)
            }
            Unit::Year => {
                let length = i16::try_from(self.count).ok()?;
                Days::years(day.year() - day.year().rem_euclid(length), count)
            }
        }
    }

    /// The stretch of the calendar that is `turn` such stretches from the present one. The next
    /// fortnight begins with the next week.
    pub(super) fn on_calendar(self, today: Date, turn: i64) -> Option<Days> {
        let present = self.around(today)?.first;
        let first = if self.is_weeks() && turn > 0 {
            Self::WEEK.moved(self.moved(present, turn - 1)?, 1)?
        } else {
            self.moved(present, turn)?
        };
        self.around(first)
    }

    /// The n-th of these inside `base`, or the last. Days and weeks are counted from the first day
    /// of `base`, months and years are those of the calendar.
    pub(super) fn nth_within(self, base: Days, nth: Option<u32>) -> Option<Days> {
        let before = nth.map(|nth| i64::from(nth) - 1);
        if self.unit > Unit::Week {
            let day = before.map_or(Some(base.last()), |before| self.moved(base.first, before))?;
            return self.around(day);
        }
        let Some(before) = before else {
            return Days::run(self.moved(base.end, -1)?, base.end, Precision::Day);
        };
        let first = self.moved(base.first, before)?;
        Days::run(first, self.moved(first, 1)?.min(base.end), Precision::Day)
    }

    /// What a speaker means who counts `times` of these and points at `day`: the days, and how many
    /// days the speaker may be off. See [`counted_from`](super::sense::counted_from) for the table.
    pub(super) fn vicinity(self, day: Date, times: i64) -> Option<(Days, i64)> {
        match self.unit {
            Unit::Minute | Unit::Hour | Unit::Weekend => None,
            Unit::Day => Some((Days::one(day)?, 1)),
            Unit::Week => Some((Days::run(plus(day, -3)?, plus(day, 4)?, Precision::Day)?, 4)),
            Unit::Month => Some((self.around(day)?, (15 * i64::from(self.count)).min(31))),
            Unit::Year => {
                let tens = times.unsigned_abs().saturating_mul(u64::from(self.count / 10));
                let beside = i16::try_from(tens.min(100)).ok()?;
                let first = day.year().checked_sub(beside)?;
                let days = Days::years(first, i64::from(2 * beside) + 1)?;
                Some((days, (365 * i64::from(beside)).max(92)))
            }
        }
    }
}

fn word(c: Cursor<'_>) -> Option<(&'static (&'static str, &'static str, Span), &str)> {
    let text = c.at_one_of(UNIT)?.text()?;
    let found = WORDS.iter().find(|(one, many, _)| *one == text || *many == text)?;
    Some((found, text))
}

/// A length of time by its word, singular or plural.
pub(super) fn span(c: Cursor<'_>) -> Read<'_, Span> {
    word(c).map(|((.., span), _)| (*span, c.step()))
}

/// A length of time by its word in the singular: `fortnight`.
pub(super) fn one_span(c: Cursor<'_>) -> Read<'_, Span> {
    word(c).filter(|((one, ..), text)| one == text).map(|((.., span), _)| (*span, c.step()))
}

/// A length of time by its word in the plural: `fortnights`.
pub(super) fn many_spans(c: Cursor<'_>) -> Read<'_, Span> {
    word(c).filter(|((_, many, _), text)| many == text).map(|((.., span), _)| (*span, c.step()))
}

/// All words for lengths of time.
pub(super) fn words() -> Vec<&'static str> {
    WORDS.iter().flat_map(|(one, many, _)| [*one, *many]).collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::super::{Meaning, Prefer, read};
    use super::*;
    use crate::Zone;

    /// What a rule must read for every word longer than a day; `{}` is the word.
    const ONE: [&str; 13] = [
        "last {}",
        "this {}",
        "next {}",
        "this past {}",
        "over the past {}",
        "the next {}",
        "a {} ago",
        "half a {} ago",
        "a {} from now",
        "the {} before last",
        "the {} before March 2020",
        "this time last {}",
        "earlier this {}",
    ];
    const MANY: [&str; 6] = [
        "{} ago",
        "two {} ago",
        "the last three {}",
        "two {} after May 8, 2023",
        "the two {} before Christmas",
        "how many {} ago",
    ];

    #[test]
    fn every_rule_reads_every_long_word() {
        let (anchor, zone) = (Timestamp::constant(1_686_736_800, 0), Zone::utc());
        for (one, many, span) in WORDS.into_iter().filter(|(.., span)| span.is_long()) {
            let one = ONE.map(|rule| rule.replace("{}", one));
            let many = MANY.map(|rule| rule.replace("{}", many));
            for text in one.into_iter().chain(many) {
                let reading = read(&text, anchor, &zone, Prefer::Past);
                let [phrase] = reading.phrases.as_slice() else {
                    panic!("{text}: {:?}", reading.phrases)
                };
                assert_eq!(phrase.text, text, "{span:?}");
                assert!(!matches!(phrase.meaning, Meaning::Ordinal(_)), "{text}: {phrase:?}");
            }
        }
    }

    #[test]
    fn halves_are_whole_numbers_of_something_shorter() {
        let half = |word: &str| {
            let (.., span) = WORDS.into_iter().find(|(one, ..)| *one == word).expect("a word");
            span.half()
        };
        assert_eq!(half("fortnight"), Some((1, Span::WEEK)));
        assert_eq!(half("decade"), Some((5, Span::YEAR)));
        assert_eq!(half("quarter"), Some((6, Span::WEEK)));
        assert_eq!(half("week"), Some((3, Span::DAY)));
        assert_eq!(half("minute"), None);
    }
}

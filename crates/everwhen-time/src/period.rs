//! A stretch of time, and how exactly it is known.

use jiff::{Timestamp, ToSpan, civil::Date};

use crate::{Error, Result, Zone};

/// A half-open stretch of time: `since` is inside, `until` is not. Either end may be open.
/// Invariant: `since < until`; checked by the only constructor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Period {
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    precision: Precision,
}

/// How exactly the ends of a period were said: "in 2022" is a year, and stays one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// To the minute or finer.
    Minute,
    /// To the day.
    Day,
    /// To the month.
    Month,
    /// To the year.
    Year,
}

impl Period {
    /// All of time.
    pub const ALWAYS: Self = Self { since: None, until: None, precision: Precision::Minute };

    /// From `since` up to, but without, `until`.
    pub fn new(
        since: Option<Timestamp>,
        until: Option<Timestamp>,
        precision: Precision,
    ) -> Result<Self> {
        if let (Some(since), Some(until)) = (since, until)
            && since >= until
        {
            return Err(Error::new(format!(
                "empty period: it begins at {since} and ends at {until}; the end must be later"
            )));
        }
        Ok(Self { since, until, precision })
    }

    /// The whole day in a zone, 23 to 25 hours long.
    pub fn day(day: Date, zone: &Zone) -> Result<Self> {
        let outside = |error: jiff::Error| Error::new(format!("day out of range: {error}"));
        let next = day.checked_add(1.day()).map_err(outside)?;
        let start = |day: Date| day.to_zoned(zone.time_zone().clone()).map(|z| z.timestamp());
        let (since, until) = (start(day).map_err(outside)?, start(next).map_err(outside)?);
        Self::new(Some(since), Some(until), Precision::Day)
    }

    /// The first instant inside, if the period has a beginning.
    pub fn since(&self) -> Option<Timestamp> {
        self.since
    }

    /// The first instant after, if the period has an end.
    pub fn until(&self) -> Option<Timestamp> {
        self.until
    }

    /// How exactly the ends are known.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Whether the instant lies inside.
    pub fn contains(&self, instant: Timestamp) -> bool {
        self.since.is_none_or(|since| since <= instant)
            && self.until.is_none_or(|until| instant < until)
    }

    /// What lies in both, if anything does; known as exactly as the coarser of the two.
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let since = self.since.max(other.since);
        let until = match (self.until, other.until) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self::new(since, until, self.precision.max(other.precision)).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn any_period() -> impl Strategy<Value = Period> {
        (proptest::option::of(-50i64..50), proptest::option::of(-50i64..50))
            .prop_filter_map("empty", |(since, until)| {
                Period::new(since.map(at), until.map(at), Precision::Minute).ok()
            })
    }

    proptest! {
        #[test]
        fn an_intersection_contains_what_both_contain(
            a in any_period(), b in any_period(), second in -60i64..60
        ) {
            let both = a.contains(at(second)) && b.contains(at(second));
            let met = a.intersection(&b).is_some_and(|p| p.contains(at(second)));
            prop_assert_eq!(both, met);
        }

        #[test]
        fn days_of_a_zone_touch_and_never_overlap(offset in 0i32..4000) {
            let zone = Zone::named("America/Sao_Paulo").unwrap();
            let day = Date::constant(2015, 1, 1).checked_add(offset.days()).unwrap();
            let next = day.tomorrow().unwrap();
            let (day, next) =
                (Period::day(day, &zone).unwrap(), Period::day(next, &zone).unwrap());
            prop_assert_eq!(day.until(), next.since());
            let hours = (day.until().unwrap() - day.since().unwrap()).get_seconds() / 3600;
            prop_assert!((23..=25).contains(&hours), "{}", hours);
        }
    }

    #[test]
    fn an_empty_period_is_refused() {
        assert!(Period::new(Some(at(5)), Some(at(5)), Precision::Day).is_err());
        assert!(Period::new(Some(at(6)), Some(at(5)), Precision::Day).is_err());
    }
}

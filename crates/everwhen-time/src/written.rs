//! A period as a caller writes it: dates, two dates with a slash, or words.

use jiff::Timestamp;
use jiff::civil::{Date, date};
use jiff::{Span, ToSpan};

use crate::phrase::{self, Prefer};
use crate::{Error, Period, Precision, Result, Zone};

/// Reads `2025`, `2025-04`, `2025-04-12`, `2025-04-01/2025-05-01`, or "last April", which counts
/// from `now`. Both days of two with a slash are inside.
pub fn read_period(text: &str, now: Timestamp, zone: &Zone) -> Result<Period> {
    let written = match text.split_once('/') {
        Some((first, last)) => {
            stretch(first, zone).zip(stretch(last, zone)).map(|(first, last)| {
                let precision = first.precision().max(last.precision());
                Period::new(first.since(), last.until(), precision)
            })
        }
        None => stretch(text, zone).map(Ok),
    };
    let said = || phrase::read(text, now, zone, Prefer::Past).about().map(Ok);
    written.or_else(said).unwrap_or_else(|| Err(unreadable(text)))
}

fn unreadable(text: &str) -> Error {
    let shown: String = text.chars().take(40).collect();
    Error::new(format!(
        "{shown:?} is no stretch of time; write a year, a month such as \"2025-04\", a day, \
         two of them with a slash, or words such as \"last April\""
    ))
}

/// A year, a month or a day in figures.
fn stretch(text: &str, zone: &Zone) -> Option<Period> {
    let mut parts = text.trim().split('-');
    let year: i16 = parts.next().filter(|year| year.len() == 4)?.parse().ok()?;
    let mut next = || parts.next().map(|part| part.parse::<i8>().ok().filter(|_| part.len() == 2));
    let (first, length, precision): (Date, Span, Precision) = match (next(), next(), next()) {
        (None, ..) => (Date::new(year, 1, 1).ok()?, 1.year(), Precision::Year),
        (Some(month), None, _) => (Date::new(year, month?, 1).ok()?, 1.month(), Precision::Month),
        (Some(month), Some(day), None) => {
            (Date::new(year, month?, day?).ok()?, 1.day(), Precision::Day)
        }
        _ => return None,
    };
    let start = |day: Date| Some(day.to_zoned(zone.time_zone().clone()).ok()?.timestamp());
    let after = first.checked_add(length).unwrap_or(date(9999, 12, 31));
    Period::new(Some(start(first)?), Some(start(after)?), precision).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_words_are_read_in_the_zone() {
        let zone = Zone::named("America/New_York").unwrap();
        let now = "2025-08-01T12:00:00Z".parse().unwrap();
        let days = |text: &str| {
            let period = read_period(text, now, &zone).unwrap();
            let last = period.until().unwrap() - jiff::SignedDuration::from_secs(1);
            format!("{} {}", zone.day(period.since().unwrap()), zone.day(last))
        };
        assert_eq!(days("2025-04"), "2025-04-01 2025-04-30");
        assert_eq!(days("2024"), "2024-01-01 2024-12-31");
        assert_eq!(days("2025-04-12"), "2025-04-12 2025-04-12");
        assert_eq!(days("2025-04-01/2025-05"), "2025-04-01 2025-05-31");
        assert_eq!(days("last April"), "2025-04-01 2025-04-30");
    }

    #[test]
    fn anything_else_is_refused_with_what_would_be_right() {
        let now = Timestamp::UNIX_EPOCH;
        for text in ["", "soonish", "2025-13", "2025-4", "2025-04-12-01", "2025-05/2025-04", "é/é"]
        {
            assert!(read_period(text, now, &Zone::utc()).is_err(), "{text}");
        }
    }
}

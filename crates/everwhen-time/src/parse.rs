//! Times as people and programs type them.
//!
//! Programs write RFC 3339 with an offset. People may also write `2023-01-08 12:49`, which means
//! the wall clock of the vault's zone. Anything else is refused with the right form, never
//! guessed.

use jiff::civil::{Date, DateTime};
use jiff::fmt::temporal::Pieces;
use jiff::tz::AmbiguousOffset;
use jiff::{Timestamp, Zoned};

use crate::{Error, Result, Zone, to_microsecond};

/// Reads RFC 3339 with an offset or `Z`; a time without one is refused.
pub fn read_time(text: &str) -> Result<Timestamp> {
    check_offset(text)?;
    if let Ok(instant) = text.parse::<Timestamp>() {
        return in_range(instant).map(to_microsecond);
    }
    if let Ok(zoned) = text.parse::<Zoned>() {
        return in_range(zoned.timestamp()).map(to_microsecond);
    }
    if text.parse::<DateTime>().is_ok() {
        return Err(Error::new(format!(
            "time {text:?} has no zone; write the offset, such as \"2023-01-08T12:49:00Z\" or \
             \"2023-01-08T12:49:00+01:00\""
        )));
    }
    Err(unreadable(text, FOR_PROGRAMS))
}

/// Reads RFC 3339, or a date with or without a time on the wall clock of `zone`.
pub fn read_time_in(text: &str, zone: &Zone) -> Result<Timestamp> {
    if has_offset(text) {
        return read_time(text);
    }
    if let Ok(civil) = text.parse::<DateTime>() {
        return on_wall_clock(civil, zone);
    }
    if let Ok(date) = text.parse::<Date>() {
        return start_of_day(date, zone);
    }
    if let Some(day) = impossible_day(text) {
        return Err(Error::new(format!("the day {day} does not exist")));
    }
    read_time(text).map_err(|_| unreadable(text, FOR_PEOPLE))
}

/// Refuses an offset that no clock has: it is a slip, and would make another time of what was meant.
fn check_offset(text: &str) -> Result<()> {
    match Pieces::parse(text).ok().and_then(|read| read.to_numeric_offset()) {
        Some(offset) if offset.seconds().abs() > MOST_OFFSET_SECONDS => Err(Error::new(format!(
            "the offset {offset} does not exist; clocks are at most 14 hours from UTC, such as \"+01:00\""
        ))),
        _ => Ok(()),
    }
}

/// A date at the beginning of a text that is written right and that no calendar has.
fn impossible_day(text: &str) -> Option<&str> {
    let day = text.get(..10)?;
    let mut parts = day.split('-').map(|part| part.parse::<i16>().ok());
    let (year, month, date) = (parts.next()??, parts.next()??, parts.next()??);
    let (month, date) = (i8::try_from(month).ok()?, i8::try_from(date).ok()?);
    Date::new(year, month, date).is_err().then_some(day)
}

/// No zone is further from UTC than this.
const MOST_OFFSET_SECONDS: i32 = 14 * 3_600;
/// How programs write a time.
const FOR_PROGRAMS: &str = "RFC 3339 with an offset, such as \"2023-01-08T12:49:00Z\"";
/// How people may write one.
const FOR_PEOPLE: &str = "\"2026-11-10 09:00\" or \"2026-11-10\" on the vault's wall clock, or RFC 3339 with an \
    offset, such as \"2026-11-10T09:00:00Z\"";

fn has_offset(text: &str) -> bool {
    text.parse::<Timestamp>().is_ok() || text.contains('[')
}

/// A wall-clock time that a clock change repeats is the first of the two; one that it skips does not
/// exist.
fn on_wall_clock(civil: DateTime, zone: &Zone) -> Result<Timestamp> {
    let ambiguous = zone.time_zone().to_ambiguous_timestamp(civil);
    if let AmbiguousOffset::Gap { before, after } = ambiguous.offset() {
        return Err(Error::new(format!(
            "the time {civil} does not exist in {}: clocks go forward there, from {before} to \
             {after}; write another, or one with an offset",
            zone.name()
        )));
    }
    let instant = ambiguous
        .compatible()
        .map_err(|error| Error::new(format!("time out of range: {error}")))?;
    in_range(instant).map(to_microsecond)
}

/// The first instant of a day; where clocks go forward at midnight, that is later.
fn start_of_day(date: Date, zone: &Zone) -> Result<Timestamp> {
    let zoned = date
        .to_zoned(zone.time_zone().clone())
        .map_err(|error| Error::new(format!("time out of range: {error}")))?;
    in_range(zoned.timestamp()).map(to_microsecond)
}

/// The years 1000 to 8999: every format and store can write them, and a timeout can be added to any.
fn in_range(instant: Timestamp) -> Result<Timestamp> {
    let (first, last) = (-30_610_224_000, 221_845_392_000);
    if (first..last).contains(&instant.as_second()) {
        return Ok(instant);
    }
    Err(Error::new(format!("time {instant} is outside the years 1000 to 8999")))
}

fn unreadable(text: &str, right: &str) -> Error {
    let shown: String = text.chars().take(60).collect();
    Error::new(format!("cannot read the time {shown:?}; write {right}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_programs_write() {
        for (text, expected) in [
            ("2023-01-08T12:49:00Z", "2023-01-08T12:49:00Z"),
            ("2023-01-08T12:49:00+01:00", "2023-01-08T11:49:00Z"),
            ("2023-01-08T12:49:00.123456789Z", "2023-01-08T12:49:00.123456Z"),
            ("2023-01-08T12:49:00+01:00[Europe/Berlin]", "2023-01-08T11:49:00Z"),
        ] {
            assert_eq!(read_time(text).unwrap().to_string(), expected, "{text}");
        }
    }

    #[test]
    fn refuses_instead_of_guessing() {
        for text in
            ["", "now", "2023-02-30T10:00:00Z", "2023-01-08", "08/01/2023", "2023-01-08T25:00:00Z"]
        {
            assert!(read_time(text).is_err(), "{text}");
        }
        let naive = read_time("2023-01-08T12:49:00").unwrap_err();
        assert!(naive.message().contains("has no zone"), "{naive}");
        let early = read_time("-000005-01-08T12:49:00Z").unwrap_err();
        assert!(early.message().contains("years 1000 to 8999"), "{early}");
        let early = read_time("0999-12-31T23:59:59Z").unwrap_err();
        assert!(early.message().contains("years 1000 to 8999"), "{early}");
        assert!(read_time("1000-01-01T00:00:00Z").is_ok());
        assert!(read_time("8999-12-31T23:59:59Z").is_ok());
        assert!(read_time("9000-01-01T00:00:00Z").is_err());
    }

    #[test]
    fn an_offset_that_no_clock_has_is_refused() {
        for text in
            ["2024-10-27T02:30:00+25:00", "2024-10-27T02:30:00-14:01", "2024-10-27T02:30:00+1430"]
        {
            for read in [read_time(text), read_time_in(text, &Zone::utc())] {
                assert!(read.unwrap_err().message().contains("at most 14 hours"), "{text}");
            }
        }
        for text in
            ["2024-10-27T02:30:00+14:00", "2024-10-27T02:30:00-12:00", "2024-10-27T02:30:00+05:45"]
        {
            assert!(read_time(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn people_may_type_the_wall_clock() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        let read = |text| read_time_in(text, &berlin).unwrap().to_string();
        assert_eq!(read("2023-01-08 12:49"), "2023-01-08T11:49:00Z");
        assert_eq!(read("2023-07-08"), "2023-07-07T22:00:00Z");
        assert_eq!(read("2023-01-08T12:49:00Z"), "2023-01-08T12:49:00Z");
        assert_eq!(read("2023-01-08T12:49:00+02:00"), "2023-01-08T10:49:00Z");
        assert!(read_time_in("2023-02-30 10:00", &berlin).is_err());
    }
}

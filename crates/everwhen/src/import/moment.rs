//! Times as other programs write them: numbers of any unit, ISO 8601, and local times without a zone.
//!
//! Each time says how precisely it is known, what it was taken from and how its zone is known. What
//! cannot be a time of a chat is no time: a number before 2000, a written date before 1900, and the beginning
//! of the clock of computers, which programs write that have no time.

use everwhen_engine::memory::{TimeFrom, TimePrecision, ZoneFrom};
use everwhen_engine::time::Zone;
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::strtime::BrokenDownTime;
use jiff::fmt::temporal::Pieces;
use jiff::tz::{AmbiguousOffset, Offset};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

/// Numbers are read as times from this year on: 2000-01-01.
const FIRST: i64 = 946_684_800;
/// Written dates are read from this year on.
const FIRST_YEAR: i16 = 1900;
/// The beginning of that year as an instant, in the zone in which it began first.
const FIRST_WRITTEN: i64 = -2_208_988_800 - 14 * 3_600;
/// No zone is further from UTC than this.
const MOST_OFFSET: i32 = 14 * 3_600;

/// A time in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Moment {
    /// The instant; the beginning of the period where the precision is a day or less.
    pub(crate) at: Timestamp,
    /// How precisely it is known.
    pub(crate) precision: TimePrecision,
    /// What it was taken from.
    pub(crate) from: TimeFrom,
    /// How its zone is known.
    pub(crate) zone: ZoneFrom,
    /// As the source writes it.
    pub(crate) text: Option<String>,
}

/// A local time that a zone turns into an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Local {
    pub(crate) wall: DateTime,
    pub(crate) precision: TimePrecision,
}

impl Moment {
    /// A stated time in UTC.
    pub(crate) fn utc(at: Timestamp, precision: TimePrecision) -> Self {
        Self { at, precision, from: TimeFrom::Stated, zone: ZoneFrom::UtcByFormat, text: None }
    }

    /// Whether something may have been said then, as far as a written date says: not before 1900 and not at the
    /// beginning of the clock of computers.
    fn is_time(&self) -> bool {
        self.at.as_second() >= FIRST_WRITTEN && self.at.as_second() != 0
    }

    /// With another origin.
    #[must_use]
    pub(crate) fn found(mut self, from: TimeFrom) -> Self {
        self.from = from;
        self
    }

    /// With the text it was read from.
    #[must_use]
    pub(crate) fn written(mut self, text: &str) -> Self {
        self.text = Some(text.to_owned());
        self
    }

    /// With another precision.
    #[must_use]
    pub(crate) fn to(mut self, precision: TimePrecision) -> Self {
        self.precision = precision;
        self
    }
}

impl Local {
    /// The instant in a zone. A local time that occurs twice is the earlier of the two. One that is skipped
    /// does not exist: it is the one after the gap, and known to the hour at most. A message is not left out
    /// for that.
    pub(crate) fn in_zone(self, zone: &Zone, how: ZoneFrom) -> Option<Moment> {
        if self.is_no_time() {
            return None;
        }
        let zoned = zone.time_zone().to_ambiguous_zoned(self.wall);
        let offset = zoned.offset();
        let at = match offset {
            AmbiguousOffset::Fold { before, .. } => before.to_timestamp(self.wall).ok()?,
            _ => zoned.compatible().ok()?.timestamp(),
        };
        // A day may begin in a gap; it is that day all the same.
        let is_moved =
            matches!(offset, AmbiguousOffset::Gap { .. }) && self.precision < TimePrecision::Day;
        let (precision, from) = match is_moved {
            true => (self.precision.max(TimePrecision::Hour), TimeFrom::Moved),
            false => (self.precision, TimeFrom::Stated),
        };
        Some(Moment { at, precision, from, zone: how, text: None }).filter(Moment::is_time)
    }

    /// The instant at an offset from UTC.
    pub(crate) fn at_offset(self, offset: SignedDuration, how: ZoneFrom) -> Option<Moment> {
        if self.is_no_time() {
            return None;
        }
        let at = Offset::UTC.to_timestamp(self.wall).ok()?.checked_sub(offset).ok()?;
        let (precision, from) = (self.precision, TimeFrom::Stated);
        Some(Moment { at, precision, from, zone: how, text: None }).filter(Moment::is_time)
    }

    /// Whether it is the midnight at which 1970 began, the beginning of the clock of computers in any zone.
    fn is_no_time(self) -> bool {
        let beginning = Date::constant(1970, 1, 1).to_datetime(Time::midnight());
        self.wall.round(jiff::Unit::Second).is_ok_and(|wall| wall == beginning)
    }
}

/// A time as JSON has it: a number, a text, or MongoDB's `{"$date": …}`. A text without a zone is in
/// UTC, as most programs mean it.
pub(crate) fn of_value(value: &Value) -> Option<Moment> {
    match value {
        Value::Number(number) => of_number(number.as_f64()?, number.as_i64(), &number.to_string()),
        Value::String(text) => of_text(text),
        Value::Object(map) => of_value(map.get("$date").or_else(|| map.get("$numberLong"))?),
        _ => None,
    }
}

/// What a program wrote as a time, if it is no time and does not say either that there is none, as zeros and the
/// beginning of a clock do.
pub(crate) fn unread(value: &Value) -> Option<String> {
    let text = value.as_str()?.trim();
    let mut digits = text.chars().filter(char::is_ascii_digit).peekable();
    let is_zero = digits.peek().is_some() && digits.all(|digit| digit == '0');
    let is_beginning =
        ["1970-01-01", "0001-01-01"].iter().any(|beginning| text.starts_with(beginning));
    (!text.is_empty() && !is_zero && !is_beginning).then(|| text.to_owned())
}

/// A time in a text: digits, or ISO 8601 with or without zone (then UTC).
pub(crate) fn of_text(text: &str) -> Option<Moment> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        if let Some(local) = date_only(text) {
            return local
                .at_offset(SignedDuration::ZERO, ZoneFrom::Assumed)
                .map(|m| m.written(text));
        }
        return of_number(text.parse().ok()?, text.parse().ok(), text);
    }
    let moment = stated(text)
        .or_else(|| iso_local(text)?.at_offset(SignedDuration::ZERO, ZoneFrom::UtcByFormat));
    moment.map(|moment| moment.written(text))
}

/// A text that states its zone or offset.
pub(crate) fn stated(text: &str) -> Option<Moment> {
    let text = text.trim();
    let parsed = text.parse().ok().filter(|_| offset(text).is_none_or(is_possible));
    let at: Timestamp = parsed.or_else(|| offset_with_space(text))?;
    let precision = fraction_precision(text);
    let moment =
        Moment { at, precision, from: TimeFrom::Stated, zone: ZoneFrom::Stated, text: None };
    Some(moment).filter(Moment::is_time)
}

/// The offset from UTC that an ISO time states.
fn offset(text: &str) -> Option<Offset> {
    Pieces::parse(text).ok()?.to_numeric_offset()
}

fn is_possible(offset: Offset) -> bool {
    offset.seconds().abs() <= MOST_OFFSET
}

/// `2023-01-08 12:49:00 +0100` and the like.
fn offset_with_space(text: &str) -> Option<Timestamp> {
    for format in [
        "%Y-%m-%d %H:%M:%S %z",
        "%Y-%m-%dT%H:%M:%S%z",
        "%m/%d/%Y %H:%M:%S %:z",
        "%a, %d %b %Y %H:%M:%S %z",
    ] {
        if let Ok(read) = BrokenDownTime::parse(format, text) {
            let at = read.to_timestamp().ok();
            return at.filter(|_| read.offset().is_none_or(is_possible));
        }
    }
    text.strip_suffix(" UTC").and_then(|text| format!("{}Z", text.trim()).parse().ok())
}

fn fraction_precision(text: &str) -> TimePrecision {
    let digits = text
        .split_once('.')
        .map_or(0, |(_, rest)| rest.bytes().take_while(u8::is_ascii_digit).count());
    // The offset after the clock has a colon, too.
    let clock = text.get(11..).unwrap_or_default();
    let clock = clock.split(['+', '-']).next().unwrap_or_default();
    match digits {
        0 if clock.matches(':').count() < 2 => TimePrecision::Minute,
        0 => TimePrecision::Second,
        1..=3 => TimePrecision::Millisecond,
        _ => TimePrecision::Microsecond,
    }
}

/// A local ISO time or date without a zone.
pub(crate) fn iso_local(text: &str) -> Option<Local> {
    let text = text.trim();
    if let Some(local) = date_only(text) {
        return Some(local);
    }
    let wall: DateTime = text.replacen(' ', "T", 1).parse().ok()?;
    // A time whose offset was refused is not one of another zone.
    (wall.year() >= FIRST_YEAR && text.contains(':') && offset(text).is_none())
        .then(|| Local { wall, precision: fraction_precision(text) })
}

/// A date alone: `2023-01-08`, `20230108`, `2023-01`.
pub(crate) fn date_only(text: &str) -> Option<Local> {
    let parts: Vec<&str> = text.split('-').collect();
    let is_digits = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !parts.iter().all(is_digits) {
        return None;
    }
    let number = |part: &str| part.parse::<i16>().ok();
    let (date, precision) = match parts.as_slice() {
        [year, month, day] if year.len() == 4 => {
            let date = Date::new(number(year)?, small(month)?, small(day)?).ok()?;
            (date, TimePrecision::Day)
        }
        [year, month] if year.len() == 4 && month.len() == 2 => {
            (Date::new(number(year)?, small(month)?, 1).ok()?, TimePrecision::Month)
        }
        [whole] if whole.len() == 8 && matches!(&whole[..2], "19" | "20") => {
            let date =
                Date::new(number(&whole[..4])?, small(&whole[4..6])?, small(&whole[6..])?).ok()?;
            (date, TimePrecision::Day)
        }
        _ => return None,
    };
    (date.year() >= FIRST_YEAR)
        .then(|| Local { wall: date.to_datetime(Time::midnight()), precision })
}

fn small(text: &str) -> Option<i8> {
    text.parse().ok()
}

/// A number of seconds, milliseconds, microseconds or nanoseconds since 1970, by its size.
fn of_number(number: f64, whole: Option<i64>, text: &str) -> Option<Moment> {
    let whole = whole.unwrap_or(number as i64);
    let digits = text.split_once('.').map_or(0, |(_, rest)| rest.len());
    let (at, precision) = match number {
        n if n < FIRST as f64 => return None,
        n if n < 1e11 => match digits {
            0 => (Timestamp::from_second(whole).ok()?, TimePrecision::Second),
            _ => {
                (Timestamp::from_microsecond(microseconds(text)?).ok()?, TimePrecision::Microsecond)
            }
        },
        n if n < 1e14 => (Timestamp::from_millisecond(whole).ok()?, TimePrecision::Millisecond),
        n if n < 1e17 => (Timestamp::from_microsecond(whole).ok()?, TimePrecision::Microsecond),
        _ => (Timestamp::from_microsecond(whole / 1_000).ok()?, TimePrecision::Microsecond),
    };
    Some(Moment::utc(at, precision).written(text))
}

/// Decimal seconds as microseconds, without the rounding of floating point.
fn microseconds(text: &str) -> Option<i64> {
    let (seconds, fraction) = text.split_once('.')?;
    let mut digits: String = fraction.chars().take(6).collect();
    while digits.len() < 6 {
        digits.push('0');
    }
    let (seconds, micros): (i64, i64) = (seconds.parse().ok()?, digits.parse().ok()?);
    // A float such as 1760000001.2500001 is 1760000001.25.
    let round = fraction.as_bytes().get(6).is_some_and(|digit| *digit >= b'5');
    seconds.checked_mul(1_000_000)?.checked_add(micros + i64::from(round))
}

/// The time in a UUID of version 7 or a ULID.
pub(crate) fn of_id(id: &str) -> Option<Moment> {
    let hex: String = id.rsplit('_').next()?.chars().filter(|c| *c != '-').collect();
    let millis = if hex.len() == 32 && hex.as_bytes()[12] == b'7' {
        i64::from_str_radix(&hex[..12], 16).ok()?
    } else if hex.len() == 26 {
        ulid_millis(&hex)?
    } else {
        return None;
    };
    let plausible = (FIRST * 1_000..4_102_444_800_000).contains(&millis);
    let at = Timestamp::from_millisecond(millis).ok().filter(|_| plausible)?;
    Some(Moment::utc(at, TimePrecision::Millisecond).found(TimeFrom::Id).written(id))
}

fn ulid_millis(id: &str) -> Option<i64> {
    id.bytes().take(10).try_fold(0_i64, |sum, byte| {
        let alphabet = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
        let value = alphabet.iter().position(|one| *one == byte.to_ascii_uppercase())?;
        Some(sum * 32 + value as i64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(value: Value) -> Option<(String, TimePrecision)> {
        of_value(&value).map(|moment| (moment.at.to_string(), moment.precision))
    }

    #[test]
    fn units_are_told_by_their_size() {
        use TimePrecision::{Microsecond, Millisecond, Second};
        let same = "2023-11-14T22:13:20Z".to_owned();
        assert_eq!(at(json!(1_700_000_000)), Some((same.clone(), Second)));
        assert_eq!(at(json!(1_700_000_000_000_i64)), Some((same.clone(), Millisecond)));
        assert_eq!(at(json!(1_700_000_000_000_000_i64)), Some((same.clone(), Microsecond)));
        assert_eq!(at(json!("1700000000")), Some((same.clone(), Second)));
        assert_eq!(
            at(json!({"$date": {"$numberLong": "1700000000000"}})),
            Some((same, Millisecond))
        );
        assert_eq!(at(json!(1_760_000_001.25)).unwrap().0, "2025-10-09T08:53:21.25Z");
        for none in [json!(0), json!(null), json!(-5), json!(12), json!("soon"), json!("")] {
            assert_eq!(at(none.clone()), None, "{none}");
        }
    }

    #[test]
    fn text_says_how_precise_it_is() {
        use TimePrecision::{Day, Microsecond, Millisecond, Minute, Month, Second};
        for (text, precision) in [
            ("2026-02-03T04:05:06.123456Z", Microsecond),
            ("2026-02-03T04:05:06.123+02:00", Millisecond),
            ("2026-02-03T04:05:06Z", Second),
            ("2026-02-03T04:05:06+01:00", Second),
            ("2026-02-03T04:05+01:00", Minute),
            ("2026-02-03 04:05", Minute),
            ("2026-02-03", Day),
            ("20260203", Day),
            ("2026-02", Month),
        ] {
            assert_eq!(of_text(text).map(|moment| moment.precision), Some(precision), "{text}");
        }
    }

    #[test]
    fn written_dates_are_read_from_1900_on_but_not_the_beginning_of_a_clock() {
        for text in [
            "1999-12-31T10:00:00Z",
            "1998-05-01 10:00",
            "1970-01-01T00:01:00Z",
            "1969-12-31T10:00:00+02:00",
            "1900-01-01",
            "1923-04",
            "19540312",
        ] {
            assert!(of_text(text).is_some(), "{text}");
        }
        for text in [
            "1970-01-01T00:00:00Z",
            "1970-01-01T00:00:00.000Z",
            "1970-01-01T01:00:00+01:00",
            "1970-01-01 00:00",
            "1970-01-01",
            "1899-12-30T00:00:00Z",
            "0001-01-01T00:00:00Z",
            "915148800",
            "2024-10-27T02:30:00+25:00",
            "2024-10-27T02:30:00-14:01",
            "2024-10-27 02:30:00 +2500",
        ] {
            assert_eq!(of_text(text), None, "{text}");
        }
        let berlin = Zone::named("Europe/Berlin").unwrap();
        let local = |text| iso_local(text)?.in_zone(&berlin, ZoneFrom::Assumed);
        assert!(local("1998-05-01 10:00").is_some() && local("1970-01-01 00:01").is_some());
        assert!(local("1970-01-01 00:00").is_none() && local("1970-01-01 01:00").is_none());
    }

    #[test]
    fn ids_carry_times() {
        let v7 = of_id("0190a6f4-1c00-7abc-8def-0123456789ab").unwrap();
        assert_eq!(v7.at.as_millisecond(), 0x0190_a6f4_1c00);
        assert!(of_id("01ARZ3NDEKTSV4RRFFQ69G5FAV").is_some());
        assert!(of_id("00000000-0000-4000-8000-000000000000").is_none());
    }
}

//! Where an entry came from, and how well its time is known.

use jiff::civil::Time;
use jiff::tz::Offset;
use jiff::{SignedDuration, Span, Timestamp, ToSpan};

use super::Name;
use crate::time::Zone;
use crate::{Error, Result};

/// Declares an enum whose values have names on every wire.
macro_rules! named {
    ($(#[$doc:meta])* $visible:vis $kind:ident, $what:literal { $($(#[$note:meta])* $value:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $visible enum $kind { $($(#[$note])* $value),* }

        impl $kind {
            /// All values, in order.
            pub const ALL: &'static [Self] = &[$(Self::$value),*];

            /// The name as written on every wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$value => $text),* }
            }

            /// The value with this name.
            pub fn named(text: &str) -> Result<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == text).ok_or_else(|| {
                    let known: Vec<&str> = Self::ALL.iter().map(|one| one.as_str()).collect();
                    Error::invalid(format!(
                        "unknown {} {text:?}; use one of {}", $what, known.join(", ")
                    ))
                })
            }
        }
    };
}

named! {
    /// How precisely a time is known: to this unit.
    pub TimePrecision, "precision" {
        /// A microsecond.
        Microsecond = "us",
        /// A millisecond.
        Millisecond = "ms",
        /// A second.
        Second = "s",
        /// A minute.
        Minute = "minute",
        /// An hour.
        Hour = "hour",
        /// A calendar day.
        Day = "day",
        /// A week.
        Week = "week",
        /// A calendar month.
        Month = "month",
        /// A calendar year.
        Year = "year",
        /// Only the order of the entries is known.
        Unknown = "unknown",
    }
}

named! {
    /// What a time was taken from.
    pub TimeFrom, "time_from" {
        /// The source states it for this message.
        Stated = "stated",
        /// The source states when the reply was generated.
        Generation = "generation",
        /// It is part of the message's id.
        Id = "id",
        /// It follows from a message before or after it.
        Neighbour = "neighbour",
        /// The source states it for the whole conversation.
        Conversation = "conversation",
        /// It is the time of the file.
        File = "file",
        /// It is the time of the export.
        Export = "export",
        /// The person who imported it stated it.
        Asked = "asked",
        /// The source states a local time that does not exist, because clocks went forward; it was moved by
        /// as much.
        Moved = "moved",
    }
}

named! {
    /// How the time zone of a time is known.
    pub ZoneFrom, "zone_from" {
        /// The time states it.
        Stated = "stated",
        /// The format is defined to be in UTC.
        UtcByFormat = "utc-by-format",
        /// It follows from other times in the source.
        Inferred = "inferred",
        /// The person who imported it stated it.
        Asked = "asked",
        /// Nothing states it, so the vault's time zone was assumed.
        Assumed = "assumed",
    }
}

/// Where an entry came from, and how its time was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// The program or format it came from, such as `chatgpt`.
    pub source: Name,
    /// The id of the message in the source.
    pub source_id: Option<Name>,
    /// The time as the source writes it.
    pub time_text: Option<Name>,
    /// How precisely the time is known.
    pub precision: TimePrecision,
    /// What the time was taken from.
    pub time_from: TimeFrom,
    /// How the time zone is known.
    pub zone_from: ZoneFrom,
}

impl Provenance {
    /// The beginning of ids that a reader derived from time, role and text because the source has none.
    /// Such an id says no more than these three: another id of the same source does not contradict it.
    pub const CONTENT_ID: &'static str = "content:";

    /// A message of `source` with a stated time in UTC.
    pub fn stated(source: Name) -> Self {
        Self {
            source,
            source_id: None,
            time_text: None,
            precision: TimePrecision::Microsecond,
            time_from: TimeFrom::Stated,
            zone_from: ZoneFrom::Stated,
        }
    }
}

/// Moves an instant by calendar units. Which time zone a date was in is not stored, and the vault's may
/// be another. But dates start at midnight, and that midnight is near one in UTC: so the calendar of UTC
/// is used, and the distance to its midnight is kept. A change to or from daylight saving time within
/// the period is not seen.
fn shifted(at: Timestamp, span: Span) -> Timestamp {
    // From Hawaii to New Zealand in summer.
    let east = SignedDuration::from_hours(13);
    let near = Offset::UTC.to_datetime(at.saturating_add(east).unwrap_or(at));
    let midnight = near.date().to_datetime(Time::midnight());
    let moved = midnight.checked_add(span).and_then(|moved| {
        let distance = at.duration_since(Offset::UTC.to_timestamp(midnight)?);
        Offset::UTC.to_timestamp(moved)?.checked_add(distance)
    });
    moved.unwrap_or(at)
}

impl TimePrecision {
    /// The precisions that make a time a period, from the shortest to the longest.
    pub const PERIODS: [Self; 5] = [Self::Hour, Self::Day, Self::Week, Self::Month, Self::Year];

    /// The end of the period that starts at `at` and in which something known to this precision
    /// happened; `at` itself where the precision is a minute or better, or unknown.
    pub fn end_of(self, at: Timestamp) -> Timestamp {
        self.length().map_or(at, |length| shifted(at, length))
    }

    /// The instant at or before which a period of this precision has to start in order to be over at
    /// `instant`. A period that starts later, and before `instant`, contains `instant`.
    pub fn over_by(self, instant: Timestamp) -> Timestamp {
        self.length().map_or(instant, |length| shifted(instant, -length))
    }

    fn length(self) -> Option<Span> {
        match self {
            Self::Microsecond | Self::Millisecond | Self::Second | Self::Minute => None,
            Self::Unknown => None,
            Self::Hour => Some(1.hour()),
            Self::Day => Some(1.day()),
            Self::Week => Some(1.week()),
            Self::Month => Some(1.month()),
            Self::Year => Some(1.year()),
        }
    }

    /// A time as people should read it, if it is only approximately known: `about 3 March 2023`.
    pub fn about(self, at: Timestamp, zone: &Zone) -> Option<String> {
        let shown = zone.show(at);
        let format = match self {
            Self::Microsecond | Self::Millisecond | Self::Second | Self::Minute => return None,
            Self::Hour => "about %-d %B %Y, %H:00",
            Self::Day => "about %-d %B %Y",
            Self::Week => "in the week of %-d %B %Y",
            Self::Month => "about %B %Y",
            Self::Year => "about %Y",
            Self::Unknown => "at an unknown time, after %-d %B %Y",
        };
        Some(shown.strftime(format).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_period_lasts_as_long_as_the_calendar_says_where_the_date_was_written() {
        use TimePrecision::{Day, Hour, Minute, Month, Unknown, Week, Year};
        for (precision, from, to) in [
            (Minute, "2023-03-03T00:00Z", "2023-03-03T00:00Z"),
            (Unknown, "2023-03-03T00:00Z", "2023-03-03T00:00Z"),
            (Hour, "2023-03-03T10:00Z", "2023-03-03T11:00Z"),
            (Day, "2023-03-03T00:00Z", "2023-03-04T00:00Z"),
            (Week, "2023-02-27T00:00Z", "2023-03-06T00:00Z"),
            (Month, "2023-02-01T00:00Z", "2023-03-01T00:00Z"),
            (Year, "2024-01-01T00:00Z", "2025-01-01T00:00Z"),
            // Berlin, New York, Auckland in summer, Honolulu.
            (Month, "2023-01-31T23:00Z", "2023-02-28T23:00Z"),
            (Month, "2023-02-01T05:00Z", "2023-03-01T05:00Z"),
            (Month, "2023-01-31T11:00Z", "2023-02-28T11:00Z"),
            (Month, "2023-02-01T10:00Z", "2023-03-01T10:00Z"),
        ] {
            assert_eq!(precision.end_of(at(from)), at(to), "{precision:?} from {from}");
            assert_eq!(precision.over_by(at(to)), at(from), "{precision:?} to {to}");
        }
    }

    #[test]
    fn times_at_the_end_of_the_calendar_stay() {
        assert_eq!(TimePrecision::Year.end_of(Timestamp::MAX), Timestamp::MAX);
        assert_eq!(TimePrecision::Year.over_by(Timestamp::MIN), Timestamp::MIN);
    }
}

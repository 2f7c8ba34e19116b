//! Where an entry came from, and how well its time is known.

use jiff::{SignedDuration, Timestamp, ToSpan};

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

    /// Whether the time is only approximately known, so that people should be told.
    pub fn is_approximate(&self) -> bool {
        self.precision > TimePrecision::Minute
    }
}

impl TimePrecision {
    /// The end of the period that starts at `at` and in which something known to this precision
    /// happened; `at` itself where the precision is a minute or better.
    pub fn end_of(self, at: Timestamp, zone: &Zone) -> Timestamp {
        let span = match self {
            Self::Microsecond | Self::Millisecond | Self::Second | Self::Minute => return at,
            Self::Unknown => return at,
            Self::Hour => return at.saturating_add(SignedDuration::from_hours(1)).unwrap_or(at),
            Self::Day => 1.day(),
            Self::Week => 1.week(),
            Self::Month => 1.month(),
            Self::Year => 1.year(),
        };
        zone.show(at).checked_add(span).map_or(at, |end| end.timestamp())
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

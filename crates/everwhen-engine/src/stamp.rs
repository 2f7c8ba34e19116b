//! Times as a model reads them: in front of messages, and as one sentence.
//!
//! Absolute and gap stamps depend on nothing but the message, so that what was sent once is sent
//! again byte for byte and prompt caches hold. Relative stamps age with every turn.

use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp};

use crate::time::{Zone, ago};
use crate::{Error, Result};

/// How messages are stamped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// `(Saturday, 2025-09-20 16:30:05) `
    #[default]
    Absolute,
    /// `[Sent 2 hours, 15 minutes ago] `
    Relative,
    /// `[3 days later] ` on the first message after a pause, nothing on the others.
    Gap,
    /// Nothing.
    Off,
}

impl Style {
    /// All styles, in the order they are named to people.
    pub const ALL: [Self; 4] = [Self::Absolute, Self::Relative, Self::Gap, Self::Off];

    /// As written in settings and headers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Absolute => "absolute",
            Self::Relative => "relative",
            Self::Gap => "gap",
            Self::Off => "off",
        }
    }

    /// The style with this name.
    pub fn named(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|style| style.as_str() == text).ok_or_else(|| {
            Error::invalid(format!("unknown stamps {text:?}; use absolute, relative, gap or off"))
        })
    }
}

/// What stamps depend on besides the message.
#[derive(Debug, Clone)]
pub struct Stamper {
    /// The style.
    pub style: Style,
    /// Where days begin and end.
    pub zone: Zone,
    /// Now.
    pub now: Timestamp,
    /// The pause that gap stamps do not mention.
    pub pause: SignedDuration,
}

impl Stamper {
    /// What stands before a message said at `time`, the one before it at `since`.
    pub fn stamp(&self, time: Timestamp, since: Option<Timestamp>) -> Option<String> {
        match self.style {
            Style::Absolute => Some(format!("{} ", absolute(&self.zone, time))),
            Style::Relative => Some(format!("[Sent {}] ", ago(to_second(time), self.now))),
            Style::Gap => {
                let passed = to_second(time).duration_since(to_second(since?));
                (passed > self.pause).then(|| format!("[{} later] ", coarse(passed)))
            }
            Style::Off => None,
        }
    }
}

/// `(Saturday, 2025-09-20 16:30:05)`, on the zone's wall clock.
pub fn absolute(zone: &Zone, time: Timestamp) -> String {
    zone.show(time).strftime("(%A, %Y-%m-%d %H:%M:%S)").to_string()
}

/// Stamps know no parts of seconds.
fn to_second(time: Timestamp) -> Timestamp {
    Timestamp::from_second(time.as_second()).unwrap_or(time)
}

/// The length in its largest unit alone: `3 days`.
fn coarse(length: SignedDuration) -> String {
    let minutes = length.as_mins();
    let (count, unit) = match minutes {
        1440.. => (minutes / 1440, "day"),
        60.. => (minutes / 60, "hour"),
        _ => (minutes, "minute"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// The sentence behind `{time_context_summary}`: when the first message was said, and the last one
/// before the one being answered. Empty if no time is known.
pub fn time_context(
    started_at: Option<Timestamp>,
    last_at: Option<Timestamp>,
    now: Timestamp,
) -> String {
    match (started_at.map(to_second), last_at.map(to_second)) {
        (None, _) => String::new(),
        (Some(started), Some(last)) if started != last => format!(
            "[Time Context: This conversation started {}. The most recent message was sent {}.]",
            ago(started, now),
            ago(last, now)
        ),
        (Some(started), _) => {
            format!("[Time Context: The conversation started {}.]", ago(started, now))
        }
    }
}

/// Reads `(Saturday, 2025-09-20 18:31:21)` on the zone's wall clock. The weekday is not compared
/// with the date: it is in the language of the machine that wrote it.
pub fn read_absolute(text: &str, zone: &Zone) -> Result<Timestamp> {
    let bad = || {
        Error::invalid(format!(
            "the time {text:?} cannot be read; write it as (Saturday, 2025-09-20 18:31:21)"
        ))
    };
    let inner = text.trim_matches(['(', ')', ' ']);
    let (_, civil) = inner.split_once(", ").ok_or_else(bad)?;
    let civil = DateTime::strptime("%Y-%m-%d %H:%M:%S", civil).map_err(|_| bad())?;
    let zoned = civil.to_zoned(zone.time_zone().clone()).map_err(|_| bad())?;
    Ok(zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn stamper(style: Style, now: &str) -> Stamper {
        let zone = Zone::named("Europe/Berlin").unwrap();
        Stamper { style, zone, now: at(now), pause: SignedDuration::from_mins(30) }
    }

    #[test]
    fn each_style_has_its_form() {
        let said = at("2025-09-20T14:30:05Z");
        let stamp = |style, since: Option<&str>| {
            stamper(style, "2025-09-20T16:45:50Z").stamp(said, since.map(at))
        };
        let absolute = stamp(Style::Absolute, None);
        assert_eq!(absolute.as_deref(), Some("(Saturday, 2025-09-20 16:30:05) "));
        let relative = stamp(Style::Relative, None);
        assert_eq!(relative.as_deref(), Some("[Sent 2 hours, 15 minutes ago] "));
        let gap = |since| stamp(Style::Gap, since);
        assert_eq!(gap(Some("2025-09-17T13:30:05Z")).as_deref(), Some("[3 days later] "));
        assert_eq!(gap(Some("2025-09-20T13:30:05Z")).as_deref(), Some("[1 hour later] "));
        assert_eq!(gap(Some("2025-09-20T13:58:05Z")).as_deref(), Some("[32 minutes later] "));
        assert_eq!(gap(Some("2025-09-20T14:00:05Z")), None);
        assert_eq!(gap(None), None);
        assert_eq!(stamp(Style::Off, None), None);
    }

    #[test]
    fn names_and_back() {
        for style in Style::ALL {
            assert_eq!(Style::named(style.as_str()).unwrap(), style);
        }
        assert!(Style::named("full").unwrap_err().message().contains("gap"));
    }

    #[test]
    fn the_summary_has_two_wordings_and_silence() {
        let now = at("2025-09-20T16:00:00Z");
        let started = Some(at("2025-09-18T11:00:00Z"));
        assert_eq!(
            time_context(started, Some(at("2025-09-20T15:45:00Z")), now),
            "[Time Context: This conversation started 2 days, 5 hours ago. \
             The most recent message was sent 15 minutes ago.]"
        );
        let single = Some(at("2025-09-20T15:55:00Z"));
        let expected = "[Time Context: The conversation started 5 minutes ago.]";
        assert_eq!(time_context(single, None, now), expected);
        assert_eq!(time_context(single, single, now), expected);
        assert_eq!(time_context(None, None, now), "");
    }

    #[test]
    fn times_are_read_as_they_are_written() {
        let zone = Zone::named("Europe/Berlin").unwrap();
        let time = "2025-09-20T16:31:21Z".parse().unwrap();
        assert_eq!(read_absolute("(Saturday, 2025-09-20 18:31:21)", &zone).unwrap(), time);
        assert_eq!(read_absolute(&absolute(&zone, time), &zone).unwrap(), time);
        assert_eq!(read_absolute(" (Samstag, 2025-09-20 18:31:21) ", &zone).unwrap(), time);
        for bad in ["", "2025-09-20 18:31:21", "(Friday, 2025-13-01 00:00:00)", "(Friday)"] {
            assert!(read_absolute(bad, &zone).is_err(), "{bad}");
        }
    }
}

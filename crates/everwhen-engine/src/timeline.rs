//! The timeline: what was said, oldest first, one dated line each, with the days in between.
//!
//! A line is dated by conversation_time in the vault's zone. A date the speaker mentions stays in
//! the text and never moves the line.

mod about;
mod between;
mod density;

pub use about::TimelineAbout;
pub use between::TimeBetween;
pub use density::{Density, DensityQuery};

use std::fmt::{self, Display};

use jiff::Timestamp;
use jiff::civil::Date;

use crate::conversations::summary::Shortened;
use crate::limits;
use crate::memory::{Entry, EntryId};
use crate::time::{Zone, gap};

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimelineLine {
    /// The day it was said, in the vault's zone.
    pub date: Date,
    /// What was said, shortened.
    pub event: String,
    /// Days since the line before: `+7 days`; nothing on the same day.
    pub gap: Option<String>,
    /// When it was said.
    pub conversation_time: Timestamp,
    /// The entry it stands for.
    pub entry: EntryId,
    /// The conversation, as named on the wire.
    pub conversation: String,
}

impl TimelineLine {
    /// The line as text: `2023-01-15 – Went to the Met (+7 days)`.
    pub fn text(&self) -> String {
        told(self.date, &self.event, self.gap.as_deref()).to_string()
    }
}

/// A line as text.
pub(crate) fn told(date: Date, event: impl Display, gap: Option<&str>) -> impl Display {
    fmt::from_fn(move |f| write!(f, "{date} – {event}{}", behind(gap)))
}

/// A gap as it stands behind something: ` (+7 days)`.
pub(crate) fn behind(gap: Option<&str>) -> impl Display {
    fmt::from_fn(move |f| gap.map_or(Ok(()), |gap| write!(f, " ({gap})")))
}

/// The same for entries with the newest first; `earlier` is the day of the next line.
pub(crate) fn lines_back(
    entries: &[Entry],
    zone: &Zone,
    earlier: Option<Date>,
) -> Vec<TimelineLine> {
    let oldest_first: Vec<Entry> = entries.iter().rev().cloned().collect();
    let mut lines = lines(&oldest_first, zone, earlier);
    lines.reverse();
    lines
}

/// The lines of entries in order of conversation_time; `previous` is the day of the line before.
pub(crate) fn lines(entries: &[Entry], zone: &Zone, previous: Option<Date>) -> Vec<TimelineLine> {
    let mut previous = previous;
    entries
        .iter()
        .map(|entry| {
            let date = zone.day(entry.conversation_time);
            let gap = previous.replace(date).and_then(|previous| gap(previous, date));
            line(entry, date, gap)
        })
        .collect()
}

fn line(entry: &Entry, date: Date, gap: Option<String>) -> TimelineLine {
    let conversation = entry.conversation_name.as_ref();
    TimelineLine {
        date,
        event: event(entry).to_string(),
        gap,
        conversation_time: entry.conversation_time,
        entry: entry.id,
        conversation: conversation
            .map_or_else(|| entry.conversation.to_string(), |name| name.to_string()),
    }
}

/// What the line of an entry says.
pub(crate) fn event(entry: &Entry) -> Shortened<'_> {
    let text = entry.summary.as_deref().unwrap_or(entry.content.as_str());
    Shortened::new(text, limits::TIMELINE_CHARS)
}

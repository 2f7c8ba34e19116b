//! One dated line of text: the day, what was said, and the gap to the line before.

use std::fmt::{self, Display};

use jiff::civil::Date;

use crate::limits;
use crate::memory::Entry;
use crate::text::Shortened;

/// A line as text.
pub(crate) fn dated_line(date: Date, event: impl Display, gap: Option<&str>) -> impl Display {
    fmt::from_fn(move |f| write!(f, "{date} – {event}{}", behind(gap)))
}

/// A gap as it is appended: ` (+7 days)`.
pub(crate) fn behind(gap: Option<&str>) -> impl Display {
    fmt::from_fn(move |f| gap.map_or(Ok(()), |gap| write!(f, " ({gap})")))
}

/// What the line of an entry says.
pub(crate) fn event(entry: &Entry) -> Shortened<'_> {
    let text = entry.summary.as_deref().unwrap_or(entry.content.as_str());
    Shortened::new(text, limits::TIMELINE_CHARS)
}

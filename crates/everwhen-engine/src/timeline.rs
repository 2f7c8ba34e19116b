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

use jiff::Timestamp;
use jiff::civil::Date;

use crate::Result;
use crate::dated::{dated_line, event};
use crate::memory::{Address, Entry, EntryId, MemoryId, Role};
use crate::ports::{Cursor, EntryQuery, Order};
use crate::time::{Zone, gap};
use crate::vault::{Page, Vault, bounded, list_entries};

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
    /// The entry it shows.
    pub entry: EntryId,
    /// The conversation, as named on the wire.
    pub conversation: String,
}

impl TimelineLine {
    /// The line as text: `2023-01-15 – Went to the Met (+7 days)`.
    pub fn text(&self) -> String {
        dated_line(self.date, &self.event, self.gap.as_deref()).to_string()
    }
}

/// The lines of entries with the newest first; `earlier` is the day of the line after the last one.
fn lines_back(entries: &[Entry], zone: &Zone, earlier: Option<Date>) -> Vec<TimelineLine> {
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
            let mut line = line(entry, date, gap);
            if let Some(about) = entry.about(zone) {
                line.event = format!("({about}) {}", line.event);
            }
            line
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

impl Vault {
    /// The timeline: what was said, one dated line each, in the order of the query; what the user
    /// said, unless the query names another role.
    pub async fn timeline(
        &self,
        memory: Address<MemoryId>,
        query: EntryQuery,
    ) -> Result<Page<TimelineLine, Cursor>> {
        let limit = bounded(query.after, query.before, query.limit)?;
        let role = query.role.or(Some(Role::User));
        let query = EntryQuery { role, ..query };
        self.read(memory, move |view, _| {
            let zone = &view.vault.zone;
            let page = list_entries(view, query.clone(), limit)?;
            if query.order == Order::Oldest {
                let day_before = query.from.map(|cursor| zone.day(cursor.time));
                let data = self::lines(&page.data, zone, day_before);
                return Ok(Page { data, next: page.next });
            }
            let rest = EntryQuery { from: page.next, ..query.clone() };
            let earlier = page.next.map(|_| list_entries(view, rest, 1)).transpose()?;
            let earlier =
                earlier.and_then(|rest| Some(zone.day(rest.data.first()?.conversation_time)));
            Ok(Page { data: lines_back(&page.data, zone, earlier), next: page.next })
        })
        .await
    }
}

//! A recollection as text for a model: bounded, dated, oldest first, with a timeline.
//!
//! The best items that fit are listed in the order they were said, grouped by day in the vault's zone.
//! The same recollection always gives the same text.

use std::borrow::Cow;
use std::fmt::{self, Write};

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};

use super::{About, EntryFound, LineOrigin, OriginItem, Recollection};
use crate::dated::{behind, dated_line, event};
use crate::memory::{Entry, FactId};
use crate::text::Shortened;
use crate::text::quoted;
use crate::time::{Zone, gap};

/// The largest number of characters of an item.
const ITEM_CHARS: usize = 1200;
/// The number of characters that are counted as a token, a low estimate for English.
const LETTERS_PER_TOKEN: usize = 4;

/// Renders the briefing, with at most `budget_tokens` tokens. Also returns where its lines come from.
pub(super) fn render(
    recollection: &Recollection,
    zone: &Zone,
    budget_tokens: usize,
) -> (String, Vec<LineOrigin>) {
    let mut text = opening(recollection, zone);
    let mut origins = Vec::new();
    let (facts, ids) = facts(recollection, budget_tokens / 3);
    let room = budget_tokens.saturating_sub(tokens(&text) + tokens(&facts));
    if !facts.is_empty() {
        start_section(&mut text);
        let first = current_line(&text) + 1;
        let line = |(place, id)| LineOrigin { line: first + place, from: OriginItem::Fact(id) };
        origins.extend(ids.into_iter().enumerate().map(line));
        text.push_str(&facts);
    }
    let mut chosen = choose(&recollection.items, zone, room);
    if !chosen.is_empty() {
        start_section(&mut text);
        write(&mut text, &mut chosen, &mut origins).expect("a string takes whatever is written");
    }
    (text, origins)
}

/// The line that is written next, counted from 0.
fn current_line(text: &str) -> usize {
    text.matches('\n').count()
}

/// Starts a new section after a blank line.
fn start_section(text: &mut String) {
    if !text.is_empty() {
        text.push_str("\n\n");
    }
}

/// Lists the best facts that fit: those pinned, then the rest in the order they were mentioned.
fn facts(recollection: &Recollection, room: usize) -> (String, Vec<FactId>) {
    let mut left = room.saturating_sub(tokens("# Facts\n"));
    let mut chosen: Vec<(bool, jiff::Timestamp, String, FactId)> = Vec::new();
    for found in &recollection.facts {
        let line = format!("- {}", Shortened::new(&found.fact.text, ITEM_CHARS).quoted());
        if tokens(&line) < left {
            left -= tokens(&line) + 1;
            let pinned = found.fact.fact.pinned_at.is_some();
            chosen.push((!pinned, found.fact.fact.mentioned_at, line, found.fact.fact.id));
        }
    }
    chosen.sort();
    let (lines, ids): (Vec<String>, Vec<FactId>) =
        chosen.into_iter().map(|(_, _, line, id)| (line, id)).unzip();
    let text =
        if lines.is_empty() { String::new() } else { format!("# Facts\n{}", lines.join("\n")) };
    (text, ids)
}

/// Says how the time in the question was read, and whether nothing was said then.
pub(crate) fn opening(recollection: &Recollection, zone: &Zone) -> String {
    let period = recollection.about.as_ref().and_then(|about| described_period(about, zone));
    match (period, recollection.nothing_in_period) {
        (Some(period), true) => {
            format!("Nothing was said {period}; what follows lies outside.")
        }
        (Some(period), false) => format!("The question is about what was said {period}."),
        (None, _) => String::new(),
    }
}

/// Describes a period by its first and its last day.
fn described_period(about: &About, zone: &Zone) -> Option<String> {
    let period = about.period?;
    let first = period.since().map(|since| zone.day(since));
    let last = period.until().map(|until| zone.day(until - jiff::SignedDuration::from_micros(1)));
    Some(match (first, last) {
        (Some(first), Some(last)) if first == last => format!("on {first}"),
        (Some(first), Some(last)) => format!("between {first} and {last}"),
        (Some(first), None) => format!("since {first}"),
        (None, Some(last)) => format!("until {last}"),
        (None, None) => return None,
    })
}

/// An item of the briefing.
struct BriefingItem<'r> {
    entry: &'r Entry,
    time: DateTime,
    speaker: Cow<'r, str>,
    said: Shortened<'r>,
    event: Shortened<'r>,
    /// When it was said, if that is only approximately known.
    about: Option<String>,
    /// The time since the previous item, if it was said on an earlier day.
    gap: Option<String>,
}

/// What an item takes beside its words, at most: a heading for its day, its time, and its day in the
/// timeline.
const FRAME: &str = "## 2000-01-01 (+1000 days)\n\n- 00:00 : 2000-01-01 – ";

impl<'r> BriefingItem<'r> {
    fn new(entry: &'r Entry, zone: &Zone) -> Self {
        Self {
            entry,
            time: zone.wall(entry.conversation_time),
            speaker: quoted(entry.speaker_label()),
            said: Shortened::new(entry.content.as_str(), ITEM_CHARS).quoted(),
            event: event(entry).quoted(),
            about: entry.about(zone),
            gap: None,
        }
    }

    fn tokens(&self) -> usize {
        let about = self.about.as_deref().map_or(0, count);
        let words = self.said.chars() + self.event.chars() + about;
        let chars = words + [FRAME, &*self.speaker].map(count).iter().sum::<usize>();
        chars.div_ceil(LETTERS_PER_TOKEN) + 1
    }

    fn order(&self) -> (Timestamp, u64) {
        (self.entry.conversation_time, self.entry.place)
    }
}

/// Chooses the best items that fit, in the order they were said.
fn choose<'r>(items: &'r [EntryFound], zone: &Zone, room: usize) -> Vec<BriefingItem<'r>> {
    let mut left = room.saturating_sub(tokens("# Context\n\n\n# Timeline\n"));
    let mut chosen = Vec::with_capacity(items.len());
    for EntryFound { entry, .. } in items {
        let item = BriefingItem::new(entry, zone);
        let cost = item.tokens();
        if cost <= left {
            left -= cost;
            chosen.push(item);
        }
    }
    chosen.sort_by_key(BriefingItem::order);
    chosen
}

fn count(text: &str) -> usize {
    text.chars().count()
}

fn tokens(text: &str) -> usize {
    count(text).div_ceil(LETTERS_PER_TOKEN)
}

/// Writes the items under headings for their days, then the timeline with a line for each.
fn write(
    text: &mut String,
    items: &mut [BriefingItem<'_>],
    origins: &mut Vec<LineOrigin>,
) -> fmt::Result {
    let size = |item: &BriefingItem<'_>| 2 * FRAME.len() + item.said.size() + item.event.size();
    text.reserve(items.iter().map(size).sum());
    let mut line = current_line(text);
    let mut origin = |line: usize, item: &BriefingItem<'_>| {
        origins.push(LineOrigin { line, from: OriginItem::Entry(item.entry.id) });
    };
    text.push_str("# Context");
    let mut today: Option<Date> = None;
    for item in items.iter_mut() {
        let day = item.time.date();
        if today != Some(day) {
            item.gap = today.replace(day).and_then(|before| gap(before, day));
            write!(text, "\n## {day}{}", behind(item.gap.as_deref()))?;
            line += 1;
        }
        line += 1;
        origin(line, item);
        match &item.about {
            Some(about) => write!(text, "\n- ({about})")?,
            None => write!(text, "\n- {:02}:{:02}", item.time.hour(), item.time.minute())?,
        }
        write!(text, " {}: {}", item.speaker, item.said)?;
    }
    text.push_str("\n\n# Timeline");
    line += 2;
    for item in items {
        let BriefingItem { time, event, gap, .. } = &*item;
        write!(text, "\n{}", dated_line(time.date(), event, gap.as_deref()))?;
        line += 1;
        origin(line, item);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_four_letters_or_less() {
        assert_eq!(tokens(""), 0);
        assert_eq!(tokens("abcd"), 1);
        assert_eq!(tokens("abcde"), 2);
    }
}

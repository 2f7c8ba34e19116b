//! A recollection as text for a model: bounded, dated, oldest first, with a timeline.
//!
//! The best items are taken as long as they fit, then told in the order they were said, grouped by
//! day in the vault's zone. The same recollection always gives the same text.

use jiff::civil::Date;

use super::{About, EntryFound, Recollection};
use crate::conversations::prompt::speaker;
use crate::conversations::summary::shorten;
use crate::memory::Entry;
use crate::timeline::{self, TimelineLine};
use crate::when::{Zone, gap};

/// No item may take more than so many characters.
const ITEM_CHARS: usize = 1200;
/// Letters in a token, on the safe side for English.
const LETTERS_PER_TOKEN: usize = 4;

/// The briefing, of at most so many tokens.
pub(super) fn render(recollection: &Recollection, zone: &Zone, budget_tokens: usize) -> String {
    let opening = opening(recollection, zone);
    let facts = facts(recollection, budget_tokens / 3);
    let room = budget_tokens.saturating_sub(tokens(&opening) + tokens(&facts));
    let mut chosen = choose(&recollection.items, zone, room);
    if chosen.is_empty() {
        let said = [opening, facts].into_iter().filter(|section| !section.is_empty());
        return said.collect::<Vec<_>>().join("\n\n");
    }
    let context = days(&mut chosen);
    let lines: Vec<String> = chosen.iter().map(|one| one.line.text()).collect();
    let sections = [
        opening,
        facts,
        format!("# Context\n{context}"),
        format!("# Timeline\n{}", lines.join("\n")),
    ];
    let told: Vec<String> = sections.into_iter().filter(|section| !section.is_empty()).collect();
    told.join("\n\n")
}

/// The best facts that fit, in the order they were mentioned.
fn facts(recollection: &Recollection, room: usize) -> String {
    let mut left = room.saturating_sub(tokens("# Facts\n"));
    let mut chosen: Vec<(jiff::Timestamp, String)> = Vec::new();
    for found in &recollection.facts {
        let line = format!("- {}", shorten(&found.fact.text, ITEM_CHARS));
        if tokens(&line) < left {
            left -= tokens(&line) + 1;
            chosen.push((found.fact.fact.mentioned_at, line));
        }
    }
    chosen.sort();
    let lines: Vec<String> = chosen.into_iter().map(|(_, line)| line).collect();
    if lines.is_empty() { String::new() } else { format!("# Facts\n{}", lines.join("\n")) }
}

/// What is said beforehand: how the question was read, and that nothing was found there.
fn opening(recollection: &Recollection, zone: &Zone) -> String {
    let stretch = recollection.about.as_ref().and_then(|about| stretch(about, zone));
    match (stretch, recollection.nothing_in_period) {
        (Some(stretch), true) => {
            format!("Nothing was said {stretch}; what follows lies outside.")
        }
        (Some(stretch), false) => format!("The question is about what was said {stretch}."),
        (None, _) => String::new(),
    }
}

/// A period in words, its last day included.
fn stretch(about: &About, zone: &Zone) -> Option<String> {
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

/// An item of the briefing: how it is told, and its line in the timeline.
struct Chosen<'r> {
    entry: &'r Entry,
    told: String,
    line: TimelineLine,
}

/// What an item may need besides: a new day.
const HEADING: &str = "## 2000-01-01 (+1000 days)\n\n";

/// The best items that fit, in the order they were said.
fn choose<'r>(items: &'r [EntryFound], zone: &Zone, room: usize) -> Vec<Chosen<'r>> {
    let mut left = room.saturating_sub(tokens("# Context\n\n\n# Timeline\n"));
    let mut chosen = Vec::new();
    for EntryFound { entry, .. } in items {
        let (told, line) = (told(entry, zone), timeline::line(entry, zone));
        let chars = [HEADING, &told, &line.text()].map(|text| text.chars().count());
        let cost = chars.iter().sum::<usize>().div_ceil(LETTERS_PER_TOKEN) + 1;
        if cost <= left {
            left -= cost;
            chosen.push(Chosen { entry, told, line });
        }
    }
    chosen.sort_by_key(|one| (one.entry.conversation_time, one.entry.sequence));
    chosen
}

fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(LETTERS_PER_TOKEN)
}

/// Items under the days they were said on, with the days in between, which their lines get too.
fn days(items: &mut [Chosen<'_>]) -> String {
    let mut lines = Vec::new();
    let mut today: Option<Date> = None;
    for item in items {
        let day = item.line.date;
        if today != Some(day) {
            item.line.gap = today.replace(day).and_then(|before| gap(before, day));
            let gap = item.line.gap.as_ref().map_or_else(String::new, |gap| format!(" ({gap})"));
            lines.push(format!("## {day}{gap}"));
        }
        lines.push(std::mem::take(&mut item.told));
    }
    lines.join("\n")
}

fn told(entry: &Entry, zone: &Zone) -> String {
    let time = zone.show(entry.conversation_time);
    let (hour, minute) = (time.hour(), time.minute());
    let said = shorten(entry.content.as_str(), ITEM_CHARS);
    format!("- {hour:02}:{minute:02} {}: {said}", speaker(entry))
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

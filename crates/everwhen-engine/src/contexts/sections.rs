//! The sections of a context document, and how they share its room.
//!
//! Every section has a share; what one leaves goes to the timeline and to the facts. In each the most
//! important lines are taken as long as they fit and shown in order of time; what is left out is
//! counted.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::Date;

use super::material::ContextMaterial;
use crate::chapters::names_in;
use crate::facts::FactView;
use crate::limits;
use crate::memory::FactId;
use crate::text::shorten;
use crate::time::{Zone, gap};

/// Rooms of the sections, headings and blank lines included; together they fill the document.
const DESCRIPTION: usize = 600;
const FACTS: usize = 1_600;
const PREFERENCES: usize = 600;
const DECISIONS: usize = 600;
const TOPICS: usize = 200;
const ENTITIES: usize = 200;
const NOTES: usize = 400;
const TIMELINE: usize = 800;
/// Room for the line that counts what is left out.
const COUNTED: usize = 24;
/// Longest line, in characters.
const LINE_CHARS: usize = 240;
/// Most topics or names.
const WORDS: usize = 12;
/// Tags that say what kind of fact it is, not what it is about.
const KINDS: [&str; 4] = ["preference", "decision", "plan", "general"];
/// The number of earlier values that are shown of a fact that replaced others.
const EARLIER: usize = 2;

/// Which section a fact belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Facts,
    Preferences,
    Decisions,
    Notes,
}

impl Section {
    /// By what it is about.
    fn of(view: &FactView) -> Self {
        let tagged = |tag: &str| view.fact.tags.iter().any(|one| one.as_str() == tag);
        match () {
            () if tagged("preference") => Self::Preferences,
            () if tagged("decision") => Self::Decisions,
            () if tagged("plan") => Self::Notes,
            () => Self::Facts,
        }
    }
}

/// One line, and when what it tells was said.
#[derive(Debug, Clone)]
pub(super) struct SectionLine {
    time: Timestamp,
    /// The day it begins with, in the timeline.
    day: Option<Date>,
    text: String,
}

impl SectionLine {
    /// A line that a model wrote, about the whole.
    pub(super) fn remark(text: &str) -> Self {
        Self { time: Timestamp::MAX, day: None, text: shorten(text, LINE_CHARS) }
    }

    /// Its room with the line's end, on the safe side.
    fn room(&self) -> usize {
        let lead =
            if self.day.is_some() { "2025-01-01 – ".len() + " (+10000 days)".len() } else { 2 };
        self.text.chars().count() + lead + 1
    }
}

/// What a document tells; the lines of each section the most important first.
pub(super) struct Sections {
    pub(super) description: String,
    pub(super) facts: Vec<SectionLine>,
    pub(super) preferences: Vec<SectionLine>,
    pub(super) decisions: Vec<SectionLine>,
    pub(super) topics: Vec<String>,
    pub(super) entities: Vec<String>,
    pub(super) notes: Vec<SectionLine>,
    timeline: Vec<SectionLine>,
}

impl Sections {
    /// The sections as rules fill them.
    pub(super) fn by_rules(material: &ContextMaterial) -> Self {
        let mut sections = Self {
            description: description(material),
            facts: Vec::new(),
            preferences: Vec::new(),
            decisions: Vec::new(),
            topics: topics(material),
            entities: entities(material),
            notes: Vec::new(),
            timeline: timeline(material),
        };
        sections.sort_facts(material, |_, view| Section::of(view));
        sections
    }

    /// Puts every fact into its section; `choose` gets its number among those believed now.
    pub(super) fn sort_facts(
        &mut self,
        material: &ContextMaterial,
        choose: impl Fn(usize, &FactView) -> Section,
    ) {
        for lines in [&mut self.facts, &mut self.preferences, &mut self.decisions, &mut self.notes]
        {
            lines.clear();
        }
        let mut current: Vec<(usize, &FactView)> = material.current().enumerate().collect();
        let rank = |view: &FactView| (view.fact.pinned_at.is_some(), view.last_mentioned_at);
        current.sort_by_key(|(_, view)| std::cmp::Reverse(rank(view)));
        let known = material.by_id();
        for (number, view) in current {
            let line = fact_line(view, &known, &material.vault.zone);
            match choose(number, view) {
                Section::Facts => self.facts.push(line),
                Section::Preferences => self.preferences.push(line),
                Section::Decisions => self.decisions.push(line),
                Section::Notes => self.notes.push(line),
            }
        }
    }

    /// The document, of at most [`limits::CONTEXT_WRITTEN_CHARS`] characters.
    pub(super) fn text(&self) -> String {
        let words = |title, words: &[String], room: usize| {
            let line = shorten(&words.join(", "), room - 20);
            if line.is_empty() { String::new() } else { format!("# {title}\n{line}") }
        };
        let description = shorten(&self.description, DESCRIPTION - 20);
        let description = format!("# Description\n{description}");
        let preferences = fit("Preferences", &self.preferences, PREFERENCES);
        let decisions = fit("Decisions", &self.decisions, DECISIONS);
        let topics = words("Topics", &self.topics, TOPICS);
        let entities = words("Entities", &self.entities, ENTITIES);
        let notes = fit("Notes", &self.notes, NOTES);
        let taken = [&description, &preferences, &decisions, &topics, &entities, &notes];
        let taken: usize = taken.into_iter().map(|section| room(section)).sum();
        let left = limits::CONTEXT_WRITTEN_CHARS - taken;
        let spare = left.saturating_sub(FACTS + TIMELINE);
        let timeline = fit("Timeline", &self.timeline, TIMELINE + spare / 3);
        let facts = fit("Facts", &self.facts, left - room(&timeline));
        let all = [description, facts, preferences, decisions, topics, entities, notes, timeline];
        let sections: Vec<String> = all.into_iter().filter(|section| !section.is_empty()).collect();
        sections.join("\n\n")
    }
}

/// The room that a section takes with the blank line behind it.
fn room(section: &str) -> usize {
    if section.is_empty() { 0 } else { section.chars().count() + 2 }
}

/// A section with the lines that fit, in order of time.
fn fit(title: &str, lines: &[SectionLine], room: usize) -> String {
    let mut left = room.saturating_sub(title.len() + 5 + COUNTED);
    let mut chosen: Vec<&SectionLine> = Vec::new();
    for line in lines {
        let Some(rest) = left.checked_sub(line.room()) else { break };
        left = rest;
        chosen.push(line);
    }
    if chosen.is_empty() {
        return String::new();
    }
    chosen.sort_by_key(|line| line.time);
    let mut shown = vec![format!("# {title}")];
    let more = lines.len() - chosen.len();
    if more > 0 {
        shown.push(format!("({more} more left out)"));
    }
    let mut before: Option<Date> = None;
    for line in chosen {
        shown.push(shown_line(line, before));
        before = line.day.or(before);
    }
    shown.join("\n")
}

fn shown_line(line: &SectionLine, before: Option<Date>) -> String {
    let Some(day) = line.day else { return format!("- {}", line.text) };
    let gap = before.and_then(|before| gap(before, day));
    let gap = gap.map_or_else(String::new, |gap| format!(" ({gap})"));
    format!("{day} – {}{gap}", line.text)
}

/// A fact with its date, and what it was before.
fn fact_line(view: &FactView, known: &HashMap<FactId, &FactView>, zone: &Zone) -> SectionLine {
    let mut earlier = Vec::new();
    let mut at = view;
    while let Some(before) = at.supersedes.and_then(|id| known.get(&id)).copied()
        && earlier.len() < EARLIER
    {
        earlier.push(value(before, zone));
        at = before;
    }
    let before = if earlier.is_empty() {
        String::new()
    } else {
        format!("; before: {}", earlier.join(", "))
    };
    let statement = shorten(&view.text, LINE_CHARS);
    SectionLine { time: view.fact.mentioned_at, day: None, text: format!("{statement}{before}") }
}

/// What a fact stated, in short, with its day.
fn value(view: &FactView, zone: &Zone) -> String {
    let stated = view.fact.matter.as_ref().map_or(&view.fact.statement, |matter| &matter.value);
    format!("{} ({})", shorten(stated, 60), zone.day(view.fact.mentioned_at))
}

/// What the memory is, and from when to when.
fn description(material: &ContextMaterial) -> String {
    let zone = &material.vault.zone;
    let about = material.memory.description.as_ref();
    let about = about.map_or_else(String::new, |about| format!(": {}", shorten(about, 400)));
    let name = shorten(material.memory.name.as_str(), 100);
    let period = match (material.since, material.until()) {
        (Some(since), Some(until)) => {
            let (since, until) = (zone.day(since), zone.day(until));
            format!(" What was said from {since} to {until}.")
        }
        _ => String::new(),
    };
    format!("{name}{about}.{period}").replace("..", ".")
}

/// The words that stand for the most chapters, newest chapters first among equals; before there are
/// chapters, what facts are about.
fn topics(material: &ContextMaterial) -> Vec<String> {
    let phrases = material.chapters.iter().rev().flat_map(|one| one.key_phrases.iter().cloned());
    let tags = material.current().rev().flat_map(|view| view.fact.tags.iter());
    let tags = tags.map(|tag| tag.as_str().to_owned()).filter(|tag| !KINDS.contains(&tag.as_str()));
    most_frequent(if material.chapters.is_empty() { tags.collect() } else { phrases.collect() })
}

/// Names that chapters and facts mention.
fn entities(material: &ContextMaterial) -> Vec<String> {
    let named = material.chapters.iter().rev().flat_map(|one| one.entities.iter().cloned());
    let facts = material.current().rev().flat_map(|view| names_in(&view.fact.statement));
    most_frequent(named.chain(facts).collect())
}

/// The most frequent of these words, those that come first before others.
fn most_frequent(words: Vec<String>) -> Vec<String> {
    let mut counts: HashMap<String, (usize, usize)> = HashMap::new();
    for (place, word) in words.into_iter().enumerate() {
        counts.entry(word).or_insert((0, place)).0 += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|(_, (count, place))| (std::cmp::Reverse(*count), *place));
    counts.into_iter().take(WORDS).map(|(word, _)| word).collect()
}

/// A line for each conversation, newest first.
fn timeline(material: &ContextMaterial) -> Vec<SectionLine> {
    let zone = &material.vault.zone;
    let titles = material.conversations.iter().rev().filter_map(|one| {
        let title = &one.summary.as_ref()?.title;
        let text = shorten(title, limits::TIMELINE_CHARS);
        Some(SectionLine { time: one.started_at, day: Some(zone.day(one.started_at)), text })
    });
    titles.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize, day: Option<Date>) -> Vec<SectionLine> {
        let line = |number: usize| SectionLine {
            time: Timestamp::from_second(1_000_000 - number as i64).unwrap(),
            day,
            text: format!("line {number} {}", "é".repeat(150)),
        };
        (0..count).map(line).collect()
    }

    fn sections(count: usize) -> Sections {
        Sections {
            description: "é ".repeat(2_000),
            facts: lines(count, None),
            preferences: lines(count, None),
            decisions: lines(count, None),
            topics: vec!["topic".into(); count],
            entities: vec!["Ada".into(); count],
            notes: lines(count, None),
            timeline: lines(count, Some(Date::constant(2025, 1, 1))),
        }
    }

    /// Also among the phrases of hundreds of thousands of chapters, where comparing each with all would take hours.
    #[test]
    fn the_most_frequent_words_come_first_and_early_ones_before_late_ones() {
        let rare = (0..500_000).map(|number| number.to_string());
        let words = ["b", "a"].into_iter().map(str::to_owned).chain(rare);
        let found = most_frequent(words.chain(["a".to_owned(), "c".to_owned()]).collect());
        assert_eq!(found[..4], ["a", "b", "0", "1"]);
        assert_eq!(found.len(), WORDS);
    }

    #[test]
    fn it_is_bounded_in_characters_and_tells_its_sections_in_order() {
        let text = sections(200).text();
        assert!(text.chars().count() <= limits::CONTEXT_WRITTEN_CHARS, "{}", text.chars().count());
        let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# ")).collect();
        let order = ["Description", "Facts", "Preferences", "Decisions", "Topics", "Entities"];
        assert_eq!(headings[..6], order);
        assert_eq!(headings[6..], ["Notes", "Timeline"]);
        assert!(text.contains("more left out)"));
    }

    #[test]
    fn what_some_leave_others_have() {
        let alone = Sections { facts: lines(200, None), ..sections(0) }.text();
        let count = |text: &str| text.lines().filter(|line| line.starts_with("- ")).count();
        assert!(count(&alone) > 20, "{alone}");
        assert!(!alone.contains("# Timeline"), "a section without lines is left out");
    }

    #[test]
    fn the_most_important_stay_and_stand_in_order_of_time() {
        let text = fit("Notes", &lines(9, None), 400);
        let shown: Vec<&str> = text.lines().collect();
        assert_eq!(shown[0], "# Notes");
        assert_eq!(shown[1], "(7 more left out)");
        assert!(shown[2].starts_with("- line 1 ") && shown[3].starts_with("- line 0 "), "{text}");
    }
}

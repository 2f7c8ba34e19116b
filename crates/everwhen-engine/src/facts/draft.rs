//! A fact before it is kept, and the checks that every fact passes, by rules or by a model.

use std::ops::Range;

use jiff::Timestamp;

use super::{Evidence, Fact, Matter, Source, WrittenBy};
use crate::limits;
use crate::memory::{Entry, Name};
use crate::text::shorten;
use crate::time::phrase::{self, Phrase, Prefer};
use crate::time::{Period, Zone};

/// Longest key or value of a matter, in characters.
const MATTER_CHARS: usize = 80;
/// Most tags of a fact.
const TAGS: usize = 8;

/// A proposed fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) statement: String,
    pub(crate) source: Source,
    pub(crate) tags: Vec<Name>,
    pub(crate) matter: Option<Matter>,
    pub(crate) event: Option<Period>,
    pub(crate) evidence: Evidence,
    pub(crate) mentioned_at: Timestamp,
    pub(crate) by: WrittenBy,
    /// Whether it is pinned from the first.
    pub(crate) pinned: bool,
}

impl Draft {
    /// A draft that rests on a piece of an entry. Its date is always the entry's.
    pub(crate) fn on(entry: &Entry, range: Range<usize>, statement: &str, by: WrittenBy) -> Self {
        Self {
            statement: shorten(&without_date(statement), limits::STATEMENT_CHARS),
            source: Source::Confirmed,
            tags: Vec::new(),
            matter: None,
            event: None,
            evidence: Evidence { entry: entry.id, range },
            mentioned_at: entry.conversation_time,
            by,
            pinned: false,
        }
    }

    /// Sets the value that the draft is about.
    pub(crate) fn with_matter(mut self, key: &str, value: &str) -> Self {
        let key = shorten(&key.to_lowercase(), MATTER_CHARS);
        let value = shorten(value.trim_end_matches(['.', ',', '!', ';']), MATTER_CHARS);
        if !key.is_empty() && !value.is_empty() {
            self.matter = Some(Matter { key, value });
        }
        self
    }

    /// Adds tags; words that cannot be tags are left out.
    pub(crate) fn with_tags<'a>(mut self, tags: impl IntoIterator<Item = &'a str>) -> Self {
        let names = tags.into_iter().filter_map(|tag| Name::new("tag", tag.to_lowercase()).ok());
        for name in names {
            if self.tags.len() < TAGS && !self.tags.contains(&name) {
                self.tags.push(name);
            }
        }
        self
    }

    /// Whether the owner has removed this: a fact on the same words that says the same, or states
    /// the same value.
    pub(crate) fn is_removed_as(&self, fact: &Fact) -> bool {
        let (own, gone) = (&self.evidence, &fact.evidence);
        let meets = own.range.start < gone.range.end && gone.range.start < own.range.end;
        let is_same = self.statement == fact.statement
            || (self.matter.is_some() && self.matter == fact.matter)
            || (self.by == WrittenBy::Llm && own.range == gone.range);
        fact.by == WrittenBy::User && own.entry == gone.entry && meets && is_same
    }

    /// Whether a kept fact says exactly this, on the same evidence.
    pub(crate) fn is_kept_as(&self, fact: &Fact) -> bool {
        fact.statement == self.statement
            && fact.by == self.by
            && fact.source == self.source
            && fact.matter == self.matter
            && fact.event == self.event
            && fact.mentioned_at == self.mentioned_at
            && fact.evidence == self.evidence
    }
}

/// A statement without the date its writer may have put there.
pub(super) fn without_date(statement: &str) -> String {
    let mut text = statement.trim().to_owned();
    while let Some(start) = text.to_ascii_lowercase().rfind("(mentioned") {
        let end = text[start..].find(')').map_or(text.len(), |end| start + end + 1);
        text.replace_range(start..end, "");
        text = text.trim().to_owned();
    }
    text
}

/// When what a text tells happened, if its words say so, counted from when it was said.
pub(crate) fn event(text: &str, said_at: Timestamp, zone: &Zone) -> Option<Period> {
    let reading = phrase::read(text, said_at, zone, Prefer::Tense);
    let found = reading.phrases.iter().find_map(|phrase| Some((phrase, period(phrase)?)));
    let (phrase, period) = found?;
    let lasts = phrase.text.to_lowercase().starts_with("since");
    let until = if lasts { None } else { period.until() };
    Period::new(period.since(), until, period.precision()).ok()
}

fn period(phrase: &Phrase) -> Option<Period> {
    match phrase.meaning {
        phrase::Meaning::Period(when) => Some(when.period),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_that_the_writer_put_there_goes() {
        assert_eq!(without_date("A1C was 7 (mentioned 1999-01-01)"), "A1C was 7");
        assert_eq!(without_date("A (Mentioned x) B (mentioned y"), "A  B");
        assert_eq!(without_date("plain"), "plain");
    }

    #[test]
    fn relative_dates_are_counted_from_when_they_were_said() {
        let zone = Zone::named("America/New_York").unwrap();
        let said = "2025-03-02T03:30:00Z".parse().unwrap();
        let read =
            |text| event(text, said, &zone).map(|p| zone.day(p.since().unwrap()).to_string());
        assert_eq!(read("I saw her yesterday").as_deref(), Some("2025-02-28"));
        assert_eq!(read("We moved here in 2022").as_deref(), Some("2022-01-01"));
        assert_eq!(read("I like tea"), None);
        assert_eq!(read("I have an exam on Tuesday.").as_deref(), Some("2025-03-04"));
        assert_eq!(read("I took an exam on Tuesday.").as_deref(), Some("2025-02-25"));
        assert_eq!(read("My lease ends on the 31st.").as_deref(), Some("2025-03-31"));
        assert_eq!(read("My wedding is in May.").as_deref(), Some("2025-05-01"));
        assert_eq!(read("I eat with my aunt on Tuesday."), None, "neither ahead nor back");
        let lasting = event("I have been vegetarian since 2022", said, &zone).unwrap();
        assert_eq!(lasting.until(), None);
    }
}

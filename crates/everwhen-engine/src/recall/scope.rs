//! Which entries a question may see, and which of them may be answers.
//!
//! What a question may see decides how rare words are; it depends on `as_of` alone, so that an
//! answer as of an earlier time never changes. Times and roles only narrow down the answers.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::Timestamp;

use super::index::{Census, EntryFacts, Index, Micros};
use crate::memory::Role;
use crate::when::Period;

/// What narrows a question.
#[derive(Debug, Clone, Default)]
pub(crate) struct Narrow {
    /// Only what had been stored by then.
    pub(crate) as_of: Option<Timestamp>,
    /// Only what was said between the caller's bounds.
    pub(crate) period: Option<Period>,
    /// Only what was said when the question says.
    pub(crate) about: Option<Period>,
    /// Only these conversations.
    pub(crate) conversations: Option<Vec<bool>>,
    /// Not this conversation.
    pub(crate) without: Option<u32>,
    /// Only what one of these roles said; all if empty.
    pub(crate) roles: Vec<Role>,
    /// Only entries with these sequences, in order.
    pub(crate) only: Option<Arc<[u64]>>,
}

impl Narrow {
    fn is_open(&self) -> bool {
        self.as_of.is_none()
            && self.period.is_none()
            && self.about.is_none()
            && self.conversations.is_none()
            && self.without.is_none()
            && self.roles.is_empty()
            && self.only.is_none()
    }

    fn admits(&self, facts: &EntryFacts, conversation: u32) -> bool {
        (self.roles.is_empty() || self.roles.contains(&facts.role))
            && self.only.as_ref().is_none_or(|only| only.binary_search(&facts.sequence).is_ok())
            && self.admits_time(facts.time, conversation)
    }

    fn admits_time(&self, time: Micros, conversation: u32) -> bool {
        let holds = |period: &Period| {
            period.since().is_none_or(|since| since.as_microsecond() <= time)
                && period.until().is_none_or(|until| time < until.as_microsecond())
        };
        [self.period, self.about].iter().flatten().all(holds)
            && self.conversations.as_ref().is_none_or(|among| among[conversation as usize])
            && self.without != Some(conversation)
    }
}

/// The entries of an index as one question sees them.
pub(crate) struct Scope<'i> {
    /// Bit 0: may be seen; bit 1: may be an answer. Absent if both are what is in force now.
    marks: Option<Vec<u8>>,
    /// Answers there may be in each conversation. Absent if all that is in force now may be one.
    counts: Option<Vec<u32>>,
    index: &'i Index,
    /// Counts over what may be seen.
    pub(crate) census: Cow<'i, Census>,
}

const SEEN: u8 = 1;
const ADMITTED: u8 = 2;

impl<'i> Scope<'i> {
    pub(crate) fn new(index: &'i Index, narrow: &Narrow) -> Self {
        if narrow.is_open() {
            let census = Cow::Borrowed(&index.census);
            return Self { marks: None, counts: None, index, census };
        }
        let marks: Vec<u8> =
            (0..index.homes.len()).map(|entry| mark(index, entry, narrow)).collect();
        let census = match narrow.as_of {
            None => Cow::Borrowed(&index.census),
            Some(_) => Cow::Owned(count(index, &marks)),
        };
        let counts = Some(answers(index, &marks));
        Self { marks: Some(marks), counts, index, census }
    }

    /// Whether all entries exist for this question.
    pub(crate) fn sees_all(&self) -> bool {
        self.marks.is_none() && self.index.census.entry_total as usize == self.index.homes.len()
    }

    /// Whether the entry exists for this question.
    pub(crate) fn sees(&self, entry: u32) -> bool {
        match &self.marks {
            None => self.index.homes[entry as usize].is_current(),
            Some(marks) => marks[entry as usize] & SEEN != 0,
        }
    }

    /// Whether the entry may be an answer.
    pub(crate) fn admits(&self, entry: u32) -> bool {
        match &self.marks {
            None => self.index.homes[entry as usize].is_current(),
            Some(marks) => marks[entry as usize] & ADMITTED != 0,
        }
    }

    /// Whether all that is in force now may be an answer.
    pub(crate) fn is_open(&self) -> bool {
        self.marks.is_none()
    }

    /// In how many conversations there may be answers.
    pub(crate) fn conversation_total(&self) -> usize {
        match &self.counts {
            None => self.census.conversation_total as usize,
            Some(counts) => counts.iter().filter(|count| **count > 0).count(),
        }
    }

    /// Numbers of the conversations in which there may be answers.
    pub(crate) fn conversations(&self) -> impl Iterator<Item = u32> {
        let counts = self.counts.as_ref().unwrap_or(&self.census.entries);
        (0..).zip(counts).filter(|(_, count)| **count > 0).map(|(number, _)| number)
    }

    /// Numbers of the entries that may be answers.
    pub(crate) fn admitted(&self) -> impl Iterator<Item = u32> {
        (0..self.index.homes.len() as u32).filter(|entry| self.admits(*entry))
    }
}

fn mark(index: &Index, entry: usize, narrow: &Narrow) -> u8 {
    let facts = &index.facts[entry];
    let seen = match narrow.as_of.map(Timestamp::as_microsecond) {
        None => index.homes[entry].is_current(),
        Some(time) => facts.created <= time && facts.gone > time,
    };
    let inside = narrow.admits(facts, index.homes[entry].conversation);
    u8::from(seen) * (SEEN | if inside { ADMITTED } else { 0 })
}

/// How many answers there may be in each conversation.
fn answers(index: &Index, marks: &[u8]) -> Vec<u32> {
    let mut counts = vec![0; index.conversations.len()];
    for (home, mark) in index.homes.iter().zip(marks) {
        counts[home.conversation as usize] += u32::from(mark & ADMITTED != 0);
    }
    counts
}

fn count(index: &Index, marks: &[u8]) -> Census {
    let mut census = Census::default();
    for (entry, mark) in marks.iter().enumerate() {
        if mark & SEEN != 0 {
            census.count(&index.homes[entry], &index.facts[entry]);
        }
    }
    census
}

//! Which entries a question may see, and which of them may be answers.
//!
//! What a question may see decides how rare words are; it depends on `as_of` alone, so that an
//! answer as of an earlier time never changes. Times and roles only narrow down the answers.

use std::borrow::Cow;

use jiff::Timestamp;

use super::index::{Census, Index};
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
}

impl Narrow {
    fn is_open(&self) -> bool {
        self.as_of.is_none()
            && self.period.is_none()
            && self.about.is_none()
            && self.conversations.is_none()
            && self.without.is_none()
    }

    fn admits(&self, time: Timestamp, conversation: u32) -> bool {
        [self.period, self.about].iter().flatten().all(|period| period.contains(time))
            && self.conversations.as_ref().is_none_or(|among| among[conversation as usize])
            && self.without != Some(conversation)
    }
}

/// The entries of an index as one question sees them.
pub(crate) struct Scope<'i> {
    /// Bit 0: may be seen; bit 1: may be an answer. Absent if both are what is in force now.
    marks: Option<Vec<u8>>,
    index: &'i Index,
    /// Counts over what may be seen.
    pub(crate) census: Cow<'i, Census>,
}

const SEEN: u8 = 1;
const ADMITTED: u8 = 2;

impl<'i> Scope<'i> {
    pub(crate) fn new(index: &'i Index, narrow: &Narrow) -> Self {
        if narrow.is_open() {
            return Self { marks: None, index, census: Cow::Borrowed(&index.census) };
        }
        let marks: Vec<u8> =
            (0..index.homes.len()).map(|entry| mark(index, entry, narrow)).collect();
        let census = match narrow.as_of {
            None => Cow::Borrowed(&index.census),
            Some(_) => Cow::Owned(count(index, &marks)),
        };
        Self { marks: Some(marks), index, census }
    }

    /// Whether the entry exists for this question.
    pub(crate) fn sees(&self, entry: u32) -> bool {
        match &self.marks {
            None => self.index.homes[entry as usize].current,
            Some(marks) => marks[entry as usize] & SEEN != 0,
        }
    }

    /// Whether the entry may be an answer.
    pub(crate) fn admits(&self, entry: u32) -> bool {
        match &self.marks {
            None => self.index.homes[entry as usize].current,
            Some(marks) => marks[entry as usize] & ADMITTED != 0,
        }
    }

    /// Numbers of the entries that may be answers.
    pub(crate) fn admitted(&self) -> impl Iterator<Item = u32> {
        (0..self.index.homes.len() as u32).filter(|entry| self.admits(*entry))
    }
}

fn mark(index: &Index, entry: usize, narrow: &Narrow) -> u8 {
    let facts = &index.facts[entry];
    let seen = match narrow.as_of {
        None => index.homes[entry].current,
        Some(time) => facts.created <= time && facts.gone.is_none_or(|gone| gone > time),
    };
    let inside = narrow.admits(facts.time, index.homes[entry].conversation);
    u8::from(seen) * (SEEN | if inside { ADMITTED } else { 0 })
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

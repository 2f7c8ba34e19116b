//! Which entries a question may see, and which of them may be answers.
//!
//! What a question may see decides how rare words are; it depends on `as_of` alone, so that an
//! answer as of an earlier time never changes. Times and roles only narrow down the answers.
//!
//! Nothing here looks at all entries. Each is judged when a lane comes across it, and conversations
//! are found by their times.

mod counts;
mod reach;
#[cfg(test)]
mod tests;
mod walk;

use std::cell::OnceCell;
use std::sync::Arc;

use jiff::Timestamp;

pub(crate) use self::counts::Counts;
use self::reach::Reach;
pub(crate) use self::reach::WHOLE;
use super::index::{Index, Micros, Postings, roles};
use crate::memory::Role;
use crate::time::Period;

/// What narrows a question.
#[derive(Debug, Clone, Default)]
pub(crate) struct Narrow {
    /// Only what had been stored by then.
    pub(crate) as_of: Option<Timestamp>,
    /// Only what was said between the caller's bounds.
    pub(crate) period: Option<Period>,
    /// Only what was said when the question says.
    pub(crate) about: Option<Period>,
    /// Only these conversations, in rising order.
    pub(crate) conversations: Option<Vec<u32>>,
    /// Not this conversation.
    pub(crate) without: Option<u32>,
    /// Only what one of these roles said; all if empty.
    pub(crate) roles: Vec<Role>,
    /// Only these entries, in order.
    pub(crate) only: Option<Arc<[u32]>>,
}

impl Narrow {
    /// Whether everything that may be seen may be an answer.
    fn admits_all(&self) -> bool {
        self.period.is_none()
            && self.about.is_none()
            && self.conversations.is_none()
            && self.without.is_none()
            && self.roles.is_empty()
            && self.only.is_none()
    }

    /// The first instant inside, and the first after.
    fn bounds(&self) -> Option<(Micros, Micros)> {
        let both = [self.period, self.about].into_iter().flatten();
        let ends = |period: Period| {
            let micros = |end: Option<Timestamp>| end.map(Timestamp::as_microsecond);
            let (since, until) = (micros(period.since()), micros(period.until()));
            (since.unwrap_or(Micros::MIN), until.unwrap_or(Micros::MAX))
        };
        both.map(ends).reduce(|a, b| (a.0.max(b.0), a.1.min(b.1)))
    }
}

/// The entries of an index as one question sees them.
pub(crate) struct Scope<'i> {
    index: &'i Index,
    narrow: Narrow,
    /// Everything that may be seen may be an answer.
    admits_all: bool,
    bounds: Option<(Micros, Micros)>,
    /// Roles whose entries may be answers, one bit each.
    roles: u8,
    reach: OnceCell<Reach>,
    /// Counts over what may be seen.
    pub(crate) census: Counts<'i>,
}

impl<'i> Scope<'i> {
    pub(crate) fn new(index: &'i Index, narrow: &Narrow) -> Self {
        let asked = if narrow.roles.is_empty() { &Role::ALL[..] } else { &narrow.roles[..] };
        Self {
            index,
            narrow: narrow.clone(),
            admits_all: narrow.admits_all(),
            bounds: narrow.bounds(),
            roles: roles(asked),
            reach: OnceCell::new(),
            census: Counts::of(index, narrow.as_of.map(Timestamp::as_microsecond)),
        }
    }

    /// Whether all that is in force now may be an answer.
    pub(crate) fn is_open(&self) -> bool {
        self.admits_all && self.census.then.is_none()
    }

    /// Whether every entry there is may be an answer.
    pub(crate) fn admits_every_one(&self) -> bool {
        self.is_open() && self.nothing_has_gone()
    }

    /// Whether all entries up to the end are still in force.
    fn nothing_has_gone(&self) -> bool {
        self.census.totals.entries == self.end()
    }

    /// Entries below this number may be seen.
    pub(crate) fn end(&self) -> u32 {
        self.census.then.as_ref().map_or(self.index.homes.len() as u32, |then| then.end())
    }

    /// Whether the entry exists for this question.
    #[inline]
    pub(crate) fn sees(&self, entry: u32) -> bool {
        match &self.census.then {
            None => self.index.homes[entry as usize].is_current(),
            Some(then) => then.sees(self.index, entry),
        }
    }

    /// Whether the entry may be an answer.
    #[inline]
    pub(crate) fn admits(&self, entry: u32) -> bool {
        self.sees(entry) && (self.admits_all || self.answers(entry))
    }

    /// Whether an entry that may be seen may be an answer.
    fn answers(&self, entry: u32) -> bool {
        let home = self.index.homes[entry as usize];
        home.is_by(self.roles)
            && self.is_among(home.conversation)
            && self.is_inside(entry)
            && self.narrow.only.as_ref().is_none_or(|only| only.binary_search(&entry).is_ok())
    }

    /// Whether a conversation is none that is left out.
    fn is_among(&self, conversation: u32) -> bool {
        let among = self.narrow.conversations.as_ref();
        self.narrow.without != Some(conversation)
            && among.is_none_or(|among| among.binary_search(&conversation).is_ok())
    }

    /// Whether an entry was said between the bounds.
    fn is_inside(&self, entry: u32) -> bool {
        let Some((since, until)) = self.bounds else { return true };
        let home = self.index.homes[entry as usize];
        // Most conversations lie on one side, and their times are nearer at hand.
        if let Some((first, last)) = self.index.census.times(home.conversation)
            && home.is_current()
        {
            if last < since || until <= first {
                return false;
            }
            if since <= first && last < until {
                return true;
            }
        }
        let time = self.index.facts[entry as usize].time;
        since <= time && time < until
    }

    /// How many entries that may be seen have a term.
    pub(crate) fn occurs_in(&self, postings: &Postings) -> u32 {
        if self.nothing_has_gone() {
            return self.occurrences(postings).0;
        }
        let all = postings.iter().take_while(|(entry, _)| *entry < self.end());
        all.filter(|(entry, _)| self.sees(*entry)).count() as u32
    }

    /// In how many entries and conversations a term occurs, more or less: those included that have
    /// gone.
    pub(crate) fn occurrences(&self, postings: &Postings) -> (u32, u32) {
        match &self.census.then {
            None => (postings.len(), postings.conversations()),
            Some(then) => then.occurrences(self.index, postings),
        }
    }
}

//! What an index held at an earlier time, without looking at every entry.
//!
//! Entries are stored in the order of their numbers. So what was there by then is everything up to a
//! number, less the few that had gone by then. Counts are sums over all up to a number, noted every
//! now and then, and only conversations that are not now as they were then are counted anew.

use super::{Home, Index, Micros, NO_ENTRY, Part, Postings, Totals};

/// Sums are noted every so many entries.
const STEP: usize = 1_024;

/// What is noted to look back.
#[derive(Debug, Default)]
pub(crate) struct Past {
    /// Entries that are not in force.
    gone: Vec<u32>,
    /// Over all entries there were, whatever became of them.
    totals: Totals,
    /// The same in front of each [`STEP`] entries.
    noted: Vec<Totals>,
}

impl Past {
    /// Notes the next entry, and whether it is the first of its conversation.
    pub(super) fn note(&mut self, number: u32, home: &Home, is_first: bool) {
        if (number as usize).is_multiple_of(STEP) {
            self.noted.push(self.totals);
        }
        self.totals.count(home);
        self.totals.conversations += u32::from(is_first);
        if !home.is_current() {
            self.gone.push(number);
        }
    }

    /// Bytes held.
    pub(super) fn size(&self) -> usize {
        self.gone.capacity() * 4 + self.noted.capacity() * size_of::<Totals>()
    }
}

/// An index as it was at an earlier time.
#[derive(Debug)]
pub(crate) struct Then {
    time: Micros,
    /// Entries below this number were stored by then.
    end: u32,
    /// Conversations with entries that are not in force now, in rising order.
    unlike: Vec<u32>,
    /// Conversations with entries that were in force then and are not now, in rising order.
    revived: Vec<u32>,
    totals: Totals,
}

impl Index {
    /// What was there at an earlier time; nothing if that is what is there now.
    pub(crate) fn then(&self, time: Micros) -> Option<Then> {
        let end = self.facts.partition_point(|facts| facts.created <= time);
        let gone = &self.past.gone;
        let gone = &gone[..gone.partition_point(|entry| (*entry as usize) < end)];
        let unlike = self.conversations_of(gone.iter().copied());
        let is_back = |entry: &u32| self.facts[*entry as usize].gone > time;
        let revived = self.conversations_of(gone.iter().copied().filter(is_back));
        if end == self.homes.len() && revived.is_empty() {
            return None;
        }
        let mut then = Then { time, end: end as u32, unlike, revived, totals: self.up_to(end) };
        for entry in gone.iter().filter(|entry| !is_back(entry)) {
            then.totals.discount(&self.homes[*entry as usize]);
        }
        let is_empty = |one: &&u32| then.part(self, **one).entries == 0;
        then.totals.conversations -= then.unlike.iter().filter(is_empty).count() as u32;
        Some(then)
    }

    /// The conversations of entries, in rising order.
    pub(crate) fn conversations_of(&self, entries: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut all: Vec<u32> =
            entries.map(|entry| self.homes[entry as usize].conversation).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Sums over the entries below a number, whatever became of them.
    fn up_to(&self, end: usize) -> Totals {
        let Some(mut totals) = self.past.noted.get(end / STEP).copied() else {
            return self.past.totals;
        };
        for number in end / STEP * STEP..end {
            totals.count(&self.homes[number]);
            totals.conversations += u32::from(self.before[number] == NO_ENTRY);
        }
        totals
    }

    /// Conversations with entries below a number, whatever became of them, in rising order.
    pub(crate) fn begun_before(&self, end: u32) -> Vec<u32> {
        (0..).zip(&self.heads).filter(|(_, head)| **head < end).map(|(number, _)| number).collect()
    }

    /// Whether a conversation has entries below a number, whatever became of them.
    pub(crate) fn began_before(&self, conversation: u32, end: u32) -> bool {
        self.heads[conversation as usize] < end
    }
}

impl Then {
    /// Entries below this number were stored by then.
    pub(crate) fn end(&self) -> u32 {
        self.end
    }

    /// Counts over all that was in force.
    pub(crate) fn totals(&self) -> Totals {
        self.totals
    }

    /// Conversations with entries that were in force then and are not now, in rising order.
    pub(crate) fn revived(&self) -> &[u32] {
        &self.revived
    }

    /// Whether an entry was in force.
    pub(crate) fn sees(&self, index: &Index, entry: u32) -> bool {
        let number = entry as usize;
        entry < self.end
            && (index.homes[number].is_current() || index.facts[number].gone > self.time)
    }

    /// Whether a conversation was as it is now.
    pub(crate) fn is_like_now(&self, index: &Index, conversation: u32) -> bool {
        let tail = index.tails[conversation as usize];
        tail < self.end && self.unlike.binary_search(&conversation).is_err()
    }

    /// Counts a conversation as it was.
    pub(crate) fn part(&self, index: &Index, conversation: u32) -> Part {
        let mut part = Part::default();
        for entry in index.backwards(conversation).filter(|entry| self.sees(index, *entry)) {
            part.count(&index.homes[entry as usize], &index.facts[entry as usize]);
        }
        part
    }

    /// In how many entries and conversations a term occurred, those included that had gone.
    pub(crate) fn occurrences(&self, index: &Index, postings: &Postings) -> (u32, u32) {
        postings.below(self.end, |entry| index.homes[entry as usize].conversation)
    }
}

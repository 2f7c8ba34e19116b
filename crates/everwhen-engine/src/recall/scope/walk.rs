//! Going along the conversations in the order of time, no farther than needed: which began first or
//! last, and what was said next to a stretch in which nothing was.

use super::Scope;
use crate::recall::index::{LONG, Micros};

impl Scope<'_> {
    /// The conversations with answers that began first, in that order, so many of them.
    pub(crate) fn begun_first(&self, most: usize) -> Vec<u32> {
        let mut found = First::new(most);
        self.odd().for_each(|one| found.offer(self.began(one), one));
        for one in self.index.in_order() {
            // What is not long began at most so long before it ended.
            if found.last().is_some_and(|last| self.index.ended(*one) > last + LONG) {
                break;
            }
            found.offer(self.began(*one), *one);
        }
        found.kept.into_iter().map(|(_, number)| number).collect()
    }

    /// The same of those that began last, the last one first.
    pub(crate) fn begun_last(&self, most: usize) -> Vec<u32> {
        // The other way round, the last are the first.
        let began = |one: u32| self.began(one).map(|began| -began);
        let mut found = First::new(most);
        self.revived().iter().for_each(|one| found.offer(began(*one), !one));
        for one in self.index.in_order().iter().rev() {
            // None begins after it ended.
            if found.last().is_some_and(|last| -self.index.ended(*one) > last) {
                break;
            }
            found.offer(began(*one), !one);
        }
        found.kept.into_iter().map(|(_, number)| !number).collect()
    }

    /// When the last answer before an instant was said.
    pub(crate) fn last_before(&self, instant: Micros) -> Option<Micros> {
        let before = |one: u32| self.times_in(one).filter(|time| *time < instant).max();
        let odd = self.revived().iter().copied().chain(self.index.going_on(instant));
        let mut best = odd.filter_map(before).max();
        let ended = self.index.ended_between(None, Some(instant));
        for one in self.index.in_order()[ended].iter().rev() {
            if best.is_some_and(|best| self.index.ended(*one) <= best) {
                break;
            }
            best = best.max(before(*one));
        }
        best
    }

    /// When the first answer from an instant on was said.
    pub(crate) fn first_from(&self, instant: Micros) -> Option<Micros> {
        let from = |one: u32| self.times_in(one).filter(|time| *time >= instant).min();
        let mut best = self.odd().filter_map(from).min();
        let ended = self.index.ended_between(Some(instant), None);
        for one in &self.index.in_order()[ended] {
            if best.is_some_and(|best| self.index.ended(*one) > best + LONG) {
                break;
            }
            best = best.into_iter().chain(from(*one)).min();
        }
        best
    }

    /// Conversations that the order does not help to find: long ones, and those with entries that are
    /// no longer in force.
    fn odd(&self) -> impl Iterator<Item = u32> {
        self.index.long_ones().iter().chain(self.revived()).copied()
    }

    /// When the first answer in a conversation was said.
    fn began(&self, conversation: u32) -> Option<Micros> {
        if self.is_open() {
            return self.census.times(conversation).map(|(first, _)| first);
        }
        self.times_in(conversation).min()
    }

    /// When the answers in a conversation were said.
    fn times_in(&self, conversation: u32) -> impl Iterator<Item = Micros> {
        let may_answer = self.may_answer(conversation);
        let entries = may_answer.then(|| self.index.backwards(conversation)).into_iter().flatten();
        entries
            .filter(|entry| self.admits(*entry))
            .map(|entry| self.index.facts[entry as usize].time)
    }
}

/// The first of what is offered, in order.
struct First {
    most: usize,
    kept: Vec<(Micros, u32)>,
}

impl First {
    fn new(most: usize) -> Self {
        Self { most, kept: Vec::new() }
    }

    /// When the last one is, once there are enough.
    fn last(&self) -> Option<Micros> {
        if self.kept.len() < self.most { None } else { self.kept.last().map(|last| last.0) }
    }

    fn offer(&mut self, time: Option<Micros>, number: u32) {
        let Some(one) = time.map(|time| (time, number)) else { return };
        if let Err(place) = self.kept.binary_search(&one) {
            self.kept.insert(place, one);
            self.kept.truncate(self.most);
        }
    }
}

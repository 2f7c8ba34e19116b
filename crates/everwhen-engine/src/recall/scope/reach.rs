//! In which conversations there may be answers.
//!
//! If they are few, they are listed. If not, it is known where to look for them, and a few from all
//! over say how many there are.

use std::ops::Range;

use super::Scope;

/// Up to so many conversations all take part in a ranking.
pub(crate) const WHOLE: usize = 512;
/// Up to so many conversations are looked at one by one.
const FEW: usize = 2 * WHOLE;
/// Of up to so many entries that are asked for, the conversations are gathered.
const FEW_ENTRIES: usize = 16_384;
/// Of more conversations so many are looked at.
const PROBES: usize = 128;
/// If fewer of them have answers, answers are so rare that all have to be found.
const RARE: usize = 32;
/// Going from one conversation to another takes about as long as passing over so many.
const HOPS: usize = 8;
/// Where few have answers, at most so many times more are looked at.
const MOST_LOOKED_AT: usize = 16;

/// Where answers may be.
pub(super) enum Reach {
    /// In these conversations, in rising order.
    Listed(Vec<u32>),
    /// In about so many; `probed` are some of them, from all over.
    Wide { total: usize, probed: Vec<u32> },
}

/// Conversations outside of which there is no answer.
struct Pool<'i> {
    /// Some in the order they ended, in a row.
    order: &'i [u32],
    /// And these.
    more: Vec<u32>,
}

impl Pool<'_> {
    fn len(&self) -> usize {
        self.order.len() + self.more.len()
    }

    fn iter(&self) -> impl Iterator<Item = u32> {
        self.order.iter().chain(&self.more).copied()
    }

    fn get(&self, place: usize) -> u32 {
        let more = || self.more[place - self.order.len()];
        self.order.get(place).copied().unwrap_or_else(more)
    }
}

impl<'i> Scope<'i> {
    /// In how many conversations there may be answers; if they are many, about so many.
    pub(crate) fn conversation_total(&self) -> usize {
        if self.admits_all {
            return self.census.totals.conversations as usize;
        }
        match self.reach() {
            Reach::Listed(all) => all.len(),
            Reach::Wide { total, .. } => *total,
        }
    }

    /// The conversations in which there may be answers, in rising order, unless they are many.
    fn listed(&self) -> Option<&[u32]> {
        match self.reach() {
            Reach::Listed(all) => Some(all),
            Reach::Wide { .. } => None,
        }
    }

    /// The conversations in which there may be answers, in rising order.
    pub(crate) fn conversations(&self) -> Vec<u32> {
        self.listed().map_or_else(|| self.all_with_answers(), <[u32]>::to_vec)
    }

    /// The same, if the question was narrowed and they are so few that all of them take part.
    pub(crate) fn few(&self) -> Option<&[u32]> {
        if self.is_open() { None } else { self.listed().filter(|all| all.len() <= WHOLE) }
    }

    /// About one in so many conversations of a large memory has answers; the larger this is, the more
    /// have to be looked at.
    pub(crate) fn one_in(&self) -> usize {
        let all = self.index.census.totals.conversations as usize;
        (all / self.conversation_total().max(1)).clamp(1, MOST_LOOKED_AT)
    }

    /// So many conversations with answers from all over, if there are so many.
    pub(crate) fn sample(&self, most: usize) -> Vec<u32> {
        let (Reach::Listed(all) | Reach::Wide { probed: all, .. }) = self.reach();
        spread(all.len(), most).map(|place| all[place]).collect()
    }

    /// Conversations in the order they ended, as far as they ended between the bounds.
    pub(crate) fn in_order(&self) -> &'i [u32] {
        &self.index.in_order()[self.ended()]
    }

    fn ended(&self) -> Range<usize> {
        let ends = |(since, until)| self.index.ended_between(Some(since), Some(until));
        self.bounds.map_or(0..self.index.in_order().len(), ends)
    }

    /// Whether anything may be an answer.
    pub(crate) fn has_any(&self) -> bool {
        match self.named() {
            Some(named) => !named.is_empty(),
            None => self.pool().iter().any(|one| self.has_answers(one)),
        }
    }

    fn reach(&self) -> &Reach {
        self.reach.get_or_init(|| self.find())
    }

    fn find(&self) -> Reach {
        if let Some(named) = self.named() {
            return Reach::Listed(named);
        }
        let pool = self.pool();
        if pool.len() <= FEW {
            return Reach::Listed(self.with_answers(&pool));
        }
        let probed = spread(pool.len(), PROBES).map(|place| pool.get(place));
        let probed: Vec<u32> = probed.filter(|one| self.has_answers(*one)).collect();
        let total = pool.len() * probed.len() / PROBES;
        if probed.len() < RARE || total <= FEW {
            return Reach::Listed(self.with_answers(&pool));
        }
        Reach::Wide { total, probed }
    }

    /// If conversations are asked for one by one, or by their entries: those with answers, in rising
    /// order.
    fn named(&self) -> Option<Vec<u32>> {
        if let Some(among) = &self.narrow.conversations {
            return Some(among.iter().copied().filter(|one| self.has_answers(*one)).collect());
        }
        let only = self.narrow.only.as_ref().filter(|only| only.len() <= FEW_ENTRIES)?;
        let admitted = only.iter().copied().filter(|entry| self.admits(*entry));
        Some(self.index.conversations_of(admitted))
    }

    /// By time: those that touch the bounds. Of an earlier time: those there were.
    fn pool(&self) -> Pool<'i> {
        let Some((since, until)) = self.bounds else {
            return match &self.census.then {
                None => Pool { order: self.index.in_order(), more: Vec::new() },
                Some(then) => Pool { order: &[], more: self.index.begun_before(then.end()) },
            };
        };
        let is_in_order = |one: &u32| {
            let times = self.index.census.times(*one);
            times.is_some_and(|(_, last)| since <= last && last < until)
        };
        let revived = self.revived().iter().copied().filter(|one| !is_in_order(one));
        let mut more: Vec<u32> = self.index.going_on(until).chain(revived).collect();
        more.sort_unstable();
        more.dedup();
        Pool { order: self.in_order(), more }
    }

    /// Conversations with entries that were in force then and are not now.
    pub(super) fn revived(&self) -> &[u32] {
        self.census.then.as_ref().map_or(&[], |then| then.revived())
    }

    /// Those with answers, in rising order.
    fn with_answers(&self, pool: &Pool<'_>) -> Vec<u32> {
        if pool.len() > FEW && pool.len() * HOPS > self.index.conversations.len() {
            return self.all_with_answers();
        }
        let mut all: Vec<u32> = pool.iter().filter(|one| self.has_answers(*one)).collect();
        all.sort_unstable();
        all
    }

    /// The same, entry by entry.
    fn all_with_answers(&self) -> Vec<u32> {
        let admitted = (0..self.end()).filter(|entry| self.admits(*entry));
        let mut found = vec![false; self.index.conversations.len()];
        admitted.for_each(|one| found[self.index.homes[one as usize].conversation as usize] = true);
        (0..).zip(found).filter(|(_, is_found)| *is_found).map(|(number, _)| number).collect()
    }

    /// Whether a conversation has an entry that may be an answer.
    fn has_answers(&self, conversation: u32) -> bool {
        if self.is_open() {
            return self.index.census.has(conversation);
        }
        self.may_answer(conversation)
            && self.index.backwards(conversation).any(|entry| self.admits(entry))
    }

    /// Whether there may be answers in a conversation, by what is known without looking into it.
    pub(crate) fn may_answer(&self, conversation: u32) -> bool {
        self.is_open()
            || (self.index.began_before(conversation, self.end())
                && self.is_among(conversation)
                && self.touches_bounds(conversation))
    }

    fn touches_bounds(&self, conversation: u32) -> bool {
        let Some((since, until)) = self.bounds else { return true };
        let times = self.index.census.times(conversation);
        times.is_some_and(|(first, last)| since <= last && first < until)
            || self.revived().binary_search(&conversation).is_ok()
    }
}

/// So many places of `len`, as far apart as can be; all if there are fewer.
fn spread(len: usize, most: usize) -> impl Iterator<Item = usize> {
    let count = most.min(len);
    (0..count).map(move |one| (2 * one + 1) * len / (2 * count))
}

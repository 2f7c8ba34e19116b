//! Conversations in the order they ended: what is recent, or was said in a period, without looking
//! at all of them.
//!
//! Nearly all conversations are short, so those that touch a period ended in it or soon after. The
//! few long ones are kept in a list beside it.

use std::ops::Range;
use std::sync::OnceLock;

use super::{Census, Index, Micros};

/// What goes on for longer than this, a day, is long.
pub(crate) const LONG: Micros = 86_400_000_000;

/// Conversations with entries in force. Put in order when it is first asked for, and kept so from
/// then on.
#[derive(Debug, Default)]
pub(crate) struct Order {
    placed: OnceLock<Placed>,
}

#[derive(Debug, Default)]
struct Placed {
    /// By when the last entry was said.
    numbers: Vec<u32>,
    /// The long ones.
    long: Vec<u32>,
}

impl Order {
    /// Notes that something was said in a conversation, before it is counted.
    pub(super) fn note(&mut self, census: &Census, conversation: u32, time: Micros) {
        let Some(Placed { numbers, long }) = self.placed.get_mut() else { return };
        let known = census.times(conversation);
        if known.is_some_and(|known| !is_long(known) && is_long(with(known, time))) {
            long.push(conversation);
        }
        if known.is_some_and(|(_, last)| last >= time) {
            return;
        }
        let place_at = |time: Micros| {
            numbers.partition_point(|one| (ended(census, *one), *one) < (time, conversation))
        };
        let (place, old) = (place_at(time), known.map(|(_, last)| place_at(last)));
        match old {
            Some(old) => numbers[old..place].rotate_left(1),
            None => numbers.insert(place, conversation),
        }
    }

    /// Lets go of the order.
    pub(super) fn forget(&mut self) {
        self.placed.take();
    }
}

impl Index {
    fn placed(&self) -> &Placed {
        self.order.placed.get_or_init(|| {
            let all = (0..self.conversations.len() as u32).filter(|one| self.census.has(*one));
            let mut numbers: Vec<u32> = all.collect();
            numbers.sort_unstable_by_key(|number| (ended(&self.census, *number), *number));
            let is_long = |number: &u32| self.census.times(*number).is_some_and(is_long);
            let long = numbers.iter().copied().filter(is_long).collect();
            Placed { numbers, long }
        })
    }

    /// Conversations in the order they ended.
    pub(crate) fn in_order(&self) -> &[u32] {
        &self.placed().numbers
    }

    /// Those that went on for long, in any order.
    pub(crate) fn long_ones(&self) -> &[u32] {
        &self.placed().long
    }

    /// When a conversation ended.
    pub(crate) fn ended(&self, conversation: u32) -> Micros {
        ended(&self.census, conversation)
    }

    /// The places in that order of the conversations that ended between two instants.
    pub(crate) fn ended_between(
        &self,
        since: Option<Micros>,
        until: Option<Micros>,
    ) -> Range<usize> {
        let order = self.in_order();
        let place = |time: Micros| order.partition_point(|one| ended(&self.census, *one) < time);
        let (since, until) = (since.map_or(0, place), until.map_or(order.len(), place));
        since..until.max(since)
    }

    /// Conversations that began before an instant and ended then or later.
    pub(crate) fn going_on(&self, at: Micros) -> impl Iterator<Item = u32> {
        let soon = self.ended_between(Some(at), Some(at.saturating_add(LONG + 1)));
        let short = self.in_order()[soon].iter().filter(|one| !self.has_long(**one));
        let is_going_on = move |one: &u32| {
            self.census.times(*one).is_some_and(|(first, last)| first < at && at <= last)
        };
        short.chain(self.long_ones()).copied().filter(is_going_on)
    }

    fn has_long(&self, conversation: u32) -> bool {
        self.census.times(conversation).is_some_and(is_long)
    }
}

/// A stretch that an instant has come to.
fn with((first, last): (Micros, Micros), time: Micros) -> (Micros, Micros) {
    (first.min(time), last.max(time))
}

fn is_long((first, last): (Micros, Micros)) -> bool {
    last.saturating_sub(first) > LONG
}

fn ended(census: &Census, conversation: u32) -> Micros {
    census.times(conversation).map_or(Micros::MIN, |(_, last)| last)
}

#[cfg(test)]
mod tests {
    use crate::memory::Role;
    use crate::recall::index::tests::{index_of, said};

    #[test]
    fn the_order_follows_what_is_said() {
        let mut index = index_of(&[(1, Role::User, "a"), (2, Role::User, "b")]);
        assert_eq!(index.in_order(), [0, 1]);
        for (conversation, expected) in
            [(2, &[0, 1][..]), (3, &[0, 1, 2]), (1, &[1, 2, 0]), (1, &[1, 2, 0])]
        {
            let next = index.homes.len() as u64 + 1;
            index.add(&said(next, conversation, Role::User, "c"));
            assert_eq!(index.in_order(), expected);
        }
        let (known, long) = (index.in_order().to_vec(), index.long_ones().to_vec());
        index.order.forget();
        assert_eq!(index.in_order(), known);
        assert_eq!((index.long_ones(), &long[..]), (&[0][..], &[0][..]));
        assert_eq!(index.ended_between(None, None), 0..3);
        let last = index.facts[5].time;
        assert_eq!(index.ended_between(Some(last), None), 2..3);
        assert_eq!(index.ended_between(None, Some(last)), 0..2);
    }
}

//! Conversations in the order they ended: what is recent, or was said in a period, without looking
//! at all of them.

use std::ops::Range;
use std::sync::OnceLock;

use super::{Census, Index, Micros};

/// Numbers of conversations with entries in force, by when the last one was said. Put in order when
/// it is first asked for, and kept so from then on.
#[derive(Debug, Default)]
pub(crate) struct Order {
    numbers: OnceLock<Vec<u32>>,
}

impl Order {
    /// Notes that something was said in a conversation, before it is counted.
    pub(super) fn note(&mut self, census: &Census, conversation: u32, time: Micros) {
        let Some(numbers) = self.numbers.get_mut() else { return };
        let known = census.times(conversation).map(|(_, last)| last);
        if known.is_some_and(|last| last >= time) {
            return;
        }
        let place_at = |time: Micros| {
            numbers.partition_point(|one| (ended(census, *one), *one) < (time, conversation))
        };
        let (place, old) = (place_at(time), known.map(place_at));
        match old {
            Some(old) => numbers[old..place].rotate_left(1),
            None => numbers.insert(place, conversation),
        }
    }

    /// Lets go of the order.
    pub(super) fn forget(&mut self) {
        self.numbers.take();
    }
}

impl Index {
    /// Conversations in the order they ended.
    pub(crate) fn in_order(&self) -> &[u32] {
        self.order.numbers.get_or_init(|| {
            let all = (0..self.conversations.len() as u32).filter(|one| self.census.has(*one));
            let mut numbers: Vec<u32> = all.collect();
            numbers.sort_unstable_by_key(|number| (ended(&self.census, *number), *number));
            numbers
        })
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
        let known = index.in_order().to_vec();
        index.order.forget();
        assert_eq!(index.in_order(), known);
        assert_eq!(index.ended_between(None, None), 0..3);
        let last = index.facts[5].time;
        assert_eq!(index.ended_between(Some(last), None), 2..3);
        assert_eq!(index.ended_between(None, Some(last)), 0..2);
    }
}

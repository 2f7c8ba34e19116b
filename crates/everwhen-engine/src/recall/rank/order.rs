//! "The first time", "most recently": of what matches well, the one that comes first or last. "Last
//! Sunday": of what leads, what was said then comes first.

use super::{Asked, Fused};
use crate::recall::signal::Signal;
use crate::time::phrase::{Ordinal, Side};

/// What matches well: at least this share of the best score.
const STRONG: f32 = 0.5;
/// How far what is asked for comes before the rest.
const AHEAD: f32 = 0.1;

impl Asked<'_> {
    /// Puts the entries that are asked for by their order before the others.
    pub(super) fn put_in_order(&self, entries: &mut Fused<'_>) {
        let Some(order) = self.question.order else { return };
        let top = entries.scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut lifts = vec![0.0; entries.scores.len()];
        for (rank, place) in (0u8..).zip(self.meant_by(order, &entries.scores, top)) {
            lifts[place] = top - entries.scores[place] + AHEAD / f32::from(rank + 1);
        }
        entries.add(Signal::Order, 1.0, lifts.into());
    }

    /// Of the leading entries, puts those inside the period before the others. What matches so
    /// little that it does not lead stays behind what does, whenever it was said.
    pub(super) fn put_inside_first(&self, entries: &mut Fused<'_>) {
        let Some(period) = &self.question.first else { return };
        let is_inside = |place: &usize| {
            let time = self.index.facts[self.crowd.entries[*place] as usize].time;
            jiff::Timestamp::from_microsecond(time).is_ok_and(|time| period.contains(time))
        };
        let leading = entries.best(self.question.leading);
        let (inside, outside): (Vec<usize>, Vec<usize>) = leading.into_iter().partition(is_inside);
        let (Some(lowest), Some(highest)) = (inside.last(), outside.first()) else { return };
        let short = entries.scores[*highest] - entries.scores[*lowest];
        if short >= 0.0 {
            let mut lifts = vec![0.0; entries.scores.len()];
            inside.iter().for_each(|place| lifts[*place] = short + AHEAD);
            entries.add(Signal::Inside, 1.0, lifts.into());
        }
    }

    /// The places of the entries that are meant, in the order they are asked for.
    fn meant_by(&self, order: Ordinal, scores: &[f32], top: f32) -> Vec<usize> {
        let is_strong = |place: &usize| scores[*place] >= STRONG * top && self.said[*place] > 0.0;
        let strong: Vec<usize> = (0..scores.len()).filter(is_strong).collect();
        let mut first_hand: Vec<usize> =
            strong.iter().copied().filter(|place| !self.is_reply(*place)).collect();
        if first_hand.is_empty() {
            first_hand = strong;
        }
        first_hand.sort_by_key(|place| {
            let entry = self.crowd.entries[*place];
            (self.index.facts[entry as usize].time, entry)
        });
        if order.from == Side::Last {
            first_hand.reverse();
        }
        let skipped = (order.first as usize).max(1) - 1;
        let count = (order.last as usize).saturating_sub(skipped);
        first_hand.into_iter().skip(skipped).take(count).collect()
    }
}

//! Selects the candidates with the highest values.

use super::Candidates;

/// Returns the positions of the `limit` highest scores, highest first; of equal ones the higher number
/// first.
pub(crate) fn best_positions(
    candidates: &Candidates<'_>,
    scores: &[f32],
    limit: usize,
) -> Vec<usize> {
    let mut top = TopValues::new(limit);
    for (position, (number, score)) in candidates.numbers.iter().zip(scores).enumerate() {
        top.offer(*score, *number, position);
    }
    top.into_sorted_positions()
}

/// Returns the `limit` numbers with the highest values, in no order; of equal ones the higher number.
pub(crate) fn best_numbers(
    limit: usize,
    numbers: impl Iterator<Item = (u32, f32)>,
) -> impl Iterator<Item = u32> {
    let mut top = TopValues::new(limit);
    numbers.for_each(|(number, value)| top.offer(value, number, 0));
    top.truncate();
    top.kept.into_iter().map(|(key, _)| key as u32)
}

/// Returns the positions of the `limit` highest values, in no order; of equal ones the higher position.
pub(crate) fn highest_positions(
    limit: usize,
    values: impl Iterator<Item = f32>,
) -> impl Iterator<Item = u32> {
    let mut keys: Vec<u64> =
        values.zip(0..).map(|(value, position)| sort_key(value, position)).collect();
    if keys.len() > limit {
        keys.select_nth_unstable_by(limit, |a, b| b.cmp(a));
        keys.truncate(limit);
    }
    keys.into_iter().map(|key| key as u32)
}

/// The highest of the values offered.
struct TopValues {
    limit: usize,
    /// Sort keys and positions. The list grows to twice the limit, then its lower half is dropped: that
    /// is faster than keeping it sorted.
    kept: Vec<(u64, u32)>,
    /// Lower values are ignored.
    floor: f32,
}

/// How far the list grows beyond twice the limit, so that a small limit does not truncate it often.
const SPARE: usize = 32;

impl TopValues {
    fn new(limit: usize) -> Self {
        Self { limit, kept: Vec::new(), floor: f32::NEG_INFINITY }
    }

    #[inline]
    fn offer(&mut self, value: f32, number: u32, position: usize) {
        // Nearly all values are ignored here.
        if value >= self.floor {
            self.keep(value, number, position);
        }
    }

    fn keep(&mut self, value: f32, number: u32, position: usize) {
        self.kept.push((sort_key(value, number), position as u32));
        if self.kept.len() > 2 * self.limit + SPARE {
            self.truncate();
            self.floor = self.kept.last().map_or(f32::INFINITY, |lowest| value_of(lowest.0));
        }
    }

    /// Drops all but the highest values; the lowest of them is last.
    fn truncate(&mut self) {
        if self.limit > 0 && self.kept.len() > self.limit {
            self.kept.select_nth_unstable_by(self.limit - 1, |a, b| b.cmp(a));
        }
        self.kept.truncate(self.limit);
    }

    /// Returns the positions of the highest values, highest first.
    fn into_sorted_positions(mut self) -> Vec<usize> {
        self.truncate();
        self.kept.sort_unstable_by(|a, b| b.cmp(a));
        self.kept.into_iter().map(|(_, position)| position as usize).collect()
    }
}

/// Returns an integer that rises with the value and, for equal values, with the number.
fn sort_key(value: f32, number: u32) -> u64 {
    let bits = value.to_bits();
    // The bits of positive floats rise with the value, those of negative floats fall.
    let rising = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
    u64::from(rising) << 32 | u64::from(number)
}

/// Returns the value that a sort key was made from.
fn value_of(key: u64) -> f32 {
    let rising = (key >> 32) as u32;
    f32::from_bits(if rising >> 31 == 1 { rising & !(1 << 31) } else { !rising })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn all(numbers: &[u32]) -> Candidates<'_> {
        Candidates { numbers, picked: numbers.len(), represents: 1.0 }
    }

    #[test]
    fn the_best_come_first_and_of_equals_the_higher_number() {
        assert_eq!(best_positions(&all(&[4, 5, 6, 3]), &[0.1, 0.9, 0.5, 0.9], 3), [1, 3, 2]);
        assert_eq!(best_positions(&all(&[1]), &[0.1], 9), [0]);
        assert!(best_positions(&all(&[]), &[], 9).is_empty());
        let values = || (0..).zip([0.5, 0.7, 0.5]);
        assert_eq!(best_numbers(2, values()).collect::<HashSet<_>>(), HashSet::from([1, 2]));
        assert_eq!(best_numbers(0, values()).count(), 0);
    }

    #[test]
    fn the_best_of_many_are_those_of_a_sorted_list() {
        let value =
            |number: u32| f32::from((number.wrapping_mul(2_654_435_761) >> 20) as u16) - 99.0;
        let mut sorted: Vec<u32> = (0..5_000).collect();
        sorted.sort_by(|a, b| value(*b).total_cmp(&value(*a)).then(b.cmp(a)));
        for limit in [1, 7, 400] {
            let expected: HashSet<u32> = sorted[..limit].iter().copied().collect();
            let values = (0..5_000).map(|number| (number, value(number)));
            assert_eq!(best_numbers(limit, values).collect::<HashSet<_>>(), expected);
            let found = highest_positions(limit, (0..5_000).map(value));
            assert_eq!(found.collect::<HashSet<_>>(), expected);
        }
    }
}

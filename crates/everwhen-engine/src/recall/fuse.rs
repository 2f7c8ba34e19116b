//! Fusing: signals of different kinds become one score.
//!
//! A signal is put on a common footing by how far it stands out among all candidates, then
//! weighted and added. Signals about time stay as they are: being inside the period means the same
//! however many others are inside.

use std::borrow::Cow;

use super::signal::{Reason, Signal};

/// Candidates of one kind, their signals so far, and the scores that follow.
pub(crate) struct Fused<'v> {
    pub(crate) candidates: Candidates<'v>,
    /// Their scores, in the same order.
    pub(crate) scores: Vec<f32>,
    signals: Vec<Weighed<'v>>,
}

/// Numbers that are ranked. Those before `picked` speak for themselves; each of the others also
/// stands for `stand_for` in all, when means are taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidates<'v> {
    pub(crate) numbers: &'v [u32],
    pub(crate) picked: usize,
    pub(crate) stand_for: f64,
}

/// One signal with its weight, and what it is measured against.
struct Weighed<'v> {
    signal: Signal,
    weight: f32,
    /// In the order of the candidates.
    values: Cow<'v, [f32]>,
    footing: Footing,
}

impl<'v> Fused<'v> {
    /// Candidates for which nothing speaks yet.
    pub(crate) fn new(candidates: Candidates<'v>) -> Self {
        Self { candidates, scores: vec![0.0; candidates.numbers.len()], signals: Vec::new() }
    }

    /// Lets a signal speak; `values` are in the order of the candidates.
    pub(crate) fn add(&mut self, signal: Signal, weight: f32, values: Cow<'v, [f32]>) {
        let footing = if signal.is_relative() {
            Footing::among(&self.candidates, &values)
        } else {
            Footing::NONE
        };
        if weight != 0.0 {
            for (score, value) in self.scores.iter_mut().zip(values.iter()) {
                *score += weight * footing.of(*value);
            }
        }
        self.signals.push(Weighed { signal, weight, values, footing });
    }

    /// The places of the candidates with the highest scores, highest first.
    pub(crate) fn best(&self, limit: usize) -> Vec<usize> {
        best(&self.candidates, &self.scores, limit)
    }

    /// How each signal lies among all candidates.
    pub(crate) fn spreads(&self) -> Vec<Spread> {
        let picked = self.candidates.picked.min(self.scores.len());
        let count = picked as f64 + self.candidates.stand_for * (self.scores.len() - picked) as f64;
        let spread = |one: &Weighed<'_>| Spread {
            signal: one.signal,
            weight: one.weight,
            count,
            mean: one.footing.mean.into(),
            deviation: one.footing.deviation(),
        };
        self.signals.iter().map(spread).collect()
    }

    /// What speaks for the candidate in this place.
    pub(crate) fn reasons(&self, place: usize) -> Vec<Reason> {
        let reason = |one: &Weighed<'_>| {
            let value = one.footing.of(one.values[place]);
            Reason { signal: one.signal, value, share: one.weight * value }
        };
        self.signals.iter().map(reason).collect()
    }
}

/// How the values of a signal lie among the candidates of one memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) signal: Signal,
    pub(crate) weight: f32,
    /// So many candidates.
    pub(crate) count: f64,
    pub(crate) mean: f64,
    pub(crate) deviation: f64,
}

/// What the values of a signal are measured against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Footing {
    mean: f32,
    /// One over the standard deviation; zero if all values are the same.
    steepness: f32,
}

impl Footing {
    /// Values as they are.
    const NONE: Self = Self { mean: 0.0, steepness: 1.0 };

    /// The mean and the deviation of the values of candidates.
    fn among(candidates: &Candidates<'_>, values: &[f32]) -> Self {
        let (picked, others) = values.split_at(candidates.picked);
        let count = (picked.len() as f64 + candidates.stand_for * others.len() as f64).max(1.0);
        let total = |[picked, others]: [f64; 2]| (picked + candidates.stand_for * others) / count;
        let mean = total([picked, others].map(|values| sum(values, |value| value)));
        let square = |value: f64| (value - mean) * (value - mean);
        Self::new(mean, total([picked, others].map(|values| sum(values, square))))
    }

    /// The same of `count` values, all but those given being zero.
    pub(crate) fn among_zeros(values: &[f32], count: usize) -> Self {
        let count = count.max(1) as f64;
        let mean = sum(values, |value| value) / count;
        let squares = sum(values, |value| value * value);
        Self::new(mean, (squares / count - mean * mean).max(0.0))
    }

    fn new(mean: f64, variance: f64) -> Self {
        let deviation = variance.sqrt();
        let steepness = if deviation > 1e-9 { 1.0 / deviation } else { 0.0 };
        Self { mean: mean as f32, steepness: steepness as f32 }
    }

    fn deviation(&self) -> f64 {
        if self.steepness > 0.0 { 1.0 / f64::from(self.steepness) } else { 0.0 }
    }

    /// How many standard deviations a value lies above the mean.
    pub(crate) fn of(&self, value: f32) -> f32 {
        (value - self.mean) * self.steepness
    }
}

/// The sum of something over all values, several at a time.
fn sum(values: &[f32], of: impl Fn(f64) -> f64) -> f64 {
    let (eights, rest) = values.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for eight in eights {
        sums.iter_mut().zip(eight).for_each(|(sum, value)| *sum += of(f64::from(*value)));
    }
    sums.iter().sum::<f64>() + rest.iter().map(|value| of(f64::from(*value))).sum::<f64>()
}

/// Replaces values by how many standard deviations they lie above the mean.
pub(crate) fn stand_out(candidates: &Candidates<'_>, values: &mut [f32]) {
    let footing = Footing::among(candidates, values);
    values.iter_mut().for_each(|value| *value = footing.of(*value));
}

/// The places of the `limit` highest scores, highest first; of equals the higher number first.
pub(crate) fn best(candidates: &Candidates<'_>, scores: &[f32], limit: usize) -> Vec<usize> {
    let mut kept = Kept::new(limit);
    for (place, (number, score)) in candidates.numbers.iter().zip(scores).enumerate() {
        kept.offer(*score, *number, place);
    }
    kept.sorted().map(|(_, _, place)| place).collect()
}

/// The `limit` numbers with the highest values, in no order; of equals the higher number.
pub(crate) fn top(
    limit: usize,
    numbers: impl Iterator<Item = (u32, f32)>,
) -> impl Iterator<Item = u32> {
    let mut kept = Kept::new(limit);
    numbers.for_each(|(number, value)| kept.offer(value, number, 0));
    kept.cut();
    kept.kept.into_iter().map(|(rank, _)| rank as u32)
}

/// The places of the `limit` highest values, in no order; of equals the higher place.
pub(crate) fn highest(
    limit: usize,
    values: impl Iterator<Item = f32>,
) -> impl Iterator<Item = u32> {
    let mut ranks: Vec<u64> = values.zip(0..).map(|(value, place)| rank(value, place)).collect();
    if ranks.len() > limit {
        ranks.select_nth_unstable_by(limit, |a, b| b.cmp(a));
        ranks.truncate(limit);
    }
    ranks.into_iter().map(|rank| rank as u32)
}

/// The highest of what was offered.
struct Kept {
    limit: usize,
    /// Rank and place. Grows to twice the limit, then the lower half goes: that is faster than
    /// keeping everything in order all the time.
    kept: Vec<(u64, u32)>,
    /// What is lower need not be looked at.
    floor: f32,
}

impl Kept {
    fn new(limit: usize) -> Self {
        Self { limit, kept: Vec::new(), floor: f32::NEG_INFINITY }
    }

    #[inline]
    fn offer(&mut self, value: f32, number: u32, place: usize) {
        // Nearly all that is offered ends here.
        if value >= self.floor {
            self.keep(value, number, place);
        }
    }

    fn keep(&mut self, value: f32, number: u32, place: usize) {
        self.kept.push((rank(value, number), place as u32));
        if self.kept.len() > 2 * self.limit + SPARE {
            self.cut();
            self.floor = self.kept.last().map_or(f32::INFINITY, |lowest| value_of(lowest.0));
        }
    }

    /// Lets all but the highest go; the lowest of them is last.
    fn cut(&mut self) {
        if self.limit > 0 && self.kept.len() > self.limit {
            self.kept.select_nth_unstable_by(self.limit - 1, |a, b| b.cmp(a));
        }
        self.kept.truncate(self.limit);
    }

    /// Value, number and place, highest first.
    fn sorted(mut self) -> impl Iterator<Item = (f32, u32, usize)> {
        self.cut();
        self.kept.sort_unstable_by(|a, b| b.cmp(a));
        let parts = |(rank, place)| (value_of(rank), rank as u32, place as usize);
        self.kept.into_iter().map(parts)
    }
}

/// So many more than twice the limit are kept, so that a small limit is not cut all the time.
const SPARE: usize = 32;

/// A number that rises with the value, and for equal values with the number.
fn rank(value: f32, number: u32) -> u64 {
    let bits = value.to_bits();
    // The bits of floats above zero rise with the value, those of floats below zero fall.
    let rising = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
    u64::from(rising) << 32 | u64::from(number)
}

/// The value that a rank was made from.
fn value_of(rank: u64) -> f32 {
    let rising = (rank >> 32) as u32;
    f32::from_bits(if rising >> 31 == 1 { rising & !(1 << 31) } else { !rising })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn all(numbers: &[u32]) -> Candidates<'_> {
        Candidates { numbers, picked: numbers.len(), stand_for: 1.0 }
    }

    #[test]
    fn standing_out_is_counted_in_deviations() {
        let mut values = [1.0, 1.0, 1.0, 5.0];
        stand_out(&all(&[0, 1, 2, 3]), &mut values);
        assert!((values[3] - 3f32.sqrt()).abs() < 1e-5, "{values:?}");
        let mut same = [0.3; 4];
        stand_out(&all(&[0, 1, 2, 3]), &mut same);
        assert_eq!(same, [0.0; 4]);
        stand_out(&all(&[]), &mut []);
    }

    #[test]
    fn some_stand_for_others_and_zeros_need_not_be_listed() {
        let few = Candidates { numbers: &[7, 8], picked: 1, stand_for: 9.0 };
        let listed: Vec<f32> = [5.0].into_iter().chain([1.0; 9]).collect();
        let (few, many) = (
            Footing::among(&few, &[5.0, 1.0]),
            Footing::among(&all(&(0..10).collect::<Vec<_>>()), &listed),
        );
        assert!((few.of(5.0) - many.of(5.0)).abs() < 1e-5);
        let zeros: Vec<f32> = [2.0, 3.0].into_iter().chain([0.0; 8]).collect();
        let listed = Footing::among(&all(&(0..10).collect::<Vec<_>>()), &zeros);
        let unlisted = Footing::among_zeros(&[2.0, 3.0], 10);
        assert!((listed.of(3.0) - unlisted.of(3.0)).abs() < 1e-5);
    }

    #[test]
    fn relative_signals_stand_out_and_absolute_ones_stay() {
        let mut fused = Fused::new(all(&[0, 2]));
        fused.add(Signal::Words, 2.0, Cow::Owned(vec![1.0, 3.0]));
        fused.add(Signal::Period, 0.5, Cow::Owned(vec![1.0, 0.0]));
        assert_eq!(fused.scores, [-1.5, 2.0]);
        assert_eq!(fused.best(1), [1]);
        let reasons = fused.reasons(0);
        assert_eq!((reasons[0].value, reasons[0].share), (-1.0, -2.0));
        assert_eq!((reasons[1].signal, reasons[1].share), (Signal::Period, 0.5));
    }

    #[test]
    fn the_best_come_first_and_of_equals_the_higher_number() {
        assert_eq!(best(&all(&[4, 5, 6, 3]), &[0.1, 0.9, 0.5, 0.9], 3), [1, 3, 2]);
        assert_eq!(best(&all(&[1]), &[0.1], 9), [0]);
        assert!(best(&all(&[]), &[], 9).is_empty());
        let values = || (0..).zip([0.5, 0.7, 0.5]);
        assert_eq!(top(2, values()).collect::<HashSet<_>>(), HashSet::from([1, 2]));
        assert_eq!(top(0, values()).count(), 0);
    }

    #[test]
    fn the_best_of_many_are_those_of_a_sorted_list() {
        let value =
            |number: u32| f32::from((number.wrapping_mul(2_654_435_761) >> 20) as u16) - 99.0;
        let mut all: Vec<u32> = (0..5_000).collect();
        all.sort_by(|a, b| value(*b).total_cmp(&value(*a)).then(b.cmp(a)));
        for limit in [1, 7, 400] {
            let expected: HashSet<u32> = all[..limit].iter().copied().collect();
            let values = (0..5_000).map(|number| (number, value(number)));
            assert_eq!(top(limit, values).collect::<HashSet<_>>(), expected);
            let found = highest(limit, (0..5_000).map(value));
            assert_eq!(found.collect::<HashSet<_>>(), expected);
        }
    }
}

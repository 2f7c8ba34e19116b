//! Fusion: signals of different kinds become one score.
//!
//! A relative signal is normalized by the mean and the deviation of all candidates, then weighted and
//! added. Absolute signals are added as they are: being inside a period means the same however many
//! others are inside.

pub(crate) mod top;

use std::borrow::Cow;

use crate::signal::{Reason, Scale, Signal};
use crate::vectors::Moments;

/// Candidates of one kind, their signals so far, and the resulting scores.
pub(crate) struct FusedScores<'v> {
    pub(crate) candidates: Candidates<'v>,
    /// The scores, in the order of the candidates.
    pub(crate) scores: Vec<f32>,
    signals: Vec<WeightedSignal<'v>>,
}

/// Numbers that are ranked. Those before `picked` represent themselves; each of the others represents
/// `represents` candidates when means are computed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidates<'v> {
    pub(crate) numbers: &'v [u32],
    pub(crate) picked: usize,
    pub(crate) represents: f64,
}

/// One signal with its weight, its values and their normalization.
struct WeightedSignal<'v> {
    signal: Signal,
    weight: f32,
    /// In the order of the candidates.
    values: Cow<'v, [f32]>,
    normalizer: Normalizer,
}

impl<'v> FusedScores<'v> {
    /// Starts with a score of zero for every candidate.
    pub(crate) fn new(candidates: Candidates<'v>) -> Self {
        Self { candidates, scores: vec![0.0; candidates.numbers.len()], signals: Vec::new() }
    }

    /// Adds a signal; `values` are in the order of the candidates.
    pub(crate) fn add(&mut self, signal: Signal, weight: f32, values: Cow<'v, [f32]>) {
        let normalizer = match signal.scale() {
            Scale::Relative => Normalizer::among(&self.candidates, &values),
            Scale::Absolute => Normalizer::IDENTITY,
        };
        if weight != 0.0 {
            for (score, value) in self.scores.iter_mut().zip(values.iter()) {
                *score += weight * normalizer.normalize(*value);
            }
        }
        self.signals.push(WeightedSignal { signal, weight, values, normalizer });
    }

    /// Returns the positions of the candidates with the highest scores, highest first.
    pub(crate) fn best(&self, limit: usize) -> Vec<usize> {
        top::best_positions(&self.candidates, &self.scores, limit)
    }

    /// Returns how the values of each signal are distributed over all candidates.
    pub(crate) fn distributions(&self) -> Vec<Distribution> {
        let picked = self.candidates.picked.min(self.scores.len());
        let others = (self.scores.len() - picked) as f64;
        let count = picked as f64 + self.candidates.represents * others;
        let distribution = |one: &WeightedSignal<'_>| Distribution {
            signal: one.signal,
            weight: one.weight,
            count,
            mean: one.normalizer.mean.into(),
            deviation: one.normalizer.deviation(),
        };
        self.signals.iter().map(distribution).collect()
    }

    /// Returns the reasons for the candidate at a position.
    pub(crate) fn reasons(&self, position: usize) -> Vec<Reason> {
        let reason = |one: &WeightedSignal<'_>| {
            let value = one.normalizer.normalize(one.values[position]);
            Reason { signal: one.signal, value, share: one.weight * value }
        };
        self.signals.iter().map(reason).collect()
    }
}

/// How the values of a signal are distributed over the candidates of one index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Distribution {
    pub(crate) signal: Signal,
    pub(crate) weight: f32,
    /// The number of candidates.
    pub(crate) count: f64,
    pub(crate) mean: f64,
    pub(crate) deviation: f64,
}

/// Converts values into standard deviations above the mean.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Normalizer {
    mean: f32,
    /// One over the standard deviation; zero if all values are equal.
    inverse_deviation: f32,
}

impl Normalizer {
    /// Leaves values as they are.
    const IDENTITY: Self = Self { mean: 0.0, inverse_deviation: 1.0 };

    /// Normalizes by the mean and the deviation of the values of candidates.
    fn among(candidates: &Candidates<'_>, values: &[f32]) -> Self {
        let (picked, others) = values.split_at(candidates.picked);
        let represents = candidates.represents;
        let count = (picked.len() as f64 + represents * others.len() as f64).max(1.0);
        // Differences from one of the values: those of equal values are exactly zero.
        let base = values.first().copied().unwrap_or_default();
        let (picked, others) = (Moments::of(picked, base), Moments::of(others, base));
        let mean = (picked.sum + represents * others.sum) / count;
        let square = (picked.squares + represents * others.squares) / count;
        Self::new(f64::from(base) + mean, (square - mean * mean).max(0.0))
    }

    /// Normalizes by the mean and the deviation of `count` values, of which all but the given ones are
    /// zero.
    pub(crate) fn among_zeros(values: &[f32], count: usize) -> Self {
        let count = count.max(1) as f64;
        let Moments { sum, squares } = Moments::of(values, 0.0);
        let mean = sum / count;
        Self::new(mean, (squares / count - mean * mean).max(0.0))
    }

    fn new(mean: f64, variance: f64) -> Self {
        let deviation = variance.sqrt();
        let inverse_deviation = if deviation > 1e-9 { 1.0 / deviation } else { 0.0 };
        Self { mean: mean as f32, inverse_deviation: inverse_deviation as f32 }
    }

    fn deviation(&self) -> f64 {
        if self.inverse_deviation > 0.0 { 1.0 / f64::from(self.inverse_deviation) } else { 0.0 }
    }

    /// Returns how many standard deviations a value is above the mean.
    pub(crate) fn normalize(&self, value: f32) -> f32 {
        (value - self.mean) * self.inverse_deviation
    }
}

/// Replaces values by how many standard deviations they are above the mean.
pub(crate) fn normalize(candidates: &Candidates<'_>, values: &mut [f32]) {
    let normalizer = Normalizer::among(candidates, values);
    values.iter_mut().for_each(|value| *value = normalizer.normalize(*value));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(numbers: &[u32]) -> Candidates<'_> {
        Candidates { numbers, picked: numbers.len(), represents: 1.0 }
    }

    #[test]
    fn values_are_normalized_to_deviations() {
        let mut values = [1.0, 1.0, 1.0, 5.0];
        normalize(&all(&[0, 1, 2, 3]), &mut values);
        assert!((values[3] - 3f32.sqrt()).abs() < 1e-5, "{values:?}");
        let mut same = [0.3; 4];
        normalize(&all(&[0, 1, 2, 3]), &mut same);
        assert_eq!(same, [0.0; 4]);
        normalize(&all(&[]), &mut []);
    }

    #[test]
    fn the_order_of_candidates_changes_no_value() {
        let (high, low) = (2.4998264, -1.5005206);
        let normalizer = |values: [f32; 3]| {
            let Normalizer { mean, inverse_deviation } =
                Normalizer::among(&all(&[0, 1, 2]), &values);
            (mean, inverse_deviation)
        };
        assert_eq!(normalizer([high, high, low]), normalizer([low, high, high]));
        assert_eq!(normalizer([high, high, low]), normalizer([high, low, high]));
    }

    #[test]
    fn some_represent_others_and_zeros_need_not_be_listed() {
        let few = Candidates { numbers: &[7, 8], picked: 1, represents: 9.0 };
        let listed: Vec<f32> = [5.0].into_iter().chain([1.0; 9]).collect();
        let (few, many) = (
            Normalizer::among(&few, &[5.0, 1.0]),
            Normalizer::among(&all(&(0..10).collect::<Vec<_>>()), &listed),
        );
        assert!((few.normalize(5.0) - many.normalize(5.0)).abs() < 1e-5);
        let zeros: Vec<f32> = [2.0, 3.0].into_iter().chain([0.0; 8]).collect();
        let listed = Normalizer::among(&all(&(0..10).collect::<Vec<_>>()), &zeros);
        let unlisted = Normalizer::among_zeros(&[2.0, 3.0], 10);
        assert!((listed.normalize(3.0) - unlisted.normalize(3.0)).abs() < 1e-5);
    }

    #[test]
    fn relative_signals_are_normalized_and_absolute_ones_are_not() {
        let mut fused = FusedScores::new(all(&[0, 2]));
        fused.add(Signal::Words, 2.0, Cow::Owned(vec![1.0, 3.0]));
        fused.add(Signal::Period, 0.5, Cow::Owned(vec![1.0, 0.0]));
        assert_eq!(fused.scores, [-1.5, 2.0]);
        assert_eq!(fused.best(1), [1]);
        let reasons = fused.reasons(0);
        assert_eq!((reasons[0].value, reasons[0].share), (-1.0, -2.0));
        assert_eq!((reasons[1].signal, reasons[1].share), (Signal::Period, 0.5));
    }
}

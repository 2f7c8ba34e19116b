//! Fusing: signals of different kinds become one score.
//!
//! A signal is put on a common footing by how far it stands out among all candidates, then
//! weighted and added. Signals about time stay as they are: being inside the period means the same
//! however many others are inside.

use std::borrow::Cow;

use super::signal::{Reason, Signal};

/// Candidates of one kind, their signals so far, and the scores that follow.
pub(crate) struct Fused<'v> {
    /// Numbers of the candidates.
    pub(crate) candidates: Vec<u32>,
    /// Their scores, in the same order.
    pub(crate) scores: Vec<f32>,
    signals: Vec<Weighed<'v>>,
}

/// One signal with its weight, and what it is measured against.
struct Weighed<'v> {
    signal: Signal,
    weight: f32,
    /// By number.
    values: Cow<'v, [f32]>,
    footing: Footing,
}

impl Weighed<'_> {
    fn value(&self, number: u32) -> f32 {
        self.footing.of(self.values[number as usize])
    }
}

impl<'v> Fused<'v> {
    /// Candidates for which nothing speaks yet.
    pub(crate) fn new(candidates: Vec<u32>) -> Self {
        let scores = vec![0.0; candidates.len()];
        Self { candidates, scores, signals: Vec::new() }
    }

    /// Lets a signal speak; `values` are by number.
    pub(crate) fn add(&mut self, signal: Signal, weight: f32, values: Cow<'v, [f32]>) {
        let footing = if signal.is_relative() {
            Footing::among(self.candidates.iter().map(|number| values[*number as usize]))
        } else {
            Footing::NONE
        };
        let weighed = Weighed { signal, weight, values, footing };
        if weight != 0.0 {
            for (score, number) in self.scores.iter_mut().zip(&self.candidates) {
                *score += weight * weighed.value(*number);
            }
        }
        self.signals.push(weighed);
    }

    /// The places of the candidates with the highest scores.
    pub(crate) fn best(&self, limit: usize) -> Vec<usize> {
        best(&self.scores, limit)
    }

    /// What speaks for the candidate in this place.
    pub(crate) fn reasons(&self, place: usize) -> Vec<Reason> {
        let number = self.candidates[place];
        let reason = |one: &Weighed<'_>| {
            let value = one.value(number);
            Reason { signal: one.signal, value, share: one.weight * value }
        };
        self.signals.iter().map(reason).collect()
    }
}

/// What the values of a signal are measured against.
struct Footing {
    mean: f32,
    /// One over the standard deviation; zero if all values are the same.
    steepness: f32,
}

impl Footing {
    /// Values as they are.
    const NONE: Self = Self { mean: 0.0, steepness: 1.0 };

    /// The mean and the deviation of values.
    fn among(values: impl Iterator<Item = f32> + Clone) -> Self {
        let (sum, count) = values
            .clone()
            .fold((0.0f64, 0u32), |(sum, count), value| (sum + f64::from(value), count + 1));
        let mean = sum / f64::from(count.max(1));
        let squares: f64 = values.map(|value| (f64::from(value) - mean).powi(2)).sum();
        let deviation = (squares / f64::from(count.max(1))).sqrt();
        let steepness = if deviation > 1e-9 { 1.0 / deviation } else { 0.0 };
        Self { mean: mean as f32, steepness: steepness as f32 }
    }

    fn of(&self, value: f32) -> f32 {
        (value - self.mean) * self.steepness
    }
}

/// Replaces values by how many standard deviations they lie above the mean.
pub(crate) fn stand_out(values: &mut [f32]) {
    let footing = Footing::among(values.iter().copied());
    values.iter_mut().for_each(|value| *value = footing.of(*value));
}

/// The places of the `limit` highest scores, highest first; of equals the later place first.
pub(crate) fn best(scores: &[f32], limit: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..scores.len()).collect();
    let order = |a: &usize, b: &usize| scores[*b].total_cmp(&scores[*a]).then(b.cmp(a));
    if limit < places.len() {
        places.select_nth_unstable_by(limit, order);
        places.truncate(limit);
    }
    places.sort_unstable_by(order);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standing_out_is_counted_in_deviations() {
        let mut values = [1.0, 1.0, 1.0, 5.0];
        stand_out(&mut values);
        assert!((values[3] - 3f32.sqrt()).abs() < 1e-5, "{values:?}");
        let mut same = [0.3; 4];
        stand_out(&mut same);
        assert_eq!(same, [0.0; 4]);
        stand_out(&mut []);
    }

    #[test]
    fn relative_signals_stand_out_and_absolute_ones_stay() {
        let mut fused = Fused::new(vec![0, 2]);
        fused.add(Signal::Words, 2.0, Cow::Owned(vec![1.0, 99.0, 3.0]));
        fused.add(Signal::Period, 0.5, Cow::Owned(vec![1.0, 0.0, 0.0]));
        assert_eq!(fused.scores, [-1.5, 2.0]);
        assert_eq!(fused.best(1), [1]);
        let reasons = fused.reasons(0);
        assert_eq!((reasons[0].value, reasons[0].share), (-1.0, -2.0));
        assert_eq!((reasons[1].signal, reasons[1].share), (Signal::Period, 0.5));
    }

    #[test]
    fn the_best_come_first_and_of_equals_the_later() {
        assert_eq!(best(&[0.1, 0.9, 0.5, 0.9], 3), [3, 1, 2]);
        assert_eq!(best(&[0.1], 9), [0]);
        assert!(best(&[], 9).is_empty());
    }
}

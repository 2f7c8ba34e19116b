//! The threshold that separates examples best.

/// A cosine, and whether it is one of those that should lie above the threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Example {
    pub(super) cosine: f32,
    pub(super) positive: bool,
}

/// A threshold and how well it separates the examples it was chosen from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredThreshold {
    /// The cosine, to two decimal places.
    pub threshold: f32,
    /// The share of examples above it that belong there.
    pub precision: f64,
    /// The share of examples that belong above it and lie there.
    pub recall: f64,
    /// The number of examples that belong above it.
    pub positives: usize,
    /// The number of examples that belong below it.
    pub negatives: usize,
}

/// The threshold with the highest F-score, the highest of those that are equally good; none unless
/// there are examples for both sides. With `beta` below 1 precision counts more than recall.
pub(super) fn best_threshold(examples: &[Example], beta: f64) -> Option<MeasuredThreshold> {
    let positives = examples.iter().filter(|one| one.positive).count();
    let negatives = examples.len() - positives;
    if positives == 0 || negatives == 0 {
        return None;
    }
    let measured = |hundredths: u8| {
        let threshold = f32::from(hundredths) / 100.0;
        let above = examples.iter().filter(|one| one.cosine >= threshold);
        let (count, right) = above.fold((0_usize, 0_usize), |(count, right), one| {
            (count + 1, right + usize::from(one.positive))
        });
        let precision = if count == 0 { 1.0 } else { right as f64 / count as f64 };
        let recall = right as f64 / positives as f64;
        MeasuredThreshold { threshold, precision, recall, positives, negatives }
    };
    let score = |one: &MeasuredThreshold| {
        let weight = beta * beta;
        let below = weight * one.precision + one.recall;
        if below == 0.0 { 0.0 } else { (1.0 + weight) * one.precision * one.recall / below }
    };
    (0..=100).map(measured).max_by(|a, b| score(a).total_cmp(&score(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples(above: &[f32], below: &[f32]) -> Vec<Example> {
        let example = |positive| move |cosine: &f32| Example { cosine: *cosine, positive };
        above.iter().map(example(true)).chain(below.iter().map(example(false))).collect()
    }

    #[test]
    fn examples_that_can_be_separated_are() {
        let best = best_threshold(&examples(&[0.9, 0.7], &[0.5, 0.2]), 1.0).unwrap();
        assert!((0.5..=0.7).contains(&best.threshold), "{best:?}");
        assert_eq!((best.precision, best.recall), (1.0, 1.0));
        assert_eq!((best.positives, best.negatives), (2, 2));
    }

    #[test]
    fn where_precision_counts_more_the_threshold_is_higher() {
        let overlapping = examples(&[0.9, 0.8, 0.6, 0.5, 0.4], &[0.7, 0.55, 0.45, 0.3]);
        let strict = best_threshold(&overlapping, 0.25).unwrap();
        let even = best_threshold(&overlapping, 2.0).unwrap();
        assert!(strict.threshold > even.threshold, "{strict:?} {even:?}");
        assert!(strict.precision > even.precision && strict.recall < even.recall);
    }

    #[test]
    fn one_side_alone_says_nothing() {
        assert_eq!(best_threshold(&examples(&[0.9], &[]), 1.0), None);
        assert_eq!(best_threshold(&examples(&[], &[0.1]), 1.0), None);
    }
}

//! Fusing: signals of different kinds become one score.
//!
//! A signal is put on a common footing by how far it stands out among all candidates, then
//! weighted and added. Signals about time stay as they are: being inside the period means the same
//! however many others are inside.

/// Replaces values by how many standard deviations they lie above the mean.
pub(crate) fn stand_out(values: &mut [f32]) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().map(|value| f64::from(*value)).sum::<f64>() / count;
    let spread = values.iter().map(|value| (f64::from(*value) - mean).powi(2)).sum::<f64>() / count;
    let deviation = spread.sqrt();
    for value in values {
        let above = f64::from(*value) - mean;
        *value = if deviation > 1e-9 { (above / deviation) as f32 } else { 0.0 };
    }
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
    fn the_best_come_first_and_of_equals_the_later() {
        assert_eq!(best(&[0.1, 0.9, 0.5, 0.9], 3), [3, 1, 2]);
        assert_eq!(best(&[0.1], 9), [0]);
        assert!(best(&[], 9).is_empty());
    }
}

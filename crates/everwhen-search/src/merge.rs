//! Searches over several indexes: rankings are scored again as if all candidates were in one index.

use std::collections::HashMap;

use crate::fuse::Distribution;
use crate::rank::{Hit, RankedList};
use crate::signal::{Scale, Signal};

/// Scores the hits in several indexes again, as if all candidates were in one index. The lists then
/// have comparable scores; their own order may have changed.
pub fn merge_scores(lists: &mut [&mut RankedList]) {
    let pooled = pool(lists);
    for list in lists {
        let distributions = std::mem::take(&mut list.distributions);
        for hit in &mut list.hits {
            rescore(hit, &distributions, &pooled);
        }
    }
}

fn rescore(hit: &mut Hit, own: &[Distribution], pooled: &HashMap<Signal, Distribution>) {
    for (reason, own) in hit.reasons.iter_mut().zip(own) {
        let is_relative = reason.signal.scale() == Scale::Relative;
        if let Some(all) = pooled.get(&reason.signal).filter(|_| is_relative) {
            let raw = f64::from(reason.value) * own.deviation + own.mean;
            let normalized =
                if all.deviation > 0.0 { (raw - all.mean) / all.deviation } else { 0.0 };
            reason.value = normalized as f32;
            reason.share = own.weight * reason.value;
        }
    }
    hit.score = hit.reasons.iter().map(|reason| reason.share).sum();
}

/// Computes the distribution of each signal over the candidates of all indexes.
fn pool(lists: &[&mut RankedList]) -> HashMap<Signal, Distribution> {
    let mut parts: HashMap<Signal, Vec<Distribution>> = HashMap::new();
    for distribution in lists.iter().flat_map(|list| &list.distributions) {
        parts.entry(distribution.signal).or_default().push(*distribution);
    }
    parts.into_iter().map(|(signal, parts)| (signal, pool_signal(&parts))).collect()
}

fn pool_signal(parts: &[Distribution]) -> Distribution {
    let count: f64 = parts.iter().map(|part| part.count).sum();
    let mean = parts.iter().map(|part| part.count * part.mean).sum::<f64>() / count.max(1.0);
    let squares = |part: &Distribution| part.deviation.powi(2) + (part.mean - mean).powi(2);
    let variance =
        parts.iter().map(|part| part.count * squares(part)).sum::<f64>() / count.max(1.0);
    Distribution { count, mean, deviation: variance.sqrt(), ..parts[0] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::Reason;

    /// A list of documents with these word scores, scored alone.
    fn list(values: &[f32]) -> RankedList {
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / values.len() as f32;
        let deviation = f64::from(variance.sqrt());
        let distribution = Distribution {
            signal: Signal::Words,
            weight: 2.0,
            count: values.len() as f64,
            mean: mean.into(),
            deviation,
        };
        let hit = |(number, value): (u32, &f32)| {
            let value = ((f64::from(*value) - distribution.mean) / deviation) as f32;
            let reasons = vec![Reason { signal: Signal::Words, value, share: 2.0 * value }];
            Hit { number, score: 2.0 * value, reasons }
        };
        let hits = (0..).zip(values).map(hit).collect();
        RankedList { hits, distributions: vec![distribution] }
    }

    #[test]
    fn scores_are_those_of_one_large_index() {
        let (mut small, mut large) = (list(&[0.1, 0.4]), list(&[0.0, 9.0, 0.2, 0.3]));
        merge_scores(&mut [&mut small, &mut large]);
        let whole = list(&[0.1, 0.4, 0.0, 9.0, 0.2, 0.3]);
        let merged = small.hits.iter().chain(&large.hits);
        for (one, expected) in merged.zip(&whole.hits) {
            assert!((one.score - expected.score).abs() < 1e-4, "{one:?} {expected:?}");
        }
    }
}

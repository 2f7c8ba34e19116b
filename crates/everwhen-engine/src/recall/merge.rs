//! What several memories found, on one footing: a signal stands out among all candidates of the
//! vault, not among those of one memory. Pure.

use std::collections::HashMap;

use super::fuse::Spread;
use super::index::Index;
use super::lanes::words::rarity;
use super::rank::{Best, Ranked};
use super::signal::Signal;
use super::text::tokens;

/// How rare the words of a question are among the entries of all memories.
pub(crate) struct Rarities(HashMap<String, f32>);

impl Rarities {
    pub(crate) fn of<'i>(indexes: impl Iterator<Item = &'i Index> + Clone, text: &str) -> Self {
        let total: u32 = indexes.clone().map(|index| index.homes.len() as u32).sum();
        let rare =
            |token: &str| rarity(indexes.clone().map(|one| occurs_in(one, token)).sum(), total);
        Self(tokens(text).map(|token| (token.to_string(), rare(&token))).collect())
    }

    /// What a word counts more, or less, in a memory than its own entries say.
    pub(crate) fn scale(&self, index: &Index, token: &str) -> f32 {
        let here = rarity(occurs_in(index, token), index.homes.len() as u32);
        self.0.get(token).map_or(1.0, |rare| rare / here)
    }
}

fn occurs_in(index: &Index, token: &str) -> u32 {
    index.term(token).map_or(0, |term| index.postings(term).len())
}

/// Scores what was found in several memories anew, as if they were one.
pub(crate) fn join(memories: &mut [&mut Best]) {
    let pooled = pool(memories);
    for best in memories {
        let spreads = std::mem::take(&mut best.spreads);
        for ranked in &mut best.ranked {
            rescore(ranked, &spreads, &pooled);
        }
    }
}

fn rescore(ranked: &mut Ranked, own: &[Spread], pooled: &HashMap<Signal, Spread>) {
    for (reason, own) in ranked.reasons.iter_mut().zip(own) {
        if let Some(all) = pooled.get(&reason.signal).filter(|_| reason.signal.is_relative()) {
            let raw = f64::from(reason.value) * own.deviation + own.mean;
            let stands_out =
                if all.deviation > 0.0 { (raw - all.mean) / all.deviation } else { 0.0 };
            reason.value = stands_out as f32;
            reason.share = own.weight * reason.value;
        }
    }
    ranked.score = ranked.reasons.iter().map(|reason| reason.share).sum();
}

/// Mean and deviation of each signal over the candidates of all memories.
fn pool(memories: &[&mut Best]) -> HashMap<Signal, Spread> {
    let mut parts: HashMap<Signal, Vec<Spread>> = HashMap::new();
    for spread in memories.iter().flat_map(|best| &best.spreads) {
        parts.entry(spread.signal).or_default().push(*spread);
    }
    parts.into_iter().map(|(signal, parts)| (signal, pool_one(&parts))).collect()
}

fn pool_one(parts: &[Spread]) -> Spread {
    let count: f64 = parts.iter().map(|part| part.count).sum();
    let mean = parts.iter().map(|part| part.count * part.mean).sum::<f64>() / count.max(1.0);
    let squares = |part: &Spread| part.deviation.powi(2) + (part.mean - mean).powi(2);
    let variance =
        parts.iter().map(|part| part.count * squares(part)).sum::<f64>() / count.max(1.0);
    Spread { count, mean, deviation: variance.sqrt(), ..parts[0] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::signal::Reason;

    /// A memory whose entries have these word scores, scored by itself.
    fn memory(values: &[f32]) -> Best {
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / values.len() as f32;
        let deviation = f64::from(variance.sqrt());
        let spread = Spread {
            signal: Signal::Words,
            weight: 2.0,
            count: values.len() as f64,
            mean: mean.into(),
            deviation,
        };
        let ranked = |(number, value): (u32, &f32)| {
            let value = ((f64::from(*value) - spread.mean) / deviation) as f32;
            let reasons = vec![Reason { signal: Signal::Words, value, share: 2.0 * value }];
            Ranked { number, score: 2.0 * value, reasons }
        };
        Best { ranked: (0..).zip(values).map(ranked).collect(), spreads: vec![spread] }
    }

    #[test]
    fn scores_are_those_of_one_large_memory() {
        let (mut small, mut large) = (memory(&[0.1, 0.4]), memory(&[0.0, 9.0, 0.2, 0.3]));
        join(&mut [&mut small, &mut large]);
        let whole = memory(&[0.1, 0.4, 0.0, 9.0, 0.2, 0.3]);
        let joined = small.ranked.iter().chain(&large.ranked);
        for (one, expected) in joined.zip(&whole.ranked) {
            assert!((one.score - expected.score).abs() < 1e-4, "{one:?} {expected:?}");
        }
    }
}

//! Scores of a ranking: pure functions of which places hold gold.
//!
//! `any@k` and `all@k` are different numbers; so are the two NDCGs. The official one of
//! LongMemEval gives the first two places the same weight; the textbook one does not. Both take
//! the ideal over all gold, found or not.

use serde::{Deserialize, Serialize};

/// A ranking, judged: whether each place holds gold, and how much gold there is.
#[derive(Debug, Clone)]
pub struct Judged {
    /// From the first place on.
    pub hits: Vec<bool>,
    /// Gold in all.
    pub gold: usize,
}

impl Judged {
    /// Judges a ranking of names.
    pub fn new<'a>(ranked: impl IntoIterator<Item = &'a str>, gold: &[String]) -> Self {
        let hits = ranked.into_iter().map(|name| gold.iter().any(|gold| gold == name)).collect();
        Self { hits, gold: gold.len() }
    }

    fn found(&self, k: usize) -> usize {
        self.hits.iter().take(k).filter(|hit| **hit).count()
    }

    /// 1 if some gold is among the first `k`.
    pub fn any(&self, k: usize) -> f64 {
        f64::from(u8::from(self.found(k) > 0))
    }

    /// 1 if all gold is among the first `k`.
    pub fn all(&self, k: usize) -> f64 {
        f64::from(u8::from(self.gold > 0 && self.found(k) == self.gold))
    }

    /// The share of gold among the first `k`.
    pub fn recall(&self, k: usize) -> f64 {
        self.found(k) as f64 / self.gold.max(1) as f64
    }

    /// One over the place of the first gold.
    pub fn reciprocal_rank(&self) -> f64 {
        let first = self.hits.iter().position(|hit| *hit);
        first.map_or(0.0, |place| 1.0 / (place + 1) as f64)
    }

    /// NDCG as LongMemEval's own scorer computes it: places 1 and 2 both weigh 1.
    pub fn ndcg_official(&self, k: usize) -> f64 {
        self.ndcg(k, |place| if place == 0 { 1.0 } else { 1.0 / ((place + 1) as f64).log2() })
    }

    /// NDCG as textbooks define it.
    pub fn ndcg_textbook(&self, k: usize) -> f64 {
        self.ndcg(k, |place| 1.0 / ((place + 2) as f64).log2())
    }

    fn ndcg(&self, k: usize, weight: impl Fn(usize) -> f64) -> f64 {
        let gain = |hits: &[bool]| -> f64 {
            hits.iter().enumerate().take(k).filter(|(_, hit)| **hit).map(|(at, _)| weight(at)).sum()
        };
        let ideal = gain(&vec![true; self.gold]);
        if ideal > 0.0 { gain(&self.hits) / ideal } else { 0.0 }
    }
}

/// Means over questions, in percent except the last three.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Scores {
    /// Questions.
    pub n: usize,
    /// Some gold first.
    #[serde(rename = "any@1")]
    pub any_1: f64,
    /// Some gold in five.
    #[serde(rename = "any@5")]
    pub any_5: f64,
    /// Some gold in ten.
    #[serde(rename = "any@10")]
    pub any_10: f64,
    /// All gold in five.
    #[serde(rename = "all@5")]
    pub all_5: f64,
    /// All gold in ten.
    #[serde(rename = "all@10")]
    pub all_10: f64,
    /// LongMemEval's NDCG.
    #[serde(rename = "ndcg@10_official")]
    pub ndcg_official: f64,
    /// The textbook's NDCG.
    #[serde(rename = "ndcg@10")]
    pub ndcg: f64,
    /// Mean reciprocal rank.
    pub mrr: f64,
}

impl Scores {
    /// The means over judged rankings.
    pub fn of(judged: &[&Judged]) -> Self {
        let mean = |value: &dyn Fn(&Judged) -> f64| -> f64 {
            judged.iter().map(|one| value(one)).sum::<f64>() / judged.len().max(1) as f64
        };
        Self {
            n: judged.len(),
            any_1: 100.0 * mean(&|one| one.any(1)),
            any_5: 100.0 * mean(&|one| one.any(5)),
            any_10: 100.0 * mean(&|one| one.any(10)),
            all_5: 100.0 * mean(&|one| one.all(5)),
            all_10: 100.0 * mean(&|one| one.all(10)),
            ndcg_official: mean(&|one| one.ndcg_official(10)),
            ndcg: mean(&|one| one.ndcg_textbook(10)),
            mrr: mean(&Judged::reciprocal_rank),
        }
    }
}

impl std::fmt::Display for Scores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:>5} {:>6.1} {:>6.1} {:>6.1} {:>6.1} {:>6.1} {:>7.4} {:>7.4} {:>7.4}",
            self.n,
            self.any_1,
            self.any_5,
            self.any_10,
            self.all_5,
            self.all_10,
            self.ndcg_official,
            self.ndcg,
            self.mrr
        )
    }
}

/// The heads of the columns that [`Scores`] prints.
pub const COLUMNS: &str = "    n  any@1  any@5 any@10  all@5 all@10  NDCGof  NDCGtb     MRR";

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(hits: &[u8], gold: usize) -> Judged {
        Judged { hits: hits.iter().map(|hit| *hit == 1).collect(), gold }
    }

    #[test]
    fn any_and_all_differ() {
        let one = judged(&[0, 1, 0, 0, 0, 1], 2);
        assert_eq!((one.any(1), one.any(5), one.all(5), one.all(10)), (0.0, 1.0, 0.0, 1.0));
        assert_eq!((one.recall(5), one.reciprocal_rank()), (0.5, 0.5));
        assert_eq!(judged(&[0, 0], 1).reciprocal_rank(), 0.0);
    }

    #[test]
    fn the_two_ndcgs_by_hand() {
        // Gold on places 2 and 3 of three, two in all.
        let one = judged(&[0, 1, 1], 2);
        let log3 = 3f64.log2();
        assert!((one.ndcg_official(10) - (1.0 + 1.0 / log3) / 2.0).abs() < 1e-12);
        let textbook = (1.0 / log3 + 0.5) / (1.0 + 1.0 / log3);
        assert!((one.ndcg_textbook(10) - textbook).abs() < 1e-12);
        // Gold that was not found still belongs to the ideal.
        assert!((judged(&[1], 2).ndcg_official(10) - 0.5).abs() < 1e-12);
        assert_eq!(judged(&[0; 12], 1).ndcg_official(10), 0.0);
    }

    #[test]
    fn means_are_over_questions() {
        let (a, b) = (judged(&[1], 1), judged(&[0, 1], 1));
        let scores = Scores::of(&[&a, &b]);
        assert_eq!((scores.n, scores.any_1, scores.any_5, scores.mrr), (2, 50.0, 100.0, 0.75));
    }
}

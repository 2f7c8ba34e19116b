//! `everwhen bench tune`: fits the weights of conversations on LongMemEval, from explained answers.
//!
//! Every answer says how strongly each signal spoke for every session. Weights are searched over
//! those numbers alone, from a seed, so nothing is measured again: random starts, then single
//! steps from the best. Cross-validation fits on four fifths and scores the fifth.

use std::path::PathBuf;

use anyhow::{Context, Result};
use everwhen::recall::signal_name;
use serde::Serialize;

use crate::EmbedderChoice;
use crate::longmemeval::{self, LongMemEval, LongMemEvalAnswered};
use crate::score::{COLUMNS, Judged, Scores};

/// What to fit on.
#[derive(Debug, Clone)]
pub struct Tune {
    /// The data.
    pub data: PathBuf,
    /// Ids of the training questions; the others are reported separately.
    pub ids: PathBuf,
    /// Which embedder takes part.
    pub embedder: EmbedderChoice,
    /// Random seed.
    pub seed: u64,
    /// Weights tried.
    pub tries: usize,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct Tuned {
    /// Signals in order.
    pub signals: Vec<String>,
    /// The current weights.
    pub current: Fit,
    /// Weights found.
    pub found: Fit,
    /// Five-fold cross-validation over all questions, one row per seed.
    pub cross_validation: Vec<Scores>,
}

/// Weights and what they score.
#[derive(Debug, Serialize)]
pub struct Fit {
    /// One per signal.
    pub weights: Vec<f32>,
    /// On the questions fitted on.
    pub fitted: Scores,
    /// On the others.
    pub others: Scores,
}

/// One question: how strongly each signal speaks for each session, and which are gold.
struct Case {
    values: Vec<Vec<f32>>,
    gold: Vec<bool>,
    gold_total: usize,
}

/// Seeds of the cross-validation.
const SEEDS: u64 = 5;
/// Parts it is split in.
const FOLDS: usize = 5;

/// Runs the benchmark; `step` is called after each question with the number done and the total.
pub async fn run(setup: &Tune, step: &(dyn Fn(usize, usize) + Sync)) -> Result<Tuned> {
    let all = LongMemEval {
        data: setup.data.clone(),
        ids: None,
        pooled: false,
        embedder: setup.embedder.clone(),
    };
    let answered = longmemeval::run(&all, step).await?.questions;
    let text = std::fs::read_to_string(&setup.ids)
        .with_context(|| format!("cannot read the ids in {}", setup.ids.display()))?;
    let ids: Vec<&str> = text.split_whitespace().collect();
    let (signals, current) = weights_in_force(&answered)?;
    let (fitted, others): (Vec<&LongMemEvalAnswered>, Vec<&LongMemEvalAnswered>) =
        answered.iter().partition(|one| ids.contains(&one.question_id.as_str()));
    let cases = |part: &[&LongMemEvalAnswered]| {
        part.iter().map(|one| case(one, &signals)).collect::<Vec<_>>()
    };
    let (fitted, others, every) =
        (cases(&fitted), cases(&others), cases(&answered.iter().collect::<Vec<_>>()));
    let found = search(&fitted.iter().collect::<Vec<_>>(), &current, setup.seed, setup.tries);
    let fit = |weights: Vec<f32>| Fit {
        fitted: scores(&fitted.iter().collect::<Vec<_>>(), &weights),
        others: scores(&others.iter().collect::<Vec<_>>(), &weights),
        weights,
    };
    let validate = |seed| cross_validate(&every, &current, setup.seed + seed, setup.tries);
    Ok(Tuned {
        cross_validation: (0..SEEDS).map(validate).collect(),
        current: fit(current.clone()),
        found: fit(found),
        signals,
    })
}

/// The signals of an answer with several, and their weights as they are.
fn weights_in_force(answered: &[LongMemEvalAnswered]) -> Result<(Vec<String>, Vec<f32>)> {
    let rows = answered.iter().flat_map(|one| &one.reasons);
    let widest = rows.max_by_key(|row| row.len()).context("nothing was found")?;
    let signals: Vec<String> =
        widest.iter().map(|one| signal_name(one.signal).to_owned()).collect();
    let weight = |name: &String| {
        let rows = answered.iter().flat_map(|one| &one.reasons).flatten();
        let mut of_signal =
            rows.filter(|one| signal_name(one.signal) == name && one.value.abs() > 0.1);
        of_signal.next().map_or(0.0, |one| one.share / one.value)
    };
    let weights = signals.iter().map(weight).collect();
    Ok((signals, weights))
}

fn case(one: &LongMemEvalAnswered, signals: &[String]) -> Case {
    let value = |row: &Vec<everwhen::recall::Reason>, name: &String| {
        row.iter()
            .find(|reason| signal_name(reason.signal) == name)
            .map_or(0.0, |reason| reason.value)
    };
    Case {
        values: one
            .reasons
            .iter()
            .map(|row| signals.iter().map(|name| value(row, name)).collect())
            .collect(),
        gold: one.ranked.iter().map(|name| one.gold.contains(name)).collect(),
        gold_total: one.gold.len(),
    }
}

fn judged(case: &Case, weights: &[f32]) -> Judged {
    let score = |row: &Vec<f32>| row.iter().zip(weights).map(|(a, b)| a * b).sum::<f32>();
    let mut order: Vec<(f32, bool)> =
        case.values.iter().map(score).zip(case.gold.iter().copied()).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    Judged { hits: order.into_iter().map(|(_, gold)| gold).collect(), gold: case.gold_total }
}

fn scores(cases: &[&Case], weights: &[f32]) -> Scores {
    let judged: Vec<Judged> = cases.iter().map(|case| judged(case, weights)).collect();
    Scores::of(&judged.iter().collect::<Vec<_>>())
}

/// What a fit is judged by: finding one, finding all, and the order, each about equally.
fn worth(scores: &Scores) -> f64 {
    let found = scores.any_1 + scores.any_5 + 0.5 * scores.any_10 + 1.5 * scores.all_5;
    (found + scores.all_10) / 100.0 + scores.ndcg_official + scores.ndcg
}

/// The best weights among those tried: a third random, the rest steps from the best so far.
fn search(cases: &[&Case], start: &[f32], seed: u64, tries: usize) -> Vec<f32> {
    let mut dice = Xorshift(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut best = start.to_vec();
    let mut most = worth(&scores(cases, &best));
    for number in 0..tries {
        let mut weights = best.clone();
        if number < tries / 3 {
            weights.iter_mut().for_each(|weight| *weight = 1.5 * dice.roll());
        } else {
            let place = (dice.roll() * weights.len() as f32) as usize % weights.len();
            weights[place] = (weights[place] + 0.8 * (dice.roll() - 0.5)).max(0.0);
        }
        let now = worth(&scores(cases, &weights));
        if now > most {
            (most, best) = (now, weights);
        }
    }
    best
}

/// Every question scored by weights that were fitted without it.
fn cross_validate(cases: &[Case], start: &[f32], seed: u64, tries: usize) -> Scores {
    let mut dice = Xorshift(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) | 1);
    let folds: Vec<usize> =
        cases.iter().map(|_| (dice.roll() * FOLDS as f32) as usize % FOLDS).collect();
    let mut all = Vec::new();
    for fold in 0..FOLDS {
        let part = |inside: bool| -> Vec<&Case> {
            let pairs = cases.iter().zip(&folds);
            pairs.filter(|(_, of)| (**of == fold) == inside).map(|(case, _)| case).collect()
        };
        let weights = search(&part(false), start, seed, tries);
        all.extend(part(true).into_iter().map(|case| judged(case, &weights)));
    }
    Scores::of(&all.iter().collect::<Vec<_>>())
}

/// A seeded random number generator (xorshift).
struct Xorshift(u64);

impl Xorshift {
    /// From 0 up to 1.
    fn roll(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }
}

impl std::fmt::Display for Tuned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{:<24} {COLUMNS}", "")?;
        for (name, fit) in [("current", &self.current), ("found", &self.found)] {
            writeln!(f, "{:<24} {}", format!("{name}, fitted on"), fit.fitted)?;
            writeln!(f, "{:<24} {}", format!("{name}, others"), fit.others)?;
        }
        for (seed, scores) in self.cross_validation.iter().enumerate() {
            writeln!(f, "{:<24} {scores}", format!("cross-validation {seed}"))?;
        }
        for (place, signal) in self.signals.iter().enumerate() {
            let (now, new) = (self.current.weights[place], self.found.weights[place]);
            writeln!(f, "{signal:<16} {now:>6.2} → {new:>6.2}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_finds_the_signal_that_tells_gold_apart() {
        let case = Case {
            values: vec![vec![1.0, 0.0], vec![0.9, 1.0], vec![0.8, 0.1]],
            gold: vec![false, true, false],
            gold_total: 1,
        };
        assert_eq!(judged(&case, &[1.0, 0.0]).any(1), 0.0);
        let weights = search(&[&case], &[1.0, 0.0], 7, 60);
        assert_eq!(judged(&case, &weights).any(1), 1.0);
        assert_eq!(
            weights,
            search(&[&case], &[1.0, 0.0], 7, 60),
            "the same seed, the same weights"
        );
    }
}

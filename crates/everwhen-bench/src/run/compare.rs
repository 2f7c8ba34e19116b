//! `everwhen bench compare`: runs side by side, and whether the difference means anything.
//!
//! Differences are paired by question. Whether they mean something says a bootstrap: the questions
//! are resampled many times, and the share of samples in which the difference has another sign
//! counts against it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use everwhen::memory::{Chance, SeededChance};
use serde::Serialize;

use super::question::Line;
use super::summary;
use crate::score::Judged;

/// Draws of the bootstrap.
const DRAWS: usize = 10_000;

/// Runs beside the first of them.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// One row for each run.
    pub runs: Vec<RunRow>,
    /// One row for each measure of each run but the first.
    pub differences: Vec<Difference>,
}

/// One run.
#[derive(Debug, Serialize)]
pub struct RunRow {
    /// Its name.
    pub run: String,
    /// Means by measure.
    pub means: BTreeMap<&'static str, f64>,
}

/// How a run differs from the first.
#[derive(Debug, Serialize)]
pub struct Difference {
    /// The run.
    pub run: String,
    /// The measure.
    pub measure: &'static str,
    /// Questions both have.
    pub n: usize,
    /// Mean difference, in points of percent.
    pub difference: f64,
    /// Between these two in 95 of 100 draws.
    pub between: (f64, f64),
    /// The share of draws that speak against it, from both sides.
    pub p: f64,
}

type Measure = (&'static str, fn(&Line) -> Option<f64>);

const MEASURES: [Measure; 3] = [("accuracy", accuracy), ("any@5", any_5), ("all@5", all_5)];

fn accuracy(line: &Line) -> Option<f64> {
    line.verdict.as_ref().map(|verdict| f64::from(u8::from(verdict.correct())))
}

fn judged(line: &Line) -> Option<Judged> {
    let asked = !line.abstention && !line.gold.is_empty();
    asked.then(|| Judged::new(line.retrieved.iter().map(String::as_str), &line.gold))
}

fn any_5(line: &Line) -> Option<f64> {
    judged(line).map(|judged| judged.any(5))
}

fn all_5(line: &Line) -> Option<f64> {
    judged(line).map(|judged| judged.all(5))
}

/// Compares runs with the first of them.
pub fn compare(directories: &[PathBuf], seed: u64) -> Result<Comparison> {
    let [first, others @ ..] = directories else { bail!("name two runs or more") };
    if others.is_empty() {
        bail!("name two runs or more");
    }
    let base = summary::read_lines(first)?;
    let mut comparison = Comparison { runs: vec![row(first, &base)], differences: Vec::new() };
    for directory in others {
        let lines = summary::read_lines(directory)?;
        comparison.runs.push(row(directory, &lines));
        for (name, measure) in MEASURES {
            let pairs = differences(&base, &lines, measure);
            if !pairs.is_empty() {
                comparison.differences.push(difference(&shown(directory), name, &pairs, seed));
            }
        }
    }
    Ok(comparison)
}

fn row(directory: &Path, lines: &[Line]) -> RunRow {
    let mean = |measure: fn(&Line) -> Option<f64>| {
        let values: Vec<f64> = lines.iter().filter_map(measure).collect();
        (!values.is_empty()).then(|| 100.0 * values.iter().sum::<f64>() / values.len() as f64)
    };
    let means = MEASURES.iter().filter_map(|(name, measure)| Some((*name, mean(*measure)?)));
    RunRow { run: shown(directory), means: means.collect() }
}

fn shown(directory: &Path) -> String {
    let name = directory.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| directory.display().to_string())
}

/// The difference for each question that both runs have.
fn differences(base: &[Line], other: &[Line], measure: fn(&Line) -> Option<f64>) -> Vec<f64> {
    let known: BTreeMap<&str, f64> =
        base.iter().filter_map(|line| Some((line.question_id.as_str(), measure(line)?))).collect();
    let pairs = other
        .iter()
        .filter_map(|line| Some(100.0 * (measure(line)? - known.get(line.question_id.as_str())?)));
    pairs.collect()
}

fn difference(run: &str, measure: &'static str, pairs: &[f64], seed: u64) -> Difference {
    let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / pairs.len() as f64;
    let seen = mean(&mut pairs.iter().copied());
    let mut dice = Resampler::new(seed);
    let mut draws: Vec<f64> = (0..DRAWS)
        .map(|_| mean(&mut (0..pairs.len()).map(|_| pairs[dice.below(pairs.len())])))
        .collect();
    draws.sort_by(f64::total_cmp);
    let against = |sign: f64| draws.iter().filter(|draw| **draw * sign <= 0.0).count();
    let p = 2.0 * against(1.0).min(against(-1.0)) as f64 / DRAWS as f64;
    let between = (draws[DRAWS / 40], draws[DRAWS - 1 - DRAWS / 40]);
    Difference {
        run: run.into(),
        measure,
        n: pairs.len(),
        difference: seen,
        between,
        p: p.min(1.0),
    }
}

/// Chance from a seed, in whole numbers.
struct Resampler(SeededChance);

impl Resampler {
    fn new(seed: u64) -> Self {
        Self(SeededChance::new(seed))
    }

    fn below(&mut self, bound: usize) -> usize {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        (u64::from_le_bytes(bytes) % bound as u64) as usize
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.runs {
            write!(f, "{:<24}", row.run)?;
            for (name, mean) in &row.means {
                write!(f, "  {name} {mean:6.2} %")?;
            }
            writeln!(f)?;
        }
        for one in &self.differences {
            let (low, high) = one.between;
            writeln!(
                f,
                "{:<24}  {} {:+.2} points ({low:+.2} to {high:+.2}), n {}, p {:.4}",
                one.run, one.measure, one.difference, one.n, one.p
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clear_difference_means_something_and_none_means_nothing() {
        let clear = difference("b", "accuracy", &[100.0; 40], 1);
        assert_eq!((clear.difference, clear.p), (100.0, 0.0));
        let mixed: Vec<f64> = (0..40).map(|at| if at % 2 == 0 { 100.0 } else { -100.0 }).collect();
        let mixed = difference("b", "accuracy", &mixed, 1);
        assert!(mixed.p > 0.5, "{}", mixed.p);
        let same = difference("b", "accuracy", &[0.0; 40], 1);
        assert_eq!((same.difference, same.p), (0.0, 1.0));
    }
}

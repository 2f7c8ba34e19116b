//! What measuring conversation time costs: the same retrieval run with and without it.
//!
//! The two runs go side by side, question by question, and take turns in going first, so that what
//! else the machine does falls on both alike. That is done several times. The cost is what all
//! rounds together differ by; how much single rounds differ says how far to trust it.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use everwhen::Config;
use serde::Serialize;
use tempfile::TempDir;

use super::bench::{self, Bench};
use super::plan::Mode;
use super::source::Question;
use super::{Options, question, summary};

/// Times with and without measuring.
#[derive(Debug, Clone, Serialize)]
pub struct Overhead {
    /// Questions that were asked, each once per round in each way.
    pub questions: usize,
    /// Seconds of each round with it.
    pub with: Vec<f64>,
    /// Seconds of each round without.
    pub without: Vec<f64>,
    /// How much longer all rounds together took with it.
    pub overhead_percent: f64,
    /// Its standard error, from how much the rounds differ; none of a single round.
    pub standard_error_percent: Option<f64>,
}

/// Runs a plan for a number of rounds with and without measuring, in directories of their own; if the run exists,
/// its summary is reported.
pub async fn overhead(options: &Options, config: &Config, rounds: usize) -> Result<Overhead> {
    let questions = bench::questions(options)?;
    let mut times = Vec::new();
    for round in 0..rounds {
        let sides =
            [true, false].map(|metrics| Variant::open(options, config, &questions, metrics));
        let [with, without] = sides;
        let (with, without) = (with.await?, without.await?);
        let mut seconds = Pair::default();
        for position in 0..questions.len() {
            let with_first = (round + position) % 2 == 0;
            seconds.add(pair(&with, &without, position, with_first).await?);
        }
        times.push(seconds);
    }
    let overhead = Overhead::of(questions.len(), &times);
    note(&options.directory(), &overhead)?;
    Ok(overhead)
}

/// Seconds with and without.
#[derive(Debug, Clone, Copy, Default)]
struct Pair {
    with: f64,
    without: f64,
}

impl Pair {
    fn add(&mut self, other: Self) {
        self.with += other.with;
        self.without += other.without;
    }

    fn percent(&self) -> f64 {
        100.0 * (self.with / self.without - 1.0)
    }
}

/// What one question takes in both ways.
async fn pair(
    with: &Variant,
    without: &Variant,
    position: usize,
    with_first: bool,
) -> Result<Pair> {
    if with_first {
        let with = with.time(position).await?;
        return Ok(Pair { with, without: without.time(position).await? });
    }
    let without = without.time(position).await?;
    Ok(Pair { with: with.time(position).await?, without })
}

impl Overhead {
    fn of(questions: usize, rounds: &[Pair]) -> Self {
        let mut all = Pair::default();
        rounds.iter().for_each(|round| all.add(*round));
        Self {
            questions,
            with: rounds.iter().map(|round| round.with).collect(),
            without: rounds.iter().map(|round| round.without).collect(),
            overhead_percent: all.percent(),
            standard_error_percent: standard_error(rounds),
        }
    }
}

fn standard_error(rounds: &[Pair]) -> Option<f64> {
    let count = (rounds.len() > 1).then_some(rounds.len() as f64)?;
    let mean = rounds.iter().map(Pair::percent).sum::<f64>() / count;
    let squares: f64 = rounds.iter().map(|round| (round.percent() - mean).powi(2)).sum();
    Some((squares / (count - 1.0) / count).sqrt())
}

/// One of the two runs.
struct Variant {
    bench: Bench,
    _directory: TempDir,
}

impl Variant {
    async fn open(
        options: &Options,
        config: &Config,
        questions: &[Question],
        metrics: bool,
    ) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let mut options = Options { out: directory.path().into(), via: None, ..options.clone() };
        options.plan.run.metrics = metrics;
        options.plan.run.mode = Mode::Retrieval;
        std::fs::create_dir_all(options.directory())?;
        let bench = Bench::open(&options, config, questions.to_vec(), Arc::new(|_| {})).await?;
        Ok(Self { bench, _directory: directory })
    }

    /// Seconds that a question takes.
    async fn time(&self, position: usize) -> Result<f64> {
        let began = Instant::now();
        question::ask(&self.bench, position).await?;
        Ok(began.elapsed().as_secs_f64())
    }
}

fn note(directory: &Path, overhead: &Overhead) -> Result<()> {
    if let Ok(mut known) = summary::read(directory) {
        known.overhead = Some(summary::Cost {
            percent: overhead.overhead_percent,
            standard_error: overhead.standard_error_percent,
            rounds: overhead.with.len(),
        });
        known.write(directory)?;
    }
    Ok(())
}

impl std::fmt::Display for Overhead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = |times: &[f64]| {
            let shown: Vec<String> = times.iter().map(|time| format!("{time:.2}")).collect();
            shown.join(" ")
        };
        writeln!(f, "with     {} s", seconds(&self.with))?;
        writeln!(f, "without  {} s", seconds(&self.without))?;
        let Self { questions, overhead_percent, .. } = self;
        write!(f, "measuring costs {overhead_percent:.2} %")?;
        if let Some(error) = self.standard_error_percent {
            write!(f, " ± {error:.2}")?;
        }
        write!(f, " of the time of {questions} questions")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_count_together_and_tell_how_far_to_trust_them() {
        let rounds = [(1.03, 1.0), (0.99, 1.0), (1.01, 1.0)];
        let rounds = rounds.map(|(with, without)| Pair { with, without });
        let overhead = Overhead::of(10, &rounds);
        assert!((overhead.overhead_percent - 1.0).abs() < 1e-9, "{overhead}");
        let error = overhead.standard_error_percent.unwrap();
        assert!((error - 2.0 / 3.0_f64.sqrt()).abs() < 1e-9, "{overhead}");
        assert_eq!(Overhead::of(10, &rounds[..1]).standard_error_percent, None);
    }
}

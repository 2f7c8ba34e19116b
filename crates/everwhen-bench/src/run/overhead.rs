//! What measuring conversation time costs: the same retrieval run with and without it.
//!
//! The two runs go side by side, question by question, and take turns in going first, so that what
//! else the machine does falls on both alike. That is done several times. What else the machine does
//! only slows; so of each question the fastest time with is compared with the fastest without.

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
    /// Questions that were asked, each so often in each way as there were rounds.
    pub questions: usize,
    /// Seconds of each round with it.
    pub with: Vec<f64>,
    /// Seconds of each round without.
    pub without: Vec<f64>,
    /// The fastest times of all questions with, beside the fastest without.
    pub overhead_percent: f64,
}

/// Runs a plan so often with and without measuring, in directories of their own; if the run exists,
/// its summary is told.
pub async fn overhead(options: &Options, config: &Config, rounds: usize) -> Result<Overhead> {
    let questions = bench::questions(options)?;
    let mut times = Times::of(questions.len());
    for round in 0..rounds {
        times.begin();
        let sides = [true, false].map(|metrics| Side::open(options, config, &questions, metrics));
        let [with, without] = sides;
        let (with, without) = (with.await?, without.await?);
        for position in 0..questions.len() {
            let sides =
                if (round + position) % 2 == 0 { [&with, &without] } else { [&without, &with] };
            for side in sides {
                times.note(side.metrics, position, side.time(position).await?);
            }
        }
    }
    note(&options.directory(), times.percent())?;
    let [with, without] = [&times.with, &times.without].map(|side| side.rounds.clone());
    let (questions, overhead_percent) = (questions.len(), times.percent());
    Ok(Overhead { questions, with, without, overhead_percent })
}

/// One of the two runs.
struct Side {
    bench: Bench,
    metrics: bool,
    _directory: TempDir,
}

impl Side {
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
        Ok(Self { bench, metrics, _directory: directory })
    }

    /// Seconds that a question takes.
    async fn time(&self, position: usize) -> Result<f64> {
        let began = Instant::now();
        question::ask(&self.bench, position).await?;
        Ok(began.elapsed().as_secs_f64())
    }
}

/// What the two ways took.
#[derive(Debug, Clone)]
struct Times {
    with: Way,
    without: Way,
}

/// What one way took: each question at its fastest, and each round as a whole.
#[derive(Debug, Clone)]
struct Way {
    fastest: Vec<f64>,
    rounds: Vec<f64>,
}

impl Times {
    fn of(questions: usize) -> Self {
        let way = Way { fastest: vec![f64::INFINITY; questions], rounds: Vec::new() };
        Self { with: way.clone(), without: way }
    }

    fn begin(&mut self) {
        self.with.rounds.push(0.0);
        self.without.rounds.push(0.0);
    }

    fn note(&mut self, metrics: bool, position: usize, seconds: f64) {
        let way = if metrics { &mut self.with } else { &mut self.without };
        way.fastest[position] = way.fastest[position].min(seconds);
        if let Some(round) = way.rounds.last_mut() {
            *round += seconds;
        }
    }

    fn percent(&self) -> f64 {
        let [with, without] =
            [&self.with, &self.without].map(|way| way.fastest.iter().sum::<f64>());
        100.0 * (with / without - 1.0)
    }
}

fn note(directory: &Path, percent: f64) -> Result<()> {
    if let Ok(mut known) = summary::read(directory) {
        known.overhead_percent = Some(percent);
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
        write!(f, "measuring costs {overhead_percent:.2} % of the time of {questions} questions")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_times_of_each_question_are_compared() {
        let mut times = Times::of(2);
        for (with, without) in [([1.02, 9.0], [1.0, 2.0]), ([5.0, 2.04], [1.5, 7.0])] {
            times.begin();
            for position in 0..2 {
                times.note(true, position, with[position]);
                times.note(false, position, without[position]);
            }
        }
        assert!((times.percent() - 2.0).abs() < 1e-9, "{}", times.percent());
        assert_eq!(times.without.rounds, [3.0, 8.5]);
    }
}

//! What measuring conversation time costs: the same retrieval run with and without it, alternating.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use everwhen::Config;
use serde::Serialize;

use super::plan::Mode;
use super::summary;
use super::{Options, run};

/// Times with and without measuring.
#[derive(Debug, Clone, Serialize)]
pub struct Overhead {
    /// Seconds of each run with it.
    pub with: Vec<f64>,
    /// Seconds of each run without.
    pub without: Vec<f64>,
    /// The fastest with, beside the fastest without.
    pub overhead_percent: f64,
}

/// Runs a plan so often with and without measuring, in directories of their own; if the run exists,
/// its summary is told. The fastest runs are compared: what else the machine does only slows.
pub async fn overhead(options: &Options, config: &Config, rounds: usize) -> Result<Overhead> {
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        without.push(timed(options, config, false).await?.as_secs_f64());
        with.push(timed(options, config, true).await?.as_secs_f64());
    }
    let fastest = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
    let overhead_percent = 100.0 * (fastest(&with) / fastest(&without) - 1.0);
    note(&options.directory(), overhead_percent)?;
    Ok(Overhead { with, without, overhead_percent })
}

async fn timed(options: &Options, config: &Config, metrics: bool) -> Result<Duration> {
    let directory = tempfile::tempdir()?;
    let mut options = Options { resume: false, out: directory.path().into(), ..options.clone() };
    options.plan.run.metrics = metrics;
    options.plan.run.mode = Mode::Retrieval;
    let began = Instant::now();
    run(&options, config, Arc::new(|_| {})).await?;
    Ok(began.elapsed())
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
        write!(f, "measuring costs {:.2} %", self.overhead_percent)
    }
}

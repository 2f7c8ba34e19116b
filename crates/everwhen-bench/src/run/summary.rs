//! `summary.json`: a pure function of the lines and sessions of a run.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::bench::replace;
use super::events::Metrics;
use super::plan::Mode;
use super::progress::{Progress, SessionRow};
use super::question::{ASKING, INTERRUPTED, Line};
use crate::score::{COLUMNS, Judged, Scores};

/// A run in numbers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunSummary {
    /// The run.
    pub run_id: String,
    /// Questions with a line.
    pub questions: usize,
    /// Sessions that are over, and how.
    pub sessions_by_status: BTreeMap<String, usize>,
    /// Questions that are over, and how.
    pub questions_by_status: BTreeMap<String, usize>,
    /// What went wrong with each question that failed, by its id.
    pub failures: BTreeMap<String, String>,
    /// Length of sessions.
    pub conversation_elapsed_ms: Spread,
    /// The part in which models and tools were at work.
    pub conversation_active_ms: Spread,
    /// The rest.
    pub conversation_idle_ms: Spread,
    /// These three of `ingest` sessions and of `question` sessions by themselves.
    pub by_kind: BTreeMap<String, Times>,
    /// Number of sessions by number of turns.
    pub conversation_turns: BTreeMap<u64, usize>,
    /// Sessions without recorded activities.
    pub active_unknown: usize,
    /// Share of right answers in percent, all and by type; a failed question is a wrong answer.
    /// Absent if nothing was judged.
    pub accuracy: Option<BTreeMap<String, Accuracy>>,
    /// Questions on which rules and model disagree.
    pub disagreements: Vec<String>,
    /// How well sessions were found, all and by type, without questions that cannot be answered.
    pub retrieval: BTreeMap<String, Scores>,
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Cost, in the currency of the prices.
    pub cost: f64,
    /// What measuring costs; absent until it is measured.
    pub overhead: Option<Cost>,
}

/// What measuring costs, in percent of the time without it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// How much longer all rounds together took.
    pub percent: f64,
    /// Its standard error, from how much the rounds differ; none of a single round.
    pub standard_error: Option<f64>,
    /// Number of rounds.
    pub rounds: usize,
}

/// How long sessions of one kind were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// Number of sessions.
    pub n: usize,
    /// Length.
    pub conversation_elapsed_ms: Spread,
    /// The part in which models and tools were at work.
    pub conversation_active_ms: Spread,
    /// The rest.
    pub conversation_idle_ms: Spread,
}

/// Mean, median and 95th percentile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The middle value; of an even number of values the mean of the two in the middle.
    pub median: f64,
    /// The 95th percentile by nearest rank: the smallest value that at least 95 % of all values do
    /// not exceed. Of fewer than 20 values it is the largest.
    pub p95: f64,
}

/// Right answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// How many were judged.
    pub n: usize,
    /// How many were right.
    pub right: usize,
    /// In percent.
    pub percent: f64,
}

impl Spread {
    /// The spread of values.
    pub(super) fn of(mut values: Vec<i64>) -> Self {
        values.sort_unstable();
        let count = values.len();
        let at = |place: usize| values.get(place).copied().unwrap_or(0) as f64;
        let mean = values.iter().sum::<i64>() as f64 / count.max(1) as f64;
        let median = (at(count.saturating_sub(1) / 2) + at(count / 2)) / 2.0;
        // ceil(0.95 n) in whole numbers, since 0.95 is none in binary.
        let rank = (count * 95).div_ceil(100);
        Self { mean, median, p95: at(rank.saturating_sub(1)) }
    }
}

impl Times {
    pub(super) fn of(sessions: &[&Metrics]) -> Self {
        let spread = |value: fn(&Metrics) -> i64| {
            Spread::of(sessions.iter().map(|one| value(one)).collect())
        };
        Self {
            n: sessions.len(),
            conversation_elapsed_ms: spread(|one| one.conversation_elapsed_ms),
            conversation_active_ms: spread(|one| one.conversation_active_ms),
            conversation_idle_ms: spread(|one| one.conversation_idle_ms),
        }
    }
}

impl Accuracy {
    fn of(right: &[bool]) -> Self {
        let (n, count) = (right.len(), right.iter().filter(|right| **right).count());
        Self { n, right: count, percent: 100.0 * count as f64 / n.max(1) as f64 }
    }
}

impl RunSummary {
    /// Sums up the run in a directory. What measuring costs is taken over from before.
    pub fn of(directory: &Path) -> Result<Self> {
        let lines = read_lines(directory)?;
        let sessions = Progress::open(&directory.join("progress.db"))?.sessions()?;
        let measured: Vec<&Metrics> =
            sessions.iter().filter_map(|one| one.metrics.as_ref()).collect();
        let all = Times::of(&measured);
        let count = |statuses: Vec<String>| {
            let mut counts: BTreeMap<String, usize> =
                ["DONE", "FAIL", "CANCEL"].map(|status| (status.to_owned(), 0)).into();
            for status in statuses {
                *counts.entry(status).or_default() += 1;
            }
            counts
        };
        let mut turns = BTreeMap::new();
        for one in &measured {
            *turns.entry(one.conversation_turns).or_default() += 1;
        }
        let of_question = |line: &Line| line.metrics.as_ref().map(|one| one.status.clone());
        let before = read(directory).ok();
        Ok(Self {
            run_id: run_id(directory),
            questions: lines.len(),
            sessions_by_status: count(measured.iter().map(|one| one.status.clone()).collect()),
            questions_by_status: count(lines.iter().filter_map(of_question).collect()),
            failures: failures(&lines),
            conversation_elapsed_ms: all.conversation_elapsed_ms,
            conversation_active_ms: all.conversation_active_ms,
            conversation_idle_ms: all.conversation_idle_ms,
            by_kind: by_kind(&sessions),
            conversation_turns: turns,
            active_unknown: measured.iter().filter(|one| one.active_unknown).count(),
            accuracy: accuracy(&lines),
            disagreements: disagreements(&lines),
            retrieval: retrieval(&lines),
            input_tokens: lines.iter().map(|line| line.input_tokens).sum(),
            output_tokens: lines.iter().map(|line| line.output_tokens).sum(),
            cost: lines.iter().map(|line| line.cost).sum(),
            overhead: before.and_then(|summary| summary.overhead),
        })
    }

    /// Writes it into the directory of its run.
    pub fn write(&self, directory: &Path) -> Result<()> {
        replace(&directory.join("summary.json"), &(serde_json::to_string_pretty(self)? + "\n"))
    }
}

/// The summary a directory holds.
pub(super) fn read(directory: &Path) -> Result<RunSummary> {
    let path = directory.join("summary.json");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no summary", path.display()))
}

/// The lines of a run.
pub(super) fn read_lines(directory: &Path) -> Result<Vec<Line>> {
    let path = directory.join("hypotheses.jsonl");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines().filter(|line| !line.is_empty());
    Ok(lines.map(serde_json::from_str).collect::<serde_json::Result<_>>()?)
}

fn run_id(directory: &Path) -> String {
    let name = directory.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    name.strip_prefix("run_").unwrap_or(&name).to_owned()
}

/// All questions together, then each type.
fn grouped<T>(lines: &[Line], value: impl Fn(&Line) -> Option<T>) -> BTreeMap<String, Vec<T>> {
    let mut groups: BTreeMap<String, Vec<T>> = BTreeMap::new();
    for line in lines {
        for group in ["all", line.question_type.as_str()] {
            if let Some(value) = value(line) {
                groups.entry(group.to_owned()).or_default().push(value);
            }
        }
    }
    groups
}

/// Measures of the sessions that were ingested, and of those in which a question was asked.
fn by_kind(sessions: &[SessionRow]) -> BTreeMap<String, Times> {
    let of = |asking: bool| {
        let kind = sessions.iter().filter(|one| (one.session == ASKING) == asking);
        Times::of(&kind.filter_map(|one| one.metrics.as_ref()).collect::<Vec<_>>())
    };
    [("ingest", of(false)), ("question", of(true))].map(|(kind, of)| (kind.to_owned(), of)).into()
}

fn failures(lines: &[Line]) -> BTreeMap<String, String> {
    let failed = |line: &Line| {
        let error = line.error.clone().filter(|error| error != INTERRUPTED)?;
        Some((line.question_id.clone(), error))
    };
    lines.iter().filter_map(failed).collect()
}

fn accuracy(lines: &[Line]) -> Option<BTreeMap<String, Accuracy>> {
    let groups = grouped(lines, |line| line.verdict.as_ref().map(|verdict| verdict.correct()));
    let accuracy = groups.into_iter().map(|(name, right)| (name, Accuracy::of(&right)));
    Some(accuracy.collect()).filter(|groups: &BTreeMap<_, _>| !groups.is_empty())
}

fn disagreements(lines: &[Line]) -> Vec<String> {
    let disagrees = |line: &&Line| line.verdict.as_ref().is_some_and(|one| one.disagrees());
    lines.iter().filter(disagrees).map(|line| line.question_id.clone()).collect()
}

fn retrieval(lines: &[Line]) -> BTreeMap<String, Scores> {
    let judged = |line: &Line| {
        let asked = !line.abstention && !line.gold.is_empty() && line.mode >= Mode::Retrieval;
        asked.then(|| Judged::new(line.retrieved.iter().map(String::as_str), &line.gold))
    };
    let groups = grouped(lines, judged).into_iter();
    groups.map(|(name, judged)| (name, Scores::of(&judged.iter().collect::<Vec<_>>()))).collect()
}

impl fmt::Display for RunSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "run {} · {} questions", self.run_id, self.questions)?;
        for (question, error) in &self.failures {
            writeln!(f, "FAIL {question}: {error}")?;
        }
        for (name, right) in self.accuracy.iter().flatten() {
            writeln!(f, "{name:<28} {:>5} judged {:>6.1} % right", right.n, right.percent)?;
        }
        if !self.retrieval.is_empty() {
            writeln!(f, "{:<28} {COLUMNS}", "")?;
        }
        for (name, scores) in &self.retrieval {
            writeln!(f, "{name:<28} {scores}")?;
        }
        for (kind, times) in self.by_kind.iter().filter(|(_, times)| times.n > 0) {
            writeln!(f, "{} {kind} sessions", times.n)?;
            writeln!(f, "{times}")?;
        }
        let (read, written) = (self.input_tokens, self.output_tokens);
        writeln!(f, "sessions {:?}", self.sessions_by_status)?;
        write!(f, "tokens {read} read, {written} written, cost {:.4}", self.cost)?;
        match self.overhead {
            Some(Cost { percent, standard_error: Some(error), .. }) => {
                write!(f, ", measuring costs {percent:.2} % ± {error:.2}")
            }
            Some(Cost { percent, .. }) => {
                write!(f, ", measuring costs {percent:.2} % in one round")
            }
            None => Ok(()),
        }
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lengths = [
            ("elapsed", self.conversation_elapsed_ms),
            ("active", self.conversation_active_ms),
            ("idle", self.conversation_idle_ms),
        ];
        for (place, (name, one)) in lengths.iter().enumerate() {
            let Spread { mean, median, p95 } = one;
            let end = if place + 1 < lengths.len() { "\n" } else { "" };
            write!(f, "{name:<8} mean {mean:.0} ms, median {median:.0} ms, p95 {p95:.0} ms{end}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bug_4_the_median_is_the_median_and_p95_is_not_too_low() {
        let mut values = vec![1, 2, 3, 4, 5, 6, 7, 8, 3, 27];
        assert!((Spread::of(values.clone()).median - 4.5).abs() < 1e-9);
        values.extend([8, 8, 8, 8, 8, 8, 1019]);
        assert!((Spread::of(values).p95 - 1019.0).abs() < 1e-9, "n = 17: nearest rank is the top");
        assert!((Spread::of((1..=20).collect()).p95 - 19.0).abs() < 1e-9);
        assert!((Spread::of((1..=21).collect()).p95 - 20.0).abs() < 1e-9);
    }

    #[test]
    fn spreads_by_hand() {
        let spread = Spread::of((1..=100).rev().collect());
        assert_eq!(spread, Spread { mean: 50.5, median: 50.5, p95: 95.0 });
        assert_eq!(Spread::of(Vec::new()), Spread::default());
        assert_eq!(Spread::of(vec![3]), Spread { mean: 3.0, median: 3.0, p95: 3.0 });
    }
}

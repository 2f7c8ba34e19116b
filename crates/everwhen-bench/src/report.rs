//! What a recall benchmark writes: `summary.json`, `questions.jsonl`, and a table for people.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use serde::Serialize;

use crate::score::{COLUMNS, Scores};

/// Called with each step, and with each row as soon as it is measured.
pub type OnProgress<'s> = &'s (dyn Fn(&str) + Sync);

/// A benchmark in numbers.
#[derive(Debug, Serialize)]
pub struct LongMemEvalSummary {
    /// Which data.
    pub dataset: String,
    /// Questions.
    pub n: usize,
    /// Which questions.
    pub split: String,
    /// Scores by protocol, named by how many questions of the full set it keeps.
    pub protocols: BTreeMap<String, Scores>,
    /// Scores by type of question.
    pub by_type: BTreeMap<String, Scores>,
    /// How long an answer took.
    pub latency_ms: Latency,
    /// Ingestion speed.
    pub ingest: Ingest,
    /// Which embedder took part.
    pub embedder: String,
    /// The program's version.
    pub version: String,
    /// Other systems with the same entries and questions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub peers: Vec<PeerSummary>,
}

/// Another system in numbers.
#[derive(Debug, Serialize)]
pub struct PeerSummary {
    /// Its name and version.
    pub name: String,
    /// Scores of the questions that can be answered.
    pub scores: Scores,
    /// How long an answer took.
    pub latency_ms: Latency,
    /// Ingestion speed.
    pub ingest: Ingest,
}

/// Percentiles.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Latency {
    /// Half of the answers are faster.
    pub p50: f64,
    /// All but one in twenty.
    pub p95: f64,
    /// All but one in a hundred.
    pub p99: f64,
}

/// Ingested entries: durable, embedded and searchable.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Ingest {
    /// How many.
    pub entries: usize,
    /// In how many seconds.
    pub seconds: f64,
}

impl Latency {
    /// The percentiles of durations.
    pub fn of(mut durations: Vec<Duration>) -> Self {
        durations.sort_unstable();
        let at = |share: f64| {
            let place = (durations.len().saturating_sub(1) as f64 * share).round() as usize;
            durations.get(place).map_or(0.0, |duration| duration.as_secs_f64() * 1000.0)
        };
        Self { p50: at(0.50), p95: at(0.95), p99: at(0.99) }
    }
}

/// Writes a summary into a directory.
pub fn write_summary(directory: &Path, summary: &impl Serialize) -> Result<()> {
    std::fs::create_dir_all(directory)?;
    std::fs::write(directory.join("summary.json"), serde_json::to_string_pretty(summary)? + "\n")?;
    Ok(())
}

/// Writes a summary and one line per question into a directory.
pub fn write(
    directory: &Path,
    summary: &impl Serialize,
    questions: &[impl Serialize],
) -> Result<()> {
    write_summary(directory, summary)?;
    let lines: Result<Vec<String>, _> = questions.iter().map(serde_json::to_string).collect();
    std::fs::write(directory.join("questions.jsonl"), lines?.join("\n") + "\n")?;
    Ok(())
}

impl fmt::Display for LongMemEvalSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} · {} · embedder {}", self.dataset, self.split, self.embedder)?;
        writeln!(f, "{:<28} {COLUMNS}", "")?;
        for (name, scores) in self.protocols.iter().rev().chain(&self.by_type) {
            writeln!(f, "{name:<28} {scores}")?;
        }
        let Latency { p50, p95, p99 } = self.latency_ms;
        writeln!(f, "recall p50 {p50:.2} ms, p95 {p95:.2} ms, p99 {p99:.2} ms")?;
        let Ingest { entries, seconds } = self.ingest;
        write!(f, "{entries} entries in {seconds:.1} s, {:.0}/s", entries as f64 / seconds)?;
        if self.peers.is_empty() {
            return Ok(());
        }
        write!(f, "\nbeside it, questions that can be answered; p50 and p95 in ms, entries/s\n")?;
        write!(f, "{:<28} {COLUMNS} {:>8} {:>8} {:>8}", "", "p50", "p95", "ingest")?;
        self.peers.iter().try_for_each(|peer| write!(f, "\n{peer}"))
    }
}

impl fmt::Display for PeerSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, scores, latency_ms: Latency { p50, p95, .. }, ingest } = self;
        let rate = ingest.entries as f64 / ingest.seconds;
        write!(f, "{name:<28} {scores} {p50:>8.3} {p95:>8.3} {rate:>8.0}")
    }
}

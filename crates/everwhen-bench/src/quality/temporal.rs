//! `everwhen bench temporal`: questions that are times. Is exactly what was said then returned?
//!
//! Each log is one memory; "now" is its last turn. Questions are asked with the period as a filter
//! and everything found counts, in the period or not: the set is compared with the gold set.

mod data;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use everwhen::memory::{Address, MemoryId, Metadata, Name, NewEntry, Role, Said};
use everwhen::recall::{PeriodUse, Query};
use serde::Serialize;

pub use data::{TemporalLog, TemporalTurn, TimeQuestion};

use crate::harness::{EmbedderChoice, Harness, memory};
use crate::report::{Ingest, Latency};

/// What to measure.
#[derive(Debug, Clone)]
pub struct Temporal {
    /// The directory with `conversations` and the folders of questions.
    pub data: PathBuf,
    /// Which embedder takes part.
    pub embedder: EmbedderChoice,
}

/// Means over questions.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct TemporalScores {
    /// Questions.
    pub n: usize,
    /// Mean F1 of the returned set of turns.
    pub f1: f64,
    /// Share of questions whose set is exactly gold.
    pub exact: f64,
    /// Share of questions of which a stretch of time was read.
    pub read: f64,
}

/// The whole benchmark in numbers.
#[derive(Debug, Serialize)]
pub struct TemporalSummary {
    /// Which data.
    pub dataset: String,
    /// Questions.
    pub n: usize,
    /// By folder: times alone, ambiguous ones, times with content.
    pub sets: BTreeMap<String, TemporalScores>,
    /// By folder and kind.
    pub by_type: BTreeMap<String, TemporalScores>,
    /// How long an answer took.
    pub latency_ms: Latency,
    /// Ingestion speed.
    pub ingest: Ingest,
    /// Which embedder took part.
    pub embedder: String,
    /// The program's version.
    pub version: String,
}

/// One question and what was found.
#[derive(Debug, Clone, Serialize)]
pub struct TemporalAnswered {
    /// The folder.
    pub set: String,
    /// The kind.
    pub kind: String,
    /// The log.
    pub log: String,
    /// The question.
    pub question: String,
    /// What was read of it.
    pub read: Option<String>,
    /// Turns that are meant.
    pub gold: BTreeSet<u64>,
    /// Turns that were found.
    pub found: BTreeSet<u64>,
    /// How well they agree.
    pub f1: f64,
    /// How long the answer took.
    pub latency_ms: f64,
}

/// Everything that was measured.
#[derive(Debug)]
pub struct TemporalRun {
    /// The numbers.
    pub summary: TemporalSummary,
    /// One line per question.
    pub questions: Vec<TemporalAnswered>,
}

/// Number of turns to retrieve: all.
const RANKED: usize = 1_000;

/// Runs the benchmark; `step` is called after each question with the number done and the total.
pub async fn run(setup: &Temporal, step: &(dyn Fn(usize, usize) + Sync)) -> Result<TemporalRun> {
    let logs = data::read_logs(&setup.data)?;
    let questions = data::read_questions(&setup.data)?;
    let harness = Harness::new(&setup.embedder).await?;
    let began = Instant::now();
    for log in logs.values() {
        let entries: Result<Vec<NewEntry>> = log.turns.iter().map(entry).collect();
        harness.remember(&memory(&log.name)?, &entries?).await?;
    }
    let entries = logs.values().map(|log| log.turns.len()).sum();
    let ingest = Ingest { entries, seconds: began.elapsed().as_secs_f64() };
    let mut answered = Vec::new();
    for question in &questions {
        if let Some(log) = logs.get(&question.log) {
            answered.push(ask(&harness, &memory(&log.name)?, log, question).await?);
        }
        step(answered.len(), questions.len());
    }
    Ok(TemporalRun { summary: summary(setup, &answered, ingest), questions: answered })
}

fn entry(turn: &TemporalTurn) -> Result<NewEntry> {
    let entry = NewEntry::new(Role::User, Said::new(turn.text.clone())?).said_at(turn.time);
    let number = serde_json::json!({"turn": turn.number}).to_string();
    Ok(NewEntry {
        speaker: Some(Name::new("speaker", turn.speaker.clone())?),
        conversation: Some(Address::Name(Name::new("session", turn.session.clone())?)),
        metadata: Some(Metadata::new(number)?),
        ..entry
    })
}

async fn ask(
    harness: &Harness,
    place: &Address<MemoryId>,
    log: &TemporalLog,
    question: &TimeQuestion,
) -> Result<TemporalAnswered> {
    let query = Query {
        asked_at: Some(log.end()),
        period: PeriodUse::Filter,
        limit: Some(RANKED),
        ..Query::new(question.text.clone())
    };
    let (found, latency) = harness.recall(place, query).await?;
    let turn = |one: &everwhen::recall::EntryFound| {
        let value: serde_json::Value =
            serde_json::from_str(one.entry.metadata.as_ref()?.as_str()).ok()?;
        value["turn"].as_u64()
    };
    let numbers: BTreeSet<u64> = found.items.iter().filter_map(turn).collect();
    Ok(TemporalAnswered {
        set: question.set.clone(),
        kind: question.kind.clone(),
        log: log.name.clone(),
        question: question.text.clone(),
        read: found.about.map(|about| about.words.join(" · ")),
        f1: f1(&numbers, &question.gold),
        gold: question.gold.clone(),
        found: numbers,
        latency_ms: latency.as_secs_f64() * 1000.0,
    })
}

/// The harmonic mean of precision and recall of a set.
pub fn f1(found: &BTreeSet<u64>, gold: &BTreeSet<u64>) -> f64 {
    let both = found.intersection(gold).count() as f64;
    if both == 0.0 {
        return 0.0;
    }
    2.0 * both / (found.len() + gold.len()) as f64
}

fn scores<'a>(answered: impl Iterator<Item = &'a TemporalAnswered>) -> TemporalScores {
    let answered: Vec<_> = answered.collect();
    let mean = |value: &dyn Fn(&TemporalAnswered) -> f64| -> f64 {
        answered.iter().map(|one| value(one)).sum::<f64>() / answered.len().max(1) as f64
    };
    TemporalScores {
        n: answered.len(),
        f1: mean(&|one| one.f1),
        exact: mean(&|one| f64::from(u8::from(one.found == one.gold))),
        read: mean(&|one| f64::from(u8::from(one.read.is_some()))),
    }
}

fn summary(setup: &Temporal, answered: &[TemporalAnswered], ingest: Ingest) -> TemporalSummary {
    let grouped = |key: &dyn Fn(&TemporalAnswered) -> String| {
        let names: BTreeSet<String> = answered.iter().map(key).collect();
        let of = |name: &String| scores(answered.iter().filter(|one| key(one) == *name));
        names.iter().map(|name| (name.clone(), of(name))).collect()
    };
    let latency = |one: &TemporalAnswered| Duration::from_secs_f64(one.latency_ms / 1000.0);
    TemporalSummary {
        dataset: "Temporal Memory Dataset".into(),
        n: answered.len(),
        sets: grouped(&|one| one.set.clone()),
        by_type: grouped(&|one| format!("{}/{}", one.set, one.kind)),
        latency_ms: Latency::of(answered.iter().map(latency).collect()),
        ingest,
        embedder: setup.embedder.as_str().into(),
        version: env!("CARGO_PKG_VERSION").into(),
    }
}

impl std::fmt::Display for TemporalSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} · embedder {}", self.dataset, self.embedder)?;
        writeln!(f, "{:<44}     n      F1   exact    read", "")?;
        for (name, one) in self.sets.iter().chain(&self.by_type) {
            let TemporalScores { n, f1, exact, read } = one;
            writeln!(f, "{name:<44} {n:>5} {f1:>7.3} {exact:>7.3} {read:>7.3}")?;
        }
        let Latency { p50, p95, p99 } = self.latency_ms;
        write!(f, "recall p50 {p50:.2} ms, p95 {p95:.2} ms, p99 {p99:.2} ms")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f1_by_hand() {
        let set = |numbers: &[u64]| numbers.iter().copied().collect::<BTreeSet<u64>>();
        assert_eq!(f1(&set(&[1, 2]), &set(&[1, 2])), 1.0);
        assert_eq!(f1(&set(&[1, 2, 3, 4]), &set(&[1, 2])), 2.0 / 3.0);
        assert_eq!(f1(&set(&[]), &set(&[1])), 0.0);
    }
}

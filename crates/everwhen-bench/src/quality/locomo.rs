//! `everwhen bench locomo`, `realtalk` and `beam`: does recall find the session and the turn that hold
//! the answer?
//!
//! All three sets have one form. Two people talk over months, or a user with an assistant. Each conversation of the file is one memory, each session a
//! conversation of it, each turn an entry with its speaker; what a shared picture shows is part of
//! the turn. Gold are the turns named as evidence.

mod data;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use everwhen::memory::{Address, MemoryId, Name, NewEntry, Role, Said};
use everwhen::recall::{Query, Reason};
use serde::Serialize;

pub use data::{LocomoDialogue, LocomoQuestion, LocomoTurn};
pub(crate) use data::{read, session_of};

use crate::harness::{EmbedderChoice, Harness, memory};
use crate::report::{Ingest, Latency};
use crate::score::Judged;

/// A set in LoCoMo's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocomoSet {
    /// LoCoMo: two people, written by models and corrected by people.
    Locomo,
    /// REALTALK: real people, short messages.
    Realtalk,
    /// BEAM: long technical chats with an assistant.
    Beam,
}

impl LocomoSet {
    /// The name of the set.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Locomo => "LoCoMo",
            Self::Realtalk => "REALTALK",
            Self::Beam => "BEAM",
        }
    }
}

/// What to measure.
#[derive(Debug, Clone)]
pub struct Locomo {
    /// Which set it is.
    pub set: LocomoSet,
    /// The JSON file.
    pub data: PathBuf,
    /// Which embedder takes part.
    pub embedder: EmbedderChoice,
}

/// The numbers, in percent.
#[derive(Debug, Clone, Default, Serialize)]
pub struct LocomoScores {
    /// Questions with evidence.
    pub n: usize,
    /// Some gold session first.
    #[serde(rename = "session_hit@1")]
    pub session_hit_1: f64,
    /// Some gold session in five.
    #[serde(rename = "session_hit@5")]
    pub session_hit_5: f64,
    /// Share of gold sessions in five.
    #[serde(rename = "session_recall@5")]
    pub session_recall_5: f64,
    /// Share of gold sessions in ten.
    #[serde(rename = "session_recall@10")]
    pub session_recall_10: f64,
    /// Some gold turn in five.
    #[serde(rename = "turn_hit@5")]
    pub turn_hit_5: f64,
    /// Share of gold turns in five.
    #[serde(rename = "turn_recall@5")]
    pub turn_recall_5: f64,
    /// Share of gold turns in ten.
    #[serde(rename = "turn_recall@10")]
    pub turn_recall_10: f64,
}

/// The whole benchmark in numbers.
#[derive(Debug, Serialize)]
pub struct LocomoSummary {
    /// Which data.
    pub dataset: String,
    /// Questions.
    pub n: usize,
    /// All questions.
    pub all: LocomoScores,
    /// By category.
    pub by_type: BTreeMap<String, LocomoScores>,
    /// By conversation of the file.
    pub by_dialogue: BTreeMap<String, LocomoScores>,
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
pub struct LocomoAnswered {
    /// The conversation of the file.
    pub dialogue: String,
    /// The question.
    pub question: String,
    /// Its category.
    pub category: String,
    /// Turns that hold the answer.
    pub gold: Vec<String>,
    /// Turns, best first.
    pub turns: Vec<String>,
    /// Sessions, best first.
    pub sessions: Vec<String>,
    /// How long the answer took.
    pub latency_ms: f64,
    /// What spoke for each turn.
    #[serde(skip)]
    pub reasons: Vec<Vec<Reason>>,
    /// What spoke for each session.
    #[serde(skip)]
    pub session_reasons: Vec<Vec<Reason>>,
}

/// Everything that was measured.
#[derive(Debug)]
pub struct LocomoRun {
    /// The numbers.
    pub summary: LocomoSummary,
    /// One line per question.
    pub questions: Vec<LocomoAnswered>,
}

/// Number of turns and sessions to retrieve.
const RANKED: usize = 1_000;

/// Runs the benchmark; `step` is called after each question with the number done and the total.
pub async fn run(setup: &Locomo, step: &(dyn Fn(usize, usize) + Sync)) -> Result<LocomoRun> {
    let dialogues = data::read(&setup.data)?;
    let (answered, ingest) = ask_all(&dialogues, &setup.embedder, step).await?;
    Ok(LocomoRun { summary: summary(setup, &answered, ingest), questions: answered })
}

/// Remembers each dialogue in a memory of its own, and asks its questions.
pub(crate) async fn ask_all(
    dialogues: &[LocomoDialogue],
    embedder: &EmbedderChoice,
    step: &(dyn Fn(usize, usize) + Sync),
) -> Result<(Vec<LocomoAnswered>, Ingest)> {
    let harness = Harness::new(embedder).await?;
    let total = dialogues.iter().map(|dialogue| dialogue.questions.len()).sum();
    let (mut answered, mut ingest) = (Vec::new(), Ingest { entries: 0, seconds: 0.0 });
    for dialogue in dialogues {
        let place = memory(&dialogue.name)?;
        let began = Instant::now();
        let entries: Result<Vec<NewEntry>> = dialogue.turns.iter().map(entry).collect();
        harness.remember(&place, &entries?).await?;
        harness.make_ready(&place).await?;
        ingest.seconds += began.elapsed().as_secs_f64();
        ingest.entries += dialogue.turns.len();
        for question in &dialogue.questions {
            answered.push(ask(&harness, &place, dialogue, question).await?);
            step(answered.len(), total);
        }
    }
    Ok((answered, ingest))
}

/// The turn's id travels in the entry's metadata, which is not searched. Where the speakers are a user and
/// an assistant, they are roles; other speakers have names.
fn entry(turn: &LocomoTurn) -> Result<NewEntry> {
    let role = match turn.speaker.as_str() {
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        _ => None,
    };
    let speaker = match role {
        Some(_) => None,
        None => Some(Name::new("speaker", turn.speaker.clone())?),
    };
    let said = Said::new(turn.text.clone())?;
    let entry = NewEntry::new(role.unwrap_or(Role::User), said).said_at(turn.time);
    let id = serde_json::json!({"turn": turn.id}).to_string();
    Ok(NewEntry {
        speaker,
        conversation: Some(Address::Name(Name::new("session", turn.session.clone())?)),
        metadata: Some(everwhen::memory::Metadata::new(id)?),
        ..entry
    })
}

async fn ask(
    harness: &Harness,
    place: &Address<MemoryId>,
    dialogue: &LocomoDialogue,
    question: &LocomoQuestion,
) -> Result<LocomoAnswered> {
    let query = Query { asked_at: Some(dialogue.end()), ..Query::new(question.text.clone()) };
    let (_, latency) = harness.recall(place, query.clone()).await?;
    let (found, _) = harness.recall(place, Query { limit: Some(RANKED), ..query }).await?;
    let turn = |one: &everwhen::recall::EntryFound| {
        let metadata = one.entry.metadata.as_ref()?;
        let value: serde_json::Value = serde_json::from_str(metadata.as_str()).ok()?;
        value["turn"].as_str().map(str::to_owned)
    };
    Ok(LocomoAnswered {
        dialogue: dialogue.name.clone(),
        question: question.text.clone(),
        category: question.category.to_string(),
        gold: question.gold.clone(),
        turns: found.items.iter().filter_map(turn).collect(),
        sessions: found.conversations.iter().map(|one| one.conversation.wire_name()).collect(),
        latency_ms: latency.as_secs_f64() * 1000.0,
        reasons: found.items.into_iter().map(|one| one.reasons).collect(),
        session_reasons: found.conversations.into_iter().map(|one| one.reasons).collect(),
    })
}

impl LocomoAnswered {
    /// Sessions of the gold turns.
    pub fn gold_sessions(&self) -> Vec<String> {
        let mut sessions: Vec<String> =
            self.gold.iter().map(|turn| data::session_of(turn)).collect();
        sessions.sort_unstable();
        sessions.dedup();
        sessions
    }

    /// The ranking of sessions and that of turns, against the gold.
    pub(crate) fn judged(&self) -> (Judged, Judged) {
        let sessions = Judged::new(self.sessions.iter().map(String::as_str), &self.gold_sessions());
        (sessions, Judged::new(self.turns.iter().map(String::as_str), &self.gold))
    }
}

fn scores<'a>(answered: impl Iterator<Item = &'a LocomoAnswered>) -> LocomoScores {
    let judged: Vec<(Judged, Judged)> = answered.map(LocomoAnswered::judged).collect();
    let mean = |value: &dyn Fn(&(Judged, Judged)) -> f64| -> f64 {
        100.0 * judged.iter().map(value).sum::<f64>() / judged.len().max(1) as f64
    };
    LocomoScores {
        n: judged.len(),
        session_hit_1: mean(&|(sessions, _)| sessions.any(1)),
        session_hit_5: mean(&|(sessions, _)| sessions.any(5)),
        session_recall_5: mean(&|(sessions, _)| sessions.recall(5)),
        session_recall_10: mean(&|(sessions, _)| sessions.recall(10)),
        turn_hit_5: mean(&|(_, turns)| turns.any(5)),
        turn_recall_5: mean(&|(_, turns)| turns.recall(5)),
        turn_recall_10: mean(&|(_, turns)| turns.recall(10)),
    }
}

fn summary(setup: &Locomo, answered: &[LocomoAnswered], ingest: Ingest) -> LocomoSummary {
    let grouped = |key: fn(&LocomoAnswered) -> &String| {
        let mut keys: Vec<&String> = answered.iter().map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        let of = |name: &String| scores(answered.iter().filter(|one| key(one) == name));
        keys.into_iter().map(|name| (name.clone(), of(name))).collect()
    };
    let latency = |one: &LocomoAnswered| Duration::from_secs_f64(one.latency_ms / 1000.0);
    LocomoSummary {
        dataset: setup.set.as_str().into(),
        n: answered.len(),
        all: scores(answered.iter()),
        by_type: grouped(|one| &one.category),
        by_dialogue: grouped(|one| &one.dialogue),
        latency_ms: Latency::of(answered.iter().map(latency).collect()),
        ingest,
        embedder: setup.embedder.as_str().into(),
        version: env!("CARGO_PKG_VERSION").into(),
    }
}

impl std::fmt::Display for LocomoSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} · embedder {}", self.dataset, self.embedder)?;
        writeln!(f, "{:<12}     n  s.hit@1 s.hit@5   s.R@5  s.R@10  t.hit@5   t.R@5  t.R@10", "")?;
        let all = std::iter::once(("all", &self.all));
        let types = self.by_type.iter().chain(&self.by_dialogue);
        for (name, one) in all.chain(types.map(|(name, one)| (name.as_str(), one))) {
            writeln!(
                f,
                "{name:<12} {:>5} {:>8.1} {:>7.1} {:>7.1} {:>7.1} {:>8.1} {:>7.1} {:>7.1}",
                one.n,
                one.session_hit_1,
                one.session_hit_5,
                one.session_recall_5,
                one.session_recall_10,
                one.turn_hit_5,
                one.turn_recall_5,
                one.turn_recall_10
            )?;
        }
        let Latency { p50, p95, p99 } = self.latency_ms;
        write!(f, "recall p50 {p50:.2} ms, p95 {p95:.2} ms, p99 {p99:.2} ms")
    }
}

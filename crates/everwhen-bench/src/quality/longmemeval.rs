//! `everwhen bench longmemeval`: does recall find the sessions that hold the answer?
//!
//! Walk: read → per question a fresh memory → remember every session with its date → ask at the
//! question's date, with everything after that day cut off → judge → summary. With `pooled`, all sessions
//! of the file are in one memory and every question is asked there. Other systems, if chosen, get the same
//! entries and questions and are judged alike.

mod beside;
mod data;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use everwhen::memory::{Address, Metadata, Name, NewEntry, Role, Said};
use everwhen::recall::{EntryFound, Query, Reason, Recollection};
use jiff::{Timestamp, ToSpan};
use serde::Serialize;

pub use data::{LongMemEvalItem, LongMemEvalSession, LongMemEvalTurn};
pub(crate) use data::{answer_text, read, read_date, undated};

use crate::harness::{EmbedderChoice, Harness, memory};
use crate::peers::PeerChoice;
use crate::report::{Ingest, Latency, LongMemEvalSummary, OnProgress, PeerSummary};
use crate::score::{Judged, Scores};

/// What to measure.
#[derive(Debug, Clone)]
pub struct LongMemEval {
    /// The data.
    pub data: PathBuf,
    /// A file with the ids of the questions to ask, one per line; all if absent.
    pub ids: Option<PathBuf>,
    /// All sessions of the file in one memory.
    pub pooled: bool,
    /// The embedder to use.
    pub embedder: EmbedderChoice,
}

/// Everything that was measured.
#[derive(Debug)]
pub struct LongMemEvalRun {
    /// The numbers.
    pub summary: LongMemEvalSummary,
    /// One line per question.
    pub questions: Vec<LongMemEvalAnswered>,
}

/// One question and what was found.
#[derive(Debug, Clone, Serialize)]
pub struct LongMemEvalAnswered {
    /// Its id.
    pub question_id: String,
    /// Its type.
    pub question_type: String,
    /// The sessions that hold the answer.
    pub gold: Vec<String>,
    /// Those of them in which a turn of the user holds it: the gold of the strict protocol.
    pub strict_gold: Vec<String>,
    /// The sessions found, best first.
    pub ranked: Vec<String>,
    /// The rank of each gold session, from 1.
    pub places: Vec<Option<usize>>,
    /// How long the answer took.
    pub latency_ms: f64,
    /// Why each ranked session was found.
    #[serde(skip)]
    pub reasons: Vec<Vec<Reason>>,
    /// The turns that hold the answer.
    #[serde(skip)]
    pub gold_turns: Vec<String>,
    /// The turns found, best first.
    #[serde(skip)]
    pub turns: Vec<LongMemEvalFound>,
}

/// A turn that was found.
#[derive(Debug, Clone)]
pub struct LongMemEvalFound {
    /// The id of its session, `#`, and its place there.
    pub id: String,
    /// Why it was found.
    pub reasons: Vec<Reason>,
}

/// The number of sessions that a question retrieves: all, for every metric. In a pool it is ten, the
/// default of every client: in a large memory fewer candidates are scored if fewer are wanted.
const RANKED: usize = 1_000;
/// The end of the id of a question whose answer is not in the sessions.
const ABSTENTION: &str = "_abs";
/// The maximum number of sessions reported per question.
const WRITTEN: usize = 50;

/// Runs the benchmark; `step` is called after each question with the number done and the total.
pub async fn run(
    setup: &LongMemEval,
    step: &(dyn Fn(usize, usize) + Sync),
) -> Result<LongMemEvalRun> {
    let all = data::read(&setup.data)?;
    let asked = chosen(&all, setup)?;
    let harness = Harness::new(&setup.embedder).await?;
    let mut run = Run {
        harness,
        deep: !setup.pooled,
        answered: Vec::new(),
        latencies: Vec::new(),
        ingest: (0, Duration::ZERO),
    };
    let pool = memory("pool")?;
    if setup.pooled {
        run.take_in(&pool, &pooled(&all)).await?;
    }
    for (done, item) in asked.iter().enumerate() {
        let place = if setup.pooled { pool.clone() } else { memory(&item.id)? };
        if !setup.pooled {
            run.take_in(&place, &item.haystack).await?;
        }
        run.ask(&place, item).await?;
        step(done + 1, asked.len());
    }
    Ok(run.finish(setup))
}

/// Has other systems answer the same questions from the same entries; `on_progress` is called with the name of each.
pub fn beside(
    setup: &LongMemEval,
    choice: &PeerChoice,
    on_progress: OnProgress<'_>,
) -> Result<Vec<PeerSummary>> {
    let all = data::read(&setup.data)?;
    beside::measure(choice, &all, &chosen(&all, setup)?, setup.pooled, on_progress)
}

fn chosen<'a>(all: &'a [LongMemEvalItem], setup: &LongMemEval) -> Result<Vec<&'a LongMemEvalItem>> {
    let Some(path) = &setup.ids else { return Ok(all.iter().collect()) };
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the ids in {}", path.display()))?;
    let ids: HashSet<&str> = text.split_whitespace().collect();
    Ok(all.iter().filter(|item| ids.contains(item.id.as_str())).collect())
}

/// Every session of the file once, dated where it is gold if it is anywhere.
fn pooled(all: &[LongMemEvalItem]) -> Vec<LongMemEvalSession> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut sessions: Vec<LongMemEvalSession> = Vec::new();
    for item in all {
        for session in &item.haystack {
            match places.get(session.id.as_str()) {
                Some(place) if item.gold.contains(&session.id) => {
                    sessions[*place].date = session.date;
                }
                Some(_) => {}
                None => {
                    places.insert(&session.id, sessions.len());
                    sessions.push(session.clone());
                }
            }
        }
    }
    sessions
}

struct Run {
    harness: Harness,
    /// Retrieves all sessions.
    deep: bool,
    answered: Vec<LongMemEvalAnswered>,
    latencies: Vec<Duration>,
    ingest: (usize, Duration),
}

impl Run {
    /// Remembers sessions, and asks once so that the index is made.
    async fn take_in(
        &mut self,
        place: &Address<everwhen::memory::MemoryId>,
        sessions: &[LongMemEvalSession],
    ) -> Result<()> {
        let entries: Result<Vec<Vec<NewEntry>>> = sessions.iter().map(entries).collect();
        let entries = entries?.concat();
        let began = Instant::now();
        self.harness.remember(place, &entries).await?;
        self.harness.make_ready(place).await?;
        self.ingest.0 += entries.len();
        self.ingest.1 += began.elapsed();
        Ok(())
    }

    async fn ask(
        &mut self,
        place: &Address<everwhen::memory::MemoryId>,
        item: &LongMemEvalItem,
    ) -> Result<()> {
        let query = Query {
            asked_at: Some(item.asked_at),
            before: Some(end_of_day(item.asked_at)?),
            ..Query::new(item.text.clone())
        };
        let (mut found, latency) = self.harness.recall(place, query.clone()).await?;
        if self.deep {
            found = self.harness.recall(place, Query { limit: Some(RANKED), ..query }).await?.0;
        }
        self.answered.push(answered(item, found, latency));
        self.latencies.push(latency);
        Ok(())
    }

    fn finish(self, setup: &LongMemEval) -> LongMemEvalRun {
        let (entries, took) = self.ingest;
        let split = setup.ids.as_ref().and_then(|path| path.file_stem());
        let pooled = if setup.pooled { " pooled" } else { "" };
        let summary = LongMemEvalSummary {
            dataset: format!("LongMemEval S{pooled}"),
            n: self.answered.len(),
            split: split.map_or("all".into(), |stem| stem.to_string_lossy().into_owned()),
            protocols: protocols(&self.answered),
            by_type: by_type(&self.answered),
            latency_ms: Latency::of(self.latencies),
            ingest: Ingest { entries, seconds: took.as_secs_f64() },
            embedder: setup.embedder.as_str().into(),
            version: env!("CARGO_PKG_VERSION").into(),
            peers: Vec::new(),
        };
        LongMemEvalRun { summary, questions: self.answered }
    }
}

/// The entries of a session, all said at its date, in a conversation of the caller's own.
fn entries(session: &LongMemEvalSession) -> Result<Vec<NewEntry>> {
    let name = Address::Name(Name::new("session", session.id.clone())?);
    turns(session)
        .map(|(id, turn)| {
            let said = Said::new(turn.content.replace('\0', " "))?;
            let entry = NewEntry::new(Role::named(&turn.role)?, said).said_at(session.date);
            let metadata = Metadata::new(serde_json::json!({"turn": id}).to_string())?;
            let (conversation, metadata) = (Some(name.clone()), Some(metadata));
            Ok(NewEntry { conversation, metadata, ..entry })
        })
        .collect()
}

/// The turns of a session that say something, with ids. An id is not searched.
fn turns(session: &LongMemEvalSession) -> impl Iterator<Item = (String, &LongMemEvalTurn)> {
    let said = session.turns.iter().filter(|turn| !turn.content.trim().is_empty());
    said.enumerate().map(|(place, turn)| (format!("{}#{place}", session.id), turn))
}

/// Turns of gold sessions that hold the answer.
fn gold_turns(item: &LongMemEvalItem) -> Vec<String> {
    let gold = item.haystack.iter().filter(|session| item.gold.contains(&session.id));
    let turns = gold.flat_map(turns).filter(|(_, turn)| turn.has_answer);
    turns.map(|(id, _)| id).collect()
}

fn found_turn(one: EntryFound) -> Option<LongMemEvalFound> {
    let metadata: serde_json::Value =
        serde_json::from_str(one.entry.metadata.as_ref()?.as_str()).ok()?;
    let id = metadata["turn"].as_str()?.to_owned();
    Some(LongMemEvalFound { id, reasons: one.reasons })
}

fn end_of_day(instant: Timestamp) -> Result<Timestamp> {
    let day = instant.to_zoned(jiff::tz::TimeZone::UTC).date();
    Ok(day.checked_add(1.day())?.to_zoned(jiff::tz::TimeZone::UTC)?.timestamp())
}

fn answered(item: &LongMemEvalItem, found: Recollection, latency: Duration) -> LongMemEvalAnswered {
    let names = |one: &everwhen::recall::ConversationFound| one.conversation.wire_name();
    let mut ranked: Vec<String> = found.conversations.iter().map(names).collect();
    let place = |gold: &String| ranked.iter().position(|name| name == gold).map(|at| at + 1);
    let places = item.gold.iter().map(place).collect();
    let mut reasons: Vec<_> = found.conversations.into_iter().map(|one| one.reasons).collect();
    if ranked.len() > 500 {
        ranked.truncate(WRITTEN);
        reasons.truncate(WRITTEN);
    }
    LongMemEvalAnswered {
        question_id: item.id.clone(),
        question_type: item.kind.clone(),
        gold: item.gold.clone(),
        strict_gold: strict_gold(item),
        ranked,
        places,
        latency_ms: latency.as_secs_f64() * 1000.0,
        reasons,
        gold_turns: gold_turns(item),
        turns: found.items.into_iter().filter_map(found_turn).collect(),
    }
}

/// Gold sessions in which a turn of the user holds the answer.
fn strict_gold(item: &LongMemEvalItem) -> Vec<String> {
    let says = |turn: &LongMemEvalTurn| turn.role == "user" && turn.has_answer;
    let said = |id: &&String| {
        item.haystack.iter().any(|session| session.id == **id && session.turns.iter().any(says))
    };
    item.gold.iter().filter(said).cloned().collect()
}

impl LongMemEvalAnswered {
    /// Whether the answer of the question is not in the sessions.
    pub fn is_abstention(&self) -> bool {
        self.question_id.ends_with(ABSTENTION)
    }

    /// The ranking against the gold of the set.
    pub fn judged(&self) -> Judged {
        Judged::new(self.ranked.iter().map(String::as_str), &self.gold)
    }

    fn judged_strictly(&self) -> Judged {
        Judged::new(self.ranked.iter().map(String::as_str), &self.strict_gold)
    }
}

/// All questions, those that can be answered, and those of the official strict mean.
fn protocols(answered: &[LongMemEvalAnswered]) -> BTreeMap<String, Scores> {
    let all: Vec<Judged> = answered.iter().map(LongMemEvalAnswered::judged).collect();
    let answerable = || answered.iter().filter(|one| !one.is_abstention());
    let without_abstention: Vec<Judged> = answerable().map(LongMemEvalAnswered::judged).collect();
    let strict: Vec<Judged> = answerable()
        .filter(|one| !one.strict_gold.is_empty())
        .map(LongMemEvalAnswered::judged_strictly)
        .collect();
    let scores = |judged: &[Judged]| Scores::of(&judged.iter().collect::<Vec<_>>());
    [("500", scores(&all)), ("470", scores(&without_abstention)), ("419", scores(&strict))]
        .map(|(name, scores)| (name.to_owned(), scores))
        .into()
}

fn by_type(answered: &[LongMemEvalAnswered]) -> BTreeMap<String, Scores> {
    let mut types: BTreeMap<String, Vec<Judged>> = BTreeMap::new();
    for one in answered.iter().filter(|one| !one.is_abstention()) {
        types.entry(one.question_type.clone()).or_default().push(one.judged());
    }
    let scores = |judged: Vec<Judged>| Scores::of(&judged.iter().collect::<Vec<_>>());
    types.into_iter().map(|(name, judged)| (name, scores(judged))).collect()
}

//! `everwhen bench distill`: how fast conversations become facts, chapters and summaries, and
//! whether adding entries suffers meanwhile.
//!
//! The model is scripted: it answers with what stands in the prompt, after a wait like a model's
//! where that matters. So the figures are Everwhen's own.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use everwhen::facts::FactQuery;
use everwhen::job::JobKind;
use everwhen::json::Json;
use everwhen::memory::{Address, MemoryId, Name, NewEntry, Role, Said};
use everwhen::ports::{Finish, Llm, Prompt, Reply, Spent, Wait};
use everwhen::{Config, Engine, Environment, Everwhen, Flags, Vault};
use jiff::SignedDuration;
use serde::Serialize;

use crate::report::OnProgress;

/// Entries of each conversation.
const ENTRIES: usize = 6;
/// Memories the conversations are spread over.
const MEMORIES: usize = 10;
/// Number of conversations that are distilled again while entries are added.
const REGENERATED: usize = 4;
/// How long the worker has to begin before the clock does.
const HEAD_START: Duration = Duration::from_millis(300);
/// Number of concurrent clients that add entries.
const CLIENTS: usize = 8;
/// Times the two ways of adding are measured, in turn. What else the machine does falls on both ways
/// of a round alike, so that rounds are compared, and the one in the middle counts.
const ROUNDS: usize = 9;

/// What to measure, and how long.
#[derive(Debug, Clone)]
pub struct DistillBench {
    /// Conversations to distil.
    pub conversations: usize,
    /// How long entries are added in each of the two ways, in all rounds together.
    pub per_load: Duration,
    /// How long the model takes while entries are added.
    pub model_takes: Duration,
}

/// What was found.
#[derive(Debug, Clone, Serialize)]
pub struct DistillReport {
    /// Conversations that were distilled.
    pub conversations: usize,
    /// Facts they left.
    pub facts: usize,
    /// Jobs that were done.
    pub jobs: u64,
    /// Seconds that took.
    pub seconds: f64,
    /// Conversations in a second.
    pub conversations_per_second: f64,
    /// Jobs in a second.
    pub jobs_per_second: f64,
    /// Entries added in a second with nothing to distil.
    pub adds_alone: f64,
    /// Entries added in a second while conversations are distilled.
    pub adds_while_distilling: f64,
    /// Answers of the model that were worked up meanwhile.
    pub answers_meanwhile: usize,
    /// By how much adding was slower, in percent, in the round in the middle.
    pub slower_percent: f64,
    /// The values of all rounds, ascending.
    pub slower_by_round: Vec<f64>,
}

impl fmt::Display for DistillReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} conversations, {} facts: {:.1} conversations/s, {:.1} jobs/s",
            self.conversations, self.facts, self.conversations_per_second, self.jobs_per_second
        )?;
        write!(
            f,
            "adding entries: {:.0}/s alone, {:.0}/s while {} answers of the model were distilled; \
             slower by {:.1} % ({:.1} to {:.1} in {ROUNDS} rounds)",
            self.adds_alone,
            self.adds_while_distilling,
            self.answers_meanwhile,
            self.slower_percent,
            self.slower_by_round.first().copied().unwrap_or_default(),
            self.slower_by_round.last().copied().unwrap_or_default()
        )
    }
}

/// Runs the benchmark; `on_progress` is called with each step.
pub async fn run(setup: &DistillBench, on_progress: OnProgress<'_>) -> Result<DistillReport> {
    let directory = tempfile::tempdir()?;
    let data = Some(directory.path().display().to_string());
    let flags = Flags { data, zone: Some("UTC".into()), ..Flags::default() };
    let everwhen = Everwhen::open(&Config::load(&Environment::default(), &flags)?)?;
    let engine = everwhen.engine().clone();
    let vault = engine.vault_to_write(Address::Name(Name::new("vault", "bench")?)).await?;
    on_progress("conversations, told");
    store_conversations(&vault, setup.conversations, "told").await?;
    // Jobs wait two seconds for more entries.
    tokio::time::sleep(Duration::from_secs(3)).await;
    on_progress("conversations, distilled");
    let begin = Instant::now();
    let jobs = engine.clone().with_llm(Scripted::new(Duration::ZERO, 0)).settle().await?;
    let seconds = begin.elapsed().as_secs_f64();
    let vault = engine.vault(Address::Name(Name::new("vault", "bench")?)).await?;
    let facts = facts(&vault).await?;
    on_progress("entries added, alone and while conversations are distilled, in turn");
    let load = load(setup, &vault, &engine).await?;
    Ok(DistillReport {
        conversations: setup.conversations,
        facts,
        jobs,
        seconds,
        conversations_per_second: setup.conversations as f64 / seconds,
        jobs_per_second: jobs as f64 / seconds,
        adds_alone: middle(&load.alone),
        adds_while_distilling: middle(&load.meanwhile),
        answers_meanwhile: load.answers,
        slower_percent: middle(&load.slower()),
        slower_by_round: load.slower(),
    })
}

fn memory(kind: &str, number: usize) -> Result<Address<MemoryId>> {
    Ok(Address::Name(Name::new("memory", format!("{kind} {number}"))?))
}

/// Stores old conversations, an hour apart, so that each has ended.
async fn store_conversations(vault: &Vault, conversations: usize, kind: &str) -> Result<()> {
    let start: jiff::Timestamp = "2024-01-01T00:00:00Z".parse()?;
    for number in 0..conversations {
        let begun = start + SignedDuration::from_hours(number as i64);
        let entries = (0..ENTRIES).map(|line| said(number, line, begun)).collect::<Result<_>>()?;
        vault.remember(memory(kind, number % MEMORIES)?, entries, None).await?;
    }
    Ok(())
}

fn said(number: usize, line: usize, begun: jiff::Timestamp) -> Result<NewEntry> {
    let role = if line.is_multiple_of(2) { Role::User } else { Role::Assistant };
    let text = format!("I planted {} tulips in harness {number} of my garden", line + 1);
    let time = begun + SignedDuration::from_mins(line as i64);
    Ok(NewEntry::new(role, Said::new(text)?).said_at(time))
}

async fn facts(vault: &Vault) -> Result<usize> {
    let mut count = 0;
    for number in 0..MEMORIES {
        let query = FactQuery { all: true, limit: Some(1000), ..FactQuery::default() };
        count += vault.facts(memory("told", number)?, query).await?.data.len();
    }
    Ok(count)
}

/// Rates of adding, round by round.
#[derive(Default)]
struct ModelLoad {
    alone: Vec<f64>,
    meanwhile: Vec<f64>,
    answers: usize,
}

impl ModelLoad {
    /// By how much adding was slower, in percent, from the least to the most.
    fn slower(&self) -> Vec<f64> {
        let rounds = self.alone.iter().zip(&self.meanwhile);
        let mut slower: Vec<f64> =
            rounds.map(|(alone, meanwhile)| 100.0 * (1.0 - meanwhile / alone)).collect();
        slower.sort_by(f64::total_cmp);
        slower
    }
}

/// The value in the middle.
fn middle(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// Adds in both ways, in turn, after a round that warms up. Which way comes first changes, too.
async fn load(setup: &DistillBench, vault: &Vault, engine: &Engine) -> Result<ModelLoad> {
    let mut load = ModelLoad::default();
    add(vault, setup.per_load / ROUNDS as u32, "warming up").await?;
    for round in 0..ROUNDS {
        let mut ways = [LoadPhase::Alone, LoadPhase::Meanwhile];
        ways.rotate_left(round % 2);
        for way in ways {
            let (rate, answers) = add_while_working(setup, vault, engine, (round, way)).await?;
            match way {
                LoadPhase::Alone => load.alone.push(rate),
                LoadPhase::Meanwhile => {
                    load.meanwhile.push(rate);
                    load.answers += answers;
                }
            }
        }
    }
    Ok(load)
}

/// Whether conversations are distilled while entries are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoadPhase {
    Alone,
    Meanwhile,
}

/// Adds while the worker does what there is to do, as it does in a server: with nothing left from
/// before, or with conversations to title and to distil, by a model that does not know them.
async fn add_while_working(
    setup: &DistillBench,
    vault: &Vault,
    engine: &Engine,
    (round, way): (usize, LoadPhase),
) -> Result<(f64, usize)> {
    engine.clone().with_llm(Scripted::new(Duration::ZERO, 0)).settle().await?;
    if way == LoadPhase::Meanwhile {
        for number in 0..REGENERATED {
            vault.regenerate(memory("told", number)?, None).await?;
        }
    }
    let model = Scripted::new(setup.model_takes, round + 1);
    let engine = engine.clone().with_llm(model.clone());
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let worker = tokio::spawn(everwhen::work(engine.clone(), async { drop(stopped.await) }));
    tokio::time::sleep(HEAD_START).await;
    let before = model.answered.load(Ordering::Relaxed);
    let kind = format!("{way:?} {round}");
    let rate = add(vault, setup.per_load / ROUNDS as u32, &kind).await?;
    let answers = model.answered.load(Ordering::Relaxed) - before;
    let is_idle = waiting(&engine).await? == 0;
    let _ = stop.send(());
    worker.await?;
    if way == LoadPhase::Meanwhile {
        ensure!(!is_idle, "all was distilled too soon; tell more with --conversations");
    }
    Ok((rate, answers))
}

/// Conversations that wait to be distilled.
async fn waiting(engine: &Engine) -> Result<usize> {
    let jobs = engine.jobs(100_000).await?;
    Ok(jobs.iter().filter(|job| job.kind == JobKind::Distill).count())
}

/// Entries that several clients add in a second.
async fn add(vault: &Vault, long: Duration, kind: &str) -> Result<f64> {
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let (vault, memory) = (vault.clone(), memory(kind, client));
            tokio::spawn(async move { add_until(&vault, memory?, long).await })
        })
        .collect();
    let mut added = 0;
    for client in clients {
        added += client.await??;
    }
    Ok(added as f64 / long.as_secs_f64())
}

async fn add_until(vault: &Vault, memory: Address<MemoryId>, long: Duration) -> Result<u64> {
    let (begin, mut added) = (Instant::now(), 0);
    while begin.elapsed() < long {
        let entry = NewEntry::new(Role::User, Said::new(format!("Entry {added} of many"))?);
        vault.remember(memory.clone(), vec![entry], None).await.context("adding an entry")?;
        added += 1;
    }
    Ok(added)
}

/// A model that finds a fact in every line a user said.
struct Scripted {
    name: String,
    takes: Duration,
    answered: AtomicUsize,
}

impl Scripted {
    /// One that takes so long. What one of another number has answered is not known of this one.
    fn new(takes: Duration, number: usize) -> Arc<Self> {
        Arc::new(Self { name: format!("scripted {number}"), takes, answered: AtomicUsize::new(0) })
    }
}

impl Llm for Scripted {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Wait<'a, Reply> {
        Box::pin(async move {
            if !self.takes.is_zero() {
                tokio::time::sleep(self.takes).await;
            }
            self.answered.fetch_add(1, Ordering::Relaxed);
            let shown = prompt.messages.last().map_or("", |message| message.content.as_str());
            Ok(Reply {
                text: "They talked about the garden.".into(),
                json: Some(answer(shown)),
                model: "scripted".into(),
                finish: Finish::Stop,
                spent: Spent::default(),
                cached: false,
                unusable: None,
            })
        })
    }
}

/// A reply that matches every requested schema.
fn answer(shown: &str) -> Json {
    let text = |text: &str| Json::Text(text.to_owned());
    let member = |name: &str, value: Json| (name.to_owned(), value);
    let fact = |(number, line): (usize, &str)| {
        let said = line.split_once("User: ")?.1;
        Some(Json::Object(vec![
            member("line", Json::Number((number + 1) as f64)),
            member("quote", text(said)),
            member("statement", text(&said.replacen("I planted", "The user planted", 1))),
            member("matter", text("")),
            member("value", text("")),
            member("tags", Json::List(vec![text("general")])),
        ]))
    };
    Json::Object(vec![
        member("facts", Json::List(shown.lines().enumerate().filter_map(fact).collect())),
        member("title", text("Tulips in the beds of the garden")),
        member("summary", text("They talked about tulips in the garden.")),
        member("entities", Json::List(Vec::new())),
        member("key_phrases", Json::List(vec![text("tulips")])),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_compared_and_the_one_in_the_middle_counts() {
        let alone = vec![1000.0, 500.0, 1000.0];
        let load = ModelLoad { alone, meanwhile: vec![900.0, 490.0, 100.0], answers: 1 };
        let slower: Vec<i64> = load.slower().iter().map(|one| one.round() as i64).collect();
        assert_eq!(slower, [2, 10, 90]);
        assert_eq!(middle(&load.slower()).round() as i64, 10);
        assert_eq!(middle(&[3.0, 1.0, 2.0]), 2.0);
    }
}

//! `everwhen bench distill`: how fast conversations become facts, chapters and summaries, and
//! whether adding entries suffers meanwhile.
//!
//! The model is scripted: it answers with what stands in the prompt, after a wait like a model's
//! where that matters. So the figures are Everwhen's own.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use everwhen::facts::FactQuery;
use everwhen::json::Json;
use everwhen::memory::{Address, MemoryId, Name, NewEntry, Role, Said};
use everwhen::ports::{Finish, Llm, Prompt, Reply, Spent, Wait};
use everwhen::{Config, Engine, Environment, Everwhen, Flags, Vault};
use jiff::SignedDuration;
use serde::Serialize;

/// Entries of each conversation.
const ENTRIES: usize = 6;
/// Memories the conversations are spread over.
const MEMORIES: usize = 10;
/// Clients that add entries at the same time.
const CLIENTS: usize = 8;
/// Times the two ways of adding are measured, in turn.
const ROUNDS: usize = 3;

/// What to measure, and how long.
#[derive(Debug, Clone)]
pub struct DistillBench {
    /// Conversations to distil.
    pub conversations: usize,
    /// How long entries are added, in each round.
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
    /// Entries added in a second with nothing else going on.
    pub adds_alone: f64,
    /// Entries added in a second while conversations are distilled.
    pub adds_while_distilling: f64,
    /// Conversations distilled meanwhile.
    pub distilled_meanwhile: usize,
    /// By how much adding was slower, in percent.
    pub slower_percent: f64,
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
            "adding entries: {:.0}/s alone, {:.0}/s while {} conversations were distilled ({:+.1} %)",
            self.adds_alone,
            self.adds_while_distilling,
            self.distilled_meanwhile,
            -self.slower_percent
        )
    }
}

/// Runs all of it; `say` is told what is being done.
pub async fn run(setup: &DistillBench, say: &(dyn Fn(&str) + Sync)) -> Result<DistillReport> {
    let directory = tempfile::tempdir()?;
    let data = Some(directory.path().display().to_string());
    let flags = Flags { data, zone: Some("UTC".into()), ..Flags::default() };
    let everwhen = Everwhen::open(&Config::load(&Environment::default(), &flags)?)?;
    let engine = everwhen.engine().clone();
    let vault = engine.vault_to_write(Address::Name(Name::new("vault", "bench")?)).await?;
    say("conversations, told");
    tell(&vault, setup.conversations, "told").await?;
    // Jobs wait two seconds for more entries.
    tokio::time::sleep(Duration::from_secs(3)).await;
    say("conversations, distilled");
    let scripted = |takes| engine.clone().with_llm(Arc::new(Scripted { takes }));
    let begin = Instant::now();
    let jobs = scripted(Duration::ZERO).settle().await?;
    let seconds = begin.elapsed().as_secs_f64();
    let vault = engine.vault(Address::Name(Name::new("vault", "bench")?)).await?;
    let facts = facts(&vault).await?;
    say("entries added, alone and while conversations are distilled, in turn");
    let load = load(setup, &vault, &scripted(setup.model_takes)).await?;
    let slower = 100.0 * (1.0 - load.meanwhile / load.alone);
    Ok(DistillReport {
        conversations: setup.conversations,
        facts,
        jobs,
        seconds,
        conversations_per_second: setup.conversations as f64 / seconds,
        jobs_per_second: jobs as f64 / seconds,
        adds_alone: load.alone,
        adds_while_distilling: load.meanwhile,
        distilled_meanwhile: load.distilled,
        slower_percent: slower,
    })
}

fn memory(kind: &str, number: usize) -> Result<Address<MemoryId>> {
    Ok(Address::Name(Name::new("memory", format!("{kind} {number}"))?))
}

/// Tells conversations of long ago, an hour apart, so that each has ended.
async fn tell(vault: &Vault, conversations: usize, kind: &str) -> Result<()> {
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
    let text = format!("I planted {} tulips in bed {number} of my garden", line + 1);
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

/// Rates of adding.
struct Load {
    alone: f64,
    meanwhile: f64,
    distilled: usize,
}

async fn load(setup: &DistillBench, vault: &Vault, engine: &Engine) -> Result<Load> {
    let (mut alone, mut meanwhile, mut distilled) = (0.0, 0.0, 0);
    for round in 0..ROUNDS {
        alone += add(vault, setup.per_load, &format!("alone {round}")).await?;
        for number in 0..MEMORIES {
            vault.regenerate(memory("told", number)?, None).await?;
        }
        let before = waiting(engine).await?;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let worker = tokio::spawn(everwhen::work(engine.clone(), async { drop(stopped.await) }));
        meanwhile += add(vault, setup.per_load, &format!("meanwhile {round}")).await?;
        distilled += before.saturating_sub(waiting(engine).await?);
        let _ = stop.send(());
        worker.await?;
    }
    let rounds = ROUNDS as f64;
    Ok(Load { alone: alone / rounds, meanwhile: meanwhile / rounds, distilled })
}

/// Conversations that wait to be distilled.
async fn waiting(engine: &Engine) -> Result<usize> {
    let jobs = engine.jobs(100_000).await?;
    Ok(jobs.iter().filter(|job| job.kind == everwhen::job::JobKind::Distill).count())
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
    takes: Duration,
}

impl Llm for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Wait<'a, Reply> {
        Box::pin(async move {
            if !self.takes.is_zero() {
                tokio::time::sleep(self.takes).await;
            }
            let shown = prompt.messages.last().map_or("", |message| message.content.as_str());
            Ok(Reply {
                text: "They talked about the garden.".into(),
                json: Some(answer(shown)),
                model: "scripted".into(),
                finish: Finish::Stop,
                spent: Spent::default(),
                cached: false,
            })
        })
    }
}

/// An answer that fits every schema that is asked for.
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

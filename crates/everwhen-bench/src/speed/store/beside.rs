//! A database compared with SQLite, in one run and through the library.
//!
//! Both are filled with the same dialogue; then the same clients add single entries, to one vault and
//! to a vault each, and the same questions are asked in turn, so that both meet the same weather.

use std::time::{Duration, Instant};

use anyhow::Result;
use everwhen::memory::{Address, MemoryId, Name, NewEntry, Role, Said, VaultId};
use everwhen::ports::EntryQuery;
use everwhen::recall::Query;
use everwhen::{Config, Environment, Everwhen, Flags, Vault};
use serde::Serialize;

use super::report::Load;
use crate::harness::client::Latencies;
use crate::harness::dialogue;
use crate::report::{Latency, OnProgress};

const BATCH: usize = 100;
const CLIENTS: [usize; 3] = [1, 8, 64];
const QUESTIONS: usize = 200;

/// What to compare.
#[derive(Debug, Clone)]
pub struct BesideBench {
    /// The database, by its URL.
    pub store: String,
    /// Number of entries in the memory that is queried.
    pub entries: usize,
    /// How long each number of clients adds entries.
    pub per_load: Duration,
}

/// Both, SQLite first.
#[derive(Debug, Serialize)]
pub struct BesideReport {
    /// What was measured of each.
    pub stores: Vec<StoreFigures>,
    /// Median of a question to the database, in relation to SQLite.
    pub recall_p50_ratio: f64,
}

/// One store.
#[derive(Debug, Serialize)]
pub struct StoreFigures {
    /// Which.
    pub store: String,
    /// Number of entries in the memory that was queried.
    pub entries: usize,
    /// Batches of 100, one after another.
    pub batched_per_second: f64,
    /// Single durable adds into one vault.
    pub one_vault: Vec<Load>,
    /// With a separate vault for each client.
    pub own_vaults: Load,
    /// Fifty entries by time.
    pub list_ms: Latency,
    /// Questions to a warm memory.
    pub recall_ms: Latency,
}

struct Side {
    name: &'static str,
    everwhen: Everwhen,
    /// Goes last: the store lies in it.
    _directory: tempfile::TempDir,
    vaults: Vec<Vault>,
}

/// Runs the benchmark; `on_progress` is called with each step.
pub async fn run(setup: &BesideBench, on_progress: OnProgress<'_>) -> Result<BesideReport> {
    let sides = [Side::open("sqlite", None).await?, Side::open("postgres", Some(setup)).await?];
    let mut stores = Vec::new();
    for side in &sides {
        on_progress(&format!(
            "{}: {} entries in batches, then single adds",
            side.name, setup.entries
        ));
        stores.push(side.fill_and_add(setup).await?);
    }
    on_progress("lists and questions, in turn");
    ask_in_turn(&sides, &mut stores).await?;
    for side in &sides {
        side.clear().await?;
    }
    let recall_p50_ratio = stores[1].recall_ms.p50 / stores[0].recall_ms.p50;
    Ok(BesideReport { stores, recall_p50_ratio })
}

impl Side {
    async fn open(name: &'static str, database: Option<&BesideBench>) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let flags = Flags {
            data: Some(directory.path().join("data").display().to_string()),
            store: database.map(|setup| setup.store.clone()),
            zone: Some("UTC".into()),
            ..Flags::default()
        };
        let everwhen = Everwhen::open(&Config::load(&Environment::default(), &flags)?)?;
        // The name of a temporary directory is unique.
        let own = directory.path().file_name().map(|name| name.to_string_lossy().into_owned());
        let own = own.unwrap_or_default().trim_start_matches('.').to_owned();
        let mut vaults = Vec::new();
        for number in 0..=CLIENTS[CLIENTS.len() - 1] {
            let name = Address::<VaultId>::read("vault", &format!("bench-{own}-{number}"))?;
            vaults.push(everwhen.engine().vault_to_write(name).await?);
        }
        Ok(Self { name, everwhen, _directory: directory, vaults })
    }

    async fn fill_and_add(&self, setup: &BesideBench) -> Result<StoreFigures> {
        let began = Instant::now();
        for start in (0..setup.entries).step_by(BATCH) {
            let end = setup.entries.min(start + BATCH);
            let batch = (start..end).map(entry).collect::<Result<Vec<_>>>()?;
            self.vaults[0].remember(memory("long")?, batch, None).await?;
        }
        let batched_per_second = setup.entries as f64 / began.elapsed().as_secs_f64();
        let mut one_vault = Vec::new();
        for clients in CLIENTS {
            let same = vec![self.vaults[0].clone(); clients];
            one_vault.push(add_for(same, setup.per_load).await?);
        }
        let own_vaults = add_for(self.vaults[1..].to_vec(), setup.per_load).await?;
        let nothing = Latency::of(Vec::new());
        Ok(StoreFigures {
            store: self.name.into(),
            entries: setup.entries,
            batched_per_second,
            one_vault,
            own_vaults,
            list_ms: nothing,
            recall_ms: nothing,
        })
    }

    /// Leaves nothing in the database.
    async fn clear(&self) -> Result<()> {
        for vault in &self.vaults {
            vault.forget_vault(None).await?;
        }
        self.everwhen.engine().settle().await?;
        Ok(())
    }
}

async fn ask_in_turn(sides: &[Side; 2], stores: &mut [StoreFigures]) -> Result<()> {
    let mut lists = [Vec::new(), Vec::new()];
    let mut recalls = [Vec::new(), Vec::new()];
    for number in 0..QUESTIONS + 1 {
        for (place, side) in sides.iter().enumerate() {
            let began = Instant::now();
            let after = dialogue::time(number * 37 % stores[place].entries);
            let query = EntryQuery { after: Some(after), limit: Some(50), ..EntryQuery::default() };
            side.vaults[0].entries(memory("long")?, None, query).await?;
            let listed = began.elapsed();
            let began = Instant::now();
            let words = dialogue::message(number * 7919).content;
            let words: Vec<&str> = words.split(' ').take(4).collect();
            side.vaults[0].recall(memory("long")?, Query::new(words.join(" "))).await?;
            // The first question finds the memory cold.
            if number > 0 {
                lists[place].push(listed);
                recalls[place].push(began.elapsed());
            }
        }
    }
    for (place, (listed, recalled)) in lists.into_iter().zip(recalls).enumerate() {
        stores[place].list_ms = Latency::of(listed);
        stores[place].recall_ms = Latency::of(recalled);
    }
    Ok(())
}

/// Every client adds one entry after another to a memory of its own.
async fn add_for(vaults: Vec<Vault>, how_long: Duration) -> Result<Load> {
    let clients = vaults.len();
    let began = Instant::now();
    let mut running = tokio::task::JoinSet::new();
    for (client, vault) in vaults.into_iter().enumerate() {
        running.spawn(async move {
            let (mut latencies, place) = (Latencies::default(), memory(&format!("m{client}"))?);
            for number in 0.. {
                let one = Instant::now();
                if one >= began + how_long {
                    break;
                }
                let said = Said::new(dialogue::message(client * 1_000_000 + number).content)?;
                vault.remember(place.clone(), vec![NewEntry::new(Role::User, said)], None).await?;
                latencies.add(one);
            }
            anyhow::Ok(latencies)
        });
    }
    let mut latencies = Latencies::default();
    while let Some(done) = running.join_next().await {
        latencies = latencies.join(done??);
    }
    Ok(Load {
        clients,
        entries_per_second: latencies.count() as f64 / began.elapsed().as_secs_f64(),
        p50_ms: latencies.percentile_ms(0.50),
        p99_ms: latencies.percentile_ms(0.99),
    })
}

fn memory(name: &str) -> Result<Address<MemoryId>> {
    Ok(Address::Name(Name::new("memory", name)?))
}

fn entry(index: usize) -> Result<NewEntry> {
    let message = dialogue::message(index);
    let entry = NewEntry::new(Role::named(message.role)?, Said::new(message.content)?);
    Ok(entry.said_at(message.time))
}

impl std::fmt::Display for BesideReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for store in &self.stores {
            writeln!(f, "{}, {} entries in one memory", store.store, store.entries)?;
            writeln!(
                f,
                "  batches of 100              {:>8.0} entries/s",
                store.batched_per_second
            )?;
            for load in &store.one_vault {
                write_load(f, "one vault", load)?;
            }
            write_load(f, "a vault each", &store.own_vaults)?;
            let (list, recall) = (&store.list_ms, &store.recall_ms);
            writeln!(
                f,
                "  list of 50                  p50 {:.2} ms, p99 {:.2} ms",
                list.p50, list.p99
            )?;
            writeln!(
                f,
                "  recall, warm                p50 {:.2} ms, p99 {:.2} ms",
                recall.p50, recall.p99
            )?;
        }
        write!(
            f,
            "recall on PostgreSQL takes {:.2} times as long as on SQLite",
            self.recall_p50_ratio
        )
    }
}

fn write_load(f: &mut std::fmt::Formatter<'_>, what: &str, load: &Load) -> std::fmt::Result {
    let Load { clients, entries_per_second, p50_ms, p99_ms } = load;
    let what = format!("{what}, {clients} clients");
    writeln!(
        f,
        "  {what:<27} {entries_per_second:>8.0} entries/s, p50 {p50_ms:.2} ms, p99 {p99_ms:.2} ms"
    )
}

//! `everwhen bench recall`: how fast a question is answered, by size of the memory.
//!
//! One memory of made-up dialogue is filled to each size in turn; the same questions are asked by
//! words alone, with the static embedder and, where one is given, with a transformer, on a warm
//! index, plain and narrowed: by a time they name, by bounds, by who spoke, as of an earlier time.
//! Beside it, in the same run: how fast this machine reads memory, SQLite's FTS5, and ChromaDB where
//! a Python with it is given.

mod machine;
mod narrowed;
mod report;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use everwhen::memory::{Address, MemoryId, NewEntry};
use everwhen::recall::Query;
use jiff::Timestamp;

pub use report::{Machine, Narrowed, Peer, RecallReport, RecallSpeed, Restart};

use self::narrowed::Narrowing;
use crate::harness::{EmbedderChoice, Harness, filler, memory};
use crate::peers::{self, PeerChoice, PeerEntry, PeerMemory, PeerQuestion};
use crate::report::Latency;
use crate::report::OnProgress;

/// What to measure.
#[derive(Debug, Clone)]
pub struct RecallBench {
    /// A PostgreSQL database to use instead of SQLite, by its URL.
    pub store: Option<String>,
    /// Bytes to read when the machine is measured; far more than any cache holds.
    pub read_bytes: usize,
    /// Sizes of the memory, rising.
    pub sizes: Vec<usize>,
    /// Questions at each size.
    pub questions: usize,
    /// Embedders, one after the other.
    pub embedders: Vec<EmbedderChoice>,
    /// Entries that the peers get; none if zero.
    pub peer_entries: usize,
    /// A Python that has ChromaDB.
    pub chroma: Option<PathBuf>,
}

impl RecallBench {
    /// Bytes to read in a full run.
    pub const READ_BYTES: usize = 512 * 1024 * 1024;

    /// A small run that shows that it works.
    pub fn quick() -> Self {
        Self {
            store: None,
            read_bytes: Self::READ_BYTES / 32,
            sizes: vec![500, 1_000],
            questions: 20,
            embedders: vec![EmbedderChoice::None, EmbedderChoice::Static],
            peer_entries: 1_000,
            chroma: None,
        }
    }
}

/// Entries that are stored before the memory is made ready again.
const BATCH: usize = 10_000;
/// Entries that a peer is asked for.
const PEER_LIMIT: usize = 10;

/// Runs the benchmark; `on_progress` is called with each step.
pub async fn run(setup: &RecallBench, on_progress: OnProgress<'_>) -> Result<RecallReport> {
    let mut speeds = Vec::new();
    for embedder in &setup.embedders {
        speeds.extend(of_embedder(setup, embedder, on_progress).await?);
    }
    let peers = if setup.peer_entries > 0 { beside(setup, on_progress)? } else { Vec::new() };
    // Last, because what it takes up would be counted as resident before.
    on_progress("how fast this machine reads memory");
    let machine = machine::measure(setup.read_bytes);
    Ok(RecallReport { version: env!("CARGO_PKG_VERSION").to_owned(), machine, speeds, peers })
}

/// Gives other systems the same texts and questions.
fn beside(setup: &RecallBench, on_progress: OnProgress<'_>) -> Result<Vec<Peer>> {
    let entry = |number| {
        let second = filler::time(number)?.as_second();
        Ok(PeerEntry { text: filler::text(number).into(), second })
    };
    let asked = |number| PeerQuestion { text: filler::question(number).join(" "), before: None };
    let memory = PeerMemory {
        entries: (0..setup.peer_entries).map(entry).collect::<Result<_>>()?,
        questions: (0..setup.questions).map(asked).collect(),
    };
    let choice = PeerChoice { chroma: setup.chroma.clone() };
    let answers = peers::answers(&choice, &[memory], PEER_LIMIT, on_progress)?;
    let peers = answers.into_iter().map(|one| Peer {
        name: one.name,
        entries: setup.peer_entries,
        ingest_seconds: one.ingest_seconds,
        latency_ms: Latency::of(one.latencies),
    });
    Ok(peers.collect())
}

async fn of_embedder(
    setup: &RecallBench,
    embedder: &EmbedderChoice,
    on_progress: OnProgress<'_>,
) -> Result<Vec<RecallSpeed>> {
    let mut harness = Harness::over(setup.store.clone(), embedder).await?;
    let place = memory("large")?;
    let (mut speeds, mut filled) = (Vec::new(), 0);
    for size in &setup.sizes {
        on_progress(&format!("{size} entries, embedder {}", embedder.as_str()));
        let began = Instant::now();
        let half = fill(&harness, &place, filled..*size).await?;
        let seconds = began.elapsed().as_secs_f64();
        let latency_ms = ask(&harness, &place, setup.questions, |query| query).await?;
        let narrowed =
            narrowed(&harness, &place, setup.questions, &Narrowing::all(*size, half)?).await?;
        let resident_mib = machine::resident_mib();
        let restart;
        (harness, restart) = restarted(harness, embedder, &place).await?;
        speeds.push(RecallSpeed {
            entries: *size,
            embedder: embedder.as_str().to_owned(),
            ingest_seconds: seconds,
            ingest_per_second: (*size - filled) as f64 / seconds,
            latency_ms,
            narrowed,
            resident_mib,
            restart,
        });
        filled = *size;
    }
    harness.clear().await?;
    Ok(speeds)
}

/// The first answer after a start, first without segments of the index, then with them.
async fn restarted(
    harness: Harness,
    embedder: &EmbedderChoice,
    place: &Address<MemoryId>,
) -> Result<(Harness, Restart)> {
    let harness = harness.reopen(embedder).await?;
    let without = first_answer(&harness, place).await?;
    harness.keep_indexes().await?;
    let harness = harness.reopen(embedder).await?;
    let with = first_answer(&harness, place).await?;
    Ok((harness, Restart { without_segments_ms: without, with_segments_ms: with }))
}

async fn first_answer(harness: &Harness, place: &Address<MemoryId>) -> Result<f64> {
    let (_, took) = harness.recall(place, Query::new("are you there?")).await?;
    Ok(took.as_secs_f64() * 1000.0)
}

/// Fills a memory; answers an instant when half of the entries were there.
async fn fill(
    harness: &Harness,
    place: &Address<MemoryId>,
    range: std::ops::Range<usize>,
) -> Result<Timestamp> {
    let (numbers, half) = (range.clone().collect::<Vec<usize>>(), range.end / 2);
    let mut at_half = harness.now();
    for batch in numbers.chunks(BATCH) {
        let entries: Result<Vec<NewEntry>> =
            batch.iter().map(|number| filler::entry(*number)).collect();
        harness.remember(place, &entries?).await?;
        harness.make_ready(place).await?;
        if batch[0] < half {
            at_half = harness.now();
        }
    }
    Ok(at_half)
}

/// Asks the questions with every kind of filter.
async fn narrowed(
    harness: &Harness,
    place: &Address<MemoryId>,
    questions: usize,
    ways: &[Narrowing],
) -> Result<Vec<Narrowed>> {
    let mut narrowed = Vec::with_capacity(ways.len());
    for way in ways {
        let latency_ms = ask(harness, place, questions, |query| way.narrow(query)).await?;
        narrowed.push(Narrowed { by: way.name(), latency_ms });
    }
    Ok(narrowed)
}

async fn ask(
    harness: &Harness,
    place: &Address<MemoryId>,
    questions: usize,
    narrow: impl Fn(Query) -> Query,
) -> Result<Latency> {
    let mut latencies = Vec::with_capacity(questions);
    for number in 0..questions {
        let question = format!("what about the {}", filler::question(number).join(" "));
        latencies.push(harness.recall(place, narrow(Query::new(question))).await?.1);
    }
    Ok(Latency::of(latencies))
}

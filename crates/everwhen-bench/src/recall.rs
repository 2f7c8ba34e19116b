//! `everwhen bench recall`: how fast a question is answered, by size of the memory.
//!
//! One memory of made-up dialogue is filled to each size in turn; the same questions are asked by
//! words alone and with the static embedder, on a warm index.

use std::time::Instant;

use anyhow::Result;
use everwhen::memory::{Address, MemoryId, NewEntry, Role, Said};
use everwhen::recall::Query;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::bed::{Bed, EmbedderChoice, memory};
use crate::report::Latency;

/// What to measure.
#[derive(Debug, Clone)]
pub struct RecallBench {
    /// Sizes of the memory, rising.
    pub sizes: Vec<usize>,
    /// Questions at each size.
    pub questions: usize,
}

/// One size.
#[derive(Debug, Serialize)]
pub struct RecallSpeed {
    /// Entries in the memory.
    pub entries: usize,
    /// Which embedder took part.
    pub embedder: String,
    /// How long it took to take the entries in, durable and searchable, since the size before.
    pub ingest_seconds: f64,
    /// How long an answer took.
    pub latency_ms: Latency,
}

/// Everything that was measured.
#[derive(Debug, Serialize)]
pub struct RecallReport {
    /// One line per size and embedder.
    pub speeds: Vec<RecallSpeed>,
}

/// Runs all of it; `say` is told what is being done.
pub async fn run(setup: &RecallBench, say: &(dyn Fn(&str) + Sync)) -> Result<RecallReport> {
    let mut speeds = Vec::new();
    for embedder in [EmbedderChoice::None, EmbedderChoice::Static] {
        let bed = Bed::new(&embedder).await?;
        let place = memory("large")?;
        let mut filled = 0;
        for size in &setup.sizes {
            say(&format!("{size} entries, embedder {}", embedder.as_str()));
            let began = Instant::now();
            fill(&bed, &place, filled..*size).await?;
            filled = *size;
            let ingest_seconds = began.elapsed().as_secs_f64();
            let latency_ms = ask(&bed, &place, setup.questions).await?;
            let embedder = embedder.as_str().to_owned();
            speeds.push(RecallSpeed { entries: filled, embedder, ingest_seconds, latency_ms });
        }
    }
    Ok(RecallReport { speeds })
}

async fn fill(bed: &Bed, place: &Address<MemoryId>, range: std::ops::Range<usize>) -> Result<()> {
    let numbers: Vec<usize> = range.collect();
    for batch in numbers.chunks(10_000) {
        let entries: Result<Vec<NewEntry>> = batch.iter().map(|number| entry(*number)).collect();
        bed.remember(place, &entries?).await?;
    }
    bed.make_ready(place).await?;
    Ok(())
}

async fn ask(bed: &Bed, place: &Address<MemoryId>, questions: usize) -> Result<Latency> {
    let mut latencies = Vec::with_capacity(questions);
    for number in 0..questions {
        let words: Vec<String> =
            (0..4).map(|place| word(number * 7919 + place * 104_729, 20)).collect();
        let (_, latency) =
            bed.recall(place, Query::new(format!("what about the {}", words.join(" ")))).await?;
        latencies.push(latency);
    }
    Ok(Latency::of(latencies))
}

/// Ten entries to a conversation, an hour apart, user and assistant in turn.
fn entry(number: usize) -> Result<NewEntry> {
    let role = if number.is_multiple_of(2) { Role::User } else { Role::Assistant };
    let words: Vec<String> =
        (0..40 + number % 80).map(|place| word(number * 127 + place * 31_337, 1)).collect();
    let minutes = (number as i64 / 10) * 60 + number as i64 % 10;
    let time = Timestamp::from_second(1_200_000_000)? + SignedDuration::from_mins(minutes);
    Ok(NewEntry::new(role, Said::new(words.join(" "))?).said_at(time))
}

/// A word of a vocabulary of 60,000 in which rank r occurs about once in r; `rarest` skips the
/// most frequent ones.
fn word(seed: usize, rarest: usize) -> String {
    let mixed = (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let share = (mixed >> 11) as f64 / (1u64 << 53) as f64;
    let rank = (rarest as f64 * (60_000.0 / rarest as f64).powf(share)) as usize;
    let letters = b"bdfgklmnprstvz";
    let vowels = b"aeiou";
    let mut left = rank + 14 * 5;
    let mut text = String::new();
    while left > 0 {
        text.push(letters[left % 14] as char);
        text.push(vowels[left / 14 % 5] as char);
        left /= 70;
    }
    text
}

impl std::fmt::Display for RecallReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "entries   embedder   p50 ms   p95 ms   p99 ms   ingest s")?;
        for RecallSpeed { entries, embedder, ingest_seconds, latency_ms } in &self.speeds {
            let Latency { p50, p95, p99 } = latency_ms;
            writeln!(
                f,
                "{entries:>8}  {embedder:<8} {p50:>8.3} {p95:>8.3} {p99:>8.3} {ingest_seconds:>10.1}"
            )?;
        }
        Ok(())
    }
}

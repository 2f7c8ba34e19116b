//! Lists by time range, at two sizes of one memory, on one server.

use std::time::Instant;

use anyhow::Result;

use super::StoreBench;
use super::report::{List, Lists};
use crate::harness::client::{Client, Latencies};
use crate::harness::dialogue;
use crate::harness::server::Server;
use crate::report::OnProgress;

const BATCH: usize = 100;
const WRITERS: usize = 4;
const QUERIES: usize = 400;
const ENTRIES: &str = "/v1/vaults/bench/memories/long/entries";

/// Fills the memory to the small size, lists, fills it to the large one, lists again.
pub(super) async fn measure(
    setup: &StoreBench,
    small: usize,
    on_progress: OnProgress<'_>,
) -> Result<Lists> {
    let directory = tempfile::tempdir()?;
    let server = Server::start(&setup.binary, &directory.path().join("data"), true).await?;
    let mut lists = Vec::new();
    let mut filled = 0;
    let mut batched_per_second = 0.0;
    for size in [small, setup.large] {
        on_progress(&format!("filling one memory to {size} entries"));
        let began = Instant::now();
        fill(&server, filled, size).await?;
        batched_per_second = (size - filled) as f64 / began.elapsed().as_secs_f64();
        filled = size;
        lists.push(list(&server, size).await?);
    }
    Ok(Lists { lists, batched_per_second, resident_after_large_mib: server.resident_mib()? })
}

/// Adds messages `from..to` in batches over a few connections.
async fn fill(server: &Server, from: usize, to: usize) -> Result<()> {
    let mut running = tokio::task::JoinSet::new();
    for writer in 0..WRITERS {
        let mut client = server.client().await?;
        running.spawn(async move {
            for start in (from + writer * BATCH..to).step_by(WRITERS * BATCH) {
                let end = to.min(start + BATCH);
                client.send("POST", &format!("{ENTRIES}/batch"), &batch(start, end)).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(done) = running.join_next().await {
        done??;
    }
    Ok(())
}

fn batch(start: usize, end: usize) -> String {
    let entries: Vec<serde_json::Value> = (start..end)
        .map(|index| {
            let message = dialogue::message(index);
            serde_json::json!({
                "role": message.role,
                "content": message.content,
                "conversation_time": message.time.to_string(),
            })
        })
        .collect();
    serde_json::json!({ "entries": entries }).to_string()
}

/// Lists the first 50 entries of an hour somewhere in the memory, again and again.
async fn list(server: &Server, size: usize) -> Result<List> {
    let mut client = server.client().await?;
    for number in 0..QUERIES / 4 {
        list_once(&mut client, size, number * 7 + 3).await?;
    }
    let mut latencies = Latencies::default();
    for number in 0..QUERIES {
        let began = Instant::now();
        list_once(&mut client, size, number).await?;
        latencies.add(began);
    }
    Ok(List {
        entries: size,
        p50_ms: latencies.percentile_ms(0.50),
        p99_ms: latencies.percentile_ms(0.99),
    })
}

async fn list_once(client: &mut Client, size: usize, number: usize) -> Result<()> {
    let first = number.wrapping_mul(7_919) % (size - 100);
    let (after, before) = (dialogue::time(first), dialogue::time(first + 60));
    let path = format!("{ENTRIES}?after={after}&before={before}&limit=50");
    client.send("GET", &path, "").await
}

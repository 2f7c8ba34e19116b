//! Single durable adds over HTTP: one request, one entry, answered when it is on the disk.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::report::{Load, Singles};
use super::{StoreBench, bare};
use crate::harness::client::{Client, Latencies};
use crate::harness::dialogue;
use crate::harness::server::Server;
use crate::report::OnProgress;

const CLIENTS: [usize; 3] = [1, 8, 64];
/// Different requests each client sends.
const REQUESTS: usize = 200;

/// Whose memories the clients add to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemoryLayout {
    /// All clients write to one memory.
    OneMemory,
    /// Each to its own, so that less is shared on the disk.
    OwnMemories,
}

/// The same load on a server with group commit and on one that commits each request alone. Every
/// load has a new server, so that none does the work an earlier one left behind.
pub(super) async fn measure(setup: &StoreBench, on_progress: OnProgress<'_>) -> Result<Singles> {
    let mut loads = Vec::new();
    for clients in CLIENTS {
        on_progress(&format!("{clients} clients"));
        loads.push(load(setup, clients, MemoryLayout::OneMemory, true).await?);
    }
    let most = CLIENTS[CLIENTS.len() - 1];
    on_progress(&format!("{most} clients, each request committed alone"));
    let one_commit_per_request = load(setup, most, MemoryLayout::OneMemory, false).await?;
    on_progress(&format!("{most} clients, a memory each"));
    let own_memories = load(setup, most, MemoryLayout::OwnMemories, true).await?;
    on_progress(&format!("{most} clients, a memory each, each request committed alone"));
    let one_commit_own_memories = load(setup, most, MemoryLayout::OwnMemories, false).await?;
    let directory = tempfile::tempdir()?;
    Ok(Singles {
        loads,
        own_memories,
        one_commit_per_request,
        one_commit_own_memories,
        bare_commits_per_second: bare::commits_per_second(directory.path(), 2.0)?,
        resident_after_start_mib: resident_after_start(setup).await?,
    })
}

async fn resident_after_start(setup: &StoreBench) -> Result<f64> {
    let directory = tempfile::tempdir()?;
    Server::start(&setup.binary, directory.path(), true).await?.resident_mib()
}

/// One load on a server of its own.
async fn load(
    setup: &StoreBench,
    clients: usize,
    spread: MemoryLayout,
    grouped: bool,
) -> Result<Load> {
    let directory = tempfile::tempdir()?;
    let server = Server::start(&setup.binary, directory.path(), grouped).await?;
    add_for(&server, clients, spread, setup.per_load).await
}

/// Runs a number of clients for a while.
async fn add_for(
    server: &Server,
    clients: usize,
    spread: MemoryLayout,
    how_long: Duration,
) -> Result<Load> {
    let mut ready = Vec::new();
    for client in 0..clients {
        let connection = server.client().await?;
        let requests = requests(&connection, client, spread);
        ready.push((connection, requests));
    }
    let began = Instant::now();
    let mut running = tokio::task::JoinSet::new();
    for (connection, requests) in ready {
        running.spawn(add_until(connection, requests, began + how_long));
    }
    let mut latencies = Latencies::default();
    while let Some(done) = running.join_next().await {
        latencies = latencies.join(done??);
    }
    let seconds = began.elapsed().as_secs_f64();
    Ok(Load {
        clients,
        entries_per_second: latencies.count() as f64 / seconds,
        p50_ms: latencies.percentile_ms(0.50),
        p99_ms: latencies.percentile_ms(0.99),
    })
}

/// What a client will send, in turn. Written before the clock starts: the clients share the machine
/// with the server and should cost little.
fn requests(connection: &Client, client: usize, spread: MemoryLayout) -> Vec<Vec<u8>> {
    let memory = match spread {
        MemoryLayout::OneMemory => "shared".to_owned(),
        MemoryLayout::OwnMemories => format!("client-{client}"),
    };
    let path = format!("/v1/vaults/bench/memories/{memory}/entries");
    let numbers = client * 1_000_000..client * 1_000_000 + REQUESTS;
    numbers.map(|number| connection.request("POST", &path, &body(number))).collect()
}

async fn add_until(
    mut connection: Client,
    requests: Vec<Vec<u8>>,
    end: Instant,
) -> Result<Latencies> {
    let mut latencies = Latencies::default();
    for request in requests.iter().cycle() {
        let began = Instant::now();
        if began >= end {
            break;
        }
        connection.send_bytes(request).await?;
        latencies.add(began);
    }
    Ok(latencies)
}

fn body(number: usize) -> String {
    let message = dialogue::message(number);
    serde_json::json!({"role": message.role, "content": message.content}).to_string()
}

//! Single durable adds over HTTP: one request, one entry, answered when it is on the disk.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::load::Latencies;
use super::report::{Load, Singles};
use super::server::Server;
use super::{StoreBench, bare, dialogue};

const CLIENTS: [usize; 3] = [1, 8, 64];

/// The same load on a server with group commit and on one that commits each request alone.
pub(super) async fn measure(setup: &StoreBench, say: &(dyn Fn(&str) + Sync)) -> Result<Singles> {
    let directory = tempfile::tempdir()?;
    let grouped = Server::start(&setup.binary, &directory.path().join("grouped"), true).await?;
    let resident_after_start_mib = grouped.resident_mib()?;
    let mut loads = Vec::new();
    for clients in CLIENTS {
        say(&format!("{clients} clients"));
        loads.push(add_for(&grouped, clients, setup.per_load).await?);
    }
    let alone = Server::start(&setup.binary, &directory.path().join("alone"), false).await?;
    let most = CLIENTS[CLIENTS.len() - 1];
    say(&format!("{most} clients, each request committed alone"));
    let one_commit_per_request = add_for(&alone, most, setup.per_load).await?;
    let bare_commits_per_second = bare::commits_per_second(directory.path(), 2.0)?;
    Ok(Singles { loads, one_commit_per_request, bare_commits_per_second, resident_after_start_mib })
}

/// So many clients, each in a memory of its own, for so long.
async fn add_for(server: &Server, clients: usize, how_long: Duration) -> Result<Load> {
    let began = Instant::now();
    let mut running = tokio::task::JoinSet::new();
    for client in 0..clients {
        running.spawn(add_until(server.host().to_owned(), client, began + how_long));
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

async fn add_until(host: String, client: usize, end: Instant) -> Result<Latencies> {
    let path = format!("/v1/vaults/bench/memories/client-{client}/entries");
    let mut connection = super::load::Client::connect(&host).await?;
    let mut latencies = Latencies::default();
    for number in client * 1_000_000.. {
        if Instant::now() >= end {
            break;
        }
        let message = dialogue::message(number);
        let body = serde_json::json!({"role": message.role, "content": message.content});
        let body = body.to_string();
        let began = Instant::now();
        connection.send("POST", &path, &body).await?;
        latencies.add(began);
    }
    Ok(latencies)
}

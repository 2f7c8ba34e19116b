//! `everwhen bench mcp`: how long an agent waits for its memory.
//!
//! One server, asked by REST and at `/mcp`, and one `everwhen mcp` that is spoken to over its
//! standard input. The three take turns, call by call, so that all meet the same weather; the same
//! message goes to a memory of its own each time, and every write is durable when it is answered.

mod stdio;

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::{Value, json};

use crate::harness::client::{Client, Latencies};
use crate::harness::dialogue;
use crate::harness::server::Server;
use crate::report::OnProgress;
use stdio::Stdio;

/// What every client of the protocol sends along.
const HEADERS: &str =
    "accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\n";
/// How entries are written by REST.
const ENTRIES: &str = "/v1/vaults/bench/memories/rest/entries";
/// Calls that are made but not counted.
const WARM_UP: usize = 50;

/// What to measure.
#[derive(Debug, Clone)]
pub struct McpBench {
    /// The program to start.
    pub binary: PathBuf,
    /// How many calls of each kind.
    pub calls: usize,
}

/// How long calls took.
#[derive(Debug, Serialize)]
pub struct McpReport {
    /// How many calls of each kind.
    pub calls: usize,
    /// One entry by REST.
    pub rest_add: Call,
    /// `add_entry` at `/mcp`.
    pub http_add: Call,
    /// `add_entry` over standard input.
    pub stdio_add: Call,
    /// `search_memories` at `/mcp`.
    pub http_search: Call,
    /// `search_memories` over standard input.
    pub stdio_search: Call,
}

/// One kind of call.
#[derive(Debug, Serialize)]
pub struct Call {
    /// Half of the calls took no longer, in milliseconds.
    pub p50_ms: f64,
    /// All but one in a hundred took no longer.
    pub p99_ms: f64,
}

impl From<Latencies> for Call {
    fn from(mut latencies: Latencies) -> Self {
        Self { p50_ms: latencies.percentile_ms(0.50), p99_ms: latencies.percentile_ms(0.99) }
    }
}

/// Runs the benchmark; `on_progress` is called with each step.
pub async fn run(setup: &McpBench, on_progress: OnProgress<'_>) -> Result<McpReport> {
    let directory = tempfile::tempdir()?;
    let server = Server::start(&setup.binary, &directory.path().join("http"), true).await?;
    let mut ways = Ways {
        rest: server.client().await?,
        http: server.client().await?,
        stdio: Stdio::start(&setup.binary, &directory.path().join("stdio"))?,
    };
    on_progress(&format!(
        "{} entries each by REST, MCP over HTTP and MCP over standard input",
        setup.calls
    ));
    let [rest_add, http_add, stdio_add] = ways.add(setup.calls).await?;
    on_progress(&format!("{} questions each over HTTP and standard input", setup.calls));
    let [http_search, stdio_search] = ways.search(setup.calls).await?;
    Ok(McpReport { calls: setup.calls, rest_add, http_add, stdio_add, http_search, stdio_search })
}

/// The three ways in.
struct Ways {
    rest: Client,
    http: Client,
    stdio: Stdio,
}

impl Ways {
    async fn add(&mut self, calls: usize) -> Result<[Call; 3]> {
        let (mut rest, mut http, mut stdio) =
            (Latencies::default(), Latencies::default(), Latencies::default());
        for number in 0..calls + WARM_UP {
            let message = dialogue::message(number);
            let (role, text) = (message.role, message.content);
            let entry = json!({ "role": role, "content": text }).to_string();
            let call = call("add_entry", json!({ "role": role, "raw_entry": text }));

            let began = Instant::now();
            self.rest.send("POST", ENTRIES, &entry).await?;
            rest.add_if(number >= WARM_UP, began);
            let began = Instant::now();
            self.http.send_with("/mcp", HEADERS, &call).await?;
            http.add_if(number >= WARM_UP, began);
            check(&self.http.answer())?;
            let began = Instant::now();
            let answer = self.stdio.send(&call)?;
            stdio.add_if(number >= WARM_UP, began);
            check(&answer)?;
        }
        Ok([rest.into(), http.into(), stdio.into()])
    }

    async fn search(&mut self, calls: usize) -> Result<[Call; 2]> {
        let (mut http, mut stdio) = (Latencies::default(), Latencies::default());
        for number in 0..calls + WARM_UP {
            let words = dialogue::message(number).content;
            let query: Vec<&str> = words.split(' ').take(6).collect();
            let query = format!("what was it about {} yesterday?", query.join(" "));
            let call = call("search_memories", json!({ "query": query }));

            let began = Instant::now();
            self.http.send_with("/mcp", HEADERS, &call).await?;
            http.add_if(number >= WARM_UP, began);
            check(&self.http.answer())?;
            let began = Instant::now();
            let answer = self.stdio.send(&call)?;
            stdio.add_if(number >= WARM_UP, began);
            check(&answer)?;
        }
        Ok([http.into(), stdio.into()])
    }
}

fn call(tool: &str, mut arguments: Value) -> String {
    arguments["vault"] = "bench".into();
    arguments["memory"] = "mcp".into();
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string()
}

/// A refusal is no figure.
fn check(answer: &str) -> Result<()> {
    if answer.contains("\"isError\":false") { Ok(()) } else { bail!("refused: {answer}") }
}

impl fmt::Display for McpReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = [
            ("one entry by REST", &self.rest_add),
            ("add_entry over HTTP", &self.http_add),
            ("add_entry over standard input", &self.stdio_add),
            ("search_memories over HTTP", &self.http_search),
            ("search_memories over standard input", &self.stdio_search),
        ];
        writeln!(f, "{} calls each, in milliseconds", self.calls)?;
        for (what, call) in rows {
            writeln!(f, "  {what:<36} p50 {:>7.2}   p99 {:>7.2}", call.p50_ms, call.p99_ms)?;
        }
        let ratio = |call: &Call| call.p50_ms / self.rest_add.p50_ms;
        let (http, stdio) = (ratio(&self.http_add), ratio(&self.stdio_add));
        write!(
            f,
            "  add_entry beside REST, p50: {http:.2} over HTTP, {stdio:.2} over standard input"
        )
    }
}

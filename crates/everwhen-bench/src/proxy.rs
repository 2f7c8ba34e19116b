//! `everwhen bench proxy`: what the proxy adds to the first byte of a reply.
//!
//! Walk: start an upstream here and a server in front of it → fill memories → the same chats straight
//! at the upstream and through the proxy, in turn, alone and 32 at once, with and without a briefing →
//! short and long histories → a thousand slow streams at once.

mod chat;
mod report;
mod slow;
pub(crate) mod stream;
pub(crate) mod upstream;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use everwhen::{Asked, Held};

use self::chat::Chat;
use self::report::{Added, Histories, Measured};
use self::stream::Stream;
use self::upstream::{Pace, Upstream};
use crate::recall::dialogue::text;
use crate::store::dialogue;
use crate::store::load::{Client, Latencies};
use crate::store::server::Server;

pub use report::ProxyReport;

/// What to measure, and how much of it.
#[derive(Debug, Clone)]
pub struct ProxyBench {
    /// The program to start as a server.
    pub binary: PathBuf,
    /// Sizes of the memory that is spoken in.
    pub sizes: Vec<usize>,
    /// Exchanges each chat has, each way.
    pub exchanges: usize,
    /// Streams held at once.
    pub slow_streams: usize,
}

/// Numbers of streams at once.
const STREAMS: [usize; 2] = [1, 32];
/// Messages of a request.
const MESSAGES: usize = 10;
/// Messages of a long request.
const LONG: usize = 1_000;
/// A job may put another that is due a little later.
const JOBS_APART: Duration = Duration::from_millis(2_200);
/// Entries in one request that fills a memory.
const BATCH: usize = 1_000;

/// Runs all of it; `say` is told what is being done.
pub async fn run(setup: &ProxyBench, say: &(dyn Fn(&str) + Sync)) -> Result<ProxyReport> {
    let directory = tempfile::tempdir()?;
    let upstream = Upstream::start().await?;
    let config = format!(
        // Memory always takes part, however slow the machine: that is what is measured.
        "[[upstream]]\nname = \"bench\"\nkind = \"openai\"\nbase_url = \"http://{}/v1\"\n\
         [proxy]\ndeadline_ms = 10000\n",
        upstream.host()
    );
    let start = |name: &str| {
        let data = directory.path().join(name);
        let config = config.clone();
        async move { Server::configured(&setup.binary, &data, &config).await }
    };
    // First, on a server of their own: streams are what is weighed.
    let server = start("slow").await?;
    let resident_after_start_mib = server.resident_mib()?;
    let slow = slow::hold(&server, setup.slow_streams, say).await?;
    drop(server);
    let server = start("added").await?;
    let data = directory.path().join("added");
    let bench = Bench { setup, server: &server, data: &data, upstream: &upstream, say };
    let mut added = Vec::new();
    for entries in &setup.sizes {
        bench.fill(*entries).await?;
        for streams in STREAMS {
            for briefing in [false, true] {
                added.push(bench.added(*entries, streams, briefing).await?);
            }
        }
    }
    let histories = bench.histories().await?;
    Ok(ProxyReport { added, histories, slow, resident_after_start_mib })
}

/// What every measurement needs.
pub(crate) struct Bench<'b> {
    setup: &'b ProxyBench,
    server: &'b Server,
    /// Where that server keeps everything.
    data: &'b Path,
    upstream: &'b Upstream,
    say: &'b (dyn Fn(&str) + Sync),
}

/// What lets the bench do what only the operator of its server may.
fn operator_token(data: &Path) -> Result<String> {
    match Held::ask(data)? {
        Asked::Taken(holder) => {
            Ok(holder.server.context("the server has not said where it answers")?.token)
        }
        Asked::Held(_) => bail!("nobody serves {}", data.display()),
    }
}

impl Bench<'_> {
    /// Makes a memory with so many entries, in batches over HTTP.
    async fn fill(&self, entries: usize) -> Result<()> {
        if entries == 0 {
            return Ok(());
        }
        (self.say)(&format!("a memory of {entries} entries"));
        let path = format!("/v1/vaults/default/memories/{}/entries/batch", memory(entries));
        let mut client = self.server.client().await?;
        for first in (0..entries).step_by(BATCH) {
            let batch: Vec<serde_json::Value> = (first..entries.min(first + BATCH))
                .map(|number| {
                    serde_json::json!({
                        "role": if number.is_multiple_of(2) { "user" } else { "assistant" },
                        "content": text(number),
                        "conversation_time": dialogue::time(number).to_string(),
                    })
                })
                .collect();
            let body = serde_json::json!({ "entries": batch }).to_string();
            client.send("POST", &path, &body).await?;
        }
        self.settle(&mut client).await
    }

    /// Waits until what follows from so much history is done: summaries, chapters, facts.
    async fn settle(&self, client: &mut Client) -> Result<()> {
        (self.say)("what follows from it");
        let token = format!("authorization: Bearer {}\r\n", operator_token(self.data)?);
        let mut quiet = 0;
        while quiet < 2 {
            client.send_with("/v1/settle", &token, "").await?;
            let is_quiet = client.answer().contains("{\"done\":0,\"due\":0}");
            quiet = if is_quiet { quiet + 1 } else { 0 };
            tokio::time::sleep(JOBS_APART).await;
        }
        Ok(())
    }

    /// So many chats at once in one memory, each straight at the upstream and through the proxy in turn.
    async fn added(&self, entries: usize, streams: usize, briefing: bool) -> Result<Added> {
        let with = if briefing { "with" } else { "without" };
        (self.say)(&format!("{streams} at once, {entries} entries, {with} briefing"));
        let pace = if streams == 1 { Pace::QUICK } else { Pace::STEADY };
        let path = format!("/m/{}/v1/chat/completions", memory(entries));
        // Together they have four times as many as one alone.
        let exchanges =
            if streams == 1 { self.setup.exchanges } else { self.setup.exchanges * 4 / streams };
        let mut running = tokio::task::JoinSet::new();
        for number in 0..streams {
            let chat = Chat::new(&format!("{entries} {streams} {briefing} {number}"), MESSAGES);
            let (direct, proxied) =
                (Stream::to(self.upstream.host()), Stream::to(self.server.host()));
            let both = Both { direct, proxied, path: path.clone(), briefing, pace };
            running.spawn(both.talk(chat, exchanges.max(1), number));
        }
        let mut taken = (Latencies::default(), Latencies::default());
        while let Some(done) = running.join_next().await {
            let (direct, proxied) = done??;
            taken = (taken.0.join(direct), taken.1.join(proxied));
        }
        Ok(Added { entries, streams, briefing, measured: Measured::new(taken.0, taken.1) })
    }

    /// The same turn with a short and with a long history.
    async fn histories(&self) -> Result<Histories> {
        let mut measured = Vec::new();
        for messages in [MESSAGES, LONG] {
            (self.say)(&format!("a history of {messages} messages"));
            let both = Both {
                direct: Stream::to(self.upstream.host()),
                proxied: Stream::to(self.server.host()),
                path: format!("/m/history-{messages}/v1/chat/completions"),
                briefing: false,
                pace: Pace::QUICK,
            };
            let chat = Chat::new(&format!("history {messages}"), messages);
            let (direct, proxied) = both.talk(chat, self.setup.exchanges, 0).await?;
            measured.push(Measured::new(direct, proxied));
        }
        Ok(Histories { messages: [MESSAGES, LONG], measured })
    }
}

fn memory(entries: usize) -> String {
    format!("entries-{entries}")
}

/// Two ways to the same upstream.
struct Both {
    direct: Stream,
    proxied: Stream,
    path: String,
    briefing: bool,
    pace: Pace,
}

impl Both {
    /// Has so many exchanges; answers the times to the first byte, direct and through the proxy.
    async fn talk(
        mut self,
        mut chat: Chat,
        exchanges: usize,
        number: usize,
    ) -> Result<(Latencies, Latencies)> {
        let headers =
            format!("x-everwhen-briefing: {}\r\n", if self.briefing { "on" } else { "off" });
        let mut taken = (Latencies::default(), Latencies::default());
        // Chats do not all begin at the same moment.
        tokio::time::sleep(self.pace.offset(number)).await;
        for exchange in 0..=exchanges {
            let body = chat.ask(self.pace.name());
            let (direct, _) = self.direct.first_byte("/v1/chat/completions", "", &body).await?;
            let (proxied, reply) = self.proxied.first_byte(&self.path, &headers, &body).await?;
            chat.hear(reply);
            // The first one opens connections and finds the memory.
            if exchange > 0 {
                taken.0.add_length(direct);
                taken.1.add_length(proxied);
            }
        }
        Ok(taken)
    }
}

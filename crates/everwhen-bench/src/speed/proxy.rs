//! `everwhen bench proxy`: what the proxy adds to the first byte of a reply.
//!
//! Walk: start an upstream here and a server in front of it → fill memories → the same kind of chats
//! directly to the upstream and through the proxy, alternating, alone and 32 at once, with and without a
//! briefing → short and long histories → maximum throughput → a thousand slow streams.
//!
//! Each row has the distribution of times to the first byte directly and through the proxy, with the same
//! number of chats at the same pace, and the differences of the two medians and of the two 99th
//! percentiles. That is a difference of percentiles, not a percentile of differences. A single chat
//! alternates between direct requests and requests through the proxy, so each of the latter is compared with
//! the one just before it; the percentiles of those differences are reported, too. The proxy has the default
//! deadline; requests for which memory was not ready in time are counted. The replies of 32 chats have
//! tokens 20 ms apart, and each chat continues a moment after its reply, so that about 30 streams are open at
//! any time and the machine, on which chats, upstream and proxy all run, is not saturated: otherwise the
//! queue before its cores would be measured, which the proxy does not add. The throughput of a saturated
//! machine is reported in a line of its own.

mod chat;
mod client;
mod report;
mod slow;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use everwhen::{DirectoryLock, LockAttempt};

use self::client::{ChatClient, ChatPace, ChatRoute, FirstByteTimes, together};
use self::report::{Added, Histories, Measured, Saturated};
use crate::harness::client::Client;
use crate::harness::dialogue;
use crate::harness::filler::text;
use crate::harness::server::Server;
use crate::harness::upstream::{Pace, Upstream};
use crate::report::OnProgress;

pub use report::ProxyReport;

/// What to measure, and how much of it.
#[derive(Debug, Clone)]
pub struct ProxyBench {
    /// The program to start as a server.
    pub binary: PathBuf,
    /// Sizes of the memory of the chats, in entries.
    pub sizes: Vec<usize>,
    /// The number of exchanges in each row, direct and through the proxy.
    pub exchanges: usize,
    /// The number of slow streams open at once.
    pub slow_streams: usize,
}

/// A single chat continues a few milliseconds after each reply.
const ALONE: ChatPace =
    ChatPace { pace: Pace::QUICK, messages: 10, pause: Duration::from_millis(10) };
/// The number of chats at once.
const MANY: usize = 32;
/// Rounds of many chats, each direct and then through the proxy.
const TURNS: usize = 6;
/// The pace of many chats.
const TOGETHER: ChatPace =
    ChatPace { pace: Pace::STEADY, messages: 10, pause: Duration::from_millis(40) };
/// The number of chats without pauses.
const HASTY: ChatPace = ChatPace { pace: Pace::INSTANT, messages: 10, pause: Duration::ZERO };
/// The number of messages of a long request.
const LONG: usize = 1_000;
/// Warm-up exchanges that are not measured: they open connections and find the memory.
const WARM_UP: usize = 20;
/// A job may put another that is due a little later.
const JOBS_APART: Duration = Duration::from_millis(2_200);
/// Entries in one request that fills a memory.
const BATCH: usize = 1_000;

/// Runs all of it.
pub async fn run(setup: &ProxyBench, on_progress: OnProgress<'_>) -> Result<ProxyReport> {
    let directory = tempfile::tempdir()?;
    let upstream = Upstream::start().await?;
    let config = format!(
        "[[upstream]]\nname = \"bench\"\nkind = \"openai\"\nbase_url = \"http://{}/v1\"\n",
        upstream.host()
    );
    let start = |name: &str| {
        let data = directory.path().join(name);
        let config = config.clone();
        async move { Server::configured(&setup.binary, &data, &config).await }
    };
    let mut report = ProxyReport::default();
    if !setup.sizes.is_empty() {
        let server = start("added").await?;
        let data = directory.path().join("added");
        let bench =
            ProxySetup { setup, server: &server, data: &data, upstream: &upstream, on_progress };
        bench.measure(&mut report).await?;
    }
    if setup.slow_streams > 0 {
        // On a server of their own: streams are what is weighed.
        let server = start("slow").await?;
        report.slow = Some(slow::hold(&server, setup.slow_streams, on_progress).await?);
    }
    Ok(report)
}

/// What every measurement needs.
struct ProxySetup<'b> {
    setup: &'b ProxyBench,
    server: &'b Server,
    /// The data directory of that server.
    data: &'b Path,
    upstream: &'b Upstream,
    on_progress: OnProgress<'b>,
}

/// The token of the server's operator.
fn operator_token(data: &Path) -> Result<String> {
    match DirectoryLock::ask(data)? {
        LockAttempt::Taken(holder) => {
            Ok(holder.server.context("the server has not said where it answers")?.token)
        }
        LockAttempt::Held(_) => bail!("no server holds {}", data.display()),
    }
}

impl ProxySetup<'_> {
    async fn measure(&self, report: &mut ProxyReport) -> Result<()> {
        (self.on_progress)(Added::TITLE);
        for entries in &self.setup.sizes {
            self.fill(*entries).await?;
            for streams in [1, MANY] {
                for briefing in [false, true] {
                    let added = self.added(*entries, streams, briefing).await?;
                    (self.on_progress)(&added.to_string());
                    report.added.push(added);
                }
            }
        }
        let histories = self.histories().await?;
        (self.on_progress)(&histories.to_string());
        let saturated = self.saturated().await?;
        (self.on_progress)(&saturated.to_string());
        (report.histories, report.saturated) = (Some(histories), Some(saturated));
        Ok(())
    }

    /// Creates a memory with this number of entries, in batches over HTTP.
    async fn fill(&self, entries: usize) -> Result<()> {
        if entries == 0 {
            return Ok(());
        }
        (self.on_progress)(&format!("a memory of {entries} entries"));
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

    /// Waits until the background work of the memory is done: summaries, chapters, facts.
    async fn settle(&self, client: &mut Client) -> Result<()> {
        (self.on_progress)("what follows from it: summaries, chapters, facts");
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

    /// Direct requests to the upstream.
    fn direct(&self) -> ChatRoute {
        let (host, path) = (self.upstream.host().to_owned(), "/v1/chat/completions".to_owned());
        ChatRoute { host, path, headers: String::new() }
    }

    /// Through the proxy, in a memory.
    fn proxied(&self, memory: &str, briefing: bool) -> ChatRoute {
        ChatRoute {
            host: self.server.host().to_owned(),
            path: format!("/m/{memory}/v1/chat/completions"),
            headers: format!("x-everwhen-briefing: {}\r\n", if briefing { "on" } else { "off" }),
        }
    }

    /// A number of chats at once in one memory, and as many directly to the upstream, alternating.
    async fn added(&self, entries: usize, streams: usize, briefing: bool) -> Result<Added> {
        let with = if briefing { "with" } else { "without" };
        (self.on_progress)(&format!("{streams} at once, {entries} entries, {with} briefing"));
        let (manner, turns) =
            if streams == 1 { (ALONE, self.setup.exchanges) } else { (TOGETHER, TURNS) };
        let called = format!("{entries} {streams} {briefing}");
        let proxied = self.proxied(&memory(entries), briefing);
        let measured = self.in_turns(&called, streams, (proxied, manner), turns).await?;
        Ok(Added { entries, streams, briefing, measured })
    }

    /// Direct requests and requests through the proxy, alternating, so that other load on the
    /// machine affects both alike.
    async fn in_turns(
        &self,
        called: &str,
        streams: usize,
        (proxied, manner): (ChatRoute, ChatPace),
        turns: usize,
    ) -> Result<Measured> {
        let mut sides = [self.direct(), proxied].map(|way| talkers(called, streams, &way, manner));
        let mut taken = [FirstByteTimes::default(), FirstByteTimes::default()];
        let each = self.setup.exchanges.div_ceil(streams * turns).max(1);
        for side in &mut sides {
            together(side, WARM_UP.div_ceil(streams)).await?;
        }
        for _ in 0..turns {
            for (side, taken) in sides.iter_mut().zip(&mut taken) {
                taken.join(together(side, each).await?);
            }
        }
        let [direct, proxied] = taken;
        let is_paired = streams == 1 && each == 1;
        Ok(Measured::new(&direct, &proxied, is_paired))
    }

    /// One turn with a short and with a long history.
    async fn histories(&self) -> Result<Histories> {
        let lengths = [ALONE.messages, LONG];
        let mut measured = Vec::new();
        for messages in lengths {
            (self.on_progress)(&format!("a history of {messages} messages"));
            let called = format!("history {messages}");
            let proxied = self.proxied(&format!("history-{messages}"), false);
            let manner = ChatPace { messages, ..ALONE };
            let turns = self.setup.exchanges;
            measured.push(self.in_turns(&called, 1, (proxied, manner), turns).await?);
        }
        Ok(Histories { messages: lengths, measured })
    }

    /// The maximum throughput, without pauses: client, upstream and proxy share the cores.
    async fn saturated(&self) -> Result<Saturated> {
        (self.on_progress)(&format!("{MANY} chats without a pause"));
        let mut rates = Vec::new();
        for way in [self.direct(), self.proxied("saturated", false)] {
            let mut all = talkers("saturated", MANY, &way, HASTY);
            together(&mut all, 1).await?;
            let each = (self.setup.exchanges * 2).div_ceil(MANY);
            let began = Instant::now();
            let taken = together(&mut all, each).await?;
            rates.push(taken.lengths.len() as f64 / began.elapsed().as_secs_f64());
        }
        Ok(Saturated { streams: MANY, direct_per_second: rates[0], proxied_per_second: rates[1] })
    }
}

/// A number of clients that chat this way.
fn talkers(called: &str, streams: usize, way: &ChatRoute, manner: ChatPace) -> Vec<ChatClient> {
    (0..streams)
        .map(|number| ChatClient::new(&format!("{called} {number}"), way.clone(), manner))
        .collect()
}

fn memory(entries: usize) -> String {
    format!("entries-{entries}")
}

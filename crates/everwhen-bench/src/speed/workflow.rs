//! `everwhen bench workflow`: the overhead of a node, and the time the user waits.
//!
//! Walk: start an upstream that answers at once and a server with workflows in front of it → the same
//! message straight at the upstream, through a workflow of one node, through one with many plain nodes
//! and through one whose nodes ask, in turn → then one with slow nodes behind its answer.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};

use crate::harness::client::Latencies;
use crate::harness::server::Server;
use crate::harness::stream::Stream;
use crate::harness::upstream::{Pace, Upstream};
use crate::report::OnProgress;

/// What to measure, and how much of it.
#[derive(Debug, Clone)]
pub struct WorkflowBench {
    /// The program to start as a server.
    pub binary: PathBuf,
    /// Messages through each workflow.
    pub rounds: usize,
}

/// Nodes without a model call, before the responder: enough to be measurable next to a durable write.
const PLAIN: usize = 200;
/// Nodes that ask, before the responder.
const ASKING: usize = 10;
/// Slow nodes behind the answer.
const BEHIND: usize = 3;
/// Rounds that are not counted.
const WARM_UP: usize = 5;

/// What was measured. All of them medians, for messages one after the other.
#[derive(Debug, Serialize)]
pub struct WorkflowReport {
    /// Messages through each workflow.
    pub rounds: usize,
    /// A reply straight from the upstream, whole.
    pub direct_ms: f64,
    /// A reply through a workflow of one node, whole.
    pub one_node_ms: f64,
    /// The overhead of a node without a model call.
    pub plain_node_us: f64,
    /// The overhead of a node with a model call, without the call itself.
    pub asking_node_us: f64,
    /// A reply through a workflow with slow nodes behind its answer, whole.
    pub with_rest_ms: f64,
    /// What those slow nodes wait for.
    pub rest_ms: f64,
}

/// Runs the benchmark; `on_progress` is called with each step.
pub async fn run(setup: &WorkflowBench, on_progress: OnProgress<'_>) -> Result<WorkflowReport> {
    let directory = tempfile::tempdir()?;
    let upstream = Upstream::start().await?;
    write_workflows(&directory.path().join("flows"))?;
    let config = config(&upstream, &directory.path().join("flows"));
    let server = Server::configured(&setup.binary, &directory.path().join("data"), &config).await?;
    let mut bench = WorkflowSetup {
        direct: Stream::to(upstream.host()),
        server: Stream::to(server.host()),
        said: 0,
    };
    on_progress(&format!("{} messages through each of three workflows", setup.rounds));
    let mut timings = Timings::default();
    for round in 0..setup.rounds + WARM_UP {
        let turn = bench.turn().await?;
        if round >= WARM_UP {
            timings.add(turn);
        }
    }
    on_progress("nodes behind the answer");
    let mut with_rest = Latencies::default();
    for _ in 0..setup.rounds.min(50) {
        with_rest.add_length(bench.through("behind").await?);
    }
    Ok(timings.report(setup.rounds, with_rest))
}

fn config(upstream: &Upstream, flows: &Path) -> String {
    let endpoint = |name: &str, pace: Pace| {
        format!("[[endpoint]]\nname = \"{name}\"\nmodel = \"{}\"\n", pace.name())
    };
    format!(
        "[[upstream]]\nname = \"bench\"\nkind = \"openai\"\nbase_url = \"http://{}/v1\"\n{}{}\
         [proxy]\ndeadline_ms = 10000\n[workflow]\ndir = \"{}\"\n",
        upstream.host(),
        endpoint("instant", Pace::INSTANT),
        endpoint("steady", Pace::STEADY),
        flows.display()
    )
}

fn write_workflows(flows: &Path) -> Result<()> {
    let ask = |endpoint: &str, answers: bool| {
        json!({
            "type": "Standard", "endpointName": endpoint, "returnToUser": answers,
            "systemPrompt": "It is {current_time_24h}.", "prompt": "{chat_user_prompt_last_one}",
        })
    };
    let plain = |number: usize| match number % 4 {
        0 => {
            json!({ "type": "StringConcatenator", "strings": ["{chat_user_prompt_last_ten}", "!"] })
        }
        1 => json!({ "type": "Conditional", "condition": "'{Discussion_Id}' == 'w'" }),
        2 => json!({ "type": "ArithmeticProcessor", "expression": "{current_day_of_month} + 1" }),
        _ => json!({ "type": "TagTextExtractor", "tagToExtractFrom": "<a>{todays_date_iso}</a>",
            "fieldToExtract": "a" }),
    };
    let answer = || ask("instant", true);
    let many = (0..PLAIN).map(plain).chain([answer()]).collect();
    let asks = (0..ASKING).map(|_| ask("instant", false)).chain([answer()]).collect();
    let behind = [answer()].into_iter().chain((0..BEHIND).map(|_| ask("steady", false))).collect();
    std::fs::create_dir_all(flows)?;
    for (name, nodes) in
        [("one", vec![answer()]), ("many", many), ("asks", asks), ("behind", behind)]
    {
        let nodes: Vec<Value> = nodes;
        std::fs::write(flows.join(format!("{name}.json")), Value::from(nodes).to_string())?;
    }
    Ok(())
}

/// The two connections that are compared.
struct WorkflowSetup {
    direct: Stream,
    server: Stream,
    said: usize,
}

/// One message each way.
struct MessageTiming {
    direct: Duration,
    one: Duration,
    many: Duration,
    asks: Duration,
}

impl WorkflowSetup {
    async fn turn(&mut self) -> Result<MessageTiming> {
        Ok(MessageTiming {
            direct: self.straight().await?,
            one: self.through("one").await?,
            many: self.through("many").await?,
            asks: self.through("asks").await?,
        })
    }

    /// A reply straight from the upstream, to its end.
    async fn straight(&mut self) -> Result<Duration> {
        let body = body(Pace::INSTANT.name(), self.next());
        let began = Instant::now();
        self.direct.first_byte("/v1/chat/completions", "", &body).await?;
        Ok(began.elapsed())
    }

    /// A reply through a workflow, to its end.
    async fn through(&mut self, workflow: &str) -> Result<Duration> {
        let body = body(&format!("everwhen/{workflow}"), self.next());
        let began = Instant::now();
        self.server.first_byte("/m/w/v1/chat/completions", "", &body).await?.with_memory()?;
        Ok(began.elapsed())
    }

    fn next(&mut self) -> usize {
        self.said += 1;
        self.said
    }
}

fn body(model: &str, number: usize) -> String {
    let content = format!("This is message number {number} of the bench.");
    json!({ "model": model, "stream": true, "messages": [{ "role": "user", "content": content }] })
        .to_string()
}

/// What turns took.
#[derive(Default)]
struct Timings {
    direct: Latencies,
    one: Latencies,
    plain: Latencies,
    asking: Latencies,
}

impl Timings {
    fn add(&mut self, turn: MessageTiming) {
        let per_node = |whole: Duration, nodes: usize| {
            whole.saturating_sub(turn.one) / u32::try_from(nodes).unwrap_or(1)
        };
        self.plain.add_length(per_node(turn.many, PLAIN));
        self.asking.add_length(per_node(turn.asks, ASKING).saturating_sub(turn.direct));
        self.direct.add_length(turn.direct);
        self.one.add_length(turn.one);
    }

    fn report(mut self, rounds: usize, mut with_rest: Latencies) -> WorkflowReport {
        let half = |one: &mut Latencies| one.percentile_ms(0.50);
        WorkflowReport {
            rounds,
            direct_ms: half(&mut self.direct),
            one_node_ms: half(&mut self.one),
            plain_node_us: half(&mut self.plain) * 1e3,
            asking_node_us: half(&mut self.asking) * 1e3,
            with_rest_ms: half(&mut with_rest),
            rest_ms: Pace::STEADY.length().as_secs_f64() * 1e3 * BEHIND as f64,
        }
    }
}

impl std::fmt::Display for WorkflowReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "medians of {} messages, one after the other", self.rounds)?;
        writeln!(f, "straight at the upstream        {:>8.2} ms", self.direct_ms)?;
        writeln!(f, "a workflow of one node          {:>8.2} ms", self.one_node_ms)?;
        writeln!(f, "each plain node before it       {:>8.0} µs", self.plain_node_us)?;
        writeln!(f, "each node that asks, beside it  {:>8.0} µs", self.asking_node_us)?;
        write!(f, "with {:.0} ms of work behind it    {:>8.2} ms", self.rest_ms, self.with_rest_ms)
    }
}

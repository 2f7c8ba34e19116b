//! What may be typed after `everwhen bench`.

mod runner;

use std::path::PathBuf;

use clap::{Args, Subcommand};

pub(crate) use runner::{CompareArgs, ModeArg, OverheadArgs, PlanArgs, RunArgs, VerifyArgs};

/// Measure Everwhen on this machine, beside what it is built on
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen bench store
  everwhen bench store --quick
  everwhen bench store --entries 200000 --out figures
  everwhen bench store --store postgres://everwhen@127.0.0.1/everwhen
  everwhen bench longmemeval --data longmemeval_s_cleaned.json --out figures
  everwhen bench longmemeval --data longmemeval_s_cleaned.json --ids dev_ids.txt --embedder minilm
  everwhen bench locomo --data locomo10.json
  everwhen bench temporal --data TemporalMemoryDataset
  everwhen bench recall --entries 10000,100000,1000000
  everwhen bench mcp
  everwhen bench proxy
  everwhen bench proxy --quick
  everwhen bench workflow
  everwhen bench run bench.toml
  everwhen bench verify out/run_first
  everwhen bench compare out/run_first out/run_second")]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    pub(crate) topic: BenchTopic,
}

/// What to measure.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchTopic {
    Store(StoreBenchArgs),
    Longmemeval(LongMemEvalArgs),
    Locomo(DatasetArgs),
    Temporal(DatasetArgs),
    Recall(RecallBenchArgs),
    Distill(DistillBenchArgs),
    Mcp(McpBenchArgs),
    Proxy(ProxyBenchArgs),
    Workflow(WorkflowBenchArgs),
    Tune(TuneArgs),
    Run(Box<RunArgs>),
    Overhead(OverheadArgs),
    Verify(VerifyArgs),
    Compare(CompareArgs),
}

/// Does recall find the sessions that hold the answer? LongMemEval S
#[derive(Debug, Args)]
pub(crate) struct LongMemEvalArgs {
    #[command(flatten)]
    pub(crate) dataset: DatasetArgs,
    /// File with the ids of the questions to ask, one per line
    #[arg(long, value_name = "FILE")]
    pub(crate) ids: Option<PathBuf>,
    /// All sessions of the file in one memory
    #[arg(long)]
    pub(crate) pooled: bool,
}

/// Does recall find what holds the answer?
#[derive(Debug, Args)]
pub(crate) struct DatasetArgs {
    // A name and type that stand for the data directory elsewhere; here nothing is kept.
    /// The data: a file, or the directory of a packed set
    #[arg(long, value_name = "PATH")]
    pub(crate) data: String,
    /// Which embedder takes part: static, none, a model that was pulled, such as minilm, or the
    /// directory of one; its vectors are kept in the data directory for the next run
    #[arg(long, value_name = "NAME", default_value = "static")]
    pub(crate) embedder: String,
    /// Directory to write summary.json and questions.jsonl into
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// How fast a question is answered, by size of the memory
///
/// Made-up dialogue in a temporary directory; the same questions with each embedder, on a warm index.
/// Says also how fast entries come in, how much memory that takes and how long the first answer after
/// a start takes, with and without what was kept of the index. Beside it: this machine's memory, and
/// others with the same texts and questions.
#[derive(Debug, Args)]
pub(crate) struct RecallBenchArgs {
    /// Sizes of the memory, rising
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [10_000, 100_000])]
    pub(crate) entries: Vec<usize>,
    /// Questions at each size
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) questions: usize,
    /// Embedders, one after the other: none, static, or the name or directory of a transformer
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_values_t = ["none".to_owned(), "static".to_owned()])]
    pub(crate) embedders: Vec<String>,
    /// Entries to give to SQLite FTS5, and to ChromaDB, beside it
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) peers: usize,
    /// A small run that shows that it works
    #[arg(long, conflicts_with_all = ["entries", "questions", "embedders", "peers", "chroma"])]
    pub(crate) quick: bool,
    /// A Python that has ChromaDB, to measure it too; tools/chroma makes one
    #[arg(long, value_name = "PYTHON")]
    pub(crate) chroma: Option<PathBuf>,
    /// Directory to write summary.json into
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// How long agents wait for add_entry and search_memories, beside the same write by REST
#[derive(Debug, Args)]
pub(crate) struct McpBenchArgs {
    /// Calls of each kind
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub(crate) calls: usize,
}

/// How fast conversations become facts, and whether adding entries suffers meanwhile
#[derive(Debug, Args)]
pub(crate) struct DistillBenchArgs {
    /// Conversations to distil
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub(crate) conversations: usize,
    /// Seconds that entries are added alone, and as many while conversations are distilled, in turn
    #[arg(long, value_name = "N", default_value_t = 18)]
    pub(crate) seconds: u64,
    /// Milliseconds the scripted model takes while entries are added
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) model_takes: u64,
}

/// Fits the weights of recall on LongMemEval S, by seed, with cross-validation
#[derive(Debug, Args)]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    pub(crate) dataset: DatasetArgs,
    /// File with the ids of the questions to fit on
    #[arg(long, value_name = "FILE")]
    pub(crate) ids: PathBuf,
    /// Where chance begins
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Weights to try
    #[arg(long, default_value_t = 300)]
    pub(crate) tries: usize,
}

/// How fast entries are kept and listed, and how much memory that takes
///
/// Batches beside a bare SQLite loop that inserts the same rows; single durable adds over HTTP with
/// 1, 8 and 64 clients, with and without group commit; lists by time range in a small and a large
/// memory. Works in temporary directories and on the loopback address only. With --store, that database
/// beside SQLite instead, with at most 10000 entries; what it adds there it removes again.
#[derive(Debug, Args)]
pub(crate) struct StoreBenchArgs {
    /// Entries in the large memory
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = entries)]
    pub(crate) entries: usize,
    /// Seconds each number of clients adds entries
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub(crate) seconds: u64,
    /// A small run that shows that it works: 20000 entries, one second each
    #[arg(long, conflicts_with_all = ["entries", "seconds"])]
    pub(crate) quick: bool,
    /// Directory to write store.json into
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

fn entries(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(entries @ 20_000..=1_600_000) => Ok(entries),
        _ => Err("use a number from 20000 to 1600000".into()),
    }
}

/// What does a node of a workflow cost beside its model, and what does the user wait for?
#[derive(Debug, Args)]
pub(crate) struct WorkflowBenchArgs {
    /// A few messages, to see that it works
    #[arg(long)]
    pub(crate) quick: bool,
    /// Messages through each workflow
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub(crate) rounds: usize,
    /// Directory to write workflow.json into
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// What does the proxy add to the first byte of a reply, and what do a thousand streams cost?
///
/// Requests go straight at the upstream and through the proxy in turns, with as many chats at the same pace.
/// Each row has p50 and p99 of both, and the difference of the p50s and of the p99s; a p99 is the time that
/// 99 of 100 requests do not exceed. For one chat alone there are also p50 and p99 of the differences, each
/// between a request through the proxy and the one straight at the upstream just before it. The proxy has
/// the default deadline (proxy.deadline_ms, 250); requests for which memory was not ready in time stand under
/// "without memory". One chat alone says the next thing up to 10 ms after a reply; 32 chats have replies of
/// 16 pieces, 20 ms apart, and go on up to 40 ms later, so that about 30 streams are open and the machine is
/// not saturated. What goes through without pauses stands in a line of its own. Each row is shown as soon as
/// it is there; the largest memory takes a minute to fill.
#[derive(Debug, Args)]
pub(crate) struct ProxyBenchArgs {
    /// A few exchanges and small memories, to see that it works
    #[arg(long)]
    pub(crate) quick: bool,
    /// Exchanges in each row, each way
    #[arg(long, value_name = "N", default_value_t = 600)]
    pub(crate) exchanges: usize,
    /// Sizes of the memory that is spoken in, in entries
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_value = "0,1000,100000")]
    pub(crate) sizes: Vec<usize>,
    /// Streams held at once; none for 0
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) slow: usize,
    /// Directory to write proxy.json into
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

//! Arguments of `everwhen bench`.

mod runner;

use std::path::PathBuf;

use clap::{Args, Subcommand};

pub(crate) use runner::{
    CompareArgs, LogsArgs, ModeArg, OverheadArgs, PlanArgs, RunArgs, VerifyArgs,
};

/// Benchmark Everwhen on this machine, next to the libraries it uses
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
  everwhen bench realtalk --data realtalk.json
  everwhen bench beam --data beam.json
  everwhen bench tune --longmemeval DIR --locomo locomo10.json --realtalk realtalk.json
  everwhen bench temporal --data TemporalMemoryDataset
  everwhen bench exam
  everwhen bench recall --entries 10000,100000,1000000
  everwhen bench import
  everwhen bench import --messages 50000
  everwhen bench mcp
  everwhen bench proxy
  everwhen bench proxy --quick
  everwhen bench workflow
  everwhen bench run bench.toml
  everwhen bench verify out/run_first
  everwhen bench logs logs/run_1757000000
  everwhen bench compare out/run_first out/run_second")]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    pub(crate) topic: BenchTopic,
}

/// The benchmarks.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchTopic {
    Store(StoreBenchArgs),
    Longmemeval(LongMemEvalArgs),
    /// Retrieval quality on LoCoMo: is the evidence for the answer found?
    Locomo(DatasetArgs),
    /// Retrieval quality on REALTALK, in LoCoMo's form: real people, short messages
    Realtalk(DatasetArgs),
    /// Retrieval quality on BEAM, in LoCoMo's form: long technical chats with an assistant
    Beam(DatasetArgs),
    /// Retrieval quality on the Temporal Memory Dataset, whose questions name times
    Temporal(DatasetArgs),
    Recall(RecallBenchArgs),
    Import(ImportBenchArgs),
    Distill(DistillBenchArgs),
    Mcp(McpBenchArgs),
    Proxy(ProxyBenchArgs),
    Workflow(WorkflowBenchArgs),
    Exam(ExamArgs),
    Tune(TuneArgs),
    Run(Box<RunArgs>),
    Overhead(OverheadArgs),
    Verify(VerifyArgs),
    Logs(LogsArgs),
    Compare(CompareArgs),
}

/// Import of one large ChatGPT archive: speed, memory, and resuming after a kill
#[derive(Debug, Args)]
pub(crate) struct ImportBenchArgs {
    /// Messages in the archive
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) messages: u64,
    /// Archive to import in this process; without one, it only opens what is there
    #[arg(long, hide = true, requires = "into")]
    pub(crate) archive: Option<PathBuf>,
    /// Data directory to import into
    #[arg(long, hide = true)]
    pub(crate) into: Option<PathBuf>,
}

/// Retrieval quality on LongMemEval S: are the sessions with the answer found?
#[derive(Debug, Args)]
pub(crate) struct LongMemEvalArgs {
    #[command(flatten)]
    pub(crate) dataset: DatasetArgs,
    /// File with the ids of the questions to ask, one per line
    #[arg(long, value_name = "FILE")]
    pub(crate) ids: Option<PathBuf>,
    /// Put all sessions of the file into one memory
    #[arg(long)]
    pub(crate) pooled: bool,
    /// Have SQLite FTS5 answer the same questions from the same entries, for comparison
    #[arg(long)]
    pub(crate) peers: bool,
    /// Python interpreter with ChromaDB, to have it answer them too; see tools/chroma
    #[arg(long, value_name = "PYTHON")]
    pub(crate) chroma: Option<PathBuf>,
}

/// Retrieval quality on a dataset: is the evidence for the answer found?
#[derive(Debug, Args)]
pub(crate) struct DatasetArgs {
    // A name and type that stand for the data directory elsewhere; here nothing is kept.
    /// Dataset: a file, or the directory of a packed dataset
    #[arg(long, value_name = "PATH")]
    pub(crate) data: String,
    /// Embedder: static, none, the name of a downloaded model such as minilm, or the directory of
    /// one; its vectors are cached in the data directory
    #[arg(long, value_name = "NAME", default_value = "static")]
    pub(crate) embedder: String,
    /// Directory for summary.json and questions.jsonl
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Latency of recall by size of the memory
///
/// Uses synthetic dialogue in a temporary directory, or with --store in a vault of its own in a
/// PostgreSQL database, and the same questions for each embedder, on a warm index. Also reports ingestion speed, memory use and the time to the first answer after a
/// start, with and without the persisted index. For comparison: this machine's memory bandwidth,
/// and other systems with the same texts and questions.
#[derive(Debug, Args)]
pub(crate) struct RecallBenchArgs {
    /// Sizes of the memory, ascending
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [10_000, 100_000])]
    pub(crate) entries: Vec<usize>,
    /// Questions per size
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) questions: usize,
    /// Embedders, in order: none, static, or the name or directory of a transformer
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_values_t = ["none".to_owned(), "static".to_owned()])]
    pub(crate) embedders: Vec<String>,
    /// Number of entries for the comparison with SQLite FTS5 and ChromaDB
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) peers: usize,
    /// Small run to check that the benchmark works
    #[arg(long, conflicts_with_all = ["entries", "questions", "embedders", "peers", "chroma"])]
    pub(crate) quick: bool,
    /// Python interpreter with ChromaDB, to measure it too; see tools/chroma
    #[arg(long, value_name = "PYTHON")]
    pub(crate) chroma: Option<PathBuf>,
    /// Directory for summary.json
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Latency of the MCP tools add_entry and search_memories, compared with the REST API
#[derive(Debug, Args)]
pub(crate) struct McpBenchArgs {
    /// Calls of each tool
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub(crate) calls: usize,
}

/// Speed of distilling conversations into facts, and its effect on adding entries
#[derive(Debug, Args)]
pub(crate) struct DistillBenchArgs {
    /// Number of conversations to distil
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub(crate) conversations: usize,
    /// Duration in seconds of each phase: adding entries alone, and while conversations are
    /// distilled
    #[arg(long, value_name = "N", default_value_t = 18)]
    pub(crate) seconds: u64,
    /// Latency of the scripted model in milliseconds while entries are added
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) model_takes: u64,
}

/// Retrieval quality on a fixed exam made from tables inside the program; needs no data
#[derive(Debug, Args)]
pub(crate) struct ExamArgs {
    /// Embedder: static, none, or the name or directory of a downloaded model
    #[arg(long, value_name = "NAME", default_value = "static")]
    pub(crate) embedder: String,
}

/// Fit the recall weights on several data sets, and score each set while it is left out
///
/// All weights start equal, every set has the same influence, and one set of weights serves all of
/// them. Name at least two data sets. Nothing is changed: the weights that were found are printed.
#[derive(Debug, Args)]
pub(crate) struct TuneArgs {
    /// LongMemEval S: a file, or the directory of the packed dataset
    #[arg(long, value_name = "PATH")]
    pub(crate) longmemeval: Option<PathBuf>,
    /// LoCoMo's file
    #[arg(long, value_name = "FILE")]
    pub(crate) locomo: Option<PathBuf>,
    /// REALTALK, in LoCoMo's form
    #[arg(long, value_name = "FILE")]
    pub(crate) realtalk: Option<PathBuf>,
    /// BEAM, in LoCoMo's form
    #[arg(long, value_name = "FILE")]
    pub(crate) beam: Option<PathBuf>,
    /// Embedder: static, none, or the name or directory of a downloaded model
    #[arg(long, value_name = "NAME", default_value = "static")]
    pub(crate) embedder: String,
    /// Also fit without each signal, to see which left-out sets it helps; takes minutes
    #[arg(long)]
    pub(crate) ablate: bool,
}

/// Speed of storing and listing entries, and memory use
///
/// Batches, compared with a plain SQLite loop that inserts the same rows; single durable writes
/// over HTTP with 1, 8 and 64 clients, with and without group commit; lists by time range in a
/// small and a large memory. Uses only temporary directories and the loopback address. With
/// --store, compares that database with SQLite, with at most 10000 entries, and removes what it
/// added.
#[derive(Debug, Args)]
pub(crate) struct StoreBenchArgs {
    /// Number of entries in the large memory
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = entries)]
    pub(crate) entries: usize,
    /// Duration in seconds for each number of clients
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub(crate) seconds: u64,
    /// Small run to check that the benchmark works: 20000 entries, one second each
    #[arg(long, conflicts_with_all = ["entries", "seconds"])]
    pub(crate) quick: bool,
    /// Directory for store.json
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

fn entries(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(entries @ 20_000..=1_600_000) => Ok(entries),
        _ => Err("use a number from 20000 to 1600000".into()),
    }
}

/// Overhead of workflow nodes, and the time the user waits
#[derive(Debug, Args)]
pub(crate) struct WorkflowBenchArgs {
    /// Small run to check that the benchmark works
    #[arg(long)]
    pub(crate) quick: bool,
    /// Messages per workflow
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub(crate) rounds: usize,
    /// Directory for workflow.json
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Latency that the proxy adds to the first byte, and the cost of a thousand streams
///
/// Requests alternate between the upstream and the proxy, with the same number of chats at the same
/// pace. Each row shows p50 and p99 of both and their differences; p99 is the time that 99 of 100
/// requests do not exceed. For a single chat it also shows p50 and p99 of the paired differences,
/// each between a request through the proxy and the direct request just before it. The proxy has
/// the default deadline (proxy.deadline_ms, 250); requests for which memory was not ready in time
/// are counted under "without memory". A single chat sends its next message up to 10 ms after a
/// reply; 32 chats get replies of 16 pieces, 20 ms apart, and continue up to 40 ms later, so that
/// about 30 streams are open and the machine is not saturated. Throughput without pauses is
/// reported separately. Each row is printed as soon as it is measured; the largest memory takes a
/// minute to fill.
#[derive(Debug, Args)]
pub(crate) struct ProxyBenchArgs {
    /// Small run to check that the benchmark works
    #[arg(long)]
    pub(crate) quick: bool,
    /// Exchanges per row and direction
    #[arg(long, value_name = "N", default_value_t = 600)]
    pub(crate) exchanges: usize,
    /// Sizes of the memory in entries
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_value = "0,1000,100000")]
    pub(crate) sizes: Vec<usize>,
    /// Number of concurrent streams; 0 skips this part
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) slow: usize,
    /// Directory for proxy.json
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

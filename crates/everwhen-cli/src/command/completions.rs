//! `everwhen completions`: shell completions.

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs};
use crate::failure::Result;
use crate::output;

/// Writes the completions for a shell.
pub(crate) fn run(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "everwhen", &mut script);
    output::raw(&script)
}

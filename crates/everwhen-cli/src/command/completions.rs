//! `everwhen completions`: what a shell needs to complete what is typed.

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs};
use crate::failure::Result;
use crate::output;

/// Writes the completions of a shell.
pub(crate) fn run(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "everwhen", &mut script);
    output::raw(&script)
}

//! The binary `everwhen`: parse, run, print, exit code.

mod args;
mod client;
mod command;
mod console;
mod failure;
mod input;
mod log;
mod output;
mod show;

use std::process::ExitCode;

use clap::FromArgMatches;
use mimalloc::MiMalloc;

use args::{Cli, Command};

/// A recall allocates a few hundred small blocks; with the system's allocator that is a tenth of
/// its time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let matches = args::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let purpose = cli.command.as_ref().map_or("look around", Command::purpose);
    match command::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(message) = &failure.message {
                output::error(purpose, message);
            }
            ExitCode::from(failure.code)
        }
    }
}

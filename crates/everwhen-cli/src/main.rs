//! The binary `everwhen`: parse, run, print, exit code.

mod args;
mod client;
mod command;
mod console;
mod failure;
mod input;
mod log;
mod output;
mod project;
mod show;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches;
use mimalloc::MiMalloc;

use args::{Cli, Command};

/// A recall allocates a few hundred small blocks; with the system's allocator that is a tenth of
/// its time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let parsed = args::command().try_get_matches_from(&words);
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        // Some agents stop what their user wants if a hook fails.
        Err(error) if error.use_stderr() && words.get(1).is_some_and(|word| word == "hook") => {
            output::note(&error.to_string());
            command::discard_input();
            return ExitCode::SUCCESS;
        }
        Err(error) => error.exit(),
    };
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

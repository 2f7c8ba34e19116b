//! The binary `everwhen`: parse, run, print, and an exit code that says how it went.

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

use clap::Parser;
use mimalloc::MiMalloc;

use args::Cli;

/// A question takes a few hundred small pieces of memory and gives them back; that is a tenth of its
/// time with the allocator of the system.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let purpose = cli.command.purpose();
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

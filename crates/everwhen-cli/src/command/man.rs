//! `everwhen man`: manual pages, from the same definitions as `--help`.

use crate::args::{self, ManArgs};
use crate::failure::{Failure, Result};
use crate::output;

/// Writes one page for each command.
pub(crate) fn run(args: &ManArgs) -> Result<()> {
    let directory = &args.directory;
    let failed = |error: std::io::Error| {
        Failure::new(format!("cannot write to {}: {error}", directory.display()))
    };
    std::fs::create_dir_all(directory).map_err(failed)?;
    clap_mangen::generate_to(args::plain_command(), directory).map_err(failed)?;
    output::line(&format!(
        "wrote the manual to {}; read it with: man everwhen",
        directory.display()
    ))
}

//! `everwhen export vault`: everything in a vault as lines of JSON.

use std::fs::File;
use std::io::{BufWriter, Write};

use crate::args::ExportVaultArgs;
use crate::client::Request;
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::output;

/// Writes the export into a new file, or to standard output.
pub(crate) async fn run(console: &Console, args: &ExportVaultArgs) -> Result<()> {
    let request = Request::get(console.in_vault("/export")).with("memory", console.named_memory());
    if args.file == "-" {
        console.download(request, &mut output::stream()).await?;
        return Ok(());
    }
    let unwritable = |error: std::io::Error| Failure::new(format!("{}: {error}", args.file));
    let file = File::options().write(true).create_new(true).open(&args.file).map_err(unwritable)?;
    let mut writer = BufWriter::new(file);
    let bytes = match console.download(request, &mut writer).await {
        Ok(bytes) => bytes,
        Err(failure) => {
            // A part of an export is no use.
            let _ = std::fs::remove_file(&args.file);
            return Err(failure);
        }
    };
    writer.flush().map_err(unwritable)?;
    output::line(&format!("Exported {bytes} bytes to {}", args.file))
}

//! `everwhen export vault`: everything in a vault as lines of JSON; `everwhen export chatgpt` and others: the
//! conversations of a memory as another program has them.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::export::create;
use crate::args::{ExportChatsArgs, ExportVaultArgs};
use crate::client::Request;
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::output;

/// Writes the export into a new file, or to standard output.
pub(crate) async fn run(console: &Console, args: &ExportVaultArgs) -> Result<()> {
    let request = Request::get(console.in_vault("/export")).with("memory", console.named_memory());
    save(console, request, &args.file).await
}

/// Writes the conversations of the memory in the format of another program.
pub(crate) async fn chats(console: &Console, format: &str, args: &ExportChatsArgs) -> Result<()> {
    let request = Request::get(console.in_vault("/export")).with("memory", Some(console.memory()));
    save(console, request.with("format", Some(format)), &args.file).await
}

async fn save(console: &Console, request: Request, path: &str) -> Result<()> {
    if path == "-" {
        console.download(request, &mut output::stream()).await?;
        return Ok(());
    }
    let mut writer = BufWriter::new(create(Path::new(path))?);
    let bytes = match console.download(request, &mut writer).await {
        Ok(bytes) => bytes,
        Err(failure) => {
            // A part of an export is no use.
            let _ = std::fs::remove_file(path);
            return Err(failure);
        }
    };
    writer.flush().map_err(|error| Failure::new(format!("{path}: {error}")))?;
    output::line(&format!("Exported {bytes} bytes to {path}"))
}

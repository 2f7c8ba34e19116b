//! Text that is typed, or read from a file or from standard input.

use std::io::{self, Read};
use std::path::Path;

use crate::failure::{Failure, Result};

/// What was typed; `-` stands for standard input. The line end that a shell adds is dropped.
pub(crate) fn text_or_stdin(typed: &str) -> Result<String> {
    if typed != "-" {
        return Ok(typed.to_owned());
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    let mut text = utf8(bytes, "standard input")?;
    if text.ends_with('\n') {
        text.truncate(text.trim_end_matches(['\n', '\r']).len());
    }
    Ok(text)
}

/// What is in a file; `-` stands for standard input.
pub(crate) fn file_or_stdin(name: &str) -> Result<String> {
    if name == "-" {
        return text_or_stdin(name);
    }
    utf8(read_file(Path::new(name))?, name)
}

fn read_file(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))
}

fn utf8(bytes: Vec<u8>, what: &str) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        Failure::new(format!("{what} is not valid UTF-8, from byte {place} on"))
    })
}

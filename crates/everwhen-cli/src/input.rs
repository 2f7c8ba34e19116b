//! Text from an argument, a file or standard input.

use std::io::{self, Read};
use std::path::Path;

use crate::failure::{Failure, Result};

/// The argument, or standard input for `-`. The final line break that a shell adds is dropped.
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

/// The content of a file, or standard input for `-`.
pub(crate) fn file_or_stdin(name: &str) -> Result<String> {
    if name == "-" {
        return text_or_stdin(name);
    }
    utf8(read_file(Path::new(name))?, name)
}

fn read_file(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))
}

fn utf8(bytes: Vec<u8>, what: &str) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        Failure::usage(format!("{what} is not valid UTF-8, from byte {place} on"))
    })
}

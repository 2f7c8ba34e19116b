//! The file in which an agent records a session: how far it is known, and where it is stored.

use std::io::Read;
use std::path::Path;

use everwhen::import::Plan;

use crate::command::import::files::{store_plan, usual_options};
use crate::console::Console;
use crate::failure::{Failure, Result};

/// Longer files are left to `everwhen import`.
const LONGEST: u64 = 256 * 1024 * 1024;
/// How much of a file is searched for a compaction while the user waits.
const SEARCHED: u64 = 32 * 1024 * 1024;
/// What marks a compaction: in files of Claude Code, and in those of Codex.
const COMPACTED: [&[u8]; 2] = [b"\"compact_boundary\"", b"\"type\":\"compacted\""];

/// Stores what is new in a file. `is_spoken` says that something must be in it. Returns the number of new
/// entries.
pub(super) async fn store(
    console: &Console,
    file: &Path,
    source: &str,
    is_spoken: bool,
) -> Result<u64> {
    let size = match std::fs::metadata(file) {
        Ok(about) if about.is_file() => about.len(),
        Ok(_) => return Err(Failure::new(format!("{} is no file", file.display()))),
        // A session that was never begun has none.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(Failure::new(format!("{}: {error}", file.display()))),
    };
    if size > LONGEST {
        let name = file.display();
        return Err(Failure::new(format!(
            "{name} is very long; store it with: everwhen import {name}"
        )));
    }
    let mut options = usual_options(console).await?;
    options.from = Some(source.to_owned());
    let plan = match Plan::of_paths(&[file.to_owned()], &options) {
        Ok(plan) => plan,
        Err(error) if is_spoken => return Err(error.into()),
        // A file without messages: nothing has been said yet.
        Err(_) => return Ok(0),
    };
    store_plan(console, plan, &options).await.map(|(stored, _)| stored)
}

/// Whether the agent has replaced a part of this session by a summary, and so no longer sees it.
pub(super) fn was_compacted(file: &Path) -> bool {
    let Ok(open) = std::fs::File::open(file) else { return false };
    let mut text = Vec::new();
    if open.take(SEARCHED).read_to_end(&mut text).is_err() {
        return false;
    }
    COMPACTED.iter().any(|mark| text.windows(mark.len()).any(|window| window == *mark))
}

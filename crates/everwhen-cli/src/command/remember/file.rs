//! A file of entries, one JSON object per line: checked first, then sent in batches.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use axum::http::Method;
use serde_json::{Map, Value, json};

use crate::client::Request;
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::{output, show};

/// Maximum number of entries in one request.
const BATCH_ENTRIES: usize = 500;
/// Maximum size of one request, well below the server's limit.
const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// Stores a whole file.
pub(crate) async fn run(console: &Console, path: &Path, key: Option<&str>) -> Result<()> {
    let total = lines(path)?.try_fold(0, |count, line| line.map(|_| count + 1))?;
    let bar = output::progress(total, "entries");
    let mut sent = SentBatches { console, key, batches: 0, stored: 0, receipts: Vec::new() };
    let mut batch = EntryBatch::default();
    for line in lines(path)? {
        batch.push(line?);
        if batch.is_full() {
            sent.send(std::mem::take(&mut batch)).await?;
            bar.set_position(sent.stored);
        }
    }
    sent.send(batch).await?;
    bar.finish_and_clear();
    if console.json {
        return output::json(&json!({ "entries": sent.receipts }).to_string());
    }
    output::line(&format!("Remembered {}", show::count(sent.stored, "entry", "entries")))
}

/// A line that contains an entry.
struct Line {
    number: usize,
    entry: String,
}

/// The non-blank lines of a file, each checked to be a JSON object.
fn lines(path: &Path) -> Result<impl Iterator<Item = Result<Line>>> {
    let file = File::open(path)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))?;
    let numbered = BufReader::new(file).lines().enumerate();
    Ok(numbered.filter_map(|(place, line)| {
        let number = place + 1;
        match line {
            Ok(line) if line.trim().is_empty() => None,
            Ok(line) => Some(check(line).map_err(|problem| at(number, &problem))),
            Err(error) => Some(Err(at(number, &error.to_string()))),
        }
        .map(|line| line.map(|entry| Line { number, entry }))
    }))
}

fn check(line: String) -> Result<String, String> {
    match serde_json::from_str::<Map<String, Value>>(&line) {
        Ok(_) => Ok(line),
        Err(error) => Err(format!("not a JSON object: {error}")),
    }
}

fn at(line: usize, problem: &str) -> Failure {
    Failure::usage(format!("line {line}: {problem}; nothing of the file is stored"))
}

/// Entries of one request.
#[derive(Default)]
struct EntryBatch {
    lines: Vec<Line>,
    bytes: usize,
}

impl EntryBatch {
    fn push(&mut self, line: Line) {
        self.bytes += line.entry.len();
        self.lines.push(line);
    }

    fn is_full(&self) -> bool {
        self.lines.len() >= BATCH_ENTRIES || self.bytes >= BATCH_BYTES
    }

    /// The entries as they are in the file. Each is on its own line, so that an error that names a
    /// line of the body names an entry.
    fn body(&self) -> String {
        let entries: Vec<&str> = self.lines.iter().map(|line| line.entry.as_str()).collect();
        format!("{{\"entries\":[\n{}\n]}}", entries.join(",\n"))
    }
}

/// What has been sent so far.
struct SentBatches<'a> {
    console: &'a Console,
    key: Option<&'a str>,
    batches: u64,
    stored: u64,
    /// One receipt per entry, collected only for `--json`.
    receipts: Vec<Value>,
}

impl SentBatches<'_> {
    async fn send(&mut self, batch: EntryBatch) -> Result<()> {
        if batch.lines.is_empty() {
            return Ok(());
        }
        self.batches += 1;
        let key = self.key.map(|key| format!("{key}/{}", self.batches));
        let path = self.console.in_memory("/entries/batch");
        let request = Request::new(Method::POST, path).body(batch.body()).once(key);
        let reply = self.console.send(request).await;
        let reply = reply.map_err(|failure| failure.reword(|said| self.explain(&said, &batch)))?;
        self.stored += batch.lines.len() as u64;
        if self.console.json {
            let receipts = &mut reply.value()?["entries"];
            self.receipts.extend(receipts.as_array_mut().into_iter().flat_map(std::mem::take));
        }
        Ok(())
    }

    /// Translates an entry's position in the batch to its line in the file.
    fn explain(&self, said: &str, batch: &EntryBatch) -> String {
        let first = batch.lines.first().map_or(1, |line| line.number);
        let (line, problem) =
            in_file(said, batch).unwrap_or_else(|| (format!("lines {first} and on"), said.into()));
        let stored = match self.stored {
            0 => "nothing of the file is stored".to_owned(),
            some => format!("{some} entries before line {first} are stored, the rest is not"),
        };
        format!("{line}: {problem}; {stored}")
    }
}

/// The line of the file and the problem, if the server names an entry: `entries[3]: problem`, or
/// `problem at line 5 column 7` of the body, whose entries begin on its second line.
fn in_file(said: &str, batch: &EntryBatch) -> Option<(String, String)> {
    let (place, problem) = match said.strip_prefix("entries[") {
        Some(rest) => {
            let (place, problem) = rest.split_once("]: ")?;
            (place.parse::<usize>().ok()?, problem)
        }
        None => {
            let (problem, place) = said.rsplit_once(" at line ")?;
            let (line, _) = place.split_once(' ')?;
            (line.parse::<usize>().ok()?.checked_sub(2)?, problem)
        }
    };
    let line = batch.lines.get(place)?;
    Some((format!("line {}", line.number), problem.to_owned()))
}

//! ChromaDB for comparison: the same texts and dates with precomputed vectors, queried by vectors.
//!
//! It is a Python program, so a small script is given to a Python that has it. Texts go in as
//! lines with their dates, vectors as numbers; latencies come back.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use everwhen::models::StaticTable;
use serde::Deserialize;

use super::dialogue;
use super::report::Peer;
use crate::report::Latency;

/// What the script says at the end.
#[derive(Debug, Deserialize)]
struct ChromaReply {
    version: String,
    ingest_seconds: f64,
    latencies: Vec<f64>,
}

/// Runs the script.
pub(super) fn measure(python: &Path, entries: usize, questions: usize) -> Result<Peer> {
    let directory = tempfile::tempdir()?;
    let home = directory.path();
    let mut texts = BufWriter::new(File::create(home.join("texts"))?);
    let mut vectors = BufWriter::new(File::create(home.join("vectors"))?);
    for number in 0..entries {
        let text = dialogue::text(number);
        writeln!(texts, "{} {text}", dialogue::time(number)?.as_second())?;
        put(&mut vectors, &text)?;
    }
    let mut asked = BufWriter::new(File::create(home.join("questions"))?);
    (0..questions).try_for_each(|one| put(&mut asked, &dialogue::question(one).join(" ")))?;
    for file in [&mut texts, &mut vectors, &mut asked] {
        file.flush()?;
    }
    std::fs::write(home.join("chroma.py"), include_str!("chroma.py"))?;
    let told = tell(python, home)?;
    let latencies = told.latencies.iter().map(|seconds| Duration::from_secs_f64(*seconds));
    Ok(Peer {
        name: format!("ChromaDB {}", told.version),
        entries,
        ingest_seconds: told.ingest_seconds,
        latency_ms: Latency::of(latencies.collect()),
    })
}

fn put(file: &mut impl Write, text: &str) -> Result<()> {
    let vector = StaticTable.vector(text);
    vector.iter().try_for_each(|value| file.write_all(&value.to_le_bytes()))?;
    Ok(())
}

fn tell(python: &Path, home: &Path) -> Result<ChromaReply> {
    let output = Command::new(python)
        .arg(home.join("chroma.py"))
        .arg(home)
        .output()
        .with_context(|| format!("cannot run {}", python.display()))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "ChromaDB could not be measured: {complaint}");
    Ok(serde_json::from_slice(&output.stdout)?)
}

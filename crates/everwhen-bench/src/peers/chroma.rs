//! ChromaDB: the same texts and dates with the vectors of the static table, queried by vectors.
//!
//! It is a Python program, so a small script is given to a Python interpreter that has it. Texts go
//! in as JSON lines with their dates, vectors as numbers; latencies and places come back.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::json;

use super::{PeerAnswers, PeerMemory, vector};

/// What the script prints at the end.
#[derive(Debug, Deserialize)]
struct ChromaReply {
    version: String,
    ingest_seconds: f64,
    latencies: Vec<f64>,
    found: Vec<Vec<usize>>,
}

/// Writes the memories into a temporary directory and runs the script on them.
pub(super) fn answers(
    python: &Path,
    memories: &[PeerMemory<'_>],
    limit: usize,
) -> Result<PeerAnswers> {
    let directory = tempfile::tempdir()?;
    let home = directory.path();
    write(home, memories)?;
    std::fs::write(home.join("chroma.py"), include_str!("chroma.py"))?;
    let reply = run(python, home, limit)?;
    let latencies = reply.latencies.into_iter().map(Duration::from_secs_f64).collect();
    let (name, ingest_seconds) = (format!("ChromaDB {}", reply.version), reply.ingest_seconds);
    Ok(PeerAnswers { name, ingest_seconds, latencies, found: reply.found })
}

fn write(home: &Path, memories: &[PeerMemory<'_>]) -> Result<()> {
    let create = |name: &str| File::create(home.join(name)).map(BufWriter::new);
    let (mut texts, mut vectors) = (create("texts")?, create("vectors")?);
    let (mut asked, mut sizes) = (create("questions")?, create("memories")?);
    for memory in memories {
        for entry in &memory.entries {
            writeln!(texts, "{}", json!({"text": entry.text, "second": entry.second}))?;
            put(&mut vectors, &entry.text)?;
        }
        memory.questions.iter().try_for_each(|question| put(&mut asked, &question.text))?;
        let bounds: Vec<Option<i64>> = memory.questions.iter().map(|one| one.before).collect();
        writeln!(sizes, "{}", json!({"entries": memory.entries.len(), "questions": bounds}))?;
    }
    for file in [&mut texts, &mut vectors, &mut asked, &mut sizes] {
        file.flush()?;
    }
    Ok(())
}

fn put(file: &mut impl Write, text: &str) -> Result<()> {
    vector(text).iter().try_for_each(|value| file.write_all(&value.to_le_bytes()))?;
    Ok(())
}

fn run(python: &Path, home: &Path, limit: usize) -> Result<ChromaReply> {
    let output = Command::new(python)
        .arg(home.join("chroma.py"))
        .arg(home)
        .arg(limit.to_string())
        .output()
        .with_context(|| format!("cannot run {}", python.display()))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "ChromaDB could not be measured: {complaint}");
    Ok(serde_json::from_slice(&output.stdout)?)
}

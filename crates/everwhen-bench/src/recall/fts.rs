//! SQLite's full-text search for comparison: the same texts, dates and questions, ranked by `bm25()`.

use std::time::Instant;

use anyhow::Result;
use rusqlite::Connection;

use super::dialogue;
use super::report::Peer;
use crate::report::Latency;

/// Fills a table in a file and asks for the ten best.
pub(super) fn measure(entries: usize, questions: usize) -> Result<Peer> {
    let directory = tempfile::tempdir()?;
    let mut connection = Connection::open(directory.path().join("fts.db"))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    let table = "CREATE VIRTUAL TABLE said USING fts5(text, time UNINDEXED, tokenize = 'porter')";
    connection.execute_batch(table)?;
    let began = Instant::now();
    fill(&mut connection, entries)?;
    let ingest_seconds = began.elapsed().as_secs_f64();
    let sql = "SELECT text, time FROM said WHERE said MATCH ?1 ORDER BY bm25(said) LIMIT 10";
    let mut statement = connection.prepare(sql)?;
    let mut latencies = Vec::with_capacity(questions);
    for number in 0..questions {
        let question = dialogue::question(number).join(" OR ");
        let began = Instant::now();
        let found = statement.query_map([question], |row| Ok((row.get(0)?, row.get(1)?)))?;
        found.collect::<rusqlite::Result<Vec<(String, i64)>>>()?;
        latencies.push(began.elapsed());
    }
    let latency_ms = Latency::of(latencies);
    Ok(Peer { name: "SQLite FTS5".into(), entries, ingest_seconds, latency_ms })
}

fn fill(connection: &mut Connection, entries: usize) -> Result<()> {
    let transaction = connection.transaction()?;
    {
        let mut insert = transaction.prepare("INSERT INTO said (text, time) VALUES (?1, ?2)")?;
        for number in 0..entries {
            let time = dialogue::time(number)?.as_second();
            insert.execute((dialogue::text(number), time))?;
        }
    }
    transaction.commit()?;
    Ok(())
}

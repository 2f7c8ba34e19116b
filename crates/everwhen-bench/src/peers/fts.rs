//! SQLite's full-text search: stemmed words, ranked by BM25.
//!
//! It is used as its documentation recommends: ordered by `rank`, with a limit. Entries are inserted
//! in the order of their times, so that a time to stop at is a bound on the row number, which costs
//! nothing.

use std::time::{Duration, Instant};

use anyhow::Result;
use rusqlite::Connection;

use super::{PeerAnswers, PeerEntry, PeerMemory, PeerQuestion};

/// Words that hardly narrow a search and make it slow; a program that uses FTS5 leaves them out.
const COMMON: &str = "a about an and are as at be by can did do does for from had has have how i in is it \
    me my of on or our that the there these this to was we were what when where which who why will with you your";

/// Fills a table in a file for each memory and asks for the best entries.
pub(super) fn answers(memories: &[PeerMemory<'_>], limit: usize) -> Result<PeerAnswers> {
    let mut answers = PeerAnswers {
        name: "SQLite FTS5".into(),
        ingest_seconds: 0.0,
        latencies: Vec::new(),
        found: Vec::new(),
    };
    for memory in memories {
        let directory = tempfile::tempdir()?;
        let mut connection = Connection::open(directory.path().join("fts.db"))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        let table =
            "CREATE VIRTUAL TABLE said USING fts5(text, time UNINDEXED, tokenize = 'porter')";
        connection.execute_batch(table)?;
        let began = Instant::now();
        let order = fill(&mut connection, &memory.entries)?;
        answers.ingest_seconds += began.elapsed().as_secs_f64();
        for question in &memory.questions {
            let (found, took) = ask(&connection, memory, &order, question, limit)?;
            answers.found.push(found);
            answers.latencies.push(took);
        }
    }
    Ok(answers)
}

/// Inserts the entries by time; returns the place of each row's entry.
fn fill(connection: &mut Connection, entries: &[PeerEntry<'_>]) -> Result<Vec<usize>> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|place| entries[*place].second);
    let transaction = connection.transaction()?;
    {
        let mut insert = transaction.prepare("INSERT INTO said (text, time) VALUES (?1, ?2)")?;
        for place in &order {
            let PeerEntry { text, second } = &entries[*place];
            insert.execute((text.as_ref(), second))?;
        }
    }
    transaction.commit()?;
    Ok(order)
}

fn ask(
    connection: &Connection,
    memory: &PeerMemory<'_>,
    order: &[usize],
    question: &PeerQuestion,
    limit: usize,
) -> Result<(Vec<usize>, Duration)> {
    let words = words(&question.text);
    if words.is_empty() {
        return Ok((Vec::new(), Duration::ZERO));
    }
    let seen =
        |place: &usize| question.before.is_none_or(|end| memory.entries[*place].second < end);
    let rows = order.partition_point(seen);
    let sql = "SELECT rowid, text, time FROM said WHERE said MATCH ?1 AND rowid <= ?2 \
               ORDER BY rank LIMIT ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let began = Instant::now();
    let found = statement.query_map((words, rows as i64, limit as i64), |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?))
    })?;
    let found = found.collect::<rusqlite::Result<Vec<_>>>()?;
    let took = began.elapsed();
    Ok((found.into_iter().map(|(row, ..)| order[row as usize - 1]).collect(), took))
}

/// The words of a question as FTS5 reads them: any of them may occur.
fn words(question: &str) -> String {
    let lower = question.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric());
    let rare = words.filter(|word| !word.is_empty() && !COMMON.split(' ').any(|one| one == *word));
    rare.map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" OR ")
}

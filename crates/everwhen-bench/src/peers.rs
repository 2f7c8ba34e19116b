//! Other systems beside Everwhen: they get the same texts, dates and questions, and say how long
//! each answer took and which entries they found.
//!
//! SQLite's FTS5 ranks by words, ChromaDB by the vectors of the static table. Neither gets more
//! than a text, its time and, where a question must not see everything, a time to stop at.

mod chroma;
mod fts;

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use everwhen::models::StaticTable;

/// Which other systems take part; SQLite's FTS5 always does.
#[derive(Debug, Clone, Default)]
pub struct PeerChoice {
    /// A Python interpreter that has ChromaDB.
    pub chroma: Option<PathBuf>,
}

/// One memory of a peer, and the questions that are asked in it.
pub(crate) struct PeerMemory<'m> {
    pub(crate) entries: Vec<PeerEntry<'m>>,
    pub(crate) questions: Vec<PeerQuestion>,
}

/// What a peer stores.
pub(crate) struct PeerEntry<'m> {
    pub(crate) text: Cow<'m, str>,
    /// When it was said, in seconds since 1970.
    pub(crate) second: i64,
}

/// What a peer is asked.
pub(crate) struct PeerQuestion {
    pub(crate) text: String,
    /// Only entries from before this second may be found; absent where that leaves none out.
    pub(crate) before: Option<i64>,
}

/// What a peer did.
pub(crate) struct PeerAnswers {
    /// Its name and version.
    pub(crate) name: String,
    /// Seconds until everything could be searched, over all memories.
    pub(crate) ingest_seconds: f64,
    /// How long each answer took, in the order of the memories and of their questions.
    pub(crate) latencies: Vec<Duration>,
    /// For each answer the places of the found entries in their memory, best first.
    pub(crate) found: Vec<Vec<usize>>,
}

/// Has every chosen peer store the memories and answer their questions with up to `limit` entries.
pub(crate) fn answers(
    choice: &PeerChoice,
    memories: &[PeerMemory<'_>],
    limit: usize,
    on_progress: &dyn Fn(&str),
) -> Result<Vec<PeerAnswers>> {
    on_progress("SQLite FTS5");
    let mut answers = vec![fts::answers(memories, limit)?];
    if let Some(python) = &choice.chroma {
        on_progress("ChromaDB");
        answers.push(chroma::answers(python, memories, limit)?);
    }
    Ok(answers)
}

impl PeerMemory<'_> {
    /// How many entries there are in all of them.
    pub(crate) fn entries_of(memories: &[Self]) -> usize {
        memories.iter().map(|memory| memory.entries.len()).sum()
    }
}

/// The vector by which a text is stored and asked for.
fn vector(text: &str) -> Vec<f32> {
    StaticTable.vector(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(text: &'static str, second: i64) -> PeerEntry<'static> {
        PeerEntry { text: text.into(), second }
    }

    #[test]
    fn full_text_search_ranks_by_words_and_stops_at_the_time() {
        let said = [("the ferry to Naxos leaves at nine", 300), ("a ferry", 100), ("rain", 200)];
        let asks =
            |before| PeerQuestion { text: "When does the Naxos ferry leave?".into(), before };
        let memory = PeerMemory {
            entries: said.map(|(text, second)| entry(text, second)).into(),
            questions: vec![asks(None), asks(Some(300))],
        };
        let other = PeerMemory { entries: vec![entry("rain", 1)], questions: vec![asks(None)] };
        let answers = fts::answers(&[memory, other], 10).expect("it answers");
        assert_eq!(answers.found, [vec![0, 1], vec![1], vec![]]);
        assert_eq!(answers.latencies.len(), 3);
    }
}

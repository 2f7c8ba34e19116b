//! `everwhen bench verify`: every measure of a run recomputed from its events, and compared
//! with what was written down.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use super::events::{self, Event, Metrics};
use super::progress::Progress;
use super::question::whole_question;
use super::summary::{self, RunSummary};

/// Measures may differ by so much.
const TOLERANCE_MS: i64 = 1000;

/// What was compared, and what differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Number of sessions that were checked.
    pub sessions: usize,
    /// Number of questions that were checked.
    pub questions: usize,
    /// What differs, in sentences; nothing if all is well.
    pub problems: Vec<String>,
}

/// Recomputes every measure of a run.
pub fn verify(directory: &Path) -> Result<Verified> {
    let events = events::read(&directory.join("events.jsonl"))?;
    let sessions = attempts(&events);
    let mut problems = Vec::new();
    let stored = Progress::open(&directory.join("progress.db"))?.sessions()?;
    for row in &stored {
        let key = (row.question.as_str(), row.session.as_str());
        let computed = sessions.get(&key).and_then(|events| events::metrics(events));
        let place = format!("session {} of {}", row.session, row.question);
        problems.extend(differences(&place, row.metrics.as_ref(), computed.as_ref()));
    }
    let lines = summary::read_lines(directory)?;
    let mut seen = std::collections::HashSet::new();
    for line in &lines {
        let id = line.question_id.as_str();
        if !seen.insert(id) {
            problems.push(format!("question {id} has two lines"));
        }
        let own = sessions.iter().filter(|((question, _), _)| *question == id);
        let computed = whole_question(own.flat_map(|(_, events)| events.iter().copied()));
        let place = format!("question {id}");
        problems.extend(differences(&place, line.metrics.as_ref(), computed.as_ref()));
    }
    let computed = serde_json::from_str(&serde_json::to_string(&RunSummary::of(directory)?)?)?;
    if comparable(computed)? != comparable(summary::read(directory)?)? {
        problems.push("summary.json is not what the lines and sessions give".into());
    }
    Ok(Verified { sessions: stored.len(), questions: lines.len(), problems })
}

/// A summary as it is after having been written and read once, without what no line gives.
fn comparable(summary: RunSummary) -> Result<serde_json::Value> {
    Ok(serde_json::to_value(RunSummary { overhead: None, ..summary })?)
}

/// The events that count, by question and session.
fn attempts(events: &[Event]) -> BTreeMap<(&str, &str), Vec<&Event>> {
    let mut sessions: BTreeMap<(&str, &str), Vec<&Event>> = BTreeMap::new();
    for event in events {
        sessions.entry((&event.question, &event.session)).or_default().push(event);
    }
    sessions.into_iter().map(|(key, events)| (key, events::last_attempt(&events))).collect()
}

fn differences(
    place: &str,
    stored: Option<&Metrics>,
    computed: Option<&Metrics>,
) -> Option<String> {
    let (stored, computed) = match (stored, computed) {
        (Some(stored), Some(computed)) => (stored, computed),
        (None, None) => return None,
        _ => return Some(format!("{place}: measures are missing on one side")),
    };
    if let Some(broken) = stored.broken().or_else(|| computed.broken()) {
        return Some(format!("{place}: {broken}"));
    }
    let lengths = [
        ("elapsed", stored.conversation_elapsed_ms, computed.conversation_elapsed_ms),
        ("active", stored.conversation_active_ms, computed.conversation_active_ms),
        ("idle", stored.conversation_idle_ms, computed.conversation_idle_ms),
    ];
    let wrong = lengths.iter().find(|(_, a, b)| (a - b).abs() > TOLERANCE_MS);
    if let Some((name, stored, computed)) = wrong {
        return Some(format!("{place}: {name} is {stored} ms, and {computed} ms from the events"));
    }
    let same = (stored.conversation_turns, &stored.status)
        == (computed.conversation_turns, &computed.status);
    (!same).then(|| format!("{place}: turns or status differ from the events"))
}

//! The data: the upstream JSON array with sessions inside, or the packed pair of files.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::Value;

/// One turn of a session.
#[derive(Debug, Clone, Deserialize)]
pub struct LongMemEvalTurn {
    /// `user` or `assistant`.
    pub role: String,
    /// What was said.
    pub content: String,
    /// Whether it holds the answer.
    #[serde(default)]
    pub has_answer: bool,
}

/// A session with its name and date.
#[derive(Debug, Clone)]
pub struct LongMemEvalSession {
    /// Its id, which never reaches indexed text.
    pub id: String,
    /// When it took place.
    pub date: Timestamp,
    /// What was said.
    pub turns: Arc<Vec<LongMemEvalTurn>>,
}

/// One question with its haystack.
#[derive(Debug, Clone)]
pub struct LongMemEvalItem {
    /// Its id; `_abs` at the end marks one that cannot be answered.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// The question.
    pub text: String,
    /// When it is asked.
    pub asked_at: Timestamp,
    /// The right answer, where the data has it.
    pub answer: Option<String>,
    /// Sessions that hold the answer.
    pub gold: Vec<String>,
    /// All sessions, each once.
    pub haystack: Vec<LongMemEvalSession>,
    /// Sessions whose id the data lists again, with their later dates.
    pub repeated: Vec<LongMemEvalSession>,
    /// What a reader of results should know about the data of this question.
    pub notes: Vec<String>,
}

#[derive(Deserialize)]
struct Row {
    question_id: String,
    question_type: String,
    question: String,
    question_date: String,
    #[serde(default)]
    answer: Value,
    answer_session_ids: Vec<String>,
    haystack_dates: Vec<String>,
    haystack_session_ids: Vec<String>,
    #[serde(default)]
    haystack_sessions: Vec<Vec<LongMemEvalTurn>>,
}

#[derive(Deserialize)]
struct PackedSession {
    id: String,
    turns: Vec<LongMemEvalTurn>,
}

/// Reads a JSON array, or a directory with `questions.jsonl` and `sessions.jsonl`, plain or `.zst`.
pub(crate) fn read(path: &Path) -> Result<Vec<LongMemEvalItem>> {
    if path.is_dir() {
        return read_packed(path);
    }
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let rows: Vec<Row> = serde_json::from_reader(BufReader::new(file))
        .with_context(|| format!("{} is not LongMemEval's JSON", path.display()))?;
    rows.into_iter().map(|row| item(row, &HashMap::new())).collect()
}

fn read_packed(directory: &Path) -> Result<Vec<LongMemEvalItem>> {
    let mut sessions = HashMap::new();
    for line in open(directory, "sessions.jsonl")?.lines() {
        let session: PackedSession = serde_json::from_str(&line?)?;
        sessions.insert(session.id, Arc::new(session.turns));
    }
    let lines = open(directory, "questions.jsonl")?.lines();
    lines.map(|line| item(serde_json::from_str(&line?)?, &sessions)).collect()
}

/// A file of a directory, unpacked on the way if it is packed.
fn open(directory: &Path, name: &str) -> Result<BufReader<Box<dyn Read>>> {
    let plain = directory.join(name);
    if plain.exists() {
        return Ok(BufReader::new(Box::new(File::open(plain)?)));
    }
    let packed = directory.join(format!("{name}.zst"));
    let file = File::open(&packed)
        .with_context(|| format!("neither {name} nor {name}.zst in {}", directory.display()))?;
    let mut decoder = zstd::Decoder::new(file)?;
    decoder.window_log_max(27)?;
    Ok(BufReader::with_capacity(1 << 20, Box::new(decoder)))
}

fn item(row: Row, packed: &HashMap<String, Arc<Vec<LongMemEvalTurn>>>) -> Result<LongMemEvalItem> {
    let question = row.question_id.clone();
    haystack(row, packed).with_context(|| format!("question {question}"))
}

fn haystack(
    row: Row,
    packed: &HashMap<String, Arc<Vec<LongMemEvalTurn>>>,
) -> Result<LongMemEvalItem> {
    check_lengths(&row)?;
    let asked_at = read_date(&row.question_date)?;
    let (mut haystack, mut repeated): (Vec<LongMemEvalSession>, Vec<LongMemEvalSession>) =
        (Vec::new(), Vec::new());
    let mut notes = Vec::new();
    let mut inline = row.haystack_sessions.into_iter();
    let mut dates = row.haystack_dates.iter();
    for id in row.haystack_session_ids {
        let turns = match inline.next() {
            Some(turns) => Arc::new(turns),
            None => packed.get(&id).cloned().with_context(|| format!("no session {id}"))?,
        };
        let date = match dates.next() {
            Some(date) => read_date(date).with_context(|| format!("session {id}"))?,
            None => {
                notes.push(undated(&id));
                asked_at
            }
        };
        let is_known = haystack.iter().any(|known| known.id == id);
        let list = if is_known { &mut repeated } else { &mut haystack };
        list.push(LongMemEvalSession { id, date, turns });
    }
    Ok(LongMemEvalItem {
        id: row.question_id,
        kind: row.question_type,
        text: row.question,
        asked_at,
        answer: answer_text(&row.answer),
        gold: row.answer_session_ids,
        haystack,
        repeated,
        notes,
    })
}

/// What is said about a session without a date.
pub(crate) fn undated(session: &str) -> String {
    format!("session {session} has no date and is taken in at the date of the question")
}

/// Lists that belong together must not be cut to the shorter one. Dates may be fewer: a session
/// without a date is taken in as well.
fn check_lengths(row: &Row) -> Result<()> {
    let (ids, dates) = (row.haystack_session_ids.len(), row.haystack_dates.len());
    let sessions = row.haystack_sessions.len();
    if sessions > 0 && sessions != ids {
        bail!("{sessions} haystack_sessions but {ids} haystack_session_ids; one id each");
    }
    if dates > ids {
        bail!("{dates} haystack_dates but only {ids} sessions");
    }
    Ok(())
}

/// An answer as text; some are numbers.
pub(crate) fn answer_text(answer: &Value) -> Option<String> {
    match answer {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// `2023/05/30 (Tue) 20:36`, `2023/05/30` or `2023-05-30`, as UTC; a day without a time of day is
/// its midnight.
pub(crate) fn read_date(text: &str) -> Result<Timestamp> {
    let (day, time) = match text.split_once(" (") {
        Some((day, rest)) => (day, rest.split_once(") ").map_or("00:00", |(_, time)| time)),
        None => (text, "00:00"),
    };
    let civil = DateTime::strptime("%Y/%m/%d %H:%M", format!("{} {time}", day.replace('-', "/")))
        .with_context(|| {
        format!("cannot read the date {text:?}; write 2023/05/30 (Tue) 20:36 or 2023-05-30")
    })?;
    Ok(civil.to_zoned(TimeZone::UTC)?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_utc() {
        let date = read_date("2023/05/30 (Tue) 20:36").unwrap();
        assert_eq!(date.to_string(), "2023-05-30T20:36:00Z");
        assert!(read_date("30.5.2023").is_err());
        for day in ["2023-01-08", "2023/01/08"] {
            assert_eq!(read_date(day).unwrap().to_string(), "2023-01-08T00:00:00Z", "{day}");
        }
    }

    fn row(ids: &[&str], dates: &[&str], sessions: usize) -> Result<LongMemEvalItem> {
        let turn = serde_json::json!([{"role": "user", "content": "hello"}]);
        let row = serde_json::json!({
            "question_id": "q7", "question_type": "t", "question": "?",
            "question_date": "2023/05/30 (Tue) 20:36", "answer_session_ids": [],
            "haystack_dates": dates, "haystack_session_ids": ids,
            "haystack_sessions": vec![turn; sessions],
        });
        item(serde_json::from_value(row).unwrap(), &HashMap::new())
    }

    #[test]
    fn bug_8_no_session_vanishes() {
        let undated = row(&["a", "b"], &["2023-05-20"], 2).unwrap();
        assert_eq!(undated.haystack[1].date, undated.asked_at);
        assert!(undated.notes[0].contains("session b has no date"), "{:?}", undated.notes);
        let message = |read: Result<LongMemEvalItem>| format!("{:#}", read.unwrap_err());
        let short = message(row(&["a", "b"], &["2023-05-20"], 8));
        assert!(short.contains("question q7: 8 haystack_sessions but 2"), "{short}");
        let long = message(row(&["a"], &["2023-05-20", "2023-05-21"], 1));
        assert!(long.contains("2 haystack_dates but only 1"), "{long}");
        let unread = message(row(&["a"], &["20.5.2023"], 1));
        assert!(unread.contains("question q7: session a: cannot read the date"), "{unread}");
    }

    #[test]
    fn both_forms_give_the_same_haystack_and_a_session_counts_once() {
        let row = serde_json::json!({
            "question_id": "q", "question_type": "t", "question": "?",
            "question_date": "2023/05/30 (Tue) 20:36", "answer_session_ids": ["a"],
            "haystack_dates": ["2023/05/20 (Sat) 03:29", "2023/05/21 (Sun) 03:29"],
            "haystack_session_ids": ["a", "a"],
        });
        let turns = serde_json::json!([{"role": "user", "content": "hello", "has_answer": true}]);
        let directory = tempfile::tempdir().unwrap();
        let packed = serde_json::json!({"id": "a", "turns": turns});
        std::fs::write(directory.path().join("sessions.jsonl"), packed.to_string()).unwrap();
        std::fs::write(directory.path().join("questions.jsonl"), row.to_string()).unwrap();
        let mut whole = row;
        whole["haystack_sessions"] = serde_json::json!([turns, turns]);
        let single = directory.path().join("all.json");
        std::fs::write(&single, serde_json::json!([whole]).to_string()).unwrap();
        for path in [directory.path(), &single] {
            let items = read(path).unwrap();
            assert_eq!(items[0].haystack.len(), 1, "{}", path.display());
            assert_eq!(items[0].repeated[0].date.to_string(), "2023-05-21T03:29:00Z");
            assert!(items[0].haystack[0].turns[0].has_answer);
        }
    }
}

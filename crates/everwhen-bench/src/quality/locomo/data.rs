//! The data: one JSON array, one object per pair of people.

use std::path::Path;

use anyhow::{Context, Result};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

/// Months of talk between two people, with questions.
#[derive(Debug)]
pub struct LocomoDialogue {
    /// Its name in the file.
    pub name: String,
    /// All turns, in order.
    pub turns: Vec<LocomoTurn>,
    /// The questions that have evidence.
    pub questions: Vec<LocomoQuestion>,
}

/// One turn.
#[derive(Debug)]
pub struct LocomoTurn {
    /// `D3:7`: the seventh turn of session 3.
    pub id: String,
    /// `D3`.
    pub session: String,
    /// Who speaks.
    pub speaker: String,
    /// What is said, and what a shared picture shows.
    pub text: String,
    /// When the session took place.
    pub time: Timestamp,
}

/// One question.
#[derive(Debug)]
pub struct LocomoQuestion {
    /// The question.
    pub text: String,
    /// Its category, 1 to 5.
    pub category: u64,
    /// The right answer, where the data has it.
    pub answer: Option<String>,
    /// Turns that hold the answer.
    pub gold: Vec<String>,
}

impl LocomoDialogue {
    /// When the last session took place.
    pub fn end(&self) -> Timestamp {
        self.turns.iter().map(|turn| turn.time).max().unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

/// The session of a turn: `D3` of `D3:7`.
pub(crate) fn session_of(turn: &str) -> String {
    turn.split(':').next().unwrap_or(turn).to_owned()
}

pub(crate) fn read(path: &Path) -> Result<Vec<LocomoDialogue>> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let rows: Vec<Value> = serde_json::from_str(&text).context("not LoCoMo's JSON")?;
    rows.iter().map(dialogue).collect()
}

fn dialogue(row: &Value) -> Result<LocomoDialogue> {
    let name = row["sample_id"].as_str().context("a row without sample_id")?.to_owned();
    let mut turns = Vec::new();
    for number in 1.. {
        let Some(date) = row["conversation"][format!("session_{number}_date_time")].as_str() else {
            break;
        };
        let time = read_date(date)?;
        let session = row["conversation"][format!("session_{number}")].as_array();
        for value in session.into_iter().flatten() {
            turns.extend(turn(value, number, time));
        }
    }
    let questions = row["qa"].as_array().context("a row without qa")?;
    let known = |id: &String| turns.iter().any(|turn| turn.id == *id);
    let questions = questions.iter().filter_map(|value| question(value, &known)).collect();
    Ok(LocomoDialogue { name, turns, questions })
}

fn turn(value: &Value, session: u64, time: Timestamp) -> Option<LocomoTurn> {
    let said = value["text"].as_str().unwrap_or_default();
    let picture = value["blip_caption"].as_str();
    let text = picture.map_or(said.to_owned(), |picture| format!("{said} [shares {picture}]"));
    (!text.trim().is_empty()).then_some(())?;
    Some(LocomoTurn {
        id: value["dia_id"].as_str()?.to_owned(),
        session: format!("D{session}"),
        speaker: value["speaker"].as_str()?.to_owned(),
        text,
        time,
    })
}

/// A question, if any of its evidence is a turn that exists.
fn question(value: &Value, known: &dyn Fn(&String) -> bool) -> Option<LocomoQuestion> {
    let evidence = value["evidence"].as_array()?;
    let mut gold: Vec<String> = evidence
        .iter()
        .filter_map(Value::as_str)
        .flat_map(|text| text.split([' ', ';', ',']))
        .filter_map(turn_id)
        .filter(|id| known(id))
        .collect();
    gold.sort_unstable();
    gold.dedup();
    let text = value["question"].as_str()?.to_owned();
    (!gold.is_empty()).then(|| LocomoQuestion {
        text,
        category: value["category"].as_u64().unwrap_or(0),
        answer: crate::quality::longmemeval::answer_text(&value["answer"]),
        gold,
    })
}

/// `D30:05` is `D30:5`.
fn turn_id(text: &str) -> Option<String> {
    let (session, turn) = text.trim().split_once(':')?;
    let session: u64 = session.strip_prefix('D')?.parse().ok()?;
    Some(format!("D{session}:{}", turn.parse::<u64>().ok()?))
}

/// `1:56 pm on 8 May, 2023`, as UTC.
fn read_date(text: &str) -> Result<Timestamp> {
    let civil = DateTime::strptime("%I:%M %p on %d %B, %Y", text)
        .with_context(|| format!("cannot read the date {text:?}"))?;
    Ok(civil.to_zoned(TimeZone::UTC)?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_evidence_is_read_as_meant() {
        let value = serde_json::json!({
            "question": "?", "category": 1, "evidence": ["D8:6; D9:17", "D30:05", "D", "D99:1"],
        });
        let question = question(&value, &|id| id != "D99:1").unwrap();
        assert_eq!(question.gold, ["D30:5", "D8:6", "D9:17"]);
        assert!(
            super::question(&serde_json::json!({"question": "?", "evidence": []}), &|_| true)
                .is_none()
        );
    }

    #[test]
    fn dates_and_sessions_are_read() {
        assert_eq!(
            read_date("1:56 pm on 8 May, 2023").unwrap().to_string(),
            "2023-05-08T13:56:00Z"
        );
        assert_eq!(session_of("D3:7"), "D3");
    }
}

//! The data: logs of turns with times, and folders of questions with the set of turns meant.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

/// What two people said, turn by turn.
#[derive(Debug)]
pub struct TemporalLog {
    /// `file_26`.
    pub name: String,
    /// All turns, in order.
    pub turns: Vec<TemporalTurn>,
}

/// One turn.
#[derive(Debug)]
pub struct TemporalTurn {
    /// Its number in the log.
    pub number: u64,
    /// The session it is in.
    pub session: String,
    /// Who speaks.
    pub speaker: String,
    /// What is said.
    pub text: String,
    /// When.
    pub time: Timestamp,
}

/// One question.
#[derive(Debug)]
pub struct TimeQuestion {
    /// The folder.
    pub set: String,
    /// The file in it.
    pub kind: String,
    /// The log it is about.
    pub log: String,
    /// The question; of several lines, all of them.
    pub text: String,
    /// Turns that are meant.
    pub gold: BTreeSet<u64>,
}

/// The folders of questions.
const SETS: [&str; 3] = ["time_qs", "ambiguous_time_qs", "content_time_qs"];

impl TemporalLog {
    /// When the last turn was said.
    pub fn end(&self) -> Timestamp {
        self.turns.iter().map(|turn| turn.time).max().unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

pub(super) fn read_logs(directory: &Path) -> Result<BTreeMap<String, TemporalLog>> {
    let mut logs = BTreeMap::new();
    for path in files(&directory.join("conversations"))? {
        let log = log(&stem(&path), &json(&path)?)?;
        logs.insert(log.name.clone(), log);
    }
    Ok(logs)
}

fn log(stem: &str, value: &Value) -> Result<TemporalLog> {
    let mut turns = Vec::new();
    for number in 1.. {
        let session = format!("session_{number}");
        let Some(said) = value[&session].as_array() else { break };
        for value in said {
            turns.extend(turn(value, &session)?);
        }
    }
    turns.sort_by_key(|turn| turn.number);
    Ok(TemporalLog { name: format!("file_{stem}"), turns })
}

fn turn(value: &Value, session: &str) -> Result<Option<TemporalTurn>> {
    let number = match &value["response_number"] {
        Value::String(text) => text.parse()?,
        number => number.as_u64().context("a turn without a number")?,
    };
    let date = value["date_time"].as_str().context("a turn without a time")?;
    let civil = DateTime::strptime("%I:%M:%S %p on %A %d %B, %Y", date)
        .with_context(|| format!("cannot read the time {date:?}"))?;
    let text = value["text"].as_str().unwrap_or_default().to_owned();
    Ok((!text.trim().is_empty()).then(|| TemporalTurn {
        number,
        session: session.to_owned(),
        speaker: value["speaker"].as_str().unwrap_or("somebody").to_owned(),
        text,
        time: civil.to_zoned(TimeZone::UTC).map_or(Timestamp::UNIX_EPOCH, |z| z.timestamp()),
    }))
}

pub(super) fn read_questions(directory: &Path) -> Result<Vec<TimeQuestion>> {
    let mut questions = Vec::new();
    for set in SETS {
        for path in files(&directory.join(set))? {
            let value = json(&path)?;
            for (log, groups) in value.as_object().context("questions are not an object")? {
                for group in groups.as_array().into_iter().flatten() {
                    questions.extend(group_of(set, &stem(&path), log, group));
                }
            }
        }
    }
    Ok(questions)
}

fn group_of(set: &str, kind: &str, log: &str, group: &Value) -> Vec<TimeQuestion> {
    let gold: BTreeSet<u64> =
        group["relevant_docs"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    let question = |value: &Value| TimeQuestion {
        set: set.into(),
        kind: kind.into(),
        log: log.into(),
        text: text_of(value),
        gold: gold.clone(),
    };
    group["questions"].as_array().into_iter().flatten().map(question).collect()
}

fn text_of(value: &Value) -> String {
    if let Some(text) = value.as_str() {
        return text.to_owned();
    }
    let lines = value.as_array().into_iter().flatten().filter_map(|line| line["text"].as_str());
    lines.collect::<Vec<_>>().join(" ")
}

fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(directory)
        .with_context(|| format!("cannot list {}", directory.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn json(path: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(path)?;
    serde_json::from_str(&text).with_context(|| format!("{} is not JSON", path.display()))
}

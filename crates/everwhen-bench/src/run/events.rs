//! `events.jsonl`: everything that happened in a run, as it happened; and the measures it gives.
//!
//! An interrupted session is run again; only the events after its last start count. A
//! line that a kill tore is cut off when the run goes on.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use everwhen::activity::{ConversationTime, Observed, measure};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Event {
    pub(super) question: String,
    pub(super) session: String,
    /// When, in UTC.
    #[serde(with = "instant")]
    pub(super) at: Timestamp,
    #[serde(flatten)]
    pub(super) what: What,
}

/// An instant as text.
mod instant {
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(at: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(at)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Timestamp, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum What {
    SessionStart { conversation_time: String },
    Entry { role: String },
    Activity { kind: String, name: String, lasted_us: i64 },
    SessionEnd { status: String },
}

/// The measures of one session or question, under their public names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Metrics {
    /// First entry or first activity.
    pub(super) conversation_start_at: String,
    /// Last entry, else the terminal event.
    pub(super) conversation_end_at: String,
    /// From start to end.
    pub(super) conversation_elapsed_ms: i64,
    /// While a model or tool was at work.
    pub(super) conversation_active_ms: i64,
    /// The rest.
    pub(super) conversation_idle_ms: i64,
    /// Entries of user and assistant.
    pub(super) conversation_turns: u64,
    /// No activities were recorded.
    pub(super) active_unknown: bool,
    /// `DONE`, `FAIL` or `CANCEL`.
    pub(super) status: String,
}

/// The file.
pub(super) struct EventLog(Mutex<Option<File>>);

impl EventLog {
    /// Opens it to go on, without what a kill left half written; no path, no log.
    pub(super) fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self(Mutex::new(None))) };
        let file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
        let text = std::fs::read(path)?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        file.set_len(whole as u64)?;
        Ok(Self(Mutex::new(Some(file))))
    }

    /// Writes events as one piece.
    pub(super) fn write(&self, events: &[Event]) -> Result<()> {
        let mut lines = String::new();
        for event in events {
            lines.push_str(&serde_json::to_string(event)?);
            lines.push('\n');
        }
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(file) => Ok(file.write_all(lines.as_bytes())?),
            None => Ok(()),
        }
    }
}

/// All events of a file, in order.
pub(super) fn read(path: &Path) -> Result<Vec<Event>> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let mut events = Vec::new();
    for (at, line) in BufReader::new(file).lines().enumerate() {
        let event = serde_json::from_str(&line?);
        events.push(event.with_context(|| format!("{}, line {}", path.display(), at + 1))?);
    }
    Ok(events)
}

/// The events of one session that count: those since it last began.
pub(super) fn last_attempt<'a>(events: &[&'a Event]) -> Vec<&'a Event> {
    let starts = |event: &&Event| matches!(event.what, What::SessionStart { .. });
    let from = events.iter().rposition(starts).unwrap_or(0);
    events[from..].to_vec()
}

/// The measures that events give; nothing while it is not over.
pub(super) fn metrics(events: &[&Event]) -> Option<Metrics> {
    let ends = |event: &&&Event| matches!(event.what, What::SessionEnd { .. });
    let last = events.iter().rev().find(ends)?;
    let What::SessionEnd { status } = &last.what else { return None };
    let entries: Vec<Timestamp> = events
        .iter()
        .filter(|event| matches!(event.what, What::Entry { .. }))
        .map(|event| event.at)
        .collect();
    let activities: Vec<(Timestamp, SignedDuration)> = events
        .iter()
        .filter_map(|event| match event.what {
            What::Activity { lasted_us, .. } => {
                Some((event.at, SignedDuration::from_micros(lasted_us)))
            }
            _ => None,
        })
        .collect();
    let observed = Observed { entries: &entries, activities: &activities, terminal: Some(last.at) };
    Some(Metrics::new(measure(&observed)?, status))
}

impl Metrics {
    fn new(time: ConversationTime, status: &str) -> Self {
        let milliseconds =
            |length: SignedDuration| i64::try_from(length.as_millis()).unwrap_or(i64::MAX);
        Self {
            conversation_start_at: time.start_at.to_string(),
            conversation_end_at: time.end_at.to_string(),
            conversation_elapsed_ms: milliseconds(time.elapsed),
            conversation_active_ms: milliseconds(time.active),
            conversation_idle_ms: milliseconds(time.idle),
            conversation_turns: time.turns,
            active_unknown: time.active_unknown,
            status: status.to_owned(),
        }
    }

    /// The line that the log of a run has for each session.
    pub(super) fn line(&self) -> String {
        format!(
            "CONV_TIME total={} active={} idle={} turns={} status={}",
            self.conversation_elapsed_ms,
            self.conversation_active_ms,
            self.conversation_idle_ms,
            self.conversation_turns,
            self.status
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(second: u8, what: What) -> Event {
        let at = format!("2025-01-01T00:00:{second:02}Z").parse().unwrap();
        Event { question: "q".into(), session: "s".into(), at, what }
    }

    fn start() -> What {
        What::SessionStart { conversation_time: "2023-01-08T12:49:00Z".into() }
    }

    fn activity(lasted_us: i64) -> What {
        What::Activity { kind: "tool".into(), name: "remember".into(), lasted_us }
    }

    #[test]
    fn only_the_last_attempt_counts_and_a_torn_line_is_cut_off() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("events.jsonl");
        let log = EventLog::open(Some(&path)).unwrap();
        let said = || What::Entry { role: "user".into() };
        log.write(&[event(1, start()), event(2, said())]).unwrap();
        let torn = std::fs::read_to_string(&path).unwrap() + "{\"question\":";
        std::fs::write(&path, torn).unwrap();
        let log = EventLog::open(Some(&path)).unwrap();
        let end = What::SessionEnd { status: "DONE".into() };
        let second = [
            event(10, start()),
            event(11, said()),
            event(12, activity(2_000_000)),
            event(15, said()),
            event(20, end),
        ];
        log.write(&second).unwrap();
        let events = read(&path).unwrap();
        assert_eq!(events.len(), 7);
        let metrics = metrics(&last_attempt(&events.iter().collect::<Vec<_>>())).unwrap();
        let line = "CONV_TIME total=4000 active=2000 idle=2000 turns=2 status=DONE";
        assert_eq!(metrics.line(), line);
        assert_eq!(metrics.conversation_end_at, "2025-01-01T00:00:15Z");
    }

    #[test]
    fn what_is_not_over_has_no_measures() {
        assert_eq!(metrics(&[&event(1, start())]), None);
    }
}

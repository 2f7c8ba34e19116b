//! `events.jsonl`: everything that happened in a run, as it happened; and the measures it gives.
//!
//! An interrupted session is run again; only the events after its last start count. A
//! line that a kill tore is cut off when the run goes on. Every process that works on a run has a
//! window of its own: the time between two of them is not counted, not even as idle time.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use everwhen::activity::{ConversationTime, Observed, Terminal, measure};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Event {
    pub(super) question: String,
    pub(super) session: String,
    /// Which process of the run wrote it, from 0.
    #[serde(default)]
    pub(super) window: u32,
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
    /// Last entry or end of the last activity; the terminal event of what failed.
    pub(super) conversation_end_at: String,
    /// From start to end, without the time in which no process of the run was working.
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

/// The measures that events give; nothing while it is not over. Each window is measured by itself.
pub(super) fn metrics(events: &[&Event]) -> Option<Metrics> {
    let ends = |event: &&&Event| matches!(event.what, What::SessionEnd { .. });
    let last = events.iter().rev().find(ends)?;
    let What::SessionEnd { status } = &last.what else { return None };
    let mut windows: BTreeMap<u32, Vec<&Event>> = BTreeMap::new();
    for event in events {
        windows.entry(event.window).or_default().push(event);
    }
    let over = |window: u32| (window == last.window).then_some(status.as_str());
    let times = windows.iter().filter_map(|(window, events)| time(events, over(*window)));
    Some(Metrics::new(times.reduce(joined)?, status))
}

/// The measures of one window, which ended with this status if it is the last.
fn time(events: &[&Event], status: Option<&str>) -> Option<ConversationTime> {
    let entries: Vec<Timestamp> = events
        .iter()
        .filter(|event| matches!(&event.what, What::Entry { role } if is_turn(role)))
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
    let ends = |event: &&&Event| matches!(event.what, What::SessionEnd { .. });
    let terminal = events.iter().rev().find(ends).map(|event| event.at);
    let broke_off = status.is_some_and(|status| status != Terminal::Done.as_str());
    measure(&Observed { entries: &entries, activities: &activities, terminal, broke_off })
}

fn is_turn(role: &str) -> bool {
    matches!(role, "user" | "assistant")
}

/// Two windows as one: their lengths add up.
fn joined(a: ConversationTime, b: ConversationTime) -> ConversationTime {
    ConversationTime {
        start_at: a.start_at.min(b.start_at),
        end_at: a.end_at.max(b.end_at),
        elapsed: a.elapsed + b.elapsed,
        active: a.active + b.active,
        idle: a.idle + b.idle,
        turns: a.turns + b.turns,
        active_unknown: a.active_unknown && b.active_unknown,
    }
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
            conversation_idle_ms: milliseconds(time.elapsed) - milliseconds(time.active),
            conversation_turns: time.turns,
            active_unknown: time.active_unknown,
            status: status.to_owned(),
        }
    }

    /// What is impossible about the measures, if something is.
    pub(super) fn broken(&self) -> Option<String> {
        let (elapsed, active) = (self.conversation_elapsed_ms, self.conversation_active_ms);
        if active > elapsed {
            return Some(format!("active is {active} ms of {elapsed} ms elapsed"));
        }
        let idle = self.conversation_idle_ms;
        (idle != elapsed - active).then(|| format!("idle is {idle} ms, not {}", elapsed - active))
    }

    /// The line that the log of a run has for each session; lengths in milliseconds.
    pub(super) fn line(&self, question: &str, session: &str) -> String {
        format!(
            "CONV_TIME total={} active={} idle={} turns={} status={} unit=ms question={question} \
             session={session}",
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
        Event { question: "q".into(), session: "s".into(), window: 0, at, what }
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
        let line = "CONV_TIME total=4000 active=2000 idle=2000 turns=2 status=DONE unit=ms \
                    question=q session=s";
        assert_eq!(metrics.line("q", "s"), line);
        assert_eq!(metrics.conversation_end_at, "2025-01-01T00:00:15Z");
    }

    fn said(role: &str) -> What {
        What::Entry { role: role.into() }
    }

    fn end(status: &str) -> What {
        What::SessionEnd { status: status.into() }
    }

    fn measured(events: &[Event]) -> Metrics {
        let metrics = metrics(&events.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(metrics.broken(), None);
        metrics
    }

    #[test]
    fn bug_2_a_failed_session_lasts_until_it_failed() {
        let events = [
            event(1, start()),
            event(1, said("user")),
            event(1, activity(3_000_000)),
            event(6, end("FAIL")),
        ];
        let failed = measured(&events);
        let lengths = (failed.conversation_elapsed_ms, failed.conversation_active_ms);
        assert_eq!((lengths, failed.conversation_idle_ms), ((5000, 3000), 2000));
    }

    #[test]
    fn bug_10_the_time_between_two_processes_is_not_idle() {
        let mut events = vec![
            event(1, start()),
            event(1, said("user")),
            event(1, activity(1_000_000)),
            event(2, end("DONE")),
        ];
        let resumed = [
            event(40, start()),
            event(40, said("user")),
            event(41, activity(1_000_000)),
            event(43, said("assistant")),
            event(43, end("DONE")),
        ];
        events.extend(resumed.map(|event| Event { window: 1, ..event }));
        let whole = measured(&events);
        let lengths = (whole.conversation_elapsed_ms, whole.conversation_active_ms);
        assert_eq!((lengths, whole.conversation_idle_ms), ((4000, 2000), 2000));
        assert_eq!(whole.conversation_turns, 3);
        assert_eq!(whole.conversation_end_at, "2025-01-01T00:00:43Z");
    }

    #[test]
    fn turns_are_what_user_and_assistant_said() {
        let events = [
            event(1, start()),
            event(1, said("user")),
            event(2, said("system")),
            event(3, end("DONE")),
        ];
        assert_eq!(measured(&events).conversation_turns, 1);
    }

    #[test]
    fn what_is_not_over_has_no_measures() {
        assert_eq!(metrics(&[&event(1, start())]), None);
    }
}

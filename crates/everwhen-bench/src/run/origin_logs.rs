//! `everwhen bench logs`: conversation time from the logs of Mycelian's longmemeval-benchmarker.
//!
//! A log file belongs to the question it is named after. Each line has a time in UTC and an event:
//! either JSON with `timestamp` and `event`, or text such as
//! `2025-09-01 10:00:00,123 INFO SESSION_START session_id=s1`. Sessions begin with `SESSION_START` or
//! `QA_START`; messages are `MSG`; models and tools are at work between pairs of events such as
//! `agent_invoke` and `agent_complete`. Lines without a known event are passed over.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use everwhen::activity::Terminal;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::Value;

use super::events::{self, Event, Metrics, What};
use super::question::ASKING;
use super::summary::Times;

/// Pairs of events between which a model or a tool is at work: kind, first event, last event.
const SPANS: [(&str, &str, &str); 5] = [
    ("model", "agent_invoke", "agent_complete"),
    ("model", "QA_INVOKE", "QA_RESPONSE"),
    ("tool", "AWAIT_CONSISTENCY", "SEARCH_MEMORIES"),
    ("tool", "SEARCH_MEMORIES", "SEARCH_RESULT"),
    ("tool", "TWO_PASS_SEARCH", "SEARCH_RESULT"),
];
/// Events that are no ends of a span.
const OTHERS: [&str; 6] =
    ["SESSION_START", "SESSION_END", "QA_START", "MSG", "QUESTION_DONE", "QUESTION_FAILED"];

/// The measures of all sessions in the logs.
#[derive(Debug, Clone, Serialize)]
pub struct LogTimes {
    /// One for each session that ended.
    pub sessions: Vec<LogSession>,
    /// Mean, median and 95th percentile over them.
    pub all: Times,
    /// Sessions without an end, which have no measures.
    pub unfinished: usize,
}

/// One session of a log.
#[derive(Debug, Clone, Serialize)]
pub struct LogSession {
    /// The question, by the name of the file.
    pub question: String,
    /// The session.
    pub session: String,
    #[serde(flatten)]
    metrics: Metrics,
}

/// Measures every session in a log file or in all `.log` and `.jsonl` files of a directory.
pub fn log_times(path: &Path) -> Result<LogTimes> {
    let (mut sessions, mut unfinished) = (Vec::new(), 0);
    for file in files(path)? {
        let text = std::fs::read_to_string(&file)
            .with_context(|| format!("cannot read {}", file.display()))?;
        let question = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let question = question.unwrap_or_default();
        for (session, events) in Reader::new(&question).read(&text) {
            let events: Vec<&Event> = events.iter().collect();
            match events::metrics(&events) {
                Some(metrics) => {
                    sessions.push(LogSession { question: question.clone(), session, metrics });
                }
                None => unfinished += 1,
            }
        }
    }
    if sessions.is_empty() && unfinished == 0 {
        bail!("{} holds no SESSION_START or QA_START; is it a log of a run?", path.display());
    }
    let all = Times::of(&sessions.iter().map(|one| &one.metrics).collect::<Vec<_>>());
    Ok(LogTimes { sessions, all, unfinished })
}

fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let listed =
        std::fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut files = listed.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let is_log =
        |file: &PathBuf| file.extension().is_some_and(|end| end == "log" || end == "jsonl");
    files.retain(is_log);
    files.sort();
    Ok(files)
}

/// Reads one log.
struct Reader<'a> {
    question: &'a str,
    session: Option<String>,
    /// When the first event of a span came.
    open: BTreeMap<&'static str, Timestamp>,
    sessions: Vec<(String, Vec<Event>)>,
}

impl<'a> Reader<'a> {
    fn new(question: &'a str) -> Self {
        Self { question, session: None, open: BTreeMap::new(), sessions: Vec::new() }
    }

    fn read(mut self, text: &str) -> Vec<(String, Vec<Event>)> {
        text.lines().filter_map(LogLine::read).for_each(|line| self.take(&line));
        self.sessions
    }

    fn take(&mut self, line: &LogLine) {
        match line.event {
            "SESSION_START" => {
                let number = self.sessions.len() + 1;
                self.begin(line, line.field("session_id").unwrap_or(format!("session-{number}")));
            }
            "QA_START" => self.begin(line, ASKING.to_owned()),
            "MSG" => {
                let role = line.field("role").unwrap_or("user".into());
                self.note(line.at, What::Entry { role });
            }
            "SESSION_END" | "QUESTION_DONE" => self.end(line.at, Terminal::Done),
            "QUESTION_FAILED" => self.end(line.at, Terminal::Fail),
            _ => {}
        }
        self.close_spans(line);
        self.open_spans(line);
    }

    fn begin(&mut self, line: &LogLine, session: String) {
        self.session = Some(session.clone());
        self.open.clear();
        self.sessions.push((session, Vec::new()));
        let conversation_time = line.field("conversation_time").unwrap_or_default();
        self.note(line.at, What::SessionStart { conversation_time });
    }

    fn end(&mut self, at: Timestamp, outcome: Terminal) {
        self.note(at, What::SessionEnd { status: outcome.as_str().to_owned() });
        self.session = None;
    }

    fn close_spans(&mut self, line: &LogLine) {
        for (kind, first, last) in SPANS {
            if last != line.event {
                continue;
            }
            if let Some(began) = self.open.remove(first) {
                let lasted_us = line.at.duration_since(began).as_micros();
                let lasted_us = i64::try_from(lasted_us).unwrap_or_default().max(0);
                let (kind, name) = (kind.to_owned(), first.to_owned());
                self.note(began, What::Activity { kind, name, lasted_us });
            }
        }
    }

    fn open_spans(&mut self, line: &LogLine) {
        if let Some((_, first, _)) = SPANS.iter().find(|(_, first, _)| *first == line.event) {
            self.open.insert(first, line.at);
        }
    }

    fn note(&mut self, at: Timestamp, what: What) {
        let (Some(session), Some((_, events))) = (&self.session, self.sessions.last_mut()) else {
            return;
        };
        let (question, session) = (self.question.to_owned(), session.clone());
        events.push(Event { question, session, window: 0, at, what });
    }
}

/// One line with a known event.
struct LogLine {
    at: Timestamp,
    event: &'static str,
    fields: Value,
    text: String,
}

impl LogLine {
    fn read(line: &str) -> Option<Self> {
        let json = line.find('{').and_then(|at| serde_json::from_str::<Value>(&line[at..]).ok());
        let fields = json.unwrap_or_default();
        let stamp = ["timestamp", "time", "ts", "asctime"];
        let named = stamp.iter().find_map(|key| fields[*key].as_str());
        let at = read_time(named.unwrap_or(line))?;
        let event = match fields["event"].as_str() {
            Some(event) => known(event)?,
            None => line.split([' ', ':', '=', '|', '[', ']']).find_map(known)?,
        };
        Some(Self { at, event, fields, text: line.to_owned() })
    }

    /// The value of a field, in JSON or as `name=value`.
    fn field(&self, name: &str) -> Option<String> {
        if let Some(value) = self.fields[name].as_str() {
            return Some(value.to_owned());
        }
        let (_, rest) = self.text.split_once(&format!("{name}="))?;
        rest.split([' ', ',', '"', ')']).next().map(str::to_owned)
    }
}

fn known(event: &str) -> Option<&'static str> {
    let spans = SPANS.iter().flat_map(|(_, first, last)| [*first, *last]);
    spans.chain(OTHERS).find(|one| *one == event)
}

/// `2025-09-01 10:00:00,123`, `2025-09-01T10:00:00.123456` or with `Z`, all in UTC.
fn read_time(text: &str) -> Option<Timestamp> {
    let end = text.find(|c: char| !matches!(c, '0'..='9' | '-' | ':' | ',' | '.' | 'T' | ' '));
    let written = text[..end.unwrap_or(text.len())].trim().replace(',', ".");
    let civil: DateTime = written.replacen(' ', "T", 1).parse().ok()?;
    Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

impl fmt::Display for LogTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for one in &self.sessions {
            writeln!(f, "{}", one.metrics.line(&one.question, &one.session))?;
        }
        if self.unfinished > 0 {
            writeln!(f, "{} sessions did not end and are not measured", self.unfinished)?;
        }
        write!(f, "{}", self.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
2025-09-01 10:00:00,000 INFO runner RUN question gpt4_59149c77
2025-09-01 10:00:01,000 INFO runner SESSION_START session_id=s1 conversation_time=2023-01-08T12:49:00Z
2025-09-01 10:00:01,500 INFO runner MSG role=user
{\"timestamp\": \"2025-09-01T10:00:02\", \"event\": \"agent_invoke\", \"level\": \"info\"}
{\"timestamp\": \"2025-09-01T10:00:04.500000\", \"event\": \"agent_complete\"}
2025-09-01 10:00:06,000 INFO runner MSG role=assistant
2025-09-01 10:00:06,500 INFO runner SESSION_END session_id=s1
2025-09-01 10:00:07,000 INFO runner QA_START
2025-09-01 10:00:07,000 INFO runner AWAIT_CONSISTENCY
2025-09-01 10:00:08,000 INFO runner SEARCH_MEMORIES
2025-09-01 10:00:09,000 INFO runner SEARCH_RESULT entries=10
2025-09-01 10:00:12,000 INFO runner QA_INVOKE
2025-09-01 10:00:14,000 INFO runner QA_RESPONSE
2025-09-01 10:00:14,000 INFO runner QUESTION_DONE sessions=1 messages=2
";

    #[test]
    fn a31_measures_come_from_logs_that_exist() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("gpt4_59149c77.log"), LOG).unwrap();
        let times = log_times(directory.path()).unwrap();
        let lines: Vec<String> = times
            .sessions
            .iter()
            .map(|one| one.metrics.line(&one.question, &one.session))
            .collect();
        assert_eq!(
            lines,
            [
                "CONV_TIME total=4500 active=2500 idle=2000 turns=2 status=DONE unit=ms \
                 question=gpt4_59149c77 session=s1",
                "CONV_TIME total=7000 active=4000 idle=3000 turns=0 status=DONE unit=ms \
                 question=gpt4_59149c77 session=question",
            ]
        );
        assert_eq!((times.all.n, times.unfinished), (2, 0));
        std::fs::write(directory.path().join("gpt4_59149c77.log"), "nothing").unwrap();
        assert!(log_times(directory.path()).is_err());
    }
}

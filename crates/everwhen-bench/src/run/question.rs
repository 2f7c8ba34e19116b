//! Runs one question, from its first session to its verdict.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use everwhen::activity::Terminal;
use everwhen::ports::Spent;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

use super::bench::Bench;
use super::clock::RunClock;
use super::events::{self, Event, Metrics, What};
use super::judge::Verdict;
use super::plan::Mode;
use super::source::{Question, Session, by_data_id};
use super::via::{Ask, Found};
use super::{answer, judge};

/// The session of the question itself.
pub(super) const ASKING: &str = "question";
/// The reason reported for a question that was interrupted by a signal.
pub(super) const INTERRUPTED: &str = "interrupted";
/// Number of sessions to retrieve: enough for every metric.
const RANKED: usize = 50;
/// The number of items in the second search.
const SECOND_LOOK: usize = 10;

/// How a question ended.
pub(super) type Outcome = Terminal;

/// One line of `hypotheses.jsonl`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Line {
    pub(super) question_id: String,
    pub(super) hypothesis: String,
    pub(super) question_type: String,
    pub(super) question_date: String,
    /// How far the question got.
    #[serde(default = "whole_way")]
    pub(super) mode: Mode,
    pub(super) gold: Vec<String>,
    /// Sessions that were found, best first.
    pub(super) retrieved: Vec<String>,
    pub(super) abstention: bool,
    pub(super) verdict: Option<Verdict>,
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) cost: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    #[serde(flatten)]
    pub(super) metrics: Option<Metrics>,
}

fn whole_way() -> Mode {
    Mode::Qa
}

/// Asks a question; a failure is reported in its line, not as an error.
pub(super) async fn ask(bench: &Bench, position: usize) -> Result<Outcome> {
    let question = &bench.questions[position];
    let mut walk = Walk::new(bench, question, position);
    let done = walk.through().await;
    let (outcome, status) = match &done {
        Ok(()) => (Terminal::Done, "completed"),
        Err(_) if bench.is_cancelled() => (Terminal::Cancel, "cancelled"),
        Err(_) => (Terminal::Fail, "failed"),
    };
    walk.line.error = done.err().map(|error| format!("{error:#}"));
    if outcome == Terminal::Fail && walk.is_judged() {
        walk.line.verdict = Some(Verdict::default());
    }
    walk.end(ASKING, outcome)?;
    walk.line.metrics = walk.whole();
    let line = serde_json::to_string(&walk.line)?;
    bench.progress.end_question(&question.id, status, bench.plan.run.mode, &line)?;
    bench.write_lines()?;
    bench.question_done(&question.id, outcome.as_str(), walk.line.error.as_deref());
    Ok(outcome)
}

/// The state of one question.
struct Walk<'a> {
    bench: &'a Bench,
    question: &'a Question,
    memory: String,
    position: usize,
    clock: RunClock,
    /// Events of the current session.
    events: Vec<Event>,
    /// Events of earlier sessions.
    past: BTreeMap<String, Vec<Event>>,
    line: Line,
}

impl<'a> Walk<'a> {
    fn new(bench: &'a Bench, question: &'a Question, position: usize) -> Self {
        let line = Line {
            question_id: question.id.clone(),
            hypothesis: String::new(),
            question_type: question.kind.clone(),
            question_date: question.asked_at.to_string(),
            mode: bench.plan.run.mode,
            gold: question.gold.clone(),
            retrieved: Vec::new(),
            abstention: question.abstention,
            verdict: None,
            input_tokens: 0,
            output_tokens: 0,
            cost: 0.0,
            error: None,
            metrics: None,
        };
        let memory = format!("{:.120}__{:.60}", question.id, bench.run_id);
        let clock = RunClock::new(bench.plan.run.scripted_clock, position, question.sessions.len());
        let (events, past) = (Vec::new(), bench.past_of(&question.id));
        Self { bench, question, memory, position, clock, events, past, line }
    }

    async fn through(&mut self) -> Result<()> {
        if !self.bench.qa_only {
            for (number, session) in self.question.sessions.iter().enumerate() {
                self.take_in(number, session).await?;
            }
        }
        self.begin(ASKING, self.question.asked_at);
        let (bench, memory) = (self.bench, self.memory.clone());
        self.work("tool", "settle", bench.via.settle(&memory)).await?;
        if bench.plan.run.mode >= Mode::Retrieval {
            self.said("user");
            let found = self.look(&self.question.text, RANKED).await?;
            self.line.retrieved = by_data_id(found.sessions.clone());
            if bench.plan.run.mode == Mode::Qa {
                self.answer(found).await?;
                self.said("assistant");
                self.judge().await?;
            }
        }
        Ok(())
    }

    /// Stores one session at its own date, unless that is done.
    async fn take_in(&mut self, number: usize, session: &Session) -> Result<()> {
        if self.bench.is_cancelled() {
            bail!(INTERRUPTED);
        }
        if self.bench.progress.is_done(&self.question.id, &session.id)? {
            return Ok(());
        }
        let clock = RunClock::new(self.bench.plan.run.scripted_clock, self.position, number);
        let asking = std::mem::replace(&mut self.clock, clock);
        self.begin(&session.id, session.date);
        let (bench, memory) = (self.bench, self.memory.clone());
        let done = self.work("tool", "remember", bench.via.remember(&memory, session)).await;
        for turn in &session.turns {
            self.said(&turn.role);
        }
        let outcome = if done.is_ok() { Terminal::Done } else { Terminal::Fail };
        self.end(&session.id, outcome)?;
        self.clock = asking;
        done
    }

    async fn look(&mut self, text: &str, limit: usize) -> Result<Found> {
        let ask = Ask {
            text,
            asked_at: self.question.asked_at,
            before: end_of_day(self.question.asked_at)?,
            limit,
            budget_tokens: self.bench.plan.run.budget_tokens,
        };
        let (bench, memory) = (self.bench, self.memory.clone());
        self.work("tool", "recall", bench.via.recall(&memory, &ask)).await
    }

    async fn answer(&mut self, found: Found) -> Result<()> {
        let (bench, question) = (self.bench, self.question);
        let mut all = vec![found];
        if bench.plan.run.two_pass {
            let asked = answer::wants_more(&bench.answerer, question, &all[0]);
            let (wanted, spent) = self.work("model", "enough", async { Ok(asked.await?) }).await?;
            self.spend(spent);
            if let Some(wanted) = wanted {
                let more = self.look(&wanted, SECOND_LOOK).await?;
                all.extend((more.briefing != all[0].briefing).then_some(more));
            }
        }
        let shown: Vec<&Found> = all.iter().collect();
        let asked = answer::answer(&bench.answerer, question, &shown, bench.plan.answer.max_tokens);
        let answered = self.work("model", "answer", async { Ok(asked.await?) }).await?;
        self.spend(answered.spent);
        self.line.hypothesis = answered.hypothesis;
        Ok(())
    }

    /// Judging is not part of the conversation, so it is not counted as activity.
    async fn judge(&mut self) -> Result<()> {
        if !self.is_judged() {
            return Ok(());
        }
        let matched = judge::matches(self.question, &self.line.hypothesis);
        let mut verdict = Verdict { matched, judged: None };
        if let Some(vault) = &self.bench.judge {
            let (right, spent) = judge::ask(vault, self.question, &self.line.hypothesis).await?;
            verdict.judged = Some(right);
            self.spend(spent);
        }
        self.line.verdict = Some(verdict);
        Ok(())
    }

    /// Whether the right answer is known, and an answer is wanted.
    fn is_judged(&self) -> bool {
        let known = self.question.answer.is_some() || self.question.abstention;
        known && self.bench.plan.run.mode == Mode::Qa
    }

    fn spend(&mut self, spent: Spent) {
        self.line.input_tokens += spent.input_tokens;
        self.line.output_tokens += spent.output_tokens;
        self.line.cost += spent.cost_nanos as f64 / 1e9;
    }

    /// Runs an action and records when a model or tool was at work, without waits between two attempts.
    async fn work<T>(
        &mut self,
        kind: &str,
        name: &str,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        if !self.bench.plan.run.metrics {
            return work.await;
        }
        let (done, intervals) = self.clock.time(work).await;
        for (began_at, lasted) in intervals {
            let (kind, name) = (kind.to_owned(), name.to_owned());
            let what = What::Activity { kind, name, lasted_us: microseconds(lasted) };
            self.note(began_at, what);
        }
        done
    }

    fn begin(&mut self, session: &str, conversation_time: Timestamp) {
        self.events.clear();
        let at = self.clock.now();
        let conversation_time = conversation_time.to_string();
        let what = What::SessionStart { conversation_time };
        self.note_in(session, at, what);
    }

    fn said(&mut self, role: &str) {
        let at = self.clock.now();
        self.note(at, What::Entry { role: role.to_owned() });
    }

    fn note(&mut self, at: Timestamp, what: What) {
        let session = self.events.last().map_or(ASKING.to_owned(), |last| last.session.clone());
        self.note_in(&session, at, what);
    }

    fn note_in(&mut self, session: &str, at: Timestamp, what: What) {
        if self.bench.plan.run.metrics {
            let (question, session) = (self.question.id.clone(), session.to_owned());
            self.events.push(Event { question, session, window: self.bench.window, at, what });
        }
    }

    /// Ends a session: its events are written first, then that it is over.
    fn end(&mut self, session: &str, outcome: Terminal) -> Result<()> {
        let status = outcome.as_str();
        let at = self.clock.now();
        self.note_in(session, at, What::SessionEnd { status: status.to_owned() });
        let metrics = events::metrics(&self.events.iter().collect::<Vec<_>>());
        self.bench.events.write(&self.events)?;
        let id = &self.question.id;
        self.bench.progress.end_session(id, session, status, metrics.as_ref())?;
        if let Some(metrics) = &metrics {
            self.bench.session_ended(id, session, metrics);
        }
        self.past.insert(session.to_owned(), std::mem::take(&mut self.events));
        Ok(())
    }

    /// The measures of the question with all its sessions.
    fn whole(&self) -> Option<Metrics> {
        whole_question(self.past.values().flatten())
    }
}

/// The measures of a question from the events of all its sessions, the question's own last.
pub(super) fn whole_question<'e>(events: impl Iterator<Item = &'e Event>) -> Option<Metrics> {
    let mut events: Vec<&Event> = events.collect();
    events.sort_by_key(|event| (event.session == ASKING, event.at));
    events::metrics(&events)
}

fn microseconds(length: SignedDuration) -> i64 {
    i64::try_from(length.as_micros()).unwrap_or(i64::MAX)
}

/// Gold may lie later on the day of the question; the future begins at its end.
fn end_of_day(instant: Timestamp) -> Result<Timestamp> {
    let day = instant.to_zoned(TimeZone::UTC).date();
    Ok(day.checked_add(1.day())?.to_zoned(TimeZone::UTC)?.timestamp())
}

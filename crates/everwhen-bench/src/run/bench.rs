//! What every question of a run stands on: the plan, the data, the ways to memories and models,
//! and the files that are written.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use everwhen::chapters::ChapterRules;
use everwhen::memory::{Address, Name};
use everwhen::time::Clock;
use everwhen::{Config, Engine, Environment, Everwhen, Flags, SystemClock, Vault};
use everwhen_platform::replace_file;
use serde_json::json;

use super::events::{self, Event, EventLog, Metrics};
use super::plan::{ModelPlan, Plan};
use super::progress::Progress;
use super::source::{self, Question};
use super::via::Via;
use super::{Options, ReportProgress, RunProgress};

/// A run that is under way.
pub(super) struct Bench {
    pub(super) plan: Plan,
    pub(super) run_id: String,
    pub(super) directory: PathBuf,
    pub(super) questions: Vec<Question>,
    pub(super) via: Via,
    /// Asks the model that answers.
    pub(super) answerer: Vault,
    /// Asks the model that judges, if one does.
    pub(super) judge: Option<Vault>,
    pub(super) progress: Progress,
    pub(super) events: EventLog,
    pub(super) qa_only: bool,
    /// Which process of the run this is, from 0. On the scripted clock no time passes between two.
    pub(super) window: u32,
    /// What an earlier process wrote down.
    past: Vec<Event>,
    cancelled: AtomicBool,
    standing: Mutex<RunProgress>,
    /// One line for every session and question.
    log: Mutex<File>,
    /// Held while `hypotheses.jsonl` is written.
    writing_lines: Mutex<()>,
    report: Arc<ReportProgress>,
    _everwhen: Everwhen,
}

impl Bench {
    /// Opens a run with these questions, in a directory that exists.
    pub(super) async fn open(
        options: &Options,
        settings: &Config,
        questions: Vec<Question>,
        report: Arc<ReportProgress>,
    ) -> Result<Self> {
        let (plan, directory) = (options.plan.clone(), options.directory());
        let progress = Progress::open(&directory.join("progress.db"))?;
        let hash = write_setup(&directory, options, &questions)?;
        progress.begin(&options.run_id, &hash, &now(), &questions)?;
        let everwhen = open_engine(&directory)?;
        let engine = everwhen.engine().clone().with_chapter_rules(no_chapters());
        let with = |model| with_model(&engine, model, (settings, plan.run.seed));
        let ingest = with(plan.ingest.as_ref())?;
        let via = match &options.via {
            Some((url, key)) => Via::there(url, key.clone()).await?,
            None => Via::here(ingest).await?,
        };
        let answerer = asking(with(Some(&plan.answer))?).await?;
        let judge = match &plan.judge {
            Some(judge) => Some(asking(with(Some(judge))?).await?),
            None => None,
        };
        let (events, past) = event_log(&plan, &directory)?;
        let window = if plan.run.scripted_clock { 0 } else { next_window(&past) };
        let done = progress.done(plan.run.mode)?.len();
        let standing = RunProgress { questions: (done, questions.len()), ..RunProgress::default() };
        Ok(Self {
            events,
            window,
            past,
            writing_lines: Mutex::new(()),
            run_id: options.run_id.clone(),
            qa_only: options.qa_only,
            cancelled: AtomicBool::new(false),
            standing: Mutex::new(standing),
            log: Mutex::new(open_run_log(&directory)?),
            _everwhen: everwhen,
            plan,
            directory,
            questions,
            via,
            answerer,
            judge,
            progress,
            report,
        })
    }

    /// Places of the questions that are not done.
    pub(super) fn left(&self) -> Result<Vec<usize>> {
        let done = self.progress.done(self.plan.run.mode)?;
        let open = |place: &usize| !done.contains(&self.questions[*place].id);
        Ok((0..self.questions.len()).filter(open).collect())
    }

    /// What an earlier process wrote down about sessions of a question that are done.
    pub(super) fn past_of(&self, question: &str) -> BTreeMap<String, Vec<Event>> {
        let mut sessions: BTreeMap<String, Vec<&Event>> = BTreeMap::new();
        for event in self.past.iter().filter(|event| event.question == question) {
            sessions.entry(event.session.clone()).or_default().push(event);
        }
        let last =
            |events: Vec<&Event>| events::last_attempt(&events).into_iter().cloned().collect();
        sessions.into_iter().map(|(name, events)| (name, last(events))).collect()
    }

    /// Nothing new is begun from now on.
    pub(super) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Reports that a session has ended.
    pub(super) fn session_ended(&self, question: &str, session: &str, metrics: &Metrics) {
        self.stand(|standing| {
            standing.sessions += 1;
            standing.active_ms += metrics.conversation_active_ms;
            standing.idle_ms += metrics.conversation_idle_ms;
            standing.line = metrics.line(question, session);
        });
    }

    /// Reports that a question is done, and what went wrong with it.
    pub(super) fn question_done(&self, id: &str, status: &str, error: Option<&str>) {
        let error = error.map(|error| format!(": {error}")).unwrap_or_default();
        self.stand(|standing| {
            standing.questions.0 += 1;
            standing.line = format!("QUESTION {id} {status}{error}");
        });
    }

    /// Reports what is noteworthy about the data of each question.
    pub(super) fn report_notes(&self) {
        for question in &self.questions {
            for note in &question.notes {
                self.stand(|standing| standing.line = format!("NOTE {}: {note}", question.id));
            }
        }
    }

    fn stand(&self, change: impl FnOnce(&mut RunProgress)) {
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut standing);
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        // The log is for people; a run does not end because it cannot be written.
        let _ = writeln!(log, "{} {}", now(), standing.line);
        (self.report)(&standing);
    }

    /// Rewrites `hypotheses.jsonl` in the order of the data, so that no line occurs twice. It is done
    /// whenever a question ends: a run that is killed leaves the lines of all before it.
    pub(super) fn write_lines(&self) -> Result<()> {
        let _held = self.writing_lines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = self.progress.lines()?.join("\n");
        text.push('\n');
        replace(&self.directory.join("hypotheses.jsonl"), &text)
    }
}

/// The window of the next process.
fn next_window(past: &[Event]) -> u32 {
    past.iter().map(|event| event.window).max().map_or(0, |last| last + 1)
}

/// Chapters wait for more entries. Whether one is there when a question is asked would depend on how
/// fast the machine is, so that no two runs would be the same.
fn no_chapters() -> ChapterRules {
    const NEVER: usize = 1 << 30;
    ChapterRules { chunk_tokens: NEVER, max_messages: NEVER, ..ChapterRules::default() }
}

/// The questions that are meant.
pub(super) fn questions(options: &Options) -> Result<Vec<Question>> {
    let dataset = &options.plan.dataset;
    let mut questions = source::read(dataset.form, &dataset.path)?;
    questions.truncate(options.num_questions.unwrap_or(usize::MAX));
    Ok(questions)
}

/// Writes a file whole or not at all.
pub(super) fn replace(path: &Path, text: &str) -> Result<()> {
    replace_file(path, text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

pub(super) fn now() -> String {
    SystemClock.now().to_string()
}

/// An Everwhen of the run's own, inside its directory.
fn open_engine(directory: &Path) -> Result<Everwhen> {
    let data = Some(directory.join("data").display().to_string());
    let flags = Flags { data, zone: Some("UTC".into()), ..Flags::default() };
    Ok(Everwhen::open(&Config::load(&Environment::default(), &flags)?)?)
}

fn with_model(
    engine: &Engine,
    model: Option<&ModelPlan>,
    (settings, seed): (&Config, u64),
) -> Result<Engine> {
    let engine = engine.clone();
    Ok(match model {
        None => engine,
        Some(model) => {
            let cap = settings.llm.cap_nanos();
            engine.with_llm(model.open(&settings.llm, seed)?).with_spending_cap(cap)
        }
    })
}

/// The file that events are written to, if metrics are wanted, and the events of earlier processes in it.
fn event_log(plan: &Plan, directory: &Path) -> Result<(EventLog, Vec<Event>)> {
    let log = plan.run.metrics.then(|| directory.join("events.jsonl"));
    let events = EventLog::open(log.as_deref())?;
    let past = match &log {
        Some(log) if log.exists() => events::read(log)?,
        _ => Vec::new(),
    };
    Ok((events, past))
}

/// The log of sessions and questions, to which this process adds lines.
fn open_run_log(directory: &Path) -> Result<File> {
    Ok(OpenOptions::new().create(true).append(true).open(directory.join("run.log"))?)
}

/// The vault that model calls are accounted to.
async fn asking(engine: Engine) -> Result<Vault> {
    let name = Name::new("vault", "models")?;
    Ok(engine.vault_to_write(Address::Name(name)).await?)
}

/// Writes down what is about to happen, or checks that it is what happened before.
fn write_setup(directory: &Path, options: &Options, questions: &[Question]) -> Result<String> {
    let hash = dataset_hash(questions);
    let path = directory.join("setup.json");
    if let Ok(text) = std::fs::read_to_string(&path) {
        let known: serde_json::Value = serde_json::from_str(&text)?;
        if known["dataset_hash"] != hash {
            bail!("the data is not that of run {}; name another --run-id", options.run_id);
        }
        return Ok(hash);
    }
    let via = options.via.as_ref().map(|(url, _)| url);
    let setup = json!({
        "run_id": options.run_id, "plan": options.plan, "dataset_hash": hash,
        "questions": questions.len(), "via": via, "created_at": now(),
        "version": env!("CARGO_PKG_VERSION"), "seed": options.plan.run.seed,
    });
    replace(&path, &format!("{setup:#}\n"))?;
    Ok(hash)
}

/// The checksum of a set of questions.
fn dataset_hash(questions: &[Question]) -> String {
    let mut hasher = blake3::Hasher::new();
    for question in questions {
        let Question { id, text, asked_at, answer, sessions, .. } = question;
        hasher.update(format!("{id}\0{text}\0{asked_at}\0{answer:?}\0").as_bytes());
        for session in sessions {
            hasher.update(format!("{}\0{}\0", session.id, session.date).as_bytes());
            for turn in &session.turns {
                hasher.update(format!("{}\0{}\0", turn.role, turn.content).as_bytes());
            }
        }
    }
    hasher.finalize().to_hex().to_string()
}

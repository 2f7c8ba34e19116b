//! Jobs whose model is down, whose money is spent, whose worker vanishes or which panic: what passes is
//! waited for, what is wrong is set aside with its reason.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use everwhen_engine::chapters::{Chapter, ChapterQuery, RollingSummary};
use everwhen_engine::facts::{FactQuery, FactView};
use everwhen_engine::job::{Job, JobKind, JobState, Queue};
use everwhen_engine::memory::{Conversation, Role, SummaryBy, WrittenBy};
use everwhen_engine::ports::{Llm, Prompt};
use everwhen_engine::{Error, limits};
use everwhen_testkit::{ScriptedLlm, block_on};
use jiff::{SignedDuration, Timestamp};

use crate::bed::Open;
use crate::rows::at;
use crate::talk::{Talk, memory, said};

/// Minutes of a day.
const DAY: i64 = 24 * 60;

/// A job whose worker vanishes each time may be what ends the process. From the second time on it waits,
/// and in the end it is set aside with its reason; it continues once it is retried.
pub(crate) fn a_job_that_ends_the_process_each_time_is_set_aside(open: Open) {
    let talk = Talk::new(open);
    talk.say_at(-300, Role::User, "old");
    talk.minute(1);
    let claim = || block_on(talk.engine.claim(Queue::Quick)).unwrap();
    for crash in 1..=limits::JOB_CRASHES {
        let job = claim().unwrap();
        talk.clock.advance(limits::JOB_LEASE);
        if crash > 1 {
            assert_eq!(claim(), None, "what ended the process twice waits");
            talk.clock.advance(limits::JOB_BACKOFF);
        }
        assert_eq!(job.crashes, crash - 1);
    }
    assert_eq!(claim(), None);
    let jobs = block_on(talk.engine.jobs(9)).unwrap();
    let aside: Vec<&Job> = jobs.iter().filter(|job| job.state == JobState::SetAside).collect();
    assert_eq!(aside.len(), 1);
    assert!(aside[0].last_error.as_ref().unwrap().contains("the process ended 8 times"));
    let memory = Some(aside[0].place());
    let retry = |kind| block_on(talk.engine.retry_jobs(Some(kind), memory)).unwrap().retried;
    assert_eq!((retry(JobKind::Fold), retry(aside[0].kind)), (0, 1));
    talk.settle();
    assert!(talk.conversations()[0].summary.is_some());
}

/// A panic is the failure of one job. The others go on, and so does the worker.
pub(crate) fn a_job_that_panics_is_one_failed_job(open: Open) {
    let mut talk = Talk::new(open);
    talk.engine = talk.engine.with_llm(Arc::new(ScriptedLlm::new(|prompt| {
        let is_asked_for_facts = prompt.schema.as_ref().is_some_and(|it| it.name == "facts");
        assert!(!is_asked_for_facts, "a model's program that panics");
        Ok(r#"{"title": "One two three four five", "summary": "They talked."}"#.to_owned())
    })));
    talk.say_at(-300, Role::User, "I live in Berlin");
    for _ in 0..=limits::JOB_TRIES {
        talk.clock.advance(SignedDuration::from_hours(2));
        talk.settle();
    }
    let jobs = block_on(talk.engine.jobs(9)).unwrap();
    let facts = jobs.iter().find(|job| job.kind == JobKind::Distill).unwrap();
    assert_eq!(facts.state, JobState::SetAside);
    assert_eq!(facts.last_error.as_deref(), Some("a bug: the job panicked"));
    assert_eq!(talk.conversations()[0].summary.as_ref().unwrap().text, "They talked.");
}

/// Where the user allows it, rules find facts while the model is away. They are marked as found by rules, are
/// found once, and the model's replace them when it is back.
pub(crate) fn rules_stand_in_for_a_model_that_is_away(open: Open) {
    let facts = |talk: &Talk| {
        let found = block_on(talk.vault.facts(memory(), FactQuery::default())).unwrap();
        let statements = |fact: &FactView| (fact.fact.statement.clone(), fact.fact.by);
        let mut statements: Vec<_> = found.data.iter().map(statements).collect();
        statements.sort_by(|one, other| one.0.cmp(&other.0));
        statements
    };
    for falls_back in [true, false] {
        let mut talk = Talk::new(open);
        let away = Arc::new(AtomicBool::new(true));
        let is_away = Arc::clone(&away);
        let model = ScriptedLlm::new(move |prompt| {
            if is_away.load(Ordering::SeqCst) {
                return Err(Error::unavailable("the model is down"));
            }
            Ok(match prompt.schema.as_ref().map(|schema| schema.name) {
                Some("facts") => r#"{"facts": []}"#.to_owned(),
                Some(_) => r#"{"title": "One two three four five", "summary": "Talk."}"#.into(),
                None => "They talked.".to_owned(),
            })
        });
        talk.engine = talk.engine.with_llm(Arc::new(model)).with_fallback_to_rules(falls_back);
        talk.say_at(-300, Role::User, "I live in Berlin.");
        for _ in 0..3 {
            talk.clock.advance(SignedDuration::from_hours(2));
            talk.settle();
        }
        let jobs = block_on(talk.engine.jobs(9)).unwrap();
        let distill = jobs.iter().find(|job| job.kind == JobKind::Distill).unwrap();
        assert_eq!(distill.state, JobState::Waiting);
        assert!(distill.waits >= 2, "{distill:?}");
        let found = facts(&talk);
        assert_eq!(found.len(), usize::from(falls_back), "{found:?}");
        assert!(found.iter().all(|(_, by)| *by == WrittenBy::Extractive));
        away.store(false, Ordering::SeqCst);
        for _ in 0..3 {
            talk.clock.advance(SignedDuration::from_hours(2));
            talk.settle();
        }
        assert_eq!(facts(&talk), [], "the model has found none");
        assert_eq!(block_on(talk.engine.jobs(9)).unwrap(), []);
    }
}

/// A model that is away while a switch is on: the first for all, the second for summaries alone.
struct Outages {
    all: Arc<AtomicBool>,
    of_summaries: Arc<AtomicBool>,
    model: Arc<ScriptedLlm>,
}

/// Gives a talk such a model, in whose place rules may stand.
fn give_model(talk: &mut Talk) -> Outages {
    let (away, no_summaries) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (is_away, is_partly) = (Arc::clone(&away), Arc::clone(&no_summaries));
    let model = Arc::new(ScriptedLlm::new(move |prompt| {
        let schema = prompt.schema.as_ref().map(|schema| schema.name);
        let is_down = is_away.load(Ordering::SeqCst);
        if is_down || schema.is_none() && is_partly.load(Ordering::SeqCst) {
            return Err(Error::unavailable("the model is down"));
        }
        Ok(match schema {
            Some("facts") => r#"{"facts": []}"#.to_owned(),
            Some(_) => r#"{"title": "One two three four five", "summary": "Talk."}"#.into(),
            None => "They talked.\n\nAt length.".to_owned(),
        })
    }));
    let engine = talk.engine.clone().with_llm(Arc::clone(&model) as Arc<dyn Llm>);
    talk.engine = engine.with_fallback_to_rules(true);
    Outages { all: away, of_summaries: no_summaries, model }
}

impl Talk {
    /// Says this many things, minute by minute, from this minute on.
    fn say_many(&self, from: i64, count: i64) {
        let line = |minute| said(Role::User, &format!("Bird {minute} sang.")).said_at(at(minute));
        self.remember((from..from + count).map(line).collect());
    }

    /// Runs what falls due in six hours, hour by hour.
    fn some_hours(&self) {
        for _ in 0..6 {
            self.clock.advance(SignedDuration::from_hours(1));
            self.settle();
        }
    }

    fn all_chapters(&self, as_of: Option<Timestamp>) -> Vec<Chapter> {
        let query = ChapterQuery { as_of, limit: Some(200), ..ChapterQuery::default() };
        block_on(self.vault.chapters(memory(), query)).unwrap().data
    }

    fn summaries(&self) -> Vec<RollingSummary> {
        block_on(self.vault.rolling_summaries(memory(), None, None)).unwrap().data
    }
}

/// Who wrote chapters, each once.
fn writers(chapters: &[Chapter]) -> Vec<WrittenBy> {
    let mut writers: Vec<WrittenBy> = chapters.iter().map(|one| one.by).collect();
    writers.dedup();
    writers
}

/// While the model is away, rules write chapters and the summary, once and marked. The model's take their
/// place when it is back, with the same dates, and as of the outage those by rules are still told. What rules
/// had written before there was a model stays.
pub(crate) fn chapters_by_rules_are_the_models_once_it_is_back(open: Open) {
    let mut talk = Talk::new(open);
    talk.say_many(-600, 13);
    talk.some_hours();
    let before = talk.all_chapters(None);
    assert_eq!((before.len(), writers(&before)), (2, vec![WrittenBy::Extractive]));

    let away = give_model(&mut talk).all;
    away.store(true, Ordering::SeqCst);
    talk.say_many(-500, 15);
    talk.some_hours();
    let by_rules = talk.all_chapters(None);
    assert_eq!((by_rules.len(), writers(&by_rules)), (5, vec![WrittenBy::Extractive]));
    assert_eq!(by_rules[..2], before[..]);
    let summary = talk.summaries().remove(0);
    assert_eq!((summary.by, summary.chapters), (WrittenBy::Extractive, 3));
    let jobs = block_on(talk.engine.jobs(9)).unwrap();
    let chapters = jobs.iter().find(|job| job.kind == JobKind::Chapters).unwrap();
    assert!(chapters.state == JobState::Waiting && chapters.waits >= 2, "{chapters:?}");
    talk.some_hours();
    assert_eq!(talk.all_chapters(None), by_rules, "they are written once");
    assert_eq!(talk.summaries()[0], summary);
    let outage = talk.engine.now();

    away.store(false, Ordering::SeqCst);
    talk.some_hours();
    let now = talk.all_chapters(None);
    assert_eq!(now[..2], before[..], "what was written before there was a model");
    assert_eq!(writers(&now[2..]), [WrittenBy::Llm]);
    let dates = |all: &[Chapter]| -> Vec<_> {
        all.iter().map(|one| (one.first, one.last, one.digest, one.entries)).collect()
    };
    assert_eq!(dates(&now), dates(&by_rules));
    assert_eq!(talk.all_chapters(Some(outage)), by_rules);
    let summaries = talk.summaries();
    assert_eq!((summaries[0].by, summaries[0].chapters), (WrittenBy::Llm, 3));
    assert!(summaries.contains(&summary), "every version is kept");
    assert_eq!(block_on(talk.engine.jobs(9)).unwrap(), []);
}

/// If the model writes chapters and no summary, rules add lines to what it wrote of it, and it goes on from its own
/// words once it is back.
pub(crate) fn a_summary_by_rules_goes_on_from_the_models_until_it_is_back(open: Open) {
    let mut talk = Talk::new(open);
    let no_summaries = give_model(&mut talk).of_summaries;
    talk.say_many(-600, 18);
    talk.some_hours();
    let first = talk.summaries().remove(0);
    assert_eq!((first.by, first.version), (WrittenBy::Llm, 1));
    no_summaries.store(true, Ordering::SeqCst);
    for (chapters, from) in [(6, -500), (9, -400)] {
        talk.say_many(from, 15);
        talk.some_hours();
        assert_eq!(writers(&talk.all_chapters(None)), [WrittenBy::Llm]);
        let stand_in = talk.summaries().remove(0);
        assert_eq!((stand_in.by, stand_in.chapters), (WrittenBy::Extractive, chapters));
        let (told, lines) = stand_in.text.rsplit_once("\n\n").unwrap();
        assert_eq!(told, first.text);
        assert_eq!(lines.lines().count() as u64, chapters - 3, "{lines}");
    }
    let count = talk.summaries().len();
    talk.some_hours();
    assert_eq!(talk.summaries().len(), count, "it is written once");

    no_summaries.store(false, Ordering::SeqCst);
    talk.some_hours();
    let now = talk.summaries().remove(0);
    assert_eq!((now.by, now.chapters), (WrittenBy::Llm, 9));
    assert_eq!(now.text, first.text);
    assert_eq!(block_on(talk.engine.jobs(9)).unwrap(), []);
}

/// More chapters than a job plans at a time are written by rules, too, in one go, and the model that is
/// away is asked once for each go.
pub(crate) fn chapters_by_rules_are_as_many_as_there_are_and_the_model_is_asked_seldom(open: Open) {
    let mut talk = Talk::new(open);
    let Outages { all: away, model, .. } = give_model(&mut talk);
    away.store(true, Ordering::SeqCst);
    talk.say_many(-600, 358);
    talk.clock.advance(SignedDuration::from_mins(1));
    talk.settle();
    assert_eq!(writers(&talk.all_chapters(None)), [WrittenBy::Extractive]);
    assert_eq!(talk.all_chapters(None).len(), 71);
    talk.some_hours();
    let is_for_chapter =
        |prompt: &&Prompt| prompt.schema.as_ref().is_some_and(|schema| schema.name == "chapter");
    let asked = model.asked().iter().filter(is_for_chapter).count();
    assert!(asked < 40, "{asked} times in six hours");
    away.store(false, Ordering::SeqCst);
    talk.some_hours();
    let now = talk.all_chapters(None);
    assert_eq!((now.len(), writers(&now)), (71, vec![WrittenBy::Llm]));
    assert_eq!(talk.summaries()[0].by, WrittenBy::Llm);
    assert_eq!(block_on(talk.engine.jobs(9)).unwrap(), []);
}

/// A month in which the model is down for three hours every day and the spending cap is reached more
/// than once: everything is late, nothing is lost, nothing is done by hand.
pub(crate) fn a_month_of_outages_delays_work_and_loses_none(open: Open) {
    let mut talk = Talk::new(open);
    let (engine, start) = (talk.engine.clone(), talk.engine.now());
    let model = ScriptedLlm::new(move |prompt| {
        let minute = engine.now().duration_since(start).as_mins() % DAY;
        if (600..780).contains(&minute) {
            return Err(Error::unavailable("the model is down"));
        }
        Ok(match prompt.schema.as_ref().map(|schema| schema.name) {
            Some("facts") => r#"{"facts": []}"#.to_owned(),
            Some(_) => r#"{"title": "One two three four five", "summary": "They talked."}"#.into(),
            None => "They talked.".to_owned(),
        })
    });
    talk.engine = talk.engine.with_spending_cap(Some(450)).with_llm(Arc::new(model.costing(10)));
    let mut capped = 0;
    for day in 0..125 {
        talk.minute(day * DAY + 540);
        if day < 30 {
            talk.say(Role::User, &format!("I saw bird number {day}"));
        }
        for minute in [570, 670, 1_000, 1_500] {
            talk.minute(day * DAY + minute);
            talk.settle();
        }
        let jobs = block_on(talk.engine.jobs(99)).unwrap();
        assert!(jobs.iter().all(|job| job.state == JobState::Waiting), "{jobs:?}");
        let is_capped = |job: &Job| job.last_error.as_ref().is_some_and(|it| it.contains("spent"));
        capped += usize::from(jobs.iter().any(is_capped));
        if day >= 30 && jobs.is_empty() {
            break;
        }
    }
    assert!(capped > 10, "the cap was reached on {capped} days only");
    assert_eq!(block_on(talk.engine.jobs(9)).unwrap(), []);
    let conversations = talk.conversations();
    assert_eq!(conversations.len(), 30);
    let is_done = |one: &Conversation| {
        one.distilled_at.is_some() && one.summary.as_ref().is_some_and(|it| it.by == SummaryBy::Llm)
    };
    assert!(conversations.iter().all(is_done));
}

//! Jobs whose model is down, whose money is spent, whose worker vanishes or which panic: what passes is
//! waited for, what is wrong is set aside with its reason.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use everwhen_engine::facts::{FactQuery, FactView};
use everwhen_engine::job::{Job, JobKind, JobState, Queue};
use everwhen_engine::memory::{Conversation, Role, SummaryBy, WrittenBy};
use everwhen_engine::{Error, limits};
use everwhen_testkit::{ScriptedLlm, block_on};
use jiff::SignedDuration;

use crate::bed::Open;
use crate::talk::{Talk, memory};

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

//! A clock that was ahead or behind for a while.

use std::sync::Arc;

use everwhen_engine::job::{Job, JobKind, JobState, Queue, Subject};
use everwhen_engine::memory::{Entry, JobId, Role};
use everwhen_engine::ports::{EntryQuery, JobSelection, Row, Store, Which};
use everwhen_engine::recall::Query;
use everwhen_engine::{Error, FarLeases, limits};
use everwhen_testkit::{SplitStore, block_on, engine_over};
use jiff::{SignedDuration, Timestamp};

use crate::bed::Open;
use crate::exchanges::exchange;
use crate::rows::{at, id, job, vault};
use crate::talk::{Talk, memory};

const TEN_YEARS: SignedDuration = SignedDuration::from_hours(24 * 3650);

fn all(talk: &Talk, which: Which) -> Vec<Entry> {
    let query = EntryQuery { which, ..EntryQuery::default() };
    block_on(talk.vault.entries(memory(), None, query)).unwrap().data
}

/// One entry before the clock is ten years ahead, one while it is, one after.
fn with_a_step_forward(open: Open) -> Talk {
    let talk = Talk::new(open);
    talk.say(Role::User, "before the step");
    talk.clock.set(at(1) + TEN_YEARS);
    talk.say(Role::User, "in the year 2036");
    talk.minute(120);
    talk.say(Role::User, "after the step");
    talk
}

pub(crate) fn a_clock_that_was_ahead_dates_nothing_later(open: Open) {
    let talk = with_a_step_forward(open);
    talk.minute(121);
    talk.say(Role::User, "and a minute later");
    let dated = |text: &str| {
        let entries = all(&talk, Which::Current);
        let one = entries.into_iter().find(|one| one.content.as_str() == text).unwrap();
        (one.conversation_time, one.creation_time)
    };
    assert_eq!(dated("before the step"), (at(0), at(0)));
    assert_eq!(dated("in the year 2036"), (at(1) + TEN_YEARS, at(1) + TEN_YEARS));
    assert_eq!(dated("after the step"), (at(120), at(120)));
    assert_eq!(dated("and a minute later"), (at(121), at(121)));
    let (count, last) = talk.engine.clock_steps().noted();
    assert_eq!(count, 1, "it recovers with the first write");
    assert_eq!(last.unwrap().written_at, at(1) + TEN_YEARS);
}

pub(crate) fn a_clock_that_was_set_back_is_followed_and_told_of(open: Open) {
    let talk = Talk::new(open);
    talk.say(Role::User, "today");
    talk.clock.set(at(0) - SignedDuration::from_hours(24));
    talk.say(Role::User, "yesterday");
    let times: Vec<_> =
        all(&talk, Which::Current).iter().map(|one| one.conversation_time).collect();
    assert_eq!(times, [at(0) - SignedDuration::from_hours(24), at(0)]);
    assert_eq!(talk.engine.clock_steps().noted().0, 1);
}

pub(crate) fn a_small_step_back_keeps_the_order_of_creation(open: Open) {
    let talk = Talk::new(open);
    talk.say(Role::User, "first");
    talk.clock.set(at(0) - SignedDuration::from_secs(30));
    talk.say(Role::User, "second");
    let entries = all(&talk, Which::Current);
    let second = entries.iter().find(|one| one.content.as_str() == "second").unwrap();
    assert_eq!(second.creation_time, at(0), "creation_time does not run back");
    assert_eq!(second.conversation_time, at(0) - SignedDuration::from_secs(30));
    assert_eq!(talk.engine.clock_steps().noted().0, 0, "clocks differ a little");
}

pub(crate) fn a_chat_is_dated_by_the_clock_after_it_was_ahead(open: Open) {
    let talk = Talk::new(open);
    talk.clock.set(at(1) + TEN_YEARS);
    exchange(&talk, &["u:hi"], "hello");
    talk.minute(120);
    exchange(&talk, &["u:hi", "a:hello", "u:still there?"], "yes");
    let entries = all(&talk, Which::Current);
    for text in ["still there?", "yes"] {
        let one = entries.iter().find(|one| one.content.as_str() == text).unwrap();
        assert_eq!(one.conversation_time.duration_since(at(120)).as_secs(), 0, "{text}");
    }
}

pub(crate) fn what_was_said_after_a_step_is_found_as_of_then(open: Open) {
    let talk = with_a_step_forward(open);
    talk.minute(200);
    let texts = |which| -> Vec<String> {
        all(&talk, which).iter().map(|one| one.content.as_str().to_owned()).collect()
    };
    assert_eq!(texts(Which::AsOf(at(60))), ["before the step"]);
    assert_eq!(texts(Which::AsOf(at(130))), ["before the step", "after the step"]);
    let query = Query { as_of: Some(at(130)), ..Query::new("the step") };
    let found = block_on(talk.vault.recall(memory(), query)).unwrap();
    let found = format!("{found:?}");
    assert!(found.contains("after the step"), "{found}");
}

pub(crate) fn work_of_a_clock_that_was_ahead_is_done(open: Open) {
    let talk = Talk::new(open);
    talk.say(Role::User, "I saw a heron at the lake");
    talk.clock.set(at(1) + TEN_YEARS);
    assert!(block_on(talk.engine.step()).unwrap(), "the conversation ends");
    let failed = block_on(talk.engine.claim(Queue::Quick)).unwrap().unwrap();
    block_on(talk.engine.put_off(&failed, Error::unavailable("the disk is full"))).unwrap();
    talk.minute(120);
    let waiting = block_on(talk.engine.jobs(9)).unwrap();
    assert!(!waiting.is_empty() && waiting.iter().all(|job| job.due_at > at(120) + TEN_YEARS / 2));
    assert!(talk.settle() > 0);
    talk.minute(121);
    talk.settle();
    assert_eq!(block_on(talk.engine.jobs(9)).unwrap(), []);
    assert!(talk.conversations()[0].summary.is_some());
}

pub(crate) fn a_lease_of_a_clock_that_was_ahead_ends_unless_it_is_renewed(open: Open) {
    let talk = Talk::new(open);
    talk.say(Role::User, "I saw a heron at the lake");
    talk.end(None).unwrap();
    let minutes_later = |minutes: i64| talk.clock.set(at(minutes) + TEN_YEARS);
    minutes_later(1);
    let claimed = block_on(talk.engine.claim(Queue::Quick)).unwrap().unwrap();
    let mut seen = FarLeases::default();
    let mut free = || {
        talk.minute(120);
        block_on(talk.engine.free_stuck_jobs(&mut seen)).unwrap()
    };
    assert_eq!(free(), 0, "its owner may be alive, and its clock wrong");
    minutes_later(2);
    block_on(talk.engine.renew(&claimed)).unwrap();
    assert_eq!(free(), 0, "it was renewed since");
    assert_eq!(free(), 1);
    assert_eq!(free(), 0, "it ended");
    let again = block_on(talk.engine.claim(Queue::Quick)).unwrap().unwrap();
    assert_eq!((again.id, again.crashes), (claimed.id, 1));
}

/// Jobs in two vaults of which some wait, or are held, until after noon.
fn some_jobs() -> Vec<Job> {
    let numbered = |number: u128, kind, due, state| {
        let subject = Subject::Payload(id(number));
        Job { kind, subject, state, due_at: due, ..job(number) }
    };
    let (noon, later) = (at(0), at(1));
    let (waiting, held) = (JobState::Waiting, |until| JobState::Leased { until });
    vec![
        numbered(1, JobKind::Fold, later, waiting),
        numbered(2, JobKind::Fold, noon, waiting),
        numbered(3, JobKind::Fold, later, JobState::SetAside),
        numbered(4, JobKind::Fold, noon, held(later)),
        numbered(5, JobKind::Fold, later, held(noon)),
        numbered(6, JobKind::Close, later, waiting),
        Job { waits: 1, ..numbered(7, JobKind::Close, later, waiting) },
        Job { last_error: Some("no".into()), ..numbered(8, JobKind::Close, later, waiting) },
        numbered(9, JobKind::Close, noon, held(later)),
        numbered(10, JobKind::Lock, noon, held(later)),
        Job { vault: id(2), ..numbered(11, JobKind::Fold, later, waiting) },
    ]
}

pub(crate) fn jobs_beyond_a_time_are_found_without_planned_ends(open: Open) {
    let (bed, jobs) = (open(), some_jobs());
    bed.write(move |tx| jobs.iter().try_for_each(|job| tx.put(Row::Job(job))));
    let find = |vault, after: Option<JobId>, most| {
        let found =
            bed.look(move |rows| rows.jobs(JobSelection::Beyond(vault, after, at(0), most)));
        found.iter().map(|job| u128::from_be_bytes(job.id.bytes())).collect::<Vec<_>>()
    };
    assert_eq!(find(None, None, 99), [1, 4, 7, 8, 9, 10, 11]);
    assert_eq!(find(None, Some(id(4)), 3), [7, 8, 9]);
    assert_eq!(find(Some(id(2)), None, 99), [11]);
    assert_eq!(find(Some(id(1)), Some(id(8)), 99), [9, 10]);
}

pub(crate) fn stuck_jobs_are_freed_where_vaults_can_be_reached(open: Open) {
    let bed = open();
    let put = |number: u128| {
        let (subject, far) = (Subject::Payload(id(number)), at(0) + TEN_YEARS);
        Job { vault: id(number), kind: JobKind::Fold, subject, due_at: far, ..job(number) }
    };
    bed.write(move |tx| {
        for number in [1, 2, 3] {
            tx.put(Row::Vault(&vault(number, &format!("vault {number}"))))?;
            tx.put(Row::Job(&put(number)))?;
        }
        Ok(())
    });
    let store = Arc::new(SplitStore::new(Arc::clone(&bed.store)));
    let (engine, clock) = engine_over(Arc::clone(&store) as Arc<dyn Store>);
    clock.set(at(0));
    let free = || block_on(engine.free_stuck_jobs(&mut FarLeases::default())).unwrap();
    store.lose(id(2));
    assert_eq!(free(), 2);
    store.find();
    clock.advance(limits::WHOLE_BACKOFF);
    assert_eq!(free(), 1);
    let due: Vec<Timestamp> = bed
        .look(|rows| rows.jobs(JobSelection::Due(None, 9)))
        .iter()
        .map(|job| job.due_at)
        .collect();
    assert_eq!(due, [at(0), at(0), at(1)]);
}

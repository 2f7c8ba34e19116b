//! A store that fails at any one call, before the work or after it: a caller that retries with the
//! same idempotency keys gets what an undisturbed run gets, and no job is done twice.

use std::sync::Arc;

use everwhen_engine::job::{JobKind, JobState, Queue};
use everwhen_engine::limits;
use everwhen_engine::memory::{
    Address, Conversation, EntryId, NewContext, NewEntry, Role, Said, Settings, VaultId,
};
use everwhen_engine::ports::{ContextVersion, EntryQuery, JobSelection, Row, Which};
use everwhen_engine::receipt::{Done, Idempotency, Receipt};
use everwhen_engine::time::{ManualClock, Zone};
use everwhen_engine::{
    Engine, Error, ErrorKind, Forget, NewCorrection, NewVault, Result, Vault, VaultDefaults,
};
use everwhen_testkit::{Fault, FaultMode, Faults, FaultyStore, block_on, manual_world};
use jiff::SignedDuration;

use crate::bed::{Bed, Open};
use crate::rows::{at, name};
use crate::talk::{Talk, memory, said, stored};

/// One more run for the fault, and for each time a worker writes a document that follows from it.
const DOCUMENTS: u64 = 5;

/// One run of the script over a store with a fault.
struct Trial {
    engine: Engine,
    clock: Arc<ManualClock>,
    faults: Arc<Faults>,
    vault: String,
    /// How often a job was run.
    runs: u64,
}

/// What the script leaves behind, without ids: they differ from run to run.
#[derive(Debug, PartialEq)]
struct Outcome {
    entries: Vec<String>,
    conversations: Vec<(Conversation, Vec<String>)>,
    context: String,
}

impl Trial {
    fn new(bed: &Bed, number: u64, fault: Option<Fault>) -> Self {
        let faults = Faults::new(fault);
        let store = FaultyStore::new(Arc::clone(&bed.store), faults.clone());
        let (world, clock) = manual_world(at(0), number);
        let defaults = VaultDefaults { zone: Zone::utc(), settings: Settings::default() };
        let engine = Engine::new(Arc::new(store), world, defaults);
        Self { engine, clock, faults, vault: format!("vault {number}"), runs: 0 }
    }

    /// Does something; once more if the store failed.
    fn insist<T>(&self, what: impl Fn(&Self) -> Result<T>) -> T {
        let unavailable = |error: &Error| error.kind() == ErrorKind::Unavailable;
        match what(self) {
            Err(error) if unavailable(&error) => what(self).unwrap(),
            first => first.unwrap(),
        }
    }

    fn vault(&self) -> Vault {
        self.insist(|trial| block_on(trial.engine.vault(Address::Name(name(&trial.vault)))))
    }

    /// A write with a key of its own.
    fn write(&self, key: &str, what: impl Fn(&Vault, Option<Idempotency>) -> Result<Done>) -> Done {
        let vault = self.vault();
        let idempotency = Idempotency::new(name(&format!("{} {key}", self.vault)), &[]);
        self.insist(|_| what(&vault, Some(idempotency.clone())))
    }

    fn say(&self, key: &str, words: &[(i64, Role, &str)]) -> Vec<EntryId> {
        let entries: Vec<NewEntry> = words
            .iter()
            .map(|(minute, role, text)| said(*role, text).said_at(at(*minute)))
            .collect();
        let done =
            self.write(key, |vault, key| block_on(vault.remember(memory(), entries.clone(), key)));
        stored(Ok(done)).entries.iter().map(|entry| entry.id).collect()
    }

    fn work(&mut self) {
        while self.insist(|trial| block_on(trial.engine.step())) {
            self.runs += 1;
        }
    }

    /// The script: two conversations, one bridged, one ended, one forked, one forgotten.
    fn play(&mut self) -> Outcome {
        let new =
            NewVault { name: name(&self.vault), description: None, zone: None, settings: None };
        let key = Some(Idempotency::new(name(&self.vault), &[]));
        self.insist(|trial| block_on(trial.engine.create_vault(new.clone(), key.clone())));
        self.say("1", &[(-300, Role::User, "old"), (-260, Role::User, "apart")]);
        let ids = self.say("2", &[(-280, Role::User, "bridge"), (0, Role::User, "now")]);
        self.work();
        self.clock.set(at(5));
        self.work();
        let correction = NewCorrection {
            content: Said::new("here").unwrap(),
            reason: "typo".into(),
            tags: None,
            metadata: None,
        };
        self.write("3", |vault, key| {
            block_on(vault.correct(memory(), ids[1], correction.clone(), key))
        });
        self.write("4", |vault, key| block_on(vault.end_conversation(memory(), None, None, key)));
        self.say("5", &[(5, Role::Assistant, "farewell")]);
        self.clock.set(at(7));
        let next = self.say("6", &[(6, Role::User, "next"), (7, Role::Assistant, "put aside")]);
        self.clock.set(at(50));
        self.work();
        self.fork(next[0]);
        let doomed = self.say("7", &[(40, Role::User, "kept"), (45, Role::User, "secret")]);
        self.write("8", |vault, key| {
            block_on(vault.forget(memory(), Forget::Entry(doomed[1]), key))
        });
        let context = NewContext::new("notes", None).unwrap();
        self.write("9", |vault, key| block_on(vault.put_context(memory(), context.clone(), key)));
        for minute in [100, 200, 300] {
            self.clock.set(at(minute));
            self.work();
        }
        self.outcome()
    }

    fn fork(&self, after: EntryId) {
        let vault = self.vault();
        let entry = self.insist(|_| block_on(vault.entry(memory(), after)));
        let home = entry.conversation;
        self.write("fork", |vault, key| block_on(vault.fork(memory(), home.into(), after, key)));
    }

    fn outcome(&self) -> Outcome {
        let vault = self.vault();
        let all = EntryQuery { which: Which::All, ..EntryQuery::default() };
        let entries = self.insist(|_| block_on(vault.entries(memory(), None, all.clone()))).data;
        let show = |entry: &everwhen_engine::memory::Entry| {
            let (corrected, branch) = (entry.corrected.is_some(), entry.branch.is_some());
            let (said, stored) = (entry.conversation_time, entry.creation_time);
            format!(
                "{} {} {said} {stored} {corrected} {branch}",
                entry.sequence,
                entry.content.as_str()
            )
        };
        let list = self.insist(|_| block_on(vault.conversations(memory(), Default::default())));
        let conversations = list.data.into_iter().map(|one| {
            let view = self.insist(|_| block_on(vault.conversation(memory(), one.id.into())));
            let shown = view.entries.iter().map(show).collect();
            assert!(one.distilled_at.is_some(), "{one:?}");
            let (id, memory) = (crate::rows::id(0), crate::rows::id(0));
            (Conversation { id, memory, distilled_at: None, ..one }, shown)
        });
        let current = |_: &Self| block_on(vault.context(memory(), ContextVersion::Current));
        Outcome {
            entries: entries.iter().map(show).collect(),
            conversations: conversations.collect(),
            context: self.insist(current).content,
        }
    }

    fn jobs_left(&self, bed: &Bed) -> usize {
        let id: VaultId = self.vault().id();
        bed.look(move |rows| rows.jobs(JobSelection::Due(Some(id), 99))).len()
    }
}

pub(crate) fn a_fault_at_any_call_changes_nothing(open: Open) {
    let bed = open();
    let mut undisturbed = Trial::new(&bed, 0, None);
    let expected = undisturbed.play();
    let calls = undisturbed.faults.calls();
    assert!(expected.conversations.iter().all(|(one, _)| one.summary.is_some()));
    assert_eq!((expected.conversations.len(), expected.entries.len()), (4, 9));
    for call in 1..=calls {
        for mode in [FaultMode::BeforeWork, FaultMode::AnswerLost] {
            let number = call * 2 + u64::from(mode == FaultMode::AnswerLost);
            let mut trial = Trial::new(&bed, number, Some(Fault { call, mode }));
            assert_eq!(trial.play(), expected, "{mode:?} at call {call}");
            assert_eq!(trial.jobs_left(&bed), 0, "{mode:?} at call {call}");
            assert!(trial.runs <= undisturbed.runs + DOCUMENTS, "{mode:?} at call {call}");
        }
    }
}

pub(crate) fn a_job_whose_store_is_away_waits_and_goes_on_by_itself(open: Open) {
    let bed = open();
    let trial = Trial::new(&bed, 0, None);
    let new = NewVault { name: name(&trial.vault), description: None, zone: None, settings: None };
    block_on(trial.engine.create_vault(new, None)).unwrap();
    trial.say("1", &[(-300, Role::User, "old")]);
    trial.clock.advance(SignedDuration::from_hours(2));
    for _ in ["facts", "the document that follows from them"] {
        let other = block_on(trial.engine.claim(Queue::Patient)).unwrap().unwrap();
        block_on(trial.engine.run(other)).unwrap();
        trial.clock.advance(SignedDuration::from_mins(1));
    }
    for waits in 1..=3 * limits::JOB_TRIES {
        trial.clock.advance(SignedDuration::from_hours(2));
        let run = trial.faults.calls() + 2;
        trial.faults.set(Some(Fault { call: run, mode: FaultMode::BeforeWork }));
        assert!(block_on(trial.engine.step()).unwrap());
        let job = block_on(trial.engine.jobs(9)).unwrap().remove(0);
        assert_eq!((job.tries, job.waits, job.state), (0, waits, JobState::Waiting));
        assert!(job.last_error.is_some_and(|error| error.contains("the test told it to")));
    }
    trial.clock.advance(SignedDuration::from_hours(2));
    assert!(block_on(trial.engine.step()).unwrap());
    assert_eq!(block_on(trial.engine.jobs(9)).unwrap(), []);
}

pub(crate) fn a_worker_that_vanishes_loses_nothing(open: Open) {
    let talk = Talk::new(open);
    talk.say_at(-300, Role::User, "old");
    talk.minute(1);
    let jobs = block_on(talk.engine.jobs(9)).unwrap();
    let id = jobs.iter().find(|job| job.kind == JobKind::Summarize).unwrap().id;
    talk.bed.write(move |tx| {
        let claimed = tx.jobs(JobSelection::Id(None, id))?.pop().map(|job| job.claimed(at(1)));
        claimed.iter().try_for_each(|job| tx.put(Row::Job(job)))
    });
    assert_eq!(talk.settle(), 1, "somebody has the other");
    talk.clock.advance(limits::JOB_LEASE);
    assert_eq!(talk.settle(), 2, "it, and the document that follows from the first");
    assert!(talk.conversations()[0].summary.is_some());
}

pub(crate) fn a_lost_answer_is_answered_the_same_way(open: Open) {
    let bed = open();
    let trial = Trial::new(&bed, 0, None);
    let vault = block_on(trial.engine.vault_to_write(Address::Name(name(&trial.vault)))).unwrap();
    let key = || Some(Idempotency::new(name("k"), &[b"one"]));
    let lost = Fault { call: trial.faults.calls() + 1, mode: FaultMode::AnswerLost };
    trial.faults.set(Some(lost));
    let entries = || vec![said(Role::User, "one")];
    let first = block_on(vault.remember(memory(), entries(), key()));
    assert_eq!(first.unwrap_err().kind(), ErrorKind::Unavailable);
    let again = block_on(vault.remember(memory(), entries(), key())).unwrap();
    assert!(again.replayed && matches!(again.receipt, Receipt::Entries(_)));
}

//! Work that others do, and locks: kept with progress, claimed once, let go by a crash, and forgotten with what
//! was said.

use everwhen_engine::job::{JobKind, Queue};
use everwhen_engine::memory::{
    Address, ForgetMark, MemoryId, Name, NewContext, NewEntry, Role, Said,
};
use everwhen_engine::{ConflictReason, Engine, Error, ErrorKind, Forget, Lock, Vault, limits};
use everwhen_testkit::{block_on, engine_over};

use crate::bed::Open;

fn memory(name: &str) -> Address<MemoryId> {
    Address::Name(Name::new("memory", name).unwrap())
}

/// A vault with two memories.
fn vault(engine: &Engine) -> Vault {
    let name = Address::Name(Name::new("vault", "ana").unwrap());
    let vault = block_on(engine.vault_to_write(name)).unwrap();
    for place in ["m", "other"] {
        let entry = NewEntry::new(Role::User, Said::new("my diary").unwrap());
        block_on(vault.remember(memory(place), vec![entry], None)).unwrap();
    }
    vault
}

fn lock(holder: &str) -> Lock {
    Lock { name: "chat/writing".into(), holder: holder.into() }
}

pub(crate) fn a_lock_has_one_holder_until_its_lease_is_over(open: Open) {
    let bed = open();
    let (engine, clock) = engine_over(bed.store.clone());
    let vault = vault(&engine);
    let take =
        |place: &str, holder: &str| block_on(vault.take_lock(memory(place), lock(holder))).unwrap();
    assert!(take("m", "one"));
    assert!(!take("m", "two"), "somebody else has it");
    assert!(take("other", "two"), "another memory has locks of its own");
    clock.advance(limits::JOB_RENEWAL);
    assert!(take("m", "one"), "its holder renews it");
    clock.advance(limits::JOB_LEASE - limits::JOB_RENEWAL);
    assert!(!take("m", "two"), "it was renewed");
    clock.advance(limits::JOB_LEASE);
    assert!(take("m", "two"), "nobody renewed it");
    block_on(vault.let_go(memory("m"), lock("one"))).unwrap();
    assert!(!take("m", "one"), "only its holder lets it go");
    block_on(vault.let_go(memory("m"), lock("two"))).unwrap();
    assert!(take("m", "one"));
    assert_eq!(block_on(engine.claim(Queue::Outside)).unwrap(), None, "a lock is no work");
    let nowhere = block_on(vault.take_lock(memory("nowhere"), lock("one"))).unwrap_err();
    assert_eq!(nowhere.kind(), ErrorKind::NotFound);
}

pub(crate) fn a_workflow_is_claimed_once_and_keeps_its_progress(open: Open) {
    let bed = open();
    let (engine, clock) = engine_over(bed.store.clone());
    let vault = vault(&engine);
    let now = engine.now();
    block_on(vault.put_workflow(memory("m"), "begun".into(), now, ForgetMark::default())).unwrap();
    block_on(vault.put_workflow(memory("m"), "another".into(), now, ForgetMark::default()))
        .unwrap();
    block_on(engine.settle()).unwrap();
    let claim = || block_on(engine.claim(Queue::Outside)).unwrap();
    let (first, second) = (claim().unwrap(), claim().unwrap());
    assert_ne!(first.payload, second.payload);
    assert_eq!(claim(), None);
    block_on(engine.keep_progress(&first, "half".into())).unwrap();
    block_on(engine.renew(&first)).unwrap();
    block_on(engine.put_off(&first, Error::unavailable("the model is down"))).unwrap();
    block_on(engine.end_workflow(&second)).unwrap();
    assert_eq!(claim(), None, "it waits a little");
    clock.advance(limits::JOB_LEASE);
    let again = claim().unwrap();
    assert_eq!((again.id, again.payload.as_deref(), again.waits), (first.id, Some("half"), 1));
    block_on(engine.keep_progress(&first, "late".into())).unwrap_err();
    block_on(engine.end_workflow(&again)).unwrap();
    let jobs = block_on(engine.jobs(9)).unwrap();
    assert!(jobs.iter().all(|job| job.kind != JobKind::Workflow), "{jobs:?}");
}

pub(crate) fn what_workflows_have_yet_to_do_is_forgotten_with_what_was_said(open: Open) {
    let bed = open();
    let (engine, _) = engine_over(bed.store.clone());
    let vault = vault(&engine);
    for place in ["m", "other"] {
        let rest = vault.put_workflow(
            memory(place),
            "my diary".into(),
            engine.now(),
            ForgetMark::default(),
        );
        block_on(rest).unwrap();
    }
    let left = || {
        let jobs = block_on(engine.jobs(99)).unwrap();
        jobs.iter().filter(|job| job.kind == JobKind::Workflow).count()
    };
    let page = block_on(vault.entries(memory("m"), None, Default::default())).unwrap();
    block_on(vault.forget(memory("m"), Forget::Entry(page.data[0].id), None)).unwrap();
    assert_eq!(left(), 1, "that of the other memory stays");
    block_on(vault.forget(memory("other"), Forget::Memory, None)).unwrap();
    assert_eq!(left(), 0);
}

/// A workflow reads the memory, asks a model for a while, and then keeps what it made of it.
pub(crate) fn what_a_workflow_made_of_what_is_forgotten_meanwhile_is_refused(open: Open) {
    let bed = open();
    let (engine, _) = engine_over(bed.store.clone());
    let vault = vault(&engine);
    let mark = |place: &str| block_on(vault.forget_mark(memory(place))).unwrap();
    let rest = |place: &str, read_at: &ForgetMark| {
        let payload = "my diary".to_owned();
        block_on(vault.put_workflow(memory(place), payload, engine.now(), read_at.clone()))
            .map_err(|error| error.reason())
    };
    let summary = |read_at: &ForgetMark| {
        let written = vault.write_summary(memory("m"), "my diary".into(), read_at.clone(), None);
        block_on(written).map(drop).map_err(|error| error.reason())
    };
    let (read_at, other, absent) = (mark("m"), mark("other"), mark("later"));
    block_on(vault.put_context(memory("m"), NewContext::new("about", None).unwrap(), None))
        .unwrap();
    block_on(vault.forget(memory("m"), Forget::Context(1), None)).unwrap();
    let refused = Some(ConflictReason::ChangedMeanwhile);
    assert_eq!((rest("m", &read_at), summary(&read_at)), (Err(refused), Err(refused)));
    rest("other", &other).unwrap();
    let read_at = mark("m");
    rest("m", &read_at).unwrap();
    assert_eq!(summary(&read_at), Err(Some(ConflictReason::NothingToDo)), "there are no chapters");
    // It may have been made and forgotten meanwhile.
    let entry = NewEntry::new(Role::User, Said::new("my diary").unwrap());
    block_on(vault.remember(memory("later"), vec![entry.clone()], None)).unwrap();
    assert_eq!(rest("later", &absent), Err(refused));
    // Of the same name, and another one.
    block_on(vault.forget(memory("m"), Forget::Memory, None)).unwrap();
    block_on(vault.remember(memory("m"), vec![entry], None)).unwrap();
    assert_eq!(rest("m", &read_at), Err(refused));
}

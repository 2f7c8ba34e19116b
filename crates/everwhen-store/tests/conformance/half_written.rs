//! A process that is killed in the middle of a chapters job: what it has kept is right as far as it goes, is
//! forgotten with what it was made from, and is completed by the next process.

use std::sync::Arc;

use everwhen_engine::Engine;
use everwhen_engine::job::{JobKind, Queue};
use everwhen_engine::limits;
use everwhen_engine::memory::{Chapter, EntryId, Forget};
use everwhen_engine::ports::{EntryQuery, Llm};
use everwhen_engine::time::ManualClock;
use everwhen_testkit::{Fault, FaultMode, Faults, Faulty, FaultyStore, block_on};
use jiff::SignedDuration;

use crate::bed::{Bed, Open};
use crate::forgetting::{MARKER, engine, model, store_secret, vault};
use crate::talk::memory;

/// A chapter as far as it does not differ from run to run: where it begins and ends, and its words.
type ChapterRow = (String, String, u64, String, String);

fn chapters(engine: &Engine) -> Vec<Chapter> {
    block_on(vault(engine).chapters(memory(), Default::default())).unwrap().data
}

fn chapter_rows(engine: &Engine) -> Vec<ChapterRow> {
    let row = |one: Chapter| {
        (one.first.time.to_string(), one.last.time.to_string(), one.entries, one.title, one.text)
    };
    chapters(engine).into_iter().map(row).collect()
}

/// Every chapter covers entries that are there, as many as it says, and no two cover the same.
fn assert_sound(engine: &Engine, shown: &str) {
    let mut end = None;
    for chapter in chapters(engine) {
        let first = (chapter.first.time, chapter.first.sequence);
        let last = (chapter.last.time, chapter.last.sequence);
        assert!(end.is_none_or(|end| end < first), "{chapter:?}, {shown}");
        end = Some(last);
        let all = block_on(vault(engine).entries(memory(), None, EntryQuery::default())).unwrap();
        let places = all.data.iter().map(|entry| (entry.conversation_time, entry.place));
        let covered = places.filter(|place| (first..=last).contains(place)).count() as u64;
        assert_eq!(covered, chapter.entries, "{chapter:?}, {shown}");
    }
}

/// Works off what there is to do; the process is killed at the n-th call of a port in the chapters job. Returns
/// whether it was.
fn work(worker: &Engine, clock: &ManualClock, faults: &Faults, call: Option<u64>) -> bool {
    for _ in 0..7 {
        clock.advance(SignedDuration::from_mins(6));
        for queue in Queue::OWN {
            while let Some(job) = block_on(worker.claim(queue)).unwrap() {
                let at = call.filter(|_| job.kind == JobKind::Chapters);
                let at = at.map(|call| faults.calls() + call);
                faults.set(at.map(|call| Fault { call, mode: FaultMode::Killed }));
                let ended = block_on(worker.run(job));
                if at.is_some_and(|call| call <= faults.calls()) {
                    faults.set(None);
                    return true;
                }
                ended.unwrap();
                faults.set(None);
            }
        }
    }
    false
}

/// A worker whose calls of ports are counted.
fn worker(bed: &Bed, seed: u64) -> (Engine, Arc<ManualClock>, Arc<Faults>) {
    let faults = Faults::new(None);
    let store = FaultyStore::new(Arc::clone(&bed.store), Arc::clone(&faults));
    let (worker, clock) = engine(Arc::new(store), seed);
    let model = Faulty::<dyn Llm>::new(Arc::new(model()), Arc::clone(&faults));
    (worker.with_llm(Arc::new(model)), clock, faults)
}

/// What is there after a run that is killed at a call, a forget, and another process; `None` if there is no such
/// call. Also how many chapters the killed one had kept.
fn killed_at(
    bed: &Bed,
    call: Option<u64>,
    undisturbed: &[ChapterRow],
) -> Option<(usize, Vec<ChapterRow>)> {
    let (first, clock, faults) = worker(bed, 1);
    let secret: EntryId = store_secret(&vault(&first));
    let is_killed = work(&first, &clock, &faults, call);
    if is_killed != call.is_some() {
        return None;
    }
    let shown = format!("killed at {call:?}");
    let (owner, now) = engine(Arc::clone(&bed.store), 2);
    now.set(first.now());
    let half = chapter_rows(&owner);
    assert_sound(&owner, &shown);
    assert!(!is_killed || undisturbed.starts_with(&half), "{half:?}, {shown}");
    // No worker runs: what the killed process had written has to go at once.
    block_on(vault(&owner).forget(memory(), Forget::Entry(secret), None)).unwrap();
    assert_eq!(bed.places_of(MARKER), [""; 0], "{shown}");
    assert!(chapter_rows(&owner).iter().all(|one| !format!("{one:?}").contains(MARKER)), "{shown}");
    assert_sound(&owner, &shown);
    let (second, clock, faults) = worker(bed, 3);
    clock.set(owner.now() + limits::JOB_LEASE);
    work(&second, &clock, &faults, None);
    assert_sound(&second, &shown);
    assert_eq!(bed.places_of(MARKER), [""; 0], "{shown}");
    Some((half.len(), chapter_rows(&second)))
}

pub(crate) fn a_killed_chapters_job_leaves_sound_chapters_that_can_be_forgotten(open: Open) {
    let bed = open();
    let (whole, clock, faults) = worker(&bed, 1);
    store_secret(&vault(&whole));
    work(&whole, &clock, &faults, None);
    let undisturbed = chapter_rows(&whole);
    let (all, expected) = killed_at(&open(), None, &undisturbed).unwrap();
    assert!(all == undisturbed.len() && all >= 3, "{undisturbed:?}");
    let mut kept = Vec::new();
    for call in 1.. {
        let Some((half, left)) = killed_at(&open(), Some(call), &undisturbed) else { break };
        assert_eq!(left, expected, "killed at {call}");
        kept.push(half);
    }
    assert!((0..=all).all(|some| kept.contains(&some)), "{kept:?}: killed after each chapter");
}

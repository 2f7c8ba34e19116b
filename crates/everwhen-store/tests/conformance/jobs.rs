//! Jobs as rows: one for each kind and conversation, those due first, free or with a lease.

use everwhen_engine::job::{Job, JobKind, JobState, Queue, Subject};
use everwhen_engine::ports::{JobSelection, Removal, Row};

use crate::bed::{Bed, Open};
use crate::rows::{at, id, job};

fn about(number: u128) -> Subject {
    Subject::Conversation(id(number))
}

fn put(bed: &Bed, jobs: Vec<Job>) {
    bed.write(move |tx| jobs.iter().try_for_each(|job| tx.put(Row::Job(job))));
}

/// The number of the job to do next.
fn next(bed: &Bed, minute: i64) -> Option<u128> {
    let job = bed.look(move |rows| {
        rows.jobs(JobSelection::Next(None, Queue::Quick, at(minute))).map(|mut found| found.pop())
    });
    job.map(|job| u128::from_be_bytes(job.id.bytes()))
}

pub(crate) fn a_job_comes_back_as_it_was_put(open: Open) {
    let bed = open();
    let odd = Job {
        kind: JobKind::Summarize,
        due_at: at(5),
        tries: 3,
        state: JobState::Leased { until: at(6) },
        last_error: Some("the disk was \"full\"".into()),
        subject: Subject::Payload(id(1)),
        payload: Some("a\n\"b\"".into()),
        ..job(1)
    };
    let about = Subject::Memory(id(1));
    let aside = Job { subject: about, state: JobState::SetAside, due_at: at(9), ..job(2) };
    put(&bed, vec![odd.clone(), aside.clone()]);
    assert_eq!(
        bed.look(|rows| rows.jobs(JobSelection::Id(None, id(1))).map(|mut found| found.pop())),
        Some(odd.clone())
    );
    assert_eq!(
        bed.look(|rows| rows.jobs(JobSelection::Id(None, id(3))).map(|mut found| found.pop())),
        None
    );
    assert_eq!(bed.look(|rows| rows.jobs(JobSelection::Due(None, 9))), [odd, aside]);
}

pub(crate) fn a_conversation_has_one_job_of_a_kind(open: Open) {
    let bed = open();
    let same = |number, kind| Job { id: id(number), kind, ..job(1) };
    put(&bed, vec![same(1, JobKind::Close), same(2, JobKind::Summarize)]);
    let anew = Job { due_at: at(7), tries: 1, ..same(3, JobKind::Close) };
    put(&bed, vec![anew.clone()]);
    assert_eq!(
        bed.look(|rows| rows.jobs(JobSelection::Due(None, 9))),
        [same(2, JobKind::Summarize), anew]
    );
    assert_eq!(
        bed.look(|rows| rows.jobs(JobSelection::Id(None, id(1))).map(|mut found| found.pop())),
        None
    );
    bed.write(|tx| tx.remove(Removal::Job(id(1), JobKind::Close, about(1))).map(drop));
    bed.write(|tx| tx.remove(Removal::Job(id(1), JobKind::Close, about(1))).map(drop));
    assert_eq!(
        bed.look(|rows| rows.jobs(JobSelection::Due(None, 9))),
        [same(2, JobKind::Summarize)]
    );
}

pub(crate) fn the_job_due_first_comes_first(open: Open) {
    let bed = open();
    assert_eq!(next(&bed, 0), None);
    put(
        &bed,
        vec![
            Job { due_at: at(9), ..job(1) },
            Job { due_at: at(4), ..job(3) },
            Job { due_at: at(4), ..job(2) },
            Job { due_at: at(1), state: JobState::SetAside, ..job(4) },
        ],
    );
    assert_eq!(next(&bed, 0), Some(2), "whether it is due is the caller's question");
    bed.write(|tx| tx.remove(Removal::Job(id(1), JobKind::Close, about(2))).map(drop));
    assert_eq!(next(&bed, 0), Some(3));
}

pub(crate) fn a_lease_hides_a_job_until_it_runs_out(open: Open) {
    let bed = open();
    put(
        &bed,
        vec![
            Job { due_at: at(1), state: JobState::Leased { until: at(10) }, ..job(1) },
            Job { due_at: at(2), ..job(2) },
        ],
    );
    assert_eq!(next(&bed, 9), Some(2));
    assert_eq!(next(&bed, 10), Some(1));
    bed.write(|tx| tx.remove(Removal::Job(id(1), JobKind::Close, about(2))).map(drop));
    assert_eq!(next(&bed, 9), None);
}

pub(crate) fn jobs_are_listed_for_one_vault_or_for_all(open: Open) {
    let bed = open();
    let other = Job { vault: id(2), due_at: at(-1), ..job(2) };
    put(&bed, vec![job(1), other.clone(), job(3)]);
    let listed = |vault, limit| bed.look(move |rows| rows.jobs(JobSelection::Due(vault, limit)));
    assert_eq!(listed(None, 9), [other.clone(), job(1), job(3)]);
    assert_eq!(listed(None, 2), [other.clone(), job(1)]);
    assert_eq!(listed(Some(id(1)), 9), [job(1), job(3)]);
    assert_eq!(listed(Some(id(2)), 9), std::slice::from_ref(&other));
    let distill = Job { kind: JobKind::Distill, state: JobState::SetAside, ..job(4) };
    let elsewhere = Job { memory: id(77), ..job(5) };
    put(&bed, vec![distill.clone(), elsewhere]);
    let of = |place, kind| bed.look(move |rows| rows.jobs(JobSelection::Of(place, kind)));
    assert_eq!(of(job(1).place(), JobKind::Close), [job(1), job(3)]);
    assert_eq!(of(job(1).place(), JobKind::Distill), [distill]);
    assert_eq!(of(other.place(), JobKind::Close), [other]);
}

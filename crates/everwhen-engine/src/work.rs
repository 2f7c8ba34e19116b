//! Background work: claim a job, run it, keep its result and its end in one transaction.
//!
//! [`Engine::step`] does one after another and is all a test needs. A worker claims from each
//! [`Queue`] by itself, runs what it has claimed, and renews the lease while it waits.

use std::sync::Arc;

use jiff::Timestamp;

use crate::conversations::act;
use crate::desk::Desk;
use crate::engine::{Engine, World};
use crate::job::{Job, JobKind, JobState, Queue, Subject};
use crate::memory::JobId;
use crate::ports::{Snapshot, Tx};
use crate::{Error, Result};

impl Engine {
    /// Jobs of all vaults, those due first.
    pub async fn jobs(&self, limit: usize) -> Result<Vec<Job>> {
        self.store.look(move |snapshot| snapshot.jobs(None, limit)).await
    }

    /// Puts a job that was set aside back in its queue.
    pub async fn retry_job(&self, id: JobId) -> Result<()> {
        let now = self.now();
        self.store
            .transact(move |tx| {
                let job = tx.job(id)?;
                let job = job.ok_or_else(|| Error::not_found(format!("job not found: {id}")))?;
                tx.put_job(&Job { due_at: now, tries: 0, state: JobState::Waiting, ..job })
            })
            .await
    }

    /// When the next job is due, if any waits.
    pub async fn next_due(&self) -> Result<Option<Timestamp>> {
        let now = self.now();
        let look = move |snapshot: &dyn Snapshot| {
            let next = Queue::ALL.map(|queue| snapshot.next_job(queue, now));
            let due = next.into_iter().map(|job| Ok(job?.map(|job| job.due_at)));
            Ok(due.collect::<Result<Vec<_>>>()?.into_iter().flatten().min())
        };
        self.store.look(look).await
    }

    /// When the next job of a queue is due, if any waits.
    pub async fn next_due_in(&self, queue: Queue) -> Result<Option<Timestamp>> {
        let now = self.now();
        let next = self.store.look(move |snapshot| snapshot.next_job(queue, now)).await?;
        Ok(next.map(|job| job.due_at))
    }

    /// Takes the job of a queue that is due first. It is the caller's until the lease runs out.
    pub async fn claim(&self, queue: Queue) -> Result<Option<Job>> {
        let now = self.now();
        let claim = move |tx: &mut dyn Tx| {
            let due = tx.next_job(queue, now)?.filter(|job| job.due_at <= now);
            let claimed = due.map(|job| job.claimed(now));
            claimed.iter().try_for_each(|job| tx.put_job(job))?;
            Ok(claimed)
        };
        self.store.transact(claim).await
    }

    /// Runs a claimed job. One that fails is kept for a later try, and its failure is in the job,
    /// not in the result.
    pub async fn run(&self, job: Job) -> Result<()> {
        match (self.finish(&job).await, job.kind, job.subject) {
            (Err(error), ..) => {
                let failed = job.clone().failed(error.to_string(), self.now());
                self.store.transact(move |tx| put_if_held(tx, &job, &failed)).await
            }
            (Ok(()), JobKind::Close, Subject::Conversation(id)) => {
                self.note_end(job.place(), id).await;
                Ok(())
            }
            (Ok(()), ..) => Ok(()),
        }
    }

    async fn finish(&self, job: &Job) -> Result<()> {
        let (job, world) = (job.clone(), Arc::clone(&self.world));
        self.store.transact(move |tx| run_at_once(tx, &job, &world)).await
    }

    /// Holds a claimed job for another lease, unless it is somebody else's by now.
    pub async fn renew(&self, job: &Job) -> Result<()> {
        let (job, renewed) = (job.clone(), job.clone().renewed(self.now()));
        self.store.transact(move |tx| put_if_held(tx, &job, &renewed)).await
    }

    /// Gives a claimed job back that will not be run now.
    pub async fn give_back(&self, job: Job) -> Result<()> {
        let back = job.clone().given_back();
        self.store.transact(move |tx| put_if_held(tx, &job, &back)).await
    }

    /// Runs one job that is due, quick ones first; says whether there was one.
    pub async fn step(&self) -> Result<bool> {
        for queue in Queue::ALL {
            if let Some(job) = self.claim(queue).await? {
                return self.run(job).await.map(|()| true);
            }
        }
        Ok(false)
    }

    /// Runs jobs until none is due, and embeds what waits for it.
    pub async fn settle(&self) -> Result<u64> {
        let mut done = 0;
        while self.step().await? {
            done += 1;
        }
        while self.embed_step().await? {}
        Ok(done)
    }
}

/// Whether the store still holds this claim.
fn is_held(snapshot: &dyn Snapshot, job: &Job) -> Result<bool> {
    Ok(snapshot.job(job.id)?.is_some_and(|known| job.is_still(&known)))
}

fn put_if_held(tx: &mut dyn Tx, job: &Job, changed: &Job) -> Result<()> {
    if is_held(tx.snapshot(), job)? { tx.put_job(changed) } else { Ok(()) }
}

/// Runs a quick job, unless somebody else has finished or replaced it meanwhile. The vault comes
/// first, as in every other verb, so that two of them never wait for each other.
fn run_at_once(tx: &mut dyn Tx, job: &Job, world: &World) -> Result<()> {
    let (vault, memory) = (tx.vault(job.vault)?, tx.memory(job.place())?);
    if !is_held(tx.snapshot(), job)? {
        return Ok(());
    }
    let (Some(vault), Some(memory)) = (vault, memory) else {
        return tx.remove_job(job.vault, job.kind, job.subject);
    };
    act::run(&mut Desk::new(tx, vault, memory, world.now(), &*world.chance), job)
}

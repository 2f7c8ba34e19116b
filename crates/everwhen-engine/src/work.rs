//! Background work: claim a job, run it, keep its result and its end in one transaction.
//!
//! [`Engine::step`] does one after another and is all a test needs. A worker claims from each
//! [`Queue`] by itself, runs what it has claimed, and renews the lease while it waits.

mod outside;
mod upkeep;

use std::sync::Arc;

use jiff::Timestamp;

use crate::chapters::{fold, write};
use crate::contexts;
use crate::conversations::{act, retell};
use crate::desk::Desk;
use crate::engine::{Engine, World};
use crate::facts::{Ruler, distill};
use crate::job::{Job, JobKind, JobState, Queue, Subject};
use crate::memory::{Address, Conversation, Entry, JobId, VaultInfo};
use crate::ports::{EntryQuery, JobSelection, Prompt, Removal, Reply, Row, Snapshot, Tx, Which};
use crate::vault::Vault;
use crate::{Error, Result};

pub use outside::Lock;
pub(crate) use outside::forget_outside;

impl Engine {
    /// Jobs of all vaults, those due first.
    pub async fn jobs(&self, limit: usize) -> Result<Vec<Job>> {
        self.store.look(move |snapshot| snapshot.jobs(JobSelection::Due(None, limit))).await
    }

    /// Puts a job that was set aside back in its queue.
    pub async fn retry_job(&self, id: JobId) -> Result<()> {
        let now = self.now();
        self.store
            .transact(move |tx| {
                let job = tx.jobs(JobSelection::Id(id))?.pop();
                let job = job.ok_or_else(|| Error::not_found(format!("job not found: {id}")))?;
                tx.put(Row::Job(&Job { due_at: now, tries: 0, state: JobState::Waiting, ..job }))
            })
            .await
    }

    /// When the next job is due, if any waits.
    pub async fn next_due(&self) -> Result<Option<Timestamp>> {
        let now = self.now();
        let look = move |snapshot: &dyn Snapshot| {
            let next = Queue::OWN.map(|queue| {
                snapshot.jobs(JobSelection::Next(queue, now)).map(|mut found| found.pop())
            });
            let due = next.into_iter().map(|job| Ok(job?.map(|job| job.due_at)));
            Ok(due.collect::<Result<Vec<_>>>()?.into_iter().flatten().min())
        };
        self.store.look(look).await
    }

    /// When the next job of a queue is due, if any waits.
    pub async fn next_due_in(&self, queue: Queue) -> Result<Option<Timestamp>> {
        let now = self.now();
        let next = self
            .store
            .look(move |snapshot| {
                snapshot.jobs(JobSelection::Next(queue, now)).map(|mut found| found.pop())
            })
            .await?;
        Ok(next.map(|job| job.due_at))
    }

    /// Takes the job of a queue that is due first. It is the caller's until the lease runs out.
    pub async fn claim(&self, queue: Queue) -> Result<Option<Job>> {
        let now = self.now();
        let claim = move |tx: &mut dyn Tx| {
            let due =
                tx.jobs(JobSelection::Next(queue, now))?.pop().filter(|job| job.due_at <= now);
            let claimed = due.map(|job| job.claimed(now));
            claimed.iter().try_for_each(|job| tx.put(Row::Job(job)))?;
            Ok(claimed)
        };
        self.store.transact(claim).await
    }

    /// Runs a claimed job. One that fails is kept for a later try, and its failure is in the job,
    /// not in the result.
    pub async fn run(&self, job: Job) -> Result<()> {
        match (self.finish(&job).await, job.kind, job.subject) {
            (Err(error), ..) => self.put_off(&job, error.to_string()).await,
            (Ok(()), JobKind::Close, Subject::Conversation(id)) => {
                self.note_end(job.place(), id).await;
                Ok(())
            }
            (Ok(()), ..) => Ok(()),
        }
    }

    async fn finish(&self, job: &Job) -> Result<()> {
        match job.kind {
            JobKind::Retell => retell::run(self, job).await,
            JobKind::Distill => distill::run(self, job).await,
            JobKind::Chapters => write::run(self, job).await,
            JobKind::Fold => fold::run(self, job).await,
            JobKind::Context => contexts::run(self, job).await,
            JobKind::Workflow | JobKind::Lock => {
                Err(Error::invalid(format!("the engine does no {} itself", job.kind.as_str())))
            }
            JobKind::Close | JobKind::Summarize => {
                let model = self.llm().is_some();
                self.commit(job, move |desk, job| act::run(desk, job, model)).await
            }
        }
    }

    /// Keeps the result of a job: runs `work` in one transaction, unless somebody else has finished
    /// or replaced the job meanwhile. Whatever changes what a job is about replaces the job, so the
    /// result of an outdated reading is never kept. A job that `work` leaves ends with it.
    pub(crate) async fn commit<F>(&self, job: &Job, work: F) -> Result<()>
    where
        F: Fn(&mut Desk<'_>, &Job) -> Result<()> + Send + 'static,
    {
        let (job, world, ruler) = (job.clone(), Arc::clone(&self.world), self.ruler());
        self.store
            .transact_in(Address::Id(job.vault), move |tx| {
                // The vault comes first, as in every verb, so that two never wait for each other.
                tx.vault(job.vault)?;
                if !is_held(tx.snapshot(), &job)? {
                    return Ok(());
                }
                at_desk(tx, &job, (&world, &ruler), &work)?;
                if is_held(tx.snapshot(), &job)? {
                    tx.remove(Removal::Job(job.vault, job.kind, job.subject))?;
                }
                Ok(())
            })
            .await
    }

    /// Keeps a part of the result of a job that goes on. Fails if the job is somebody else's by now.
    pub(crate) async fn go_on<F>(&self, job: &Job, work: F) -> Result<()>
    where
        F: Fn(&mut Desk<'_>, &Job) -> Result<()> + Send + 'static,
    {
        let (job, world, ruler) = (job.clone(), Arc::clone(&self.world), self.ruler());
        self.store
            .transact_in(Address::Id(job.vault), move |tx| {
                tx.vault(job.vault)?;
                match is_held(tx.snapshot(), &job)? {
                    true => at_desk(tx, &job, (&world, &ruler), &work),
                    false => Err(Error::conflict("somebody else has the job by now")),
                }
            })
            .await
    }

    /// Who asks the language model for a job; nobody if there is no model.
    pub(crate) fn asker(&self, vault: &VaultInfo, job: &Job) -> Option<Asker> {
        self.llm().map(|_| Asker { vault: Vault::existing(self.clone(), vault), tries: job.tries })
    }

    /// Ends a job that has nothing left to do.
    pub(crate) async fn drop_job(&self, job: &Job) -> Result<()> {
        self.commit(job, |_, _| Ok(())).await
    }

    /// What a job about an ended conversation works on; nothing if there is no such thing any more.
    pub(crate) async fn material(&self, job: &Job) -> Result<Option<Material>> {
        let job = job.clone();
        self.store.look(move |snapshot| material(snapshot, &job)).await
    }

    /// Holds a claimed job for another lease, unless it is somebody else's by now.
    pub async fn renew(&self, job: &Job) -> Result<()> {
        let now = self.now();
        self.change_held(job, move |known| known.renewed(now)).await
    }

    /// Gives a claimed job back that will not be run now.
    pub async fn give_back(&self, job: Job) -> Result<()> {
        self.change_held(&job, Job::given_back).await
    }

    /// Changes a claimed job as the store has it, unless it is somebody else's by now.
    async fn change_held<F>(&self, job: &Job, change: F) -> Result<()>
    where
        F: Fn(Job) -> Job + Send + 'static,
    {
        let job = job.clone();
        let work = move |tx: &mut dyn Tx| match tx.jobs(JobSelection::Id(job.id))?.pop() {
            Some(known) if job.is_still(&known) => tx.put(Row::Job(&change(known))),
            _ => Ok(()),
        };
        self.store.transact(work).await
    }

    /// Runs one job that is due, quick ones first; says whether there was one.
    pub async fn step(&self) -> Result<bool> {
        for queue in Queue::OWN {
            if let Some(job) = self.claim(queue).await? {
                return self.run(job).await.map(|()| true);
            }
        }
        Ok(false)
    }

    /// Runs jobs until none is due, and embeds what waits for it.
    pub async fn settle(&self) -> Result<u64> {
        self.keep_retrievals().await?;
        let done = self.settle_some(u64::MAX).await?;
        while self.embed_step().await? {}
        Ok(done)
    }

    /// Runs so many jobs, or until none is due; says how many that were.
    pub async fn settle_some(&self, most: u64) -> Result<u64> {
        let mut done = 0;
        while done < most && self.step().await? {
            done += 1;
        }
        Ok(done)
    }
}

/// Whether the store still holds this claim.
fn is_held(snapshot: &dyn Snapshot, job: &Job) -> Result<bool> {
    Ok(snapshot.jobs(JobSelection::Id(job.id))?.pop().is_some_and(|known| job.is_still(&known)))
}

/// Works where a job is about, if that still exists.
fn at_desk(
    tx: &mut dyn Tx,
    job: &Job,
    (world, ruler): (&World, &Ruler),
    work: &dyn Fn(&mut Desk<'_>, &Job) -> Result<()>,
) -> Result<()> {
    let (Some(vault), Some(memory)) = (tx.vault(job.vault)?, tx.memory(job.place())?) else {
        return Ok(());
    };
    let desk = Desk::new(tx, vault, memory, world.now(), &*world.chance);
    work(&mut desk.with_ruler(ruler.clone()), job)
}

/// Asks the language model for a job. Each try asks a little more freely, because the same words
/// would be answered as uselessly as before; but what an earlier try was told is used if it can be,
/// so that nothing is paid twice when a job is interrupted.
pub(crate) struct Asker {
    vault: Vault,
    tries: u32,
}

impl Asker {
    /// Asks, and reads the answer; `purpose` is what usage is kept under.
    pub(crate) async fn ask<T: Send>(
        &self,
        purpose: &'static str,
        prompt: &Prompt,
        read: impl Fn(&Reply) -> Result<T> + Send,
    ) -> Result<T> {
        let freedom = self.tries.saturating_sub(1).min(9);
        for freedom in 0..freedom {
            let earlier = self.vault.answered(purpose, &freely(prompt, freedom)).await?;
            if let Some(Ok(told)) = earlier.map(|reply| read(&reply)) {
                return Ok(told);
            }
        }
        self.vault.ask_for(purpose, &freely(prompt, freedom), read).await
    }
}

fn freely(prompt: &Prompt, freedom: u32) -> Prompt {
    Prompt { temperature: 0.1 * freedom as f32, ..prompt.clone() }
}

/// What a job about an ended conversation works on.
pub(crate) struct Material {
    /// The vault, for its zone and rules.
    pub(crate) vault: VaultInfo,
    /// The conversation's entries in force, in order.
    pub(crate) entries: Vec<Entry>,
}

fn material(snapshot: &dyn Snapshot, job: &Job) -> Result<Option<Material>> {
    let (Some(vault), Some(id)) = (snapshot.vault(job.vault)?, job.subject.conversation()) else {
        return Ok(None);
    };
    let found = snapshot.conversation(job.place(), id)?;
    if found.is_none_or(|one| one.id != id || one.ended.is_none()) {
        return Ok(None);
    }
    let query = EntryQuery::of_conversation(id, Which::Current);
    let entries = snapshot.entries(job.place(), &query)?;
    Ok(Some(Material { vault, entries }))
}

/// The conversation a job is about, if it still goes by that id.
pub(crate) fn subject(desk: &Desk<'_>, job: &Job) -> Result<Option<Conversation>> {
    let Some(id) = job.subject.conversation() else { return Ok(None) };
    let found = desk.tx.conversation(desk.place(), id)?;
    Ok(found.filter(|one| one.id == id))
}

/// The same, if it is over.
pub(crate) fn ended_subject(desk: &Desk<'_>, job: &Job) -> Result<Option<Conversation>> {
    Ok(subject(desk, job)?.filter(|one| one.ended.is_some()))
}

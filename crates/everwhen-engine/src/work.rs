//! Background work: claim a job, run it, keep its result and its end in one transaction.
//!
//! [`Engine::step`] does one after another and is all a test needs. A worker claims from each
//! [`Queue`] by itself, runs what it has claimed, and renews the lease while it waits.

mod ahead;
mod outside;
mod report;
mod search;
mod stuck;
mod upkeep;

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use jiff::Timestamp;

use crate::chapters::{fold, write};
use crate::contexts;
use crate::conversations::{act, retrospect, summarize_with_model};
use crate::engine::Engine;
use crate::facts::distill;
use crate::job::{Job, JobKind, JobState, Queue, Subject};
use crate::memory::{Address, JobId, MemoryRef};
use crate::ports::{JobSelection, Row, Snapshot, Tx};
use crate::{Error, Result};

pub use ahead::AheadMemory;
pub use outside::Lock;
pub use report::{JobReport, RetriedJobs};
use search::Found;
pub use stuck::FarLeases;

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
                let job = tx.jobs(JobSelection::Id(None, id))?.pop();
                let job = job.ok_or_else(|| Error::not_found(format!("job not found: {id}")))?;
                tx.put(Row::Job(&job.retried(now)))
            })
            .await
    }

    /// Puts all jobs that were set aside back in their queues, or those of one kind or in one memory
    /// only.
    pub async fn retry_jobs(
        &self,
        kind: Option<JobKind>,
        memory: Option<MemoryRef>,
    ) -> Result<RetriedJobs> {
        let Some(memory) = memory else { return self.retry_everywhere(kind).await };
        let now = self.now();
        let is_meant = move |job: &Job| {
            job.state == JobState::SetAside && kind.is_none_or(|kind| kind == job.kind)
        };
        let retry = move |tx: &mut dyn Tx| {
            tx.vault(memory.vault)?;
            let mut jobs = upkeep::of_memory(tx.snapshot(), memory, &JobKind::ALL)?;
            jobs.retain(is_meant);
            let retried = jobs.len() as u64;
            jobs.into_iter().try_for_each(|job| tx.put(Row::Job(&job.retried(now))))?;
            Ok(RetriedJobs { retried, unreached: 0 })
        };
        self.store.transact_in(Address::Id(memory.vault), retry).await
    }

    /// When the next job is due, if any waits.
    pub async fn next_due(&self) -> Result<Option<Timestamp>> {
        let now = self.now();
        let look = move |snapshot: &dyn Snapshot| {
            let next = Queue::OWN.map(|queue| {
                snapshot.jobs(JobSelection::Next(None, queue, now)).map(|mut found| found.pop())
            });
            let due = next.into_iter().map(|job| Ok(job?.map(|job| job.due_at)));
            Ok(due.collect::<Result<Vec<_>>>()?.into_iter().flatten().min())
        };
        self.store.look(look).await
    }

    /// Takes the job of a queue that is due first. It is the caller's until the lease runs out. While a part of
    /// the store is away, each call asks some vaults only; [`Engine::next_due_in`] is now until all were asked.
    pub async fn claim(&self, queue: Queue) -> Result<Option<Job>> {
        Ok(match self.search(queue).await? {
            Found::Job(job) => Some(job),
            Found::Nothing | Found::NotYet => None,
        })
    }

    /// Runs a claimed job. One that fails is kept for a later try, and its failure is in the job,
    /// not in the result.
    pub async fn run(&self, job: Job) -> Result<()> {
        match (caught(self.finish(&job)).await, job.kind, job.subject) {
            (Err(error), ..) => self.put_off_later(&job, error).await,
            (Ok(()), JobKind::Close, Subject::Conversation(id)) => {
                self.note_end(job.place(), id).await;
                Ok(())
            }
            (Ok(()), ..) => Ok(()),
        }
    }

    /// Puts a job off. Where its vault cannot be reached any more, its lease runs out instead.
    async fn put_off_later(&self, job: &Job, error: Error) -> Result<()> {
        match self.put_off(job, error).await {
            Err(error) if self.is_partial(&error) => {
                self.reach.mark_vault_unreachable(job.vault, &error, self.now());
                Ok(())
            }
            outcome => outcome,
        }
    }

    async fn finish(&self, job: &Job) -> Result<()> {
        match job.kind {
            JobKind::Retell => summarize_with_model::run(self, job).await,
            JobKind::Distill => distill::run(self, job).await,
            JobKind::Retrospect => retrospect::run(self, job).await,
            JobKind::Chapters => write::run(self, job).await,
            JobKind::Fold => fold::run(self, job).await,
            JobKind::Context => contexts::run(self, job).await,
            JobKind::Workflow | JobKind::Lock => {
                Err(Error::invalid(format!("the engine does no {} itself", job.kind.as_str())))
            }
            JobKind::Close | JobKind::Summarize => {
                let followers = act::Followers {
                    summarize_with_model: self.llm().is_some(),
                    retrospect: self.llm().is_some() && self.retrospection().is_some(),
                };
                self.commit(job, move |edit, job| act::run(edit, job, followers)).await
            }
        }
    }

    /// Holds a claimed job for another lease, unless another worker has it by now.
    pub async fn renew(&self, job: &Job) -> Result<()> {
        let now = self.now();
        self.change_held(job, move |known| known.renewed(now)).await
    }

    /// Gives a claimed job back that will not be run now.
    pub async fn give_back(&self, job: Job) -> Result<()> {
        self.change_held(&job, Job::given_back).await
    }

    /// Changes a claimed job as the store has it, unless another worker has it by now.
    async fn change_held<F>(&self, job: &Job, change: F) -> Result<()>
    where
        F: Fn(Job) -> Job + Send + 'static,
    {
        let job = job.clone();
        let work = move |tx: &mut dyn Tx| match tx
            .jobs(JobSelection::Id(Some(job.vault), job.id))?
            .pop()
        {
            Some(known) if job.is_still(&known) => tx.put(Row::Job(&change(known))),
            _ => Ok(()),
        };
        self.store.transact(work).await
    }

    /// Runs one job that is due, quick ones first; says whether there was one.
    pub async fn step(&self) -> Result<bool> {
        for queue in Queue::OWN {
            loop {
                match self.search(queue).await? {
                    Found::Job(job) => return self.run(job).await.map(|()| true),
                    Found::Nothing => break,
                    Found::NotYet => {}
                }
            }
        }
        Ok(false)
    }

    /// Runs jobs until none is due, and embeds what waits for it.
    pub async fn settle(&self) -> Result<u64> {
        // What one vault cannot keep hinders no job of another.
        let kept = self.keep_retrievals().await;
        let done = self.settle_some(u64::MAX).await?;
        while self.embed_step().await? {}
        kept.map(|()| done)
    }

    /// Runs at most this many jobs, or until none is due; returns how many were run.
    pub async fn settle_some(&self, most: u64) -> Result<u64> {
        self.free_stuck_jobs(&mut FarLeases::default()).await?;
        let mut done = 0;
        while done < most && self.step().await? {
            done += 1;
        }
        Ok(done)
    }
}

/// Waits for a job. A panic in it is a failure of this one job: it holds nothing that others use.
pub async fn caught<T>(job: impl Future<Output = Result<T>> + Send) -> Result<T> {
    let mut job = Box::pin(job);
    poll_fn(move |context| {
        let polled = catch_unwind(AssertUnwindSafe(|| job.as_mut().poll(context)));
        polled.unwrap_or_else(|_| Poll::Ready(Err(Error::damaged("a bug: the job panicked"))))
    })
    .await
}

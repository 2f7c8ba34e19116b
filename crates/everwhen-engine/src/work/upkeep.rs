//! Bringing one memory up to date now, instead of when its jobs fall due, and deriving from its entries what is
//! missing, or everything again.

use jiff::Timestamp;

use crate::chapters;
use crate::engine::Engine;
use crate::job::{Job, JobKind, JobState, Subject};
use crate::job_run;
use crate::memory::{Address, ConversationName, Folding, MemoryId};
use crate::memory_edit::MemoryEdit;
use crate::ports::{Cursor, JobSelection, MemoryRef, Removal, Row, Snapshot, Tx};
use crate::receipt::{Done, Idempotency, Receipt};
use crate::vault::{Absent, Vault};
use crate::{ConflictReason, Error, Result};

impl Vault {
    /// Has the title and the summary of one ended conversation written again; a job does the work.
    pub async fn summarize_conversation(
        &self,
        memory: Address<MemoryId>,
        conversation: ConversationName,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        self.edit_memory(memory, Absent::Refuse, idempotency, move |edit| {
            let conversation = edit.conversation(&conversation)?;
            if conversation.ended.is_none() {
                return Err(Error::conflict("the conversation has not ended; end it first")
                    .because(ConflictReason::NotEnded));
            }
            edit.put_job(JobKind::Summarize, conversation.id, edit.now)?;
            Ok(Receipt::Conversation(conversation.id))
        })
        .await
    }

    /// Has every ended conversation whose facts are not kept yet turned into facts, now; says how
    /// many those are. Jobs do the work, so it goes on where it was if it is interrupted.
    pub async fn distill(
        &self,
        memory: Address<MemoryId>,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        self.edit_memory(memory, Absent::Refuse, idempotency, |edit| {
            let mut waiting = edit.ended_conversations()?;
            waiting.retain(|one| one.distilled_at.is_none());
            for conversation in &waiting {
                edit.put_job(JobKind::Distill, conversation.id, edit.now)?;
            }
            Ok(Receipt::Regenerating(waiting.len() as u64))
        })
        .await
    }

    /// Has everything derived made again from the entries: chapters, summaries, facts, titles. Dates
    /// come from the entries, so they are the same as the first time. Models are asked again: what
    /// they answered before is removed from the vault's cache. Chapters that were imported stay, since
    /// what they cover may not be stored here. Says how many ended conversations
    /// that concerns; jobs do the work.
    pub async fn regenerate(
        &self,
        memory: Address<MemoryId>,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        self.edit_memory(memory, Absent::Refuse, idempotency, |edit| {
            let beginning = Cursor { time: Timestamp::MIN, sequence: 0 };
            edit.remove_own_chapters()?;
            edit.tx.remove(Removal::Summaries(edit.place(), beginning))?;
            edit.tx.remove(Removal::Replies(edit.vault.id, None))?;
            chapters::plan_from(edit, Timestamp::MIN)?;
            let ended = edit.ended_conversations()?;
            for conversation in &ended {
                edit.put_job(JobKind::Summarize, conversation.id, edit.now)?;
                edit.put_job(JobKind::Distill, conversation.id, edit.now)?;
            }
            edit.save_memory()?;
            Ok(Receipt::Regenerating(ended.len() as u64))
        })
        .await
    }

    /// Makes whatever is to be distilled from a memory due now: chapters, and facts of ended
    /// conversations.
    pub async fn hurry(&self, memory: Address<MemoryId>) -> Result<()> {
        self.edit_memory_for(memory, Absent::Refuse, |edit| {
            let waiting = waiting(edit.tx.snapshot(), edit.place())?;
            let is_held = |job: &&Job| matches!(job.state, JobState::Leased { .. });
            for job in waiting.iter().filter(|job| !is_held(job)) {
                let job = job.clone().retried(edit.now);
                edit.tx.put(Row::Job(&chapters::hurried(job)))?;
            }
            if !waiting.iter().any(|job| job.kind == JobKind::Chapters) {
                chapters::look_now(edit)?;
            }
            hurry_facts(edit, &waiting)
        })
        .await
    }

    /// Makes folding new chapters into the rolling summary due now, by these numbers.
    pub async fn hurry_summary(&self, memory: Address<MemoryId>, folding: Folding) -> Result<()> {
        self.edit_memory_for(memory, Absent::Refuse, move |edit| {
            let subject = Subject::Memory(edit.memory.id);
            let job = Job::new(edit.mint(), edit.place(), JobKind::Fold, subject, edit.now);
            edit.tx.put(Row::Job(&Job { payload: Some(folding.written()), ..job }))
        })
        .await
    }

    /// Jobs of a memory that wait for a model, those due first.
    pub async fn waiting_jobs(&self, memory: Address<MemoryId>) -> Result<Vec<Job>> {
        self.read(memory, |view, _| waiting(view.snapshot, view.place)).await
    }

    /// All jobs of a memory, those due first. Jobs of other vaults are not read.
    pub async fn jobs(&self, memory: Address<MemoryId>) -> Result<Vec<Job>> {
        self.read(memory, |view, _| of_memory(view.snapshot, view.place, &JobKind::ALL)).await
    }
}

impl Engine {
    /// Takes one job; nothing if it has gone or another worker has it.
    pub async fn claim_job(&self, job: &Job) -> Result<Option<Job>> {
        let (job, now) = (job.clone(), self.now());
        let claim = move |tx: &mut dyn Tx| {
            tx.vault(job.vault)?;
            let free = |known: &Job| match known.state {
                JobState::Waiting => known.due_at <= now,
                JobState::Leased { until } => until <= now,
                JobState::SetAside => false,
            };
            let found = tx.jobs(JobSelection::Id(Some(job.vault), job.id))?.pop().filter(free);
            found.map_or(Ok(None), |job| job_run::claim(tx, job, now))
        };
        self.store.transact(claim).await
    }
}

fn waiting(snapshot: &dyn Snapshot, place: MemoryRef) -> Result<Vec<Job>> {
    of_memory(snapshot, place, &[JobKind::Distill, JobKind::Chapters, JobKind::Fold])
}

/// Jobs of these kinds in a memory, those due first.
pub(super) fn of_memory(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    kinds: &[JobKind],
) -> Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for kind in kinds {
        jobs.extend(snapshot.jobs(JobSelection::Of(place, *kind))?);
    }
    jobs.sort_by_key(|job| (job.due_at, job.id));
    Ok(jobs)
}

/// Ended conversations whose facts no job is about to store.
fn hurry_facts(edit: &mut MemoryEdit<'_>, waiting: &[Job]) -> Result<()> {
    for one in edit.ended_conversations()? {
        let subject = Subject::Conversation(one.id);
        let known = waiting.iter().any(|job| job.subject == subject);
        if one.distilled_at.is_none() && !known {
            edit.put_job(JobKind::Distill, one.id, edit.now)?;
        }
    }
    Ok(())
}

//! Work that the engine keeps and others do: the rest of a workflow behind its answer, and the
//! locks between workflows.
//!
//! Both are jobs, so both are durable and survive a crash. A workflow is claimed with a lease and
//! tried again when it fails. A lock is nothing but its lease: its holder renews it, and when
//! its holder dies it is free once the lease has run out.

use jiff::Timestamp;
use uuid::Uuid;

use crate::engine::Engine;
use crate::job::{Job, JobKind, JobState, Subject};
use crate::memory::{Address, ForgetMark, JobId, MemoryId};
use crate::ports::{JobSelection, MemoryRef, Removal, Row};
use crate::vault::{Absent, Vault};
use crate::{Error, Result};

/// A lock in a memory, and who wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    /// What is locked, such as a workflow and the name of a lock in it.
    pub name: String,
    /// Who holds it; the same holder may take it again.
    pub holder: String,
}

impl Lock {
    /// The id of its job.
    fn id(&self, place: MemoryRef) -> JobId {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&place.vault.bytes());
        hasher.update(&place.memory.bytes());
        hasher.update(self.name.as_bytes());
        let bytes = hasher.finalize().as_bytes()[..16].try_into().expect("16 of 32 bytes");
        Uuid::from_bytes(bytes).into()
    }
}

impl Vault {
    /// Keeps the rest of a workflow to be done from `due_at` on. Refused if something was forgotten in the memory
    /// since the workflow began to read it.
    pub async fn put_workflow(
        &self,
        memory: Address<MemoryId>,
        payload: String,
        due_at: Timestamp,
        read_at: ForgetMark,
    ) -> Result<JobId> {
        self.edit_memory_for(memory, Absent::Refuse, move |edit| {
            edit.check_mark(&read_at)?;
            let id: JobId = edit.mint();
            let subject = Subject::Payload(id);
            let job = Job::new(id, edit.place(), JobKind::Workflow, subject, due_at);
            edit.tx.put(Row::Job(&Job { payload: Some(payload.clone()), ..job }))?;
            Ok(id)
        })
        .await
    }

    /// Takes a lock, or holds it for another lease; returns whether the caller has it.
    pub async fn take_lock(&self, memory: Address<MemoryId>, lock: Lock) -> Result<bool> {
        self.edit_memory_for(memory, Absent::Refuse, move |edit| {
            let id = lock.id(edit.place());
            let known = edit.tx.jobs(JobSelection::Id(Some(edit.vault.id), id))?.pop();
            if known.is_some_and(|known| is_anothers(&known, &lock.holder, edit.clock)) {
                return Ok(false);
            }
            let job = Job::new(id, edit.place(), JobKind::Lock, Subject::Payload(id), edit.clock);
            let job = Job { payload: Some(lock.holder.clone()), ..job }.renewed(edit.clock);
            edit.tx.put(Row::Job(&job)).map(|()| true)
        })
        .await
    }

    /// Releases a lock, unless another process has it by now.
    pub async fn let_go(&self, memory: Address<MemoryId>, lock: Lock) -> Result<()> {
        self.edit_memory_for(memory, Absent::Refuse, move |edit| {
            let id = lock.id(edit.place());
            let known = edit.tx.jobs(JobSelection::Id(Some(edit.vault.id), id))?.pop();
            match known.is_some_and(|known| known.payload.as_ref() == Some(&lock.holder)) {
                true => edit
                    .tx
                    .remove(Removal::Job(edit.vault.id, JobKind::Lock, Subject::Payload(id)))
                    .map(drop),
                false => Ok(()),
            }
        })
        .await
    }
}

fn is_anothers(known: &Job, holder: &str, now: Timestamp) -> bool {
    let held = matches!(known.state, JobState::Leased { until } if until > now);
    held && known.payload.as_deref() != Some(holder)
}

impl Engine {
    /// Stores the progress of a claimed workflow. Fails if another process has it by now.
    pub async fn keep_progress(&self, job: &Job, payload: String) -> Result<()> {
        self.go_on(job, move |edit, job| {
            let known = edit.tx.jobs(JobSelection::Id(Some(job.vault), job.id))?.pop();
            let known = known.expect("a job that is held is there");
            edit.tx.put(Row::Job(&Job { payload: Some(payload.clone()), ..known }))
        })
        .await
    }

    /// Ends a claimed workflow that is done.
    pub async fn end_workflow(&self, job: &Job) -> Result<()> {
        self.drop_job(job).await
    }

    /// Puts a claimed job that failed off to a later try, or aside after too many. What was kept of
    /// its progress stays.
    pub async fn put_off(&self, job: &Job, error: Error) -> Result<()> {
        let now = self.now();
        self.change_held(job, move |known| known.failed(&error, now)).await
    }
}

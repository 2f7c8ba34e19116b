//! What a job needs while it runs: what it is about, a language model to ask, and one transaction that
//! keeps its result and its end.

use std::sync::Arc;

use jiff::Timestamp;

use crate::engine::{Engine, World};
use crate::job::{Epoch, Job, JobState};
use crate::memory::{Address, Conversation, Entry, VaultInfo};
use crate::memory_edit::{EditTools, MemoryEdit};
use crate::ports::{EntryQuery, JobSelection, Prompt, Removal, Reply, Row, Snapshot, Tx, Which};
use crate::vault::Vault;
use crate::{ConflictReason, Error, Result};

impl Engine {
    /// Keeps the result of a job: runs `work` in one transaction, unless another worker has finished
    /// or replaced the job meanwhile. Whatever changes what a job is about replaces the job, so the
    /// result of an outdated reading is never kept. A job that `work` leaves ends with it.
    pub(crate) async fn commit<F>(&self, job: &Job, work: F) -> Result<()>
    where
        F: Fn(&mut MemoryEdit<'_>, &Job) -> Result<()> + Send + 'static,
    {
        let (job, world, tools) = (job.clone(), Arc::clone(&self.world), self.edit_tools());
        self.store
            .transact_in(Address::Id(job.vault), move |tx| {
                // The vault comes first, as in every verb, so that two never wait for each other.
                tx.vault(job.vault)?;
                if !is_held(tx.snapshot(), &job)? {
                    return Ok(());
                }
                if !is_of_this_epoch(tx.snapshot(), &job)? {
                    return tx.put(Row::Job(&job.clone().given_back()));
                }
                edit_memory(tx, &job, (&world, &tools), &work)?;
                if is_held(tx.snapshot(), &job)? {
                    tx.remove(Removal::Job(job.vault, job.kind, job.subject))?;
                }
                Ok(())
            })
            .await
    }

    /// Stores a part of the result of a job that continues. Fails if another worker has the job by now.
    pub(crate) async fn go_on<F>(&self, job: &Job, work: F) -> Result<()>
    where
        F: Fn(&mut MemoryEdit<'_>, &Job) -> Result<()> + Send + 'static,
    {
        let (job, world, tools) = (job.clone(), Arc::clone(&self.world), self.edit_tools());
        self.store
            .transact_in(Address::Id(job.vault), move |tx| {
                tx.vault(job.vault)?;
                if !is_held(tx.snapshot(), &job)? {
                    return Err(Error::conflict("another worker has the job by now")
                        .because(ConflictReason::ChangedMeanwhile));
                }
                if !is_of_this_epoch(tx.snapshot(), &job)? {
                    return Err(Error::conflict("something was forgotten meanwhile")
                        .because(ConflictReason::ChangedMeanwhile));
                }
                edit_memory(tx, &job, (&world, &tools), &work)
            })
            .await
    }

    /// What asks the language model for a job; `None` if there is no model.
    pub(crate) fn asker(&self, vault: &VaultInfo, job: &Job) -> Option<Asker> {
        self.llm().map(|_| Asker {
            vault: Vault::existing(self.clone(), vault),
            tries: job.tries,
            epoch: job.epoch.vault,
        })
    }

    /// Ends a job that has nothing left to do.
    pub(crate) async fn drop_job(&self, job: &Job) -> Result<()> {
        self.commit(job, |_, _| Ok(())).await
    }

    /// What a job about an ended conversation works on; nothing if there is no such thing any more.
    pub(crate) async fn material(&self, job: &Job) -> Result<Option<ConversationMaterial>> {
        let job = job.clone();
        self.store.look(move |snapshot| material(snapshot, &job)).await
    }
}

/// Takes a job, in the epoch of forgetting that begins or goes on now.
/// Nothing if its last worker vanished once too often: then it waits, or is set aside.
pub(crate) fn claim(tx: &mut dyn Tx, job: Job, now: Timestamp) -> Result<Option<Job>> {
    let job = match job.state {
        JobState::Leased { .. } => job.abandoned(now),
        JobState::Waiting | JobState::SetAside => job,
    };
    if job.state == JobState::SetAside || job.due_at > now {
        tx.put(Row::Job(&job))?;
        return Ok(None);
    }
    let job = job.claimed(now);
    tx.put(Row::Job(&job))?;
    let memory = tx.memory(job.place())?.map_or(0, |memory| memory.forgotten);
    let epoch = Epoch { vault: tx.forget_epoch(job.vault)?, memory };
    Ok(Some(Job { epoch, ..job }))
}

/// Whether nothing has been forgotten in the memory of a job since it was claimed. What it made of what
/// it had read before may contain it. A memory that is gone has no epoch: nothing is stored there.
fn is_of_this_epoch(snapshot: &dyn Snapshot, job: &Job) -> Result<bool> {
    let memory = snapshot.memory(job.place())?;
    Ok(memory.is_none_or(|memory| memory.forgotten == job.epoch.memory))
}

/// Whether the store still holds this claim.
fn is_held(snapshot: &dyn Snapshot, job: &Job) -> Result<bool> {
    let known = snapshot.jobs(JobSelection::Id(Some(job.vault), job.id))?.pop();
    Ok(known.is_some_and(|known| job.is_still(&known)))
}

/// Works where a job is about, if that still exists.
fn edit_memory(
    tx: &mut dyn Tx,
    job: &Job,
    (world, tools): (&World, &EditTools),
    work: &dyn Fn(&mut MemoryEdit<'_>, &Job) -> Result<()>,
) -> Result<()> {
    let (Some(vault), Some(memory)) = (tx.vault(job.vault)?, tx.memory(job.place())?) else {
        return Ok(());
    };
    let edit = MemoryEdit::new(tx, vault, memory, world.now(), &*world.chance);
    work(&mut edit.with_tools(tools.clone()), job)
}

/// Asks the language model for a job. Each try asks a little more freely, because the same words
/// would be answered as uselessly as before; but what an earlier try was told is used if it can be,
/// so that nothing is paid twice when a job is interrupted.
pub(crate) struct Asker {
    vault: Vault,
    tries: u32,
    /// The vault's epoch of forgetting when the job was claimed.
    epoch: u64,
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
            if let Some(Ok(answer)) = earlier.map(|reply| read(&reply)) {
                return Ok(answer);
            }
        }
        self.vault.ask_for(purpose, &freely(prompt, freedom), self.epoch, read).await
    }
}

fn freely(prompt: &Prompt, freedom: u32) -> Prompt {
    Prompt { temperature: 0.1 * freedom as f32, ..prompt.clone() }
}

/// What a job about an ended conversation works on.
pub(crate) struct ConversationMaterial {
    /// The vault, for its zone and rules.
    pub(crate) vault: VaultInfo,
    /// The conversation's current entries, in order.
    pub(crate) entries: Vec<Entry>,
}

fn material(snapshot: &dyn Snapshot, job: &Job) -> Result<Option<ConversationMaterial>> {
    let (Some(vault), Some(id)) = (snapshot.vault(job.vault)?, job.subject.conversation()) else {
        return Ok(None);
    };
    let found = snapshot.conversation(job.place(), id)?;
    if found.is_none_or(|one| one.id != id || one.ended.is_none()) {
        return Ok(None);
    }
    let query = EntryQuery::of_conversation(id, Which::Current);
    let entries = snapshot.entries(job.place(), &query)?;
    Ok(Some(ConversationMaterial { vault, entries }))
}

/// The conversation a job is about, if it still goes by that id.
pub(crate) fn subject(edit: &MemoryEdit<'_>, job: &Job) -> Result<Option<Conversation>> {
    let Some(id) = job.subject.conversation() else { return Ok(None) };
    let found = edit.tx.conversation(edit.place(), id)?;
    Ok(found.filter(|one| one.id == id))
}

/// The conversation a job is about, if it still goes by that id and has ended.
pub(crate) fn ended_subject(edit: &MemoryEdit<'_>, job: &Job) -> Result<Option<Conversation>> {
    Ok(subject(edit, job)?.filter(|one| one.ended.is_some()))
}

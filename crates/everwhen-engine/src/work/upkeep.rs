//! Bringing one memory up to date now, instead of when its jobs fall due: for whoever wants to
//! read chapters, summary and facts as they are at this moment.

use super::outside::MOST_JOBS;
use crate::chapters::{self, Folding};
use crate::desk::Desk;
use crate::engine::Engine;
use crate::job::{Job, JobKind, JobState, Subject};
use crate::memory::{Address, MemoryId};
use crate::ports::{ConversationQuery, JobSelection, MemoryRef, Row, Shelf, Snapshot, Tx};
use crate::vault::{Absent, Vault};
use crate::{Error, Result};

impl Vault {
    /// Makes whatever is to be distilled from a memory due now: chapters, and facts of ended
    /// conversations.
    pub async fn hurry(&self, memory: Address<MemoryId>) -> Result<()> {
        self.on_desk(memory, Absent::Refuse, |desk| {
            let waiting = waiting(desk.tx.snapshot(), desk.place())?;
            for job in waiting.iter().filter(|job| job.state == JobState::Waiting) {
                desk.tx
                    .put(Row::Job(&chapters::hurried(Job { due_at: desk.now, ..job.clone() })))?;
            }
            if !waiting.iter().any(|job| job.kind == JobKind::Chapters) {
                chapters::look_now(desk)?;
            }
            hurry_facts(desk, &waiting)
        })
        .await
    }

    /// Makes folding new chapters into the rolling summary due now, by these numbers.
    pub async fn hurry_summary(&self, memory: Address<MemoryId>, folding: Folding) -> Result<()> {
        self.on_desk(memory, Absent::Refuse, move |desk| {
            let subject = Subject::Memory(desk.memory.id);
            let job = Job::new(desk.mint(), desk.place(), JobKind::Fold, subject, desk.now);
            desk.tx.put(Row::Job(&Job { payload: Some(folding.written()), ..job }))
        })
        .await
    }

    /// Jobs of a memory that wait for a model, those due first.
    pub async fn waiting_jobs(&self, memory: Address<MemoryId>) -> Result<Vec<Job>> {
        self.read(memory, |view, _| waiting(view.snapshot, view.place)).await
    }

    /// All jobs of a memory, those due first. Jobs of other vaults are not read.
    pub async fn jobs(&self, memory: Address<MemoryId>) -> Result<Vec<Job>> {
        self.read(memory, |view, _| {
            let mut jobs =
                view.snapshot.jobs(JobSelection::Due(Some(view.place.vault), MOST_JOBS))?;
            jobs.retain(|job| job.place() == view.place);
            Ok(jobs)
        })
        .await
    }
}

impl Engine {
    /// Takes one job; nothing if it has gone or somebody else has it.
    pub async fn claim_job(&self, job: &Job) -> Result<Option<Job>> {
        let (job, now) = (job.clone(), self.now());
        let claim = move |tx: &mut dyn Tx| {
            tx.vault(job.vault)?;
            let free = |known: &Job| match known.state {
                JobState::Waiting => known.due_at <= now,
                JobState::Leased { until } => until <= now,
                JobState::SetAside => false,
            };
            let claimed =
                tx.jobs(JobSelection::Id(job.id))?.pop().filter(free).map(|job| job.claimed(now));
            claimed.iter().try_for_each(|job| tx.put(Row::Job(job)))?;
            Ok(claimed)
        };
        self.store.transact(claim).await
    }
}

fn waiting(snapshot: &dyn Snapshot, place: MemoryRef) -> Result<Vec<Job>> {
    let mut jobs = snapshot.jobs(JobSelection::Due(Some(place.vault), MOST_JOBS))?;
    let wanted = [JobKind::Distill, JobKind::Chapters, JobKind::Fold];
    jobs.retain(|job| job.place() == place && wanted.contains(&job.kind));
    Ok(jobs)
}

/// Ended conversations whose facts nobody is about to keep.
fn hurry_facts(desk: &mut Desk<'_>, waiting: &[Job]) -> Result<()> {
    let query =
        ConversationQuery { ended: Some(true), shelf: Shelf::Both, ..ConversationQuery::default() };
    for one in desk.tx.conversations(desk.place(), &query)? {
        let subject = Subject::Conversation(one.id);
        let known = waiting.iter().any(|job| job.subject == subject);
        if one.distilled_at.is_none() && !known {
            desk.put_job(JobKind::Distill, one.id, desk.now)?;
        }
    }
    Ok(())
}

impl Folding {
    /// As a job carries it.
    fn written(self) -> String {
        format!("{} {}", self.min, self.most)
    }

    /// What a job carries; nothing if it carries nothing.
    pub(crate) fn read(payload: Option<&str>) -> Result<Option<Self>> {
        let Some(payload) = payload else { return Ok(None) };
        let read = || {
            let (min, most) = payload.split_once(' ')?;
            Some(Self { min: min.parse().ok()?, most: most.parse().ok()? })
        };
        read().map(Some).ok_or_else(|| Error::damaged("a job to fold holds no two numbers"))
    }
}

//! Jobs of all vaults for the operator: how many there are, which were set aside, and trying those again.
//!
//! While a part of the store is away, each vault is asked by itself, and those that cannot be reached are counted.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::engine::Engine;
use crate::job::{Job, JobCount, JobKind, JobState, JobWait};
use crate::memory::{Address, JobId, Name, VaultId};
use crate::ports::{JobSelection, Row, Snapshot, Tx};
use crate::{Error, Result, limits};

/// Jobs of all vaults that could be reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobReport {
    /// How many there are of each kind, by why they wait, in this order.
    pub counts: Vec<JobCount>,
    /// Those that were set aside, at most [`limits::SET_ASIDE_LISTED`].
    pub set_aside: Vec<Job>,
    /// Of each kind the one that is tried again first, of those that failed.
    pub failed: Vec<Job>,
    /// How many vaults could not be reached.
    pub unreached: u64,
}

/// What became of jobs that were to be tried again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetriedJobs {
    /// How many wait again.
    pub retried: u64,
    /// How many vaults could not be reached.
    pub unreached: u64,
}

/// What is asked about jobs one after the other: each vault, or `None` for all of them at once.
struct JobParts {
    parts: Vec<Option<VaultId>>,
    /// The jobs of all vaults, counted, if they can be asked at once.
    counts: Option<Vec<JobCount>>,
}

impl JobReport {
    /// Counts jobs of one kind that wait for one reason.
    pub fn count(&self, kind: JobKind, wait: JobWait) -> u64 {
        let meant = self.counts.iter().filter(|one| (one.kind, one.wait) == (kind, wait));
        meant.map(|one| one.count).sum()
    }

    /// How many jobs wait, run or are tried again.
    pub fn waiting(&self) -> u64 {
        let waiting = self.counts.iter().filter(|one| one.wait != JobWait::SetAside);
        waiting.map(|one| one.count).sum()
    }

    fn add(&mut self, counts: &[JobCount]) {
        let mut sums: BTreeMap<(&str, JobWait), JobCount> = BTreeMap::new();
        for one in self.counts.iter().chain(counts) {
            let sum = sums.get(&(one.kind.as_str(), one.wait)).map_or(*one, |sum| sum.and(one));
            sums.insert((one.kind.as_str(), one.wait), sum);
        }
        self.counts = sums.into_values().collect();
    }

    /// Keeps of each kind the job that is tried first.
    fn add_failed(&mut self, jobs: Vec<Job>) {
        self.failed.extend(jobs);
        self.failed.sort_by_key(|job| (job.kind.as_str(), job.due_at, job.id));
        self.failed.dedup_by_key(|job| job.kind);
    }
}

impl Engine {
    /// How many jobs there are of each kind, by why they wait at a time. `None` while a part of the store is away.
    pub async fn count_jobs(&self, at: Timestamp) -> Result<Option<Vec<JobCount>>> {
        match self.store.look(move |rows| rows.job_counts(None, at)).await {
            Ok(counts) => Ok(Some(counts)),
            Err(error) if self.is_partial(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// All jobs counted, and those that were set aside.
    pub async fn job_report(&self) -> Result<JobReport> {
        let mut report = JobReport::default();
        let JobParts { parts, counts } = self.parts().await?;
        for part in parts {
            let added = self.report_part(part, counts.clone(), &mut report).await;
            report.unreached += self.missed(part, added)?;
        }
        Ok(report)
    }

    /// Adds the jobs of one vault, or of all. They are counted unless their counts are known.
    async fn report_part(
        &self,
        part: Option<VaultId>,
        known: Option<Vec<JobCount>>,
        report: &mut JobReport,
    ) -> Result<()> {
        self.check_pause(part)?;
        let (now, left) = (self.now(), limits::SET_ASIDE_LISTED - report.set_aside.len());
        let look = move |rows: &dyn Snapshot| {
            let counts = known.clone().map_or_else(|| rows.job_counts(part, now), Ok)?;
            let aside = rows.jobs(JobSelection::SetAside(part, None, left))?;
            let mut failed = Vec::new();
            for one in counts.iter().filter(|one| one.wait == JobWait::Failed) {
                failed.extend(rows.jobs(JobSelection::Failed(part, one.kind))?);
            }
            Ok((counts, aside, failed))
        };
        let (counts, aside, failed) = self.store.look(look).await?;
        report.add(&counts);
        report.set_aside.extend(aside);
        report.add_failed(failed);
        Ok(())
    }

    /// Puts the jobs of all vaults that were set aside back in their queues, or those of one kind.
    pub(super) async fn retry_everywhere(&self, kind: Option<JobKind>) -> Result<RetriedJobs> {
        let mut done = RetriedJobs::default();
        for part in self.parts().await?.parts {
            let retried = self.retry_part(part, kind, &mut done.retried).await;
            done.unreached += self.missed(part, retried)?;
        }
        Ok(done)
    }

    /// Retries the jobs of one vault, or of all, page by page.
    async fn retry_part(
        &self,
        part: Option<VaultId>,
        kind: Option<JobKind>,
        retried: &mut u64,
    ) -> Result<()> {
        self.check_pause(part)?;
        let (now, mut after) = (self.now(), None);
        loop {
            let page = JobSelection::SetAside(part, after, limits::JOBS_READ);
            let mut page = self.store.look(move |rows| rows.jobs(page)).await?;
            let is_last = page.len() < limits::JOBS_READ;
            after = page.last().map(|job| job.id);
            let is_meant = move |job: &Job| {
                job.state == JobState::SetAside && kind.is_none_or(|kind| kind == job.kind)
            };
            page.retain(is_meant);
            let retry = move |job: Job| is_meant(&job).then(|| job.retried(now));
            *retried += self.change_jobs(page, retry).await?;
            if is_last {
                return Ok(());
            }
        }
    }

    /// Changes jobs, each as it is stored by now; returns how many there were to change. Jobs of one vault are
    /// changed together: they lie on one node.
    pub(super) async fn change_jobs<F>(&self, mut jobs: Vec<Job>, change: F) -> Result<u64>
    where
        F: Fn(Job) -> Option<Job> + Clone + Send + 'static,
    {
        let mut changed = 0;
        jobs.sort_by_key(|job| (job.vault, job.id));
        for jobs in jobs.chunk_by(|one, other| one.vault == other.vault) {
            let (vault, change) = (jobs[0].vault, change.clone());
            let ids: Vec<JobId> = jobs.iter().map(|job| job.id).collect();
            let work = move |tx: &mut dyn Tx| change_in(tx, vault, &ids, &change);
            changed += self.store.transact_in(Address::Id(vault), work).await?;
        }
        Ok(changed)
    }

    /// What to ask one after the other: all vaults at once, or each of them while a part of the store is away.
    async fn parts(&self) -> Result<JobParts> {
        let now = self.now();
        match self.store.look(move |rows| rows.job_counts(None, now)).await {
            Ok(counts) => return Ok(JobParts { parts: vec![None], counts: Some(counts) }),
            Err(error) if self.is_partial(&error) => self.reach.mark_store_unreachable(&error, now),
            Err(error) => return Err(error),
        }
        Ok(JobParts { parts: self.each_vault().await?, counts: None })
    }

    /// Every vault, to be asked by itself.
    pub(super) async fn each_vault(&self) -> Result<Vec<Option<VaultId>>> {
        let mut vaults = Vec::new();
        let mut after: Option<Name> = None;
        loop {
            let from = after.clone();
            let names =
                move |rows: &dyn Snapshot| rows.vault_names(from.as_ref(), limits::VAULTS_READ);
            let names = self.store.look(names).await?;
            after = names.last().map(|(name, _)| name.clone());
            let is_last = names.len() < limits::VAULTS_READ;
            vaults.extend(names.into_iter().map(|(_, vault)| Some(vault)));
            if is_last {
                return Ok(vaults);
            }
        }
    }

    /// Refuses a vault that was just out of reach, instead of waiting for it once more.
    pub(super) fn check_pause(&self, part: Option<VaultId>) -> Result<()> {
        match part.and_then(|vault| self.reach.pause(vault, self.now())) {
            Some(_) => Err(Error::unavailable("the vault cannot be reached")),
            None => Ok(()),
        }
    }

    /// How many vaults were missed: one that could not be reached is, and is left alone for a while.
    pub(super) fn missed(&self, part: Option<VaultId>, asked: Result<()>) -> Result<u64> {
        match (asked, part) {
            (Ok(()), _) => Ok(0),
            (Err(error), Some(vault)) if self.is_partial(&error) => {
                if self.check_pause(part).is_ok() {
                    self.reach.mark_vault_unreachable(vault, &error, self.now());
                }
                Ok(1)
            }
            (Err(error), _) => Err(error),
        }
    }
}

/// Changes jobs of one vault; returns how many there were to change.
fn change_in(
    tx: &mut dyn Tx,
    vault: VaultId,
    ids: &[JobId],
    change: &impl Fn(Job) -> Option<Job>,
) -> Result<u64> {
    tx.vault(vault)?;
    let mut changed = 0;
    for id in ids {
        let known = tx.jobs(JobSelection::Id(Some(vault), *id))?.pop();
        if let Some(job) = known.and_then(change) {
            tx.put(Row::Job(&job))?;
            changed += 1;
        }
    }
    Ok(changed)
}

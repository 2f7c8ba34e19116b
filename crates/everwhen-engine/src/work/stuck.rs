//! Jobs that a clock which was wrong put off for years.
//!
//! A job that is put, or put off, while the clock is ahead is due then, and a lease taken then ends then. Once the
//! clock is right again, nothing would come of either before that time. No job is put off for longer than
//! [`limits::JOB_BACKOFF`], so what waits for longer is due at once. A lease may be that of a process whose
//! clock is still ahead, which renews it; it ends if it was not renewed between two looks.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::Result;
use crate::engine::Engine;
use crate::job::{Job, JobState};
use crate::limits;
use crate::memory::{JobId, VaultId};
use crate::ports::JobSelection;

/// Leases that end later than any lease can, as the last look found them.
#[derive(Debug, Clone, Default)]
pub struct FarLeases(HashMap<JobId, Timestamp>);

impl FarLeases {
    /// Whether a job is held just as it was then.
    fn has(&self, job: &Job) -> bool {
        matches!(job.state, JobState::Leased { until } if self.0.get(&job.id) == Some(&until))
    }

    fn note(&mut self, job: &Job) {
        if let JobState::Leased { until } = job.state {
            self.0.insert(job.id, until);
        }
    }
}

impl Engine {
    /// Makes jobs due that wait for longer than any job is put off, and ends leases that last longer than any and
    /// were not renewed since `seen`, which is filled for the next look. Returns how many jobs were stuck.
    pub async fn free_stuck_jobs(&self, seen: &mut FarLeases) -> Result<u64> {
        let mut look = Look { now: self.now(), before: std::mem::take(seen), ..Look::default() };
        if !self.reach.asks_each(look.now) {
            match self.free_stuck_in(None, &mut look).await {
                Err(error) if self.is_partial(&error) => {
                    self.reach.mark_store_unreachable(&error, look.now)
                }
                outcome => {
                    *seen = look.leases;
                    return outcome.map(|()| look.freed);
                }
            }
        }
        for part in self.each_vault().await? {
            let outcome = self.free_stuck_in(part, &mut look).await;
            self.missed(part, outcome)?;
        }
        *seen = look.leases;
        Ok(look.freed)
    }

    /// The same in one vault, or in all, page by page.
    async fn free_stuck_in(&self, part: Option<VaultId>, look: &mut Look) -> Result<()> {
        self.check_pause(part)?;
        let limit = look.now + limits::JOB_BACKOFF + limits::CLOCK_SLACK;
        let mut after = None;
        loop {
            let page = JobSelection::Beyond(part, after, limit, limits::JOBS_READ);
            let mut page = self.store.look(move |rows| rows.jobs(page)).await?;
            after = page.last().map(|job| job.id);
            let is_last = page.len() < limits::JOBS_READ;
            page.iter().for_each(|job| look.leases.note(job));
            let (before, now) = (look.before.clone(), look.now);
            let free = move |job: Job| freed(job, &before, (now, limit));
            page.retain(|job| free(job.clone()).is_some());
            look.freed += self.change_jobs(page, free).await?;
            if is_last {
                return Ok(());
            }
        }
    }
}

/// One look for jobs that are stuck.
#[derive(Debug, Default)]
struct Look {
    now: Timestamp,
    before: FarLeases,
    leases: FarLeases,
    freed: u64,
}

/// A job that waits or is held beyond a limit, as it is to be; nothing if it may stay as it is.
fn freed(job: Job, before: &FarLeases, (now, limit): (Timestamp, Timestamp)) -> Option<Job> {
    if !job.is_beyond(limit) {
        return None;
    }
    match job.state {
        JobState::Waiting => Some(Job { due_at: now, ..job }),
        JobState::Leased { .. } if before.has(&job) => {
            Some(Job { state: JobState::Leased { until: now }, ..job })
        }
        JobState::Leased { .. } | JobState::SetAside => None,
    }
}

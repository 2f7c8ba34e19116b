//! How the oracle finds jobs.

use everwhen_engine::job::{Job, JobState};
use everwhen_engine::ports::JobSelection;
use jiff::Timestamp;

use super::state::State;

impl State {
    pub(super) fn jobs_of(&self, query: JobSelection) -> Vec<Job> {
        let is_meant = |job: &Job| match query {
            JobSelection::Id(id) => job.id == id,
            JobSelection::Next(queue, now) => job.kind.queue() == queue && is_free(job, now),
            JobSelection::Due(vault, _) => vault.is_none_or(|vault| job.vault == vault),
            JobSelection::Of(place, kind) => job.place() == place && job.kind == kind,
        };
        let limit = match query {
            JobSelection::Id(_) | JobSelection::Next(..) => 1,
            JobSelection::Due(_, limit) => limit,
            JobSelection::Of(..) => usize::MAX,
        };
        let mut jobs: Vec<Job> = self.jobs.iter().filter(|job| is_meant(job)).cloned().collect();
        jobs.sort_by_key(|job| (job.due_at, job.id));
        jobs.truncate(limit);
        jobs
    }
}

/// Whether no worker has a lease on a job.
fn is_free(job: &Job, now: Timestamp) -> bool {
    match job.state {
        JobState::Waiting => true,
        JobState::Leased { until } => until <= now,
        JobState::SetAside => false,
    }
}

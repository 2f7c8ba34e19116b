//! How the oracle finds and counts jobs.

use std::collections::BTreeMap;

use everwhen_engine::job::{Job, JobCount, JobKind, JobState, JobWait};
use everwhen_engine::memory::VaultId;
use everwhen_engine::ports::JobSelection;
use jiff::Timestamp;

use super::state::State;

impl State {
    pub(super) fn jobs_of(&self, query: JobSelection) -> Vec<Job> {
        let is_meant = |job: &Job| match query {
            JobSelection::Id(vault, id) => is_in(job, vault) && job.id == id,
            JobSelection::Next(vault, queue, now) => {
                is_in(job, vault) && job.kind.queue() == queue && is_free(job, now)
            }
            JobSelection::Due(vault, _) => is_in(job, vault),
            JobSelection::Of(place, kind) => job.place() == place && job.kind == kind,
            JobSelection::SetAside(vault, after, _) => {
                let is_behind = after.is_none_or(|after| job.id > after);
                is_in(job, vault) && job.state == JobState::SetAside && is_behind
            }
            JobSelection::Beyond(vault, after, time, _) => {
                is_in(job, vault) && job.is_beyond(time) && after.is_none_or(|after| job.id > after)
            }
            JobSelection::Failed(vault, kind) => {
                // A lease that ran out failed nothing, and what is held is running.
                let has_failed = job.state == JobState::Waiting
                    && JobWait::of(job, job.due_at) == JobWait::Failed;
                is_in(job, vault) && job.kind == kind && has_failed
            }
        };
        let limit = match query {
            JobSelection::Id(..) | JobSelection::Next(..) | JobSelection::Failed(..) => 1,
            JobSelection::Due(_, limit)
            | JobSelection::SetAside(.., limit)
            | JobSelection::Beyond(.., limit) => limit,
            JobSelection::Of(..) => usize::MAX,
        };
        let mut jobs: Vec<Job> = self.jobs.iter().filter(|job| is_meant(job)).cloned().collect();
        match query {
            JobSelection::SetAside(..) | JobSelection::Beyond(..) => jobs.sort_by_key(|job| job.id),
            _ => jobs.sort_by_key(|job| (job.due_at, job.id)),
        }
        jobs.truncate(limit);
        jobs
    }

    pub(super) fn counts_of_jobs(&self, vault: Option<VaultId>, now: Timestamp) -> Vec<JobCount> {
        let mut groups: BTreeMap<(&str, JobWait), JobCount> = BTreeMap::new();
        let meant = |job: &&Job| is_in(job, vault) && job.kind != JobKind::Lock;
        for job in self.jobs.iter().filter(meant) {
            let (kind, wait) = (job.kind, JobWait::of(job, now));
            let is_due = job.due_at <= now && job.state != JobState::SetAside;
            let one = JobCount { kind, wait, count: 1, due: u64::from(is_due), next: job.due_at };
            let sum = groups.get(&(kind.as_str(), wait)).map_or(one, |sum| sum.and(&one));
            groups.insert((kind.as_str(), wait), sum);
        }
        groups.into_values().collect()
    }
}

fn is_in(job: &Job, vault: Option<VaultId>) -> bool {
    vault.is_none_or(|vault| job.vault == vault)
}

/// Whether no worker has a lease on a job.
fn is_free(job: &Job, now: Timestamp) -> bool {
    match job.state {
        JobState::Waiting => true,
        JobState::Leased { until } => until <= now,
        JobState::SetAside => false,
    }
}

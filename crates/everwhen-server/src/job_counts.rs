//! Counting jobs by what they do and why they wait.

use std::collections::BTreeMap;

use everwhen::job::{Job, JobKind, JobState};
use jiff::Timestamp;

/// Why a job is not done yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum JobWait {
    /// Its time has come, and a worker will take it.
    Due,
    /// Its time has not come.
    Scheduled,
    /// A worker has it.
    Running,
    /// It failed and is tried again later.
    Failed,
    /// It failed too often, and is not tried again by itself.
    SetAside,
}

impl JobWait {
    /// All reasons.
    pub(crate) const ALL: [Self; 5] =
        [Self::Due, Self::Scheduled, Self::Running, Self::Failed, Self::SetAside];

    /// As in metrics and reports.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Due => "due",
            Self::Scheduled => "scheduled",
            Self::Running => "running",
            Self::Failed => "failed",
            Self::SetAside => "set_aside",
        }
    }

    /// Why a job waits.
    pub(crate) fn of(job: &Job, now: Timestamp) -> Self {
        match job.state {
            JobState::SetAside => Self::SetAside,
            JobState::Leased { until } if until > now => Self::Running,
            JobState::Leased { .. } => Self::Due,
            JobState::Waiting if job.waits > 0 || job.last_error.is_some() => Self::Failed,
            JobState::Waiting if job.due_at > now => Self::Scheduled,
            JobState::Waiting => Self::Due,
        }
    }
}

/// Jobs of one kind that wait for the same reason.
#[derive(Debug, Clone, Default)]
pub(crate) struct JobCount {
    pub(crate) count: u64,
    /// When the first of them is tried next.
    pub(crate) next: Option<Timestamp>,
    /// The last error of the one that is tried first.
    pub(crate) error: Option<String>,
}

/// Counts jobs by kind and reason. Locks of workflows are no work.
pub(crate) fn count(jobs: &[Job], now: Timestamp) -> BTreeMap<(&'static str, JobWait), JobCount> {
    let mut groups: BTreeMap<_, JobCount> = BTreeMap::new();
    for job in jobs.iter().filter(|job| job.kind != JobKind::Lock) {
        let group = groups.entry((job.kind.as_str(), JobWait::of(job, now))).or_default();
        group.count += 1;
        if group.next.is_none_or(|next| job.due_at < next) {
            group.next = Some(job.due_at);
            group.error.clone_from(&job.last_error);
        }
    }
    groups
}

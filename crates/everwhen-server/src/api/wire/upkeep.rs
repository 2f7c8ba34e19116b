//! Health of the server, and jobs.

use everwhen::backup::ScheduleStatus;
use everwhen::job::{JobCount, JobWait};
use everwhen::{JobReport, TaskStatus, WorkerStatus, WorkerTask, job, outbox};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::shape;

/// The health of the server.
#[derive(Serialize, ToSchema)]
#[schema(as = Standing)]
pub(crate) struct HealthStatus {
    /// `ok`, or `degraded`: it works, but something needs attention.
    #[schema(examples("ok"))]
    pub(crate) status: String,
    /// What is degraded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
}

impl HealthStatus {
    /// The server works.
    pub(crate) fn ok() -> Self {
        Self { status: "ok".into(), detail: None }
    }

    /// The server works, but something needs attention.
    pub(crate) fn degraded(detail: Option<String>) -> Self {
        Self { status: "degraded".into(), detail }
    }
}

/// The report of the doctor.
#[derive(Serialize, ToSchema)]
pub(crate) struct Doctor {
    /// The server's version.
    #[schema(examples("0.1.0"))]
    pub(crate) version: String,
    /// Problems of the store.
    pub(crate) problems: Vec<String>,
    /// What needs attention though the store works: a clock that was wrong, background work that fails.
    pub(crate) warnings: Vec<String>,
    /// The tasks that run background jobs; none where no worker runs.
    pub(crate) worker: Vec<WorkerTaskStatus>,
    /// Background jobs.
    pub(crate) jobs: Jobs,
    /// Exchanges of the proxy that wait to be stored; absent where there is no outbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) outbox: Option<OutboxStatus>,
    /// The backups that the server makes by itself; absent where none are scheduled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) backup: Option<BackupStatus>,
}

/// The backups that the server makes by itself.
#[derive(Serialize, ToSchema)]
pub(crate) struct BackupStatus {
    /// Seconds between two backups.
    every_seconds: u64,
    /// Number of backups that are kept.
    keep: u32,
    /// Number of backups there are.
    count: u64,
    /// Their directory.
    directory: String,
    /// When the newest one was begun; null before the first one.
    #[schema(value_type = Option<shape::TimeOut>, required = true)]
    last_at: Option<String>,
    /// The size of the newest one in bytes.
    #[schema(required = true)]
    last_bytes: Option<u64>,
    /// When the next one is due; null if that is now.
    #[schema(value_type = Option<shape::TimeOut>, required = true)]
    next_at: Option<String>,
}

impl From<ScheduleStatus> for BackupStatus {
    fn from(status: ScheduleStatus) -> Self {
        Self {
            every_seconds: status.every.as_secs(),
            keep: status.keep,
            count: status.count as u64,
            directory: status.directory.display().to_string(),
            last_at: status.last.as_ref().map(|last| last.at.to_string()),
            last_bytes: status.last.as_ref().map(|last| last.bytes),
            next_at: status.next().map(|at| at.to_string()),
        }
    }
}

/// Exchanges of the proxy that wait to be stored.
#[derive(Serialize, ToSchema)]
#[schema(as = Outbox)]
pub(crate) struct OutboxStatus {
    /// Number of waiting exchanges.
    waiting: u64,
    /// Bytes in use.
    bytes: u64,
    /// Maximum number of bytes.
    max_bytes: u64,
    /// When the oldest waiting exchange was accepted.
    #[schema(value_type = Option<shape::TimeOut>, required = true)]
    oldest: Option<String>,
    /// Why the outbox cannot be written, if it cannot.
    #[schema(required = true)]
    failure: Option<String>,
    /// Exchanges that can never be stored, the newest first.
    set_aside: Vec<SetAsideExchange>,
}

/// An exchange that can never be stored.
#[derive(Serialize, ToSchema)]
pub(crate) struct SetAsideExchange {
    /// The vault it was for, by id or name.
    vault: String,
    /// The memory it was for, by id or name, if that is known.
    #[schema(required = true)]
    memory: Option<String>,
    /// When it was accepted.
    #[schema(value_type = shape::TimeOut)]
    accepted_at: String,
    /// Why it was set aside.
    reason: String,
}

impl OutboxStatus {
    /// Converts the state of an outbox.
    pub(crate) fn new(stats: outbox::OutboxStats, set_aside: Vec<outbox::SetAside>) -> Self {
        let one = |row: outbox::SetAside| SetAsideExchange {
            vault: row.vault,
            memory: row.memory,
            accepted_at: row.accepted_at.to_string(),
            reason: row.reason,
        };
        Self {
            waiting: stats.rows,
            bytes: stats.bytes,
            max_bytes: stats.max_bytes,
            oldest: stats.oldest.map(|at| at.to_string()),
            failure: stats.failure,
            set_aside: set_aside.into_iter().map(one).collect(),
        }
    }
}

/// Background jobs.
#[derive(Serialize, ToSchema)]
pub(crate) struct Jobs {
    /// Number of jobs that are scheduled or running.
    pub(crate) waiting: u64,
    /// The jobs by what they do and why they wait.
    pub(crate) groups: Vec<JobGroup>,
    /// Jobs that failed too often, at most 1000 of them; they are not retried until requested.
    pub(crate) set_aside: Vec<SetAsideJob>,
}

/// Jobs of one kind that wait for the same reason.
#[derive(Serialize, ToSchema)]
pub(crate) struct JobGroup {
    /// What they do.
    #[schema(examples("distill"))]
    kind: &'static str,
    /// Why they wait.
    #[schema(value_type = WaitReason)]
    reason: &'static str,
    /// Number of jobs.
    count: u64,
    /// When the first of them is due or tried again; absent for those that were set aside.
    #[schema(value_type = Option<shape::TimeOut>, required = true)]
    next_at: Option<String>,
    /// The last error of that one, if they failed or were set aside.
    #[schema(required = true)]
    last_error: Option<String>,
}

/// Why a job waits: its time has come or not, a worker runs it, it failed and is tried again, the process ended twice
/// or more while it ran, or it failed too often.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a field")]
pub(crate) enum WaitReason {
    Due,
    Scheduled,
    Running,
    Failed,
    Suspect,
    SetAside,
}

impl JobGroup {
    /// Converts the groups that jobs were counted in.
    pub(crate) fn all(report: &JobReport) -> Vec<Self> {
        let one = |group: &JobCount| {
            let is_tried_again = group.wait != JobWait::SetAside;
            Self {
                kind: group.kind.as_str(),
                reason: group.wait.as_str(),
                count: group.count,
                next_at: is_tried_again.then(|| group.next.to_string()),
                last_error: last_error(report, group),
            }
        };
        report.counts.iter().map(one).collect()
    }
}

/// The last error of the first of these jobs, if they failed.
fn last_error(report: &JobReport, group: &JobCount) -> Option<String> {
    let jobs = match group.wait {
        JobWait::Failed => &report.failed,
        JobWait::SetAside => &report.set_aside,
        JobWait::Due | JobWait::Scheduled | JobWait::Running | JobWait::Suspect => return None,
    };
    let same = jobs.iter().filter(|job| job.kind == group.kind);
    same.min_by_key(|job| job.due_at).and_then(|job| job.last_error.clone())
}

/// A task that runs background jobs.
#[derive(Serialize, ToSchema)]
pub(crate) struct WorkerTaskStatus {
    /// Which one.
    #[schema(examples("quick"))]
    task: &'static str,
    /// Whether it runs.
    running: bool,
    /// How often it died and was restarted.
    restarts: u64,
    /// Why it gets nothing done, while that is so.
    #[schema(required = true)]
    failure: Option<String>,
}

impl WorkerTaskStatus {
    /// Converts what the tasks of a worker are doing.
    pub(crate) fn all(worker: Option<&WorkerStatus>) -> Vec<Self> {
        let tasks = worker.map(WorkerStatus::tasks).unwrap_or_default();
        let one = |(task, status): (WorkerTask, TaskStatus)| Self {
            task: task.as_str(),
            running: status.is_running,
            restarts: status.restarts,
            failure: status.failure,
        };
        tasks.into_iter().map(one).collect()
    }
}

/// A job that was set aside.
#[derive(Serialize, ToSchema)]
pub(crate) struct SetAsideJob {
    /// The id.
    #[schema(examples("job_01jh2m8z5qf3v9k7c4x0tnwr6e"))]
    id: String,
    /// What it does.
    #[schema(examples("summarize"))]
    kind: String,
    /// The id of its vault.
    vault: String,
    /// The id of its memory.
    memory: String,
    /// The id of the conversation it is about, if it is about one.
    #[schema(required = true)]
    conversation_id: Option<String>,
    /// When it was last due.
    #[schema(value_type = shape::TimeOut)]
    due_at: String,
    /// Number of attempts.
    tries: u32,
    /// The last error.
    #[schema(required = true)]
    last_error: Option<String>,
}

impl From<job::Job> for SetAsideJob {
    fn from(job: job::Job) -> Self {
        Self {
            id: job.id.to_string(),
            kind: job.kind.as_str().to_owned(),
            vault: job.vault.to_string(),
            memory: job.memory.to_string(),
            conversation_id: job.subject.conversation().map(|id| id.to_string()),
            due_at: job.due_at.to_string(),
            tries: job.tries,
            last_error: job.last_error,
        }
    }
}

/// A job that is queued again.
#[derive(Serialize, ToSchema)]
pub(crate) struct Retried {
    /// The id.
    pub(crate) id: String,
}

/// Which of the jobs that were set aside are retried.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RetryQuery {
    /// Only jobs of this kind; all kinds if absent.
    #[param(inline)]
    kind: Option<RetriedKind>,
}

impl RetryQuery {
    /// The kind of the jobs that are meant.
    pub(crate) fn kind(&self) -> Option<job::JobKind> {
        self.kind.map(Into::into)
    }
}

/// Kinds of jobs that can be set aside.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum RetriedKind {
    Close,
    Summarize,
    Retell,
    Distill,
    Chapters,
    Fold,
    Context,
    Workflow,
}

impl From<RetriedKind> for job::JobKind {
    fn from(kind: RetriedKind) -> Self {
        match kind {
            RetriedKind::Close => Self::Close,
            RetriedKind::Summarize => Self::Summarize,
            RetriedKind::Retell => Self::Retell,
            RetriedKind::Distill => Self::Distill,
            RetriedKind::Chapters => Self::Chapters,
            RetriedKind::Fold => Self::Fold,
            RetriedKind::Context => Self::Context,
            RetriedKind::Workflow => Self::Workflow,
        }
    }
}

/// Jobs that are queued again.
#[derive(Serialize, ToSchema)]
pub(crate) struct RetriedJobs {
    /// Number of jobs that are queued again.
    pub(crate) retried: u64,
}

/// Jobs that were run.
#[derive(Serialize, ToSchema)]
pub(crate) struct Settled {
    /// Number of jobs that were run.
    pub(crate) done: u64,
    /// Number of jobs that are still due.
    pub(crate) due: u64,
}

/// Limits for running jobs.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SettleQuery {
    /// Maximum number of jobs; all due jobs if absent.
    #[param(minimum = 1, maximum = 1_000_000)]
    pub(crate) limit: Option<u64>,
}

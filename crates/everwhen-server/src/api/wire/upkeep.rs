//! How the server is doing, on the wire.

use everwhen::{job, outbox};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::shape;

/// How the server stands.
#[derive(Serialize, ToSchema)]
pub(crate) struct Standing {
    /// `ok`, or `degraded`: it serves, but something needs a look.
    #[schema(examples("ok"))]
    pub(crate) status: String,
    /// What is degraded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
}

impl Standing {
    /// All is well.
    pub(crate) fn ok() -> Self {
        Self { status: "ok".into(), detail: None }
    }

    /// It serves, but not as it should.
    pub(crate) fn degraded(detail: Option<String>) -> Self {
        Self { status: "degraded".into(), detail }
    }
}

/// What a look at the whole server found.
#[derive(Serialize, ToSchema)]
pub(crate) struct Doctor {
    /// The server's version.
    #[schema(examples("0.1.0"))]
    pub(crate) version: String,
    /// What is wrong with the store; empty if nothing is.
    pub(crate) problems: Vec<String>,
    /// Background work.
    pub(crate) jobs: Jobs,
    /// Exchanges of the proxy that wait to be stored; absent where there is no outbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) outbox: Option<Outbox>,
}

/// Exchanges of the proxy that wait to be stored.
#[derive(Serialize, ToSchema)]
pub(crate) struct Outbox {
    /// How many wait.
    waiting: u64,
    /// Bytes in use.
    bytes: u64,
    /// Bytes that may be used.
    max_bytes: u64,
    /// When the oldest that waits was accepted.
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

impl Outbox {
    /// What an outbox says of itself.
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

/// Background work.
#[derive(Serialize, ToSchema)]
pub(crate) struct Jobs {
    /// How many jobs wait for their time or are being done.
    pub(crate) waiting: u64,
    /// Jobs that failed too often and will not be tried again unless somebody says so.
    pub(crate) set_aside: Vec<SetAsideJob>,
}

/// A job that was given up.
#[derive(Serialize, ToSchema)]
pub(crate) struct SetAsideJob {
    /// Its id.
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
    /// How often it was tried.
    tries: u32,
    /// What went wrong the last time.
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

/// A job that waits again.
#[derive(Serialize, ToSchema)]
pub(crate) struct Retried {
    /// Its id.
    pub(crate) id: String,
}

/// Jobs that were done.
#[derive(Serialize, ToSchema)]
pub(crate) struct Settled {
    /// How many.
    pub(crate) done: u64,
    /// How many more are due now.
    pub(crate) due: u64,
}

/// How much of the background work to do.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SettleQuery {
    /// So many jobs; all that are due if absent.
    #[param(minimum = 1, maximum = 1_000_000)]
    pub(crate) limit: Option<u64>,
}

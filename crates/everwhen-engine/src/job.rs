//! Durable background work: claim, run, finish, retry, give up.
//!
//! A job is written in the transaction that makes it necessary. A worker claims it with a lease,
//! runs it, and removes it in the transaction that holds its result. Running one twice does no
//! harm. A job that fails waits longer each time and is set aside after [`limits::JOB_TRIES`].

use jiff::{SignedDuration, Timestamp};

use crate::limits;
use crate::memory::{ConversationId, JobId, MemoryId, VaultId};
use crate::ports::MemoryRef;

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobKind {
    /// End a conversation that fell silent.
    Close,
    /// Give an ended conversation its title and summary.
    Summarize,
}

impl JobKind {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Close, Self::Summarize];

    /// As written in stores and shown by doctor.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Close => "close",
            Self::Summarize => "summarize",
        }
    }
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    /// Waiting until it is due.
    Waiting,
    /// A worker has it until the lease runs out.
    Leased {
        /// The end of the lease.
        until: Timestamp,
    },
    /// Given up after too many tries; shown by doctor.
    SetAside,
}

/// One piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// The vault it works in.
    pub vault: VaultId,
    /// The memory it works in.
    pub memory: MemoryId,
    /// The conversation it is about.
    pub conversation: ConversationId,
    /// What to do.
    pub kind: JobKind,
    /// Not before this.
    pub due_at: Timestamp,
    /// How often it was claimed.
    pub tries: u32,
    /// Where it stands.
    pub state: JobState,
    /// What went wrong the last time.
    pub last_error: Option<String>,
}

impl Job {
    /// Where it works.
    pub fn place(&self) -> MemoryRef {
        MemoryRef { vault: self.vault, memory: self.memory }
    }

    /// The same job in the hands of a worker.
    #[must_use]
    pub fn claimed(mut self, now: Timestamp) -> Self {
        self.tries += 1;
        self.state = JobState::Leased { until: now + limits::JOB_LEASE };
        self
    }

    /// The same job after a failure: waiting for its next try, or set aside.
    #[must_use]
    pub fn failed(mut self, error: String, now: Timestamp) -> Self {
        self.last_error = Some(error);
        if self.tries >= limits::JOB_TRIES {
            self.state = JobState::SetAside;
        } else {
            self.state = JobState::Waiting;
            self.due_at = now + backoff(self.tries);
        }
        self
    }
}

/// One second, doubled with every try, up to an hour.
fn backoff(tries: u32) -> SignedDuration {
    let seconds = 1i64 << tries.saturating_sub(1).min(20);
    SignedDuration::from_secs(seconds).min(limits::JOB_BACKOFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_longer_each_time_and_gives_up() {
        let now = Timestamp::UNIX_EPOCH;
        let mut job = Job {
            id: JobId::from(uuid::Uuid::nil()),
            vault: VaultId::from(uuid::Uuid::nil()),
            memory: MemoryId::from(uuid::Uuid::nil()),
            conversation: ConversationId::from(uuid::Uuid::nil()),
            kind: JobKind::Close,
            due_at: now,
            tries: 0,
            state: JobState::Waiting,
            last_error: None,
        };
        let mut waits = Vec::new();
        while job.state != JobState::SetAside {
            job = job.claimed(now).failed("no".into(), now);
            waits.push((job.due_at - now).get_seconds());
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 64]);
        assert_eq!(job.tries, limits::JOB_TRIES);
    }
}

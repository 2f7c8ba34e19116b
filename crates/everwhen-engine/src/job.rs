//! Durable background work: claim, run, finish, retry, give up.
//!
//! A job is written in the transaction that makes it necessary. A worker claims it with a lease,
//! runs it, and removes it in the transaction that holds its result. Running one twice does no
//! harm. A job that fails for a reason that passes (a model that is down, a spending cap, a database
//! that is away) waits, longer each time up to an hour, for as long as it takes. One that fails for
//! another reason is set aside after [`limits::JOB_TRIES`]. One whose worker vanished twice while it ran may be
//! what ends the process: it waits, longer each time, and is set aside after [`limits::JOB_CRASHES`] times.
//!
//! Work that waits for a model stands in a [`Queue`] of its own, so that it never delays the rest.
//! A worker that waits renews the lease; one that lost it finds out when it stores the result.

use jiff::{SignedDuration, Timestamp};

use crate::error::Error;
use crate::limits;
use crate::memory::MemoryRef;
use crate::memory::{ConversationId, JobId, MemoryId, VaultId};

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobKind {
    /// End a conversation that fell silent.
    Close,
    /// Give an ended conversation its title and summary, chosen from its own words.
    Summarize,
    /// Have a model write them again.
    Retell,
    /// Turn an ended conversation into facts.
    Distill,
    /// Have a model look back at an ended conversation.
    Retrospect,
    /// Write the chapters of a memory that are missing.
    Chapters,
    /// Fold new chapters into the rolling summary of a memory.
    Fold,
    /// Write the context document of a memory again.
    Context,
    /// Continue a workflow after its answer; code outside of the engine does that.
    Workflow,
    /// Nothing: what a workflow holds while it writes. Its lease is the lock.
    Lock,
}

impl JobKind {
    /// All kinds.
    pub const ALL: [Self; 10] = [
        Self::Close,
        Self::Summarize,
        Self::Retell,
        Self::Distill,
        Self::Retrospect,
        Self::Chapters,
        Self::Fold,
        Self::Context,
        Self::Workflow,
        Self::Lock,
    ];
    /// Those about a conversation.
    pub const OF_CONVERSATIONS: [Self; 5] =
        [Self::Close, Self::Summarize, Self::Retell, Self::Distill, Self::Retrospect];

    /// As written in stores and shown by doctor.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Close => "close",
            Self::Summarize => "summarize",
            Self::Retell => "retell",
            Self::Distill => "distill",
            Self::Retrospect => "retrospect",
            Self::Chapters => "chapters",
            Self::Fold => "fold",
            Self::Context => "context",
            Self::Workflow => "workflow",
            Self::Lock => "lock",
        }
    }

    /// Where such jobs wait.
    pub fn queue(self) -> Queue {
        match self {
            Self::Close | Self::Summarize => Queue::Quick,
            Self::Retell
            | Self::Distill
            | Self::Retrospect
            | Self::Chapters
            | Self::Fold
            | Self::Context => Queue::Patient,
            Self::Workflow => Queue::Outside,
            Self::Lock => Queue::Nowhere,
        }
    }
}

/// Where jobs wait. Each queue is worked off by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Queue {
    /// One transaction and done.
    Quick,
    /// Waits for models: seconds or minutes.
    Patient,
    /// Work that the engine keeps and others do.
    Outside,
    /// What is held and never claimed.
    Nowhere,
}

impl Queue {
    /// The queues that the engine works off by itself, the quick one first.
    pub const OWN: [Self; 2] = [Self::Quick, Self::Patient];
}

/// What a job is about. Of each kind there is one job about the same thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A conversation; the job goes when it goes.
    Conversation(ConversationId),
    /// A whole memory.
    Memory(MemoryId),
    /// What its payload says; there may be any number of these.
    Payload(JobId),
}

impl Subject {
    /// The conversation, if it is one.
    pub fn conversation(self) -> Option<ConversationId> {
        match self {
            Self::Conversation(id) => Some(id),
            Self::Memory(_) | Self::Payload(_) => None,
        }
    }

    /// The bare id, for stores.
    pub fn bytes(self) -> [u8; 16] {
        match self {
            Self::Conversation(id) => id.bytes(),
            Self::Memory(id) => id.bytes(),
            Self::Payload(id) => id.bytes(),
        }
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Conversation(id) => id.fmt(f),
            Self::Memory(id) => id.fmt(f),
            Self::Payload(id) => id.fmt(f),
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

/// Why a job is not done yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum JobWait {
    /// Its time has come, and a worker will take it.
    Due,
    /// Its time has not come.
    Scheduled,
    /// A worker has it.
    Running,
    /// It failed and is tried again later.
    Failed,
    /// The process ended while it ran, [`limits::JOB_SUSPECT`] times or more: it may be the reason, and waits longer
    /// each time.
    Suspect,
    /// It failed too often, and is not tried again by itself.
    SetAside,
}

impl JobWait {
    /// All reasons.
    pub const ALL: [Self; 6] =
        [Self::Due, Self::Scheduled, Self::Running, Self::Failed, Self::Suspect, Self::SetAside];

    /// As in metrics and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Due => "due",
            Self::Scheduled => "scheduled",
            Self::Running => "running",
            Self::Failed => "failed",
            Self::Suspect => "suspect",
            Self::SetAside => "set_aside",
        }
    }

    /// Why a job waits at a time.
    pub fn of(job: &Job, now: Timestamp) -> Self {
        match job.state {
            JobState::SetAside => Self::SetAside,
            JobState::Leased { until } if until > now => Self::Running,
            JobState::Leased { .. } => Self::Due,
            JobState::Waiting if job.crashes >= limits::JOB_SUSPECT => Self::Suspect,
            JobState::Waiting if job.waits > 0 || job.last_error.is_some() => Self::Failed,
            JobState::Waiting if job.due_at > now => Self::Scheduled,
            JobState::Waiting => Self::Due,
        }
    }
}

/// Jobs of one kind that wait for the same reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobCount {
    /// What they do.
    pub kind: JobKind,
    /// Why they wait.
    pub wait: JobWait,
    /// How many there are.
    pub count: u64,
    /// How many of them are due and not set aside.
    pub due: u64,
    /// When the first of them is due.
    pub next: Timestamp,
}

impl JobCount {
    /// These and others of the same kind that wait for the same reason.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        Self {
            count: self.count + other.count,
            due: self.due + other.due,
            next: self.next.min(other.next),
            ..self
        }
    }
}

/// How often something was forgotten before a job was claimed. What a job makes of what it has read
/// may be kept only while nothing has been forgotten since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Epoch {
    /// In its vault: what models answer is kept for all of it.
    pub vault: u64,
    /// In its memory.
    pub memory: u64,
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
    /// What it is about.
    pub subject: Subject,
    /// What to do.
    pub kind: JobKind,
    /// What else is to be known, in the words of its kind.
    pub payload: Option<String>,
    /// Not before this.
    pub due_at: Timestamp,
    /// How often it was claimed, without the times it failed for a reason that passes.
    pub tries: u32,
    /// How often in a row it failed for a reason that passes.
    pub waits: u32,
    /// How often its worker vanished while it ran.
    pub crashes: u32,
    /// Where it stands.
    pub state: JobState,
    /// What went wrong the last time.
    pub last_error: Option<String>,
    /// What had been forgotten when it was claimed; not stored.
    pub epoch: Epoch,
}

impl Job {
    /// Where it works.
    pub fn place(&self) -> MemoryRef {
        MemoryRef { vault: self.vault, memory: self.memory }
    }

    /// A job that waits until `due_at`.
    pub fn new(
        id: JobId,
        place: MemoryRef,
        kind: JobKind,
        subject: Subject,
        due_at: Timestamp,
    ) -> Self {
        let MemoryRef { vault, memory } = place;
        Self {
            id,
            vault,
            memory,
            subject,
            kind,
            payload: None,
            due_at,
            tries: 0,
            waits: 0,
            crashes: 0,
            state: JobState::Waiting,
            last_error: None,
            epoch: Epoch::default(),
        }
    }

    /// Whether `known`, as the store has it, is still this claim: no other worker has taken the job,
    /// ended it or put another in its place. The lease may have been renewed.
    pub fn is_still(&self, known: &Self) -> bool {
        let leased = matches!(known.state, JobState::Leased { .. });
        let claim = |job: &Self| (job.id, job.tries, job.waits, job.crashes);
        leased && claim(known) == claim(self)
    }

    /// Renews the lease of the job.
    #[must_use]
    pub fn renewed(mut self, now: Timestamp) -> Self {
        self.state = JobState::Leased { until: now + limits::JOB_LEASE };
        self
    }

    /// Gives the job back as if it had not been claimed.
    #[must_use]
    pub fn given_back(mut self) -> Self {
        self.tries = self.tries.saturating_sub(1);
        self.state = JobState::Waiting;
        self
    }

    /// Claims the job for a worker.
    #[must_use]
    pub fn claimed(mut self, now: Timestamp) -> Self {
        self.tries += 1;
        self.state = JobState::Leased { until: now + limits::JOB_LEASE };
        self
    }

    /// Releases the job after its worker vanished at this time. The first time it is free again at once. From the
    /// second time on it waits, longer each time up to an hour: it may be what ends the process, and other jobs
    /// run meanwhile. A job that ends the process cannot be distinguished from one that was running when the
    /// process was killed, so it is retried, and set aside after [`limits::JOB_CRASHES`] times.
    #[must_use]
    pub fn abandoned(mut self, at: Timestamp) -> Self {
        self.crashes += 1;
        if self.crashes >= limits::JOB_SUSPECT {
            let message = "the process ended {} times while this job ran; it may be the reason";
            self.last_error = Some(message.replace("{}", &self.crashes.to_string()));
            self.due_at = at + backoff(2 * self.crashes - 1, limits::JOB_BACKOFF);
        }
        let is_given_up = self.crashes >= limits::JOB_CRASHES;
        self.state = if is_given_up { JobState::SetAside } else { JobState::Waiting };
        self
    }

    /// When its worker took it, or last said that it still has it.
    #[must_use]
    pub fn leased_at(&self) -> Option<Timestamp> {
        match self.state {
            JobState::Leased { until } => Some(until - limits::JOB_LEASE),
            JobState::Waiting | JobState::SetAside => None,
        }
    }

    /// Whether it waits for a time behind this one, or is held until then. The end of a conversation is planned for
    /// whenever its silence is long enough, so that it counts only once it has failed.
    #[must_use]
    pub fn is_beyond(&self, time: Timestamp) -> bool {
        let is_put_off = || self.waits > 0 || self.last_error.is_some();
        match self.state {
            JobState::Waiting => {
                self.due_at > time && (self.kind != JobKind::Close || is_put_off())
            }
            JobState::Leased { until } => until > time,
            JobState::SetAside => false,
        }
    }

    /// Resets the job to a new one, after what was wrong was fixed.
    #[must_use]
    pub fn retried(self, now: Timestamp) -> Self {
        let state = JobState::Waiting;
        Self { due_at: now, tries: 0, waits: 0, crashes: 0, state, ..self }
    }

    /// Records a failure: the job waits for its next attempt, or is set aside.
    #[must_use]
    pub fn failed(mut self, error: &Error, now: Timestamp) -> Self {
        // Not every store can keep a NUL, and others' errors may have one.
        self.last_error = Some(error.to_string().replace('\0', ""));
        self.state = JobState::Waiting;
        if error.is_retryable() {
            self.tries = self.tries.saturating_sub(1);
            self.waits += 1;
            self.due_at = now + backoff(self.waits, limits::JOB_BACKOFF);
        } else if self.tries >= limits::JOB_TRIES {
            self.state = JobState::SetAside;
        } else {
            self.waits = 0;
            self.due_at = now + backoff(self.tries, limits::JOB_BACKOFF);
        }
        self
    }
}

/// One second, doubled with every try, up to the longest.
pub(crate) fn backoff(tries: u32, longest: SignedDuration) -> SignedDuration {
    let seconds = 1i64 << tries.saturating_sub(1).min(20);
    SignedDuration::from_secs(seconds).min(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(now: Timestamp) -> Job {
        let (vault, memory) = (uuid::Uuid::nil().into(), uuid::Uuid::nil().into());
        let place = MemoryRef { vault, memory };
        Job::new(uuid::Uuid::nil().into(), place, JobKind::Close, Subject::Memory(memory), now)
    }

    #[test]
    fn a_claim_lives_through_renewal_and_no_other() {
        let now = Timestamp::UNIX_EPOCH;
        let mine = waiting(now).claimed(now);
        assert!(mine.is_still(&mine.clone().renewed(now + limits::JOB_LEASE)));
        assert!(!mine.is_still(&mine.clone().claimed(now)), "another worker has it");
        assert!(!mine.is_still(&mine.clone().given_back()), "no worker has it");
        assert_eq!(mine.given_back(), waiting(now));
    }

    #[test]
    fn waits_longer_each_time_and_gives_up() {
        let now = Timestamp::UNIX_EPOCH;
        let mut job = waiting(now);
        let mut waits = Vec::new();
        while job.state != JobState::SetAside {
            job = job.claimed(now).failed(&Error::invalid("no"), now);
            waits.push((job.due_at - now).get_seconds());
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 64]);
        assert_eq!(job.tries, limits::JOB_TRIES);
    }

    #[test]
    fn what_passes_is_waited_for_as_long_as_it_takes() {
        let now = Timestamp::UNIX_EPOCH;
        let mut job = waiting(now);
        let mut waits = Vec::new();
        for _ in 0..100 {
            job = job.claimed(now).failed(&Error::unavailable("away"), now);
            waits.push((job.due_at - now).get_seconds());
        }
        assert_eq!(waits[..4], [1, 2, 4, 8]);
        assert_eq!(waits[99], limits::JOB_BACKOFF.as_secs());
        assert_eq!((job.state, job.tries), (JobState::Waiting, 0), "its tries are left");
    }

    #[test]
    fn what_ends_the_process_again_and_again_is_set_aside_with_its_reason() {
        let now = Timestamp::UNIX_EPOCH;
        let mut job = waiting(now);
        let mut pauses = Vec::new();
        for _ in 0..limits::JOB_CRASHES {
            assert_eq!(job.state, JobState::Waiting);
            let now = job.due_at;
            job = job.claimed(now).abandoned(now);
            pauses.push((job.due_at - now).get_seconds());
        }
        let hour = limits::JOB_BACKOFF.as_secs();
        assert_eq!(pauses, [0, 4, 16, 64, 256, 1024, hour, hour], "what ended it twice waits");
        assert_eq!(job.state, JobState::SetAside);
        assert!(job.last_error.as_ref().is_some_and(|error| error.contains("8 times")));
        assert_eq!(job.retried(now).state, JobState::Waiting);
    }
}

//! The worker: runs due jobs, then waits for the next one, until stopped.
//!
//! Jobs are durable, so the worker has no state. Each queue has its own task, so that jobs which
//! call a model never delay the others. A task polls once a second, because a write may have added
//! a job that is due earlier than the one it waits for.

use std::future::Future;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::watch;

use crate::job::{Job, Queue};
use crate::{Engine, Error, Result, limits};

/// Longest interval between two polls of a queue.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// Shortest interval, so that a clock that stands still does not cause a busy loop.
const SHORTEST_WAIT: Duration = Duration::from_millis(20);
/// Interval for persisting indexes.
const KEEP_EVERY: Duration = Duration::from_secs(10);
/// Interval for updating indexes of growing memories.
const FOLLOW_EVERY: Duration = Duration::from_secs(1);
/// Longest backoff while the store fails.
const LONGEST_BACKOFF: Duration = Duration::from_secs(60);

/// Runs jobs until `stop` is ready. A quick job in progress is finished first; one that calls a
/// model is released.
pub async fn work(engine: Engine, stop: impl Future<Output = ()> + Send) {
    let (tell, told) = watch::channel(false);
    let [quick, patient] =
        Queue::OWN.map(|queue| QueueWorker::new(engine.clone(), queue, told.clone()));
    let stop = async {
        stop.await;
        tell.send_replace(true);
    };
    // A separate task, because it computes for long.
    let following = tokio::spawn(index_grown(engine.clone(), told.clone()));
    let keeping = keep_indexes(engine, told);
    tokio::join!(quick.work(), patient.work(), keeping, stop);
    // A panic in it has been reported, and an index is built again when it is needed.
    let _ = following.await;
}

/// Persists indexes and recall statistics at intervals, and once more at the end.
async fn keep_indexes(engine: Engine, mut told: watch::Receiver<bool>) {
    while !*told.borrow() {
        tokio::select! {
            () = stopped(&mut told) => {}
            () = tokio::time::sleep(KEEP_EVERY) => {}
        }
        let least = if *told.borrow() { 1 } else { limits::UNKEPT_ENTRIES };
        if let Err(error) = engine.keep_retrievals().await {
            tracing::warn!(%error, "what recall answered with cannot be counted");
        }
        if let Err(error) = engine.keep_indexes(least).await {
            tracing::warn!(%error, "indexes cannot be kept; the next start reads entries again");
        }
    }
}

/// Updates the indexes of growing memories. Work in progress is dropped when stopped.
async fn index_grown(engine: Engine, mut told: watch::Receiver<bool>) {
    let follow = async {
        loop {
            tokio::time::sleep(FOLLOW_EVERY).await;
            if let Err(error) = engine.index_grown().await {
                tracing::warn!(%error, "indexes cannot be updated in the background; recall updates them on demand");
            }
        }
    };
    tokio::select! {
        () = stopped(&mut told) => {}
        () = follow => {}
    }
}

/// Runs the jobs of one queue.
struct QueueWorker {
    engine: Engine,
    queue: Queue,
    told: watch::Receiver<bool>,
}

impl QueueWorker {
    fn new(engine: Engine, queue: Queue, told: watch::Receiver<bool>) -> Self {
        Self { engine, queue, told }
    }

    async fn work(mut self) {
        let mut backoff = Backoff::default();
        while !*self.told.borrow() {
            let wait = match self.run_next().await {
                Ok(NextJob::More) => {
                    backoff.over();
                    continue;
                }
                Ok(NextJob::Due(next)) => {
                    backoff.over();
                    until(next, self.engine.now())
                }
                Err(error) => backoff.met(&error),
            };
            tokio::select! {
                () = stopped(&mut self.told) => return,
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Runs the next due job, or returns when the next one is due.
    async fn run_next(&mut self) -> Result<NextJob> {
        let Some(job) = self.engine.claim(self.queue).await? else {
            return Ok(NextJob::Due(self.engine.next_due_in(self.queue).await?));
        };
        match self.queue {
            Queue::Quick => self.engine.run(job).await?,
            _ => self.run_patiently(job).await?,
        }
        Ok(NextJob::More)
    }

    /// Runs a job and renews its lease meanwhile; releases it when stopped.
    async fn run_patiently(&mut self, job: Job) -> Result<()> {
        let renewal = Duration::try_from(limits::JOB_RENEWAL).expect("a lease lasts");
        let mut run = std::pin::pin!(self.engine.run(job.clone()));
        loop {
            tokio::select! {
                outcome = &mut run => return outcome,
                () = stopped(&mut self.told) => return self.engine.give_back(job).await,
                () = tokio::time::sleep(renewal) => self.engine.renew(&job).await?,
            }
        }
    }
}

/// What a poll of the queue found.
enum NextJob {
    /// A job was run; there may be more.
    More,
    /// No job is due; the time the next one is.
    Due(Option<Timestamp>),
}

/// Completes when the worker is told to stop, or when the sender is gone.
async fn stopped(told: &mut watch::Receiver<bool>) {
    let _ = told.wait_for(|stop| *stop).await;
}

/// How long to wait for a job that is due at `next`.
fn until(next: Option<Timestamp>, now: Timestamp) -> Duration {
    let Some(next) = next else { return LONGEST_WAIT };
    let wait = Duration::try_from(next.duration_since(now)).unwrap_or(Duration::ZERO);
    wait.clamp(SHORTEST_WAIT, LONGEST_WAIT)
}

/// Consecutive failures: each distinct error is logged once, and the backoff grows.
#[derive(Debug, Default)]
struct Backoff {
    failures: u32,
    told: Option<String>,
}

impl Backoff {
    /// Records a failure. Returns the backoff.
    fn met(&mut self, error: &Error) -> Duration {
        let message = error.to_string();
        if self.told.as_ref() != Some(&message) {
            tracing::error!(error = message, "background work fails; trying again");
            self.told = Some(message);
        }
        self.failures += 1;
        let wait = LONGEST_WAIT.saturating_mul(1 << (self.failures - 1).min(6));
        wait.min(LONGEST_BACKOFF)
    }

    /// Records a success.
    fn over(&mut self) {
        if self.failures > 0 {
            tracing::info!(failures = self.failures, "background work goes on");
        }
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use everwhen_store::{SqliteOptions, SqliteStore};

    use super::*;
    use crate::memory::{Address, Name, NewEntry, Role, Said, SeededChance, Settings};
    use crate::ports::ConversationQuery;
    use crate::time::{Clock, ManualClock, Zone};
    use crate::{Vault, VaultDefaults, World};

    struct Shared(Arc<ManualClock>);

    impl Clock for Shared {
        fn now(&self) -> Timestamp {
            self.0.now()
        }
    }

    fn noon() -> Timestamp {
        "2025-03-01T12:00:00Z".parse().unwrap()
    }

    fn engine_at(clock: &Arc<ManualClock>, directory: &std::path::Path) -> Engine {
        let path = directory.join("test.db");
        let store = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
        let world = World {
            clock: Box::new(Shared(Arc::clone(clock))),
            chance: Box::new(SeededChance::new(1)),
        };
        let defaults = VaultDefaults { zone: Zone::utc(), settings: Settings::default() };
        Engine::new(Arc::new(store), world, defaults)
    }

    fn default_memory<Id>() -> Address<Id> {
        Address::Name(Name::new("name", "default").unwrap())
    }

    async fn say(engine: &Engine) -> Vault {
        let vault = engine.vault_to_write(default_memory()).await.unwrap();
        let entry = NewEntry::new(Role::User, Said::new("Good morning").unwrap());
        vault.remember(default_memory(), vec![entry], None).await.unwrap();
        engine.vault(default_memory()).await.unwrap()
    }

    #[tokio::test]
    async fn closes_what_fell_silent_and_summarizes_it_while_running() {
        let directory = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new(noon()));
        let engine = engine_at(&clock, directory.path());
        let vault = say(&engine).await;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let worker = tokio::spawn(work(engine, async { drop(stopped.await) }));

        clock.advance(jiff::SignedDuration::from_mins(31));
        let summary = async {
            loop {
                let page = vault
                    .conversations(default_memory(), ConversationQuery::default())
                    .await
                    .unwrap();
                if let Some(summary) = &page.data[0].summary {
                    return summary.clone();
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let summary = tokio::time::timeout(Duration::from_secs(20), summary).await.unwrap();
        assert!(!summary.title.is_empty());
        stop.send(()).unwrap();
        tokio::time::timeout(Duration::from_secs(5), worker).await.unwrap().unwrap();
    }

    #[test]
    fn never_spins_and_never_sleeps_long() {
        let soon = noon() + jiff::SignedDuration::from_millis(300);
        let late = noon() + jiff::SignedDuration::from_hours(3);
        let early = noon() - jiff::SignedDuration::from_hours(3);
        assert_eq!(until(None, noon()), LONGEST_WAIT);
        assert_eq!(until(Some(soon), noon()), Duration::from_millis(300));
        assert_eq!(until(Some(late), noon()), LONGEST_WAIT);
        assert_eq!(until(Some(early), noon()), SHORTEST_WAIT);
    }

    #[test]
    fn failures_are_waited_out_longer_each_time() {
        let mut backoff = Backoff::default();
        let error = Error::unavailable("the disk is full");
        let waits: Vec<u64> = (0..8).map(|_| backoff.met(&error).as_secs()).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
        backoff.over();
        assert_eq!(backoff.met(&error).as_secs(), 1);
    }
}

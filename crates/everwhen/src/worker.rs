//! The worker: runs due jobs, then waits for the next one, until stopped.
//!
//! Jobs are durable, so the worker has no state. Each queue has its own task, so that jobs which
//! call a model never delay the others. A task polls once a second, because a write may have added
//! a job that is due earlier than the one it waits for.
//!
//! A task that panics is restarted after a pause, counted and logged. What the tasks are doing is in a
//! [`WorkerStatus`].

use std::future::Future;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::watch;

use crate::job::{Job, Queue};
use crate::supervisor::{backoff, supervise};
use crate::worker_status::{WorkerStatus, WorkerTask};
use crate::{Engine, Error, FarLeases, Result, limits};

/// Longest interval between two polls of a queue.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// Shortest interval, so that a clock that stands still does not cause a busy loop.
const SHORTEST_WAIT: Duration = Duration::from_millis(20);
/// Interval for persisting indexes.
const KEEP_EVERY: Duration = Duration::from_secs(10);
/// Interval for looking for jobs that a wrong clock put off.
const FREE_EVERY: Duration = Duration::from_secs(60);
/// Interval for updating indexes of growing memories.
const FOLLOW_EVERY: Duration = Duration::from_secs(1);

/// Runs jobs until `stop` is ready. A quick job in progress is finished first; one that calls a
/// model is released.
pub async fn work(engine: Engine, stop: impl Future<Output = ()> + Send) {
    work_with_status(engine, WorkerStatus::default(), stop).await;
}

/// Runs jobs until `stop` is ready, and says in `status` what it is doing.
pub async fn work_with_status(
    engine: Engine,
    status: WorkerStatus,
    stop: impl Future<Output = ()> + Send,
) {
    let (sender, stopping) = watch::channel(false);
    let supervisor = Supervisor { status, stopping: stopping.clone() };
    let jobs = |queue, task| {
        let (engine, stopping, status) =
            (engine.clone(), stopping.clone(), supervisor.status.clone());
        move || {
            QueueWorker::new(engine.clone(), queue, stopping.clone(), (task, status.clone())).work()
        }
    };
    let [quick, patient] = Queue::OWN;
    let quick = supervisor.run(WorkerTask::Quick, jobs(quick, WorkerTask::Quick));
    let patient = supervisor.run(WorkerTask::Patient, jobs(patient, WorkerTask::Patient));
    let keep = || keep_indexes(engine.clone(), stopping.clone());
    let keeping = supervisor.run(WorkerTask::Indexes, keep);
    let free = || free_stuck_jobs(engine.clone(), stopping.clone());
    let freeing = supervisor.run(WorkerTask::JobTimes, free);
    let stop = async {
        stop.await;
        sender.send_replace(true);
    };
    // A separate task, because it computes for long.
    let (growing, growth) = (supervisor.clone(), (engine.clone(), stopping.clone()));
    let following = tokio::spawn(async move {
        let follow = move || index_grown(growth.0.clone(), growth.1.clone());
        growing.run(WorkerTask::Growth, follow).await;
    });
    tokio::join!(quick, patient, keeping, freeing, stop);
    // It ends when it is asked to, as the others did.
    let _ = following.await;
}

/// Restarts the worker's own tasks.
#[derive(Clone)]
struct Supervisor {
    status: WorkerStatus,
    stopping: watch::Receiver<bool>,
}

impl Supervisor {
    async fn run<F: Future<Output = ()>>(&self, task: WorkerTask, start: impl Fn() -> F) {
        let mut stopping = self.stopping.clone();
        supervise(&self.status, task, stopped(&mut stopping), start).await;
    }
}

/// Persists indexes and recall statistics at intervals, and once more at the end.
async fn keep_indexes(engine: Engine, mut stopping: watch::Receiver<bool>) {
    let mut clock_steps = 0;
    let mut unreached = None;
    while !*stopping.borrow() {
        tokio::select! {
            () = stopped(&mut stopping) => {}
            () = tokio::time::sleep(KEEP_EVERY) => {}
        }
        if let (count, Some(step)) = engine.clock_steps().noted()
            && count > clock_steps
        {
            tracing::warn!("{step}");
            clock_steps = count;
        }
        unreached = tell_unreached(&engine, unreached);
        let least = if *stopping.borrow() { 1 } else { limits::UNKEPT_ENTRIES };
        if let Err(error) = engine.keep_retrievals().await {
            tracing::warn!(%error, "what recall answered with cannot be counted");
        }
        if let Err(error) = engine.keep_indexes(least).await {
            tracing::warn!(%error, "indexes cannot be kept; the next start reads entries again");
        }
    }
}

/// Makes jobs due that a clock which was wrong put off, at the start and at intervals.
async fn free_stuck_jobs(engine: Engine, mut stopping: watch::Receiver<bool>) {
    let mut seen = FarLeases::default();
    while !*stopping.borrow() {
        match engine.free_stuck_jobs(&mut seen).await {
            Ok(0) => {}
            Ok(jobs) => tracing::warn!(jobs, "jobs that a wrong clock had put off are due now"),
            Err(error) => tracing::warn!(%error, "jobs that a wrong clock put off cannot be found"),
        }
        tokio::select! {
            () = stopped(&mut stopping) => {}
            () = tokio::time::sleep(FREE_EVERY) => {}
        }
    }
}

/// Logs what cannot be reached, if that has changed. Returns the number of vaults, if a part of the store is away.
fn tell_unreached(engine: &Engine, known: Option<u64>) -> Option<u64> {
    let unreached = engine.unreached();
    let vaults = unreached.as_ref().map(|unreached| unreached.vaults);
    match unreached {
        Some(unreached) if vaults != known => tracing::warn!("{unreached}"),
        None if known.is_some() => tracing::info!("all of the store can be reached again"),
        _ => {}
    }
    vaults
}

/// Updates the indexes of growing memories. Work in progress is dropped when stopped.
async fn index_grown(engine: Engine, mut stopping: watch::Receiver<bool>) {
    let follow = async {
        loop {
            tokio::time::sleep(FOLLOW_EVERY).await;
            if let Err(error) = engine.index_grown().await {
                tracing::warn!(%error, "indexes cannot be updated in the background; recall updates them on demand");
            }
        }
    };
    tokio::select! {
        () = stopped(&mut stopping) => {}
        () = follow => {}
    }
}

/// Runs the jobs of one queue.
struct QueueWorker {
    engine: Engine,
    queue: Queue,
    stopping: watch::Receiver<bool>,
    /// Where it says what it is doing.
    status: (WorkerTask, WorkerStatus),
}

impl QueueWorker {
    fn new(
        engine: Engine,
        queue: Queue,
        stopping: watch::Receiver<bool>,
        status: (WorkerTask, WorkerStatus),
    ) -> Self {
        Self { engine, queue, stopping, status }
    }

    fn note(&self, failure: Option<String>) {
        let (task, status) = &self.status;
        status.change(*task, |status| status.failure = failure);
    }

    async fn work(mut self) {
        let mut backoff = Backoff::default();
        while !*self.stopping.borrow() {
            let ran = self.run_next().await;
            self.note(ran.as_ref().err().map(ToString::to_string));
            let wait = match ran {
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
                () = stopped(&mut self.stopping) => return,
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
                () = stopped(&mut self.stopping) => return self.engine.give_back(job).await,
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

/// Completes when the worker is asked to stop, or when the sender is gone.
async fn stopped(stopping: &mut watch::Receiver<bool>) {
    let _ = stopping.wait_for(|stop| *stop).await;
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
    logged: Option<String>,
}

impl Backoff {
    /// Records a failure. Returns the backoff.
    fn met(&mut self, error: &Error) -> Duration {
        let message = error.to_string();
        if self.logged.as_ref() != Some(&message) {
            tracing::error!(error = message, "background work fails; trying again");
            self.logged = Some(message);
        }
        self.failures += 1;
        backoff(self.failures - 1)
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
    use std::sync::atomic::AtomicU32;
    use std::sync::atomic::Ordering::SeqCst;

    use everwhen_store::{SqliteOptions, SqliteStore};

    use super::*;
    use crate::memory::{Address, Name, NewEntry, Role, Said, SeededChance, Settings, Summary};
    use crate::ports::{ConversationQuery, Reading, Store, Wait, Writing};
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
        engine_over(clock, Arc::new(SqliteStore::open(&path, SqliteOptions::default()).unwrap()))
    }

    fn engine_over(clock: &Arc<ManualClock>, store: Arc<dyn Store>) -> Engine {
        let world = World {
            clock: Box::new(Shared(Arc::clone(clock))),
            chance: Box::new(SeededChance::new(1)),
        };
        let defaults = VaultDefaults { zone: Zone::utc(), settings: Settings::default() };
        Engine::new(store, world, defaults)
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

    /// The summary of the only conversation, once it has one.
    async fn summary_of(vault: &Vault) -> Summary {
        loop {
            let query = ConversationQuery::default();
            let page = vault.conversations(default_memory(), query).await.unwrap();
            if let Some(summary) = &page.data[0].summary {
                return summary.clone();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
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
        assert!(!summary_of(&vault).await.title.is_empty());
        stop.send(()).unwrap();
        worker.await.unwrap();
    }

    #[tokio::test]
    async fn what_a_wrong_clock_put_off_is_done_when_it_is_right_again() {
        let directory = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new(noon()));
        let engine = engine_at(&clock, directory.path());
        let vault = say(&engine).await;
        clock.advance(jiff::SignedDuration::from_hours(24 * 3650));
        assert!(engine.step().await.unwrap(), "the conversation ends");
        clock.set(noon() + jiff::SignedDuration::from_mins(31));
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let worker = tokio::spawn(work(engine, async { drop(stopped.await) }));
        assert!(!summary_of(&vault).await.title.is_empty());
        stop.send(()).unwrap();
        worker.await.unwrap();
    }

    /// A store that panics when it is written to, a few times.
    struct Explosive {
        inner: SqliteStore,
        left: AtomicU32,
    }

    impl Store for Explosive {
        fn write(&self, work: Writing) -> Wait<'_, ()> {
            let left = self.left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
            assert!(left.is_err(), "the store exploded");
            self.inner.write(work)
        }

        fn read(&self, work: Reading) -> Wait<'_, ()> {
            self.inner.read(work)
        }

        fn check(&self) -> Wait<'_, Vec<String>> {
            self.inner.check()
        }
    }

    #[tokio::test]
    async fn a_task_that_dies_is_restarted_and_counted() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("test.db");
        let inner = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
        let clock = Arc::new(ManualClock::new(noon()));
        let store = Arc::new(Explosive { inner, left: AtomicU32::new(0) });
        let engine = engine_over(&clock, Arc::clone(&store) as Arc<dyn Store>);
        let vault = say(&engine).await;
        clock.advance(jiff::SignedDuration::from_mins(31));
        store.left.store(2, SeqCst);
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let status = WorkerStatus::default();
        let working = work_with_status(engine, status.clone(), async { drop(stopped.await) });
        let worker = tokio::spawn(working);
        let restarts = || status.tasks().iter().map(|(_, task)| task.restarts).sum::<u64>();
        while restarts() < 2 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let is_ended = async || {
            let query = ConversationQuery::default();
            vault.conversations(default_memory(), query).await.unwrap().data[0].ended.is_some()
        };
        while !is_ended().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        while !status.problems().is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        stop.send(()).unwrap();
        worker.await.unwrap();
        assert_eq!(status.problems().len(), 5, "a worker that was stopped does not run");
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

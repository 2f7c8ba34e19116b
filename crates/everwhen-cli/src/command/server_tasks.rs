//! What a server does beside requests, besides jobs. Each task is restarted if it dies, and readiness, metrics and
//! the doctor tell of it.

use everwhen::memory::Address;
use everwhen::time::Clock;
use everwhen::watch::WATCH_FILE;
use everwhen::{Config, Everwhen, SystemClock, WorkerStatus, WorkerTask, supervise};
use everwhen_server::{FollowedFolders, ServerState};
use tokio::task::JoinHandle;

use super::shutdown::{ShutdownSignal, stopped};
use crate::failure::Result;

/// Starts tasks that run until the process is asked to stop.
pub(super) struct ServerTasks {
    status: WorkerStatus,
    stop: ShutdownSignal,
}

impl ServerTasks {
    /// Tasks that say in `status` what they are doing.
    pub(super) fn new(status: WorkerStatus, stop: ShutdownSignal) -> Self {
        Self { status, stop }
    }

    /// Stores what waits in the outbox, until it is aborted.
    pub(super) fn catch_up(&self, state: &ServerState) -> JoinHandle<()> {
        let state = state.clone();
        self.start(WorkerTask::Outbox, move |_| state.clone().catch_up())
    }

    /// Starts everything else. Each ends when the process is asked to stop.
    pub(super) fn start_all(
        &self,
        config: &Config,
        everwhen: &Everwhen,
        state: &ServerState,
    ) -> Result<Vec<JoinHandle<()>>> {
        let (running, sweeping) = (state.clone(), state.clone());
        let embedding = everwhen.embedding().clone();
        let run = move |stop| running.clone().run_workflows(stopped(stop));
        let sweep = move |stop| sweeping.clone().sweep_regularly(stopped(stop));
        Ok(vec![
            self.start(WorkerTask::Workflows, run),
            self.start(WorkerTask::Sweep, sweep),
            self.start(WorkerTask::Embedding, move |stop| embedding.clone().run(stopped(stop))),
            self.back_up(config, everwhen),
            self.follow(config, everwhen)?,
        ])
    }

    /// Makes backups as configured.
    fn back_up(&self, config: &Config, everwhen: &Everwhen) -> JoinHandle<()> {
        let (backup, store) = (config.backup.clone(), config.store.value.clone());
        let data = everwhen.directory().to_owned();
        self.start(WorkerTask::Backups, move |stop| {
            let (backup, store, data) = (backup.clone(), store.clone(), data.clone());
            everwhen::backup::run_schedule(backup, store, data, || SystemClock.now(), stopped(stop))
        })
    }

    /// Follows the configured folders.
    fn follow(&self, config: &Config, everwhen: &Everwhen) -> Result<JoinHandle<()>> {
        let memory = config.watch.memory.value.as_deref();
        let followed = FollowedFolders {
            folders: config.watch.folders(),
            file: everwhen.directory().join(WATCH_FILE),
            vault: Address::read("vault", &config.vault.value)?,
            memory: memory.map(|name| Address::read("memory", name)).transpose()?,
            every: config.watch.every(),
        };
        let engine = everwhen.engine().clone();
        Ok(self.start(WorkerTask::Folders, move |stop| {
            everwhen_server::follow(engine.clone(), followed.clone(), stopped(stop))
        }))
    }

    /// Starts one task; each start of it gets the signal that ends it.
    fn start<F>(
        &self,
        task: WorkerTask,
        work: impl Fn(ShutdownSignal) -> F + Send + Sync + 'static,
    ) -> JoinHandle<()>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (status, stop) = (self.status.clone(), self.stop.clone());
        tokio::spawn(async move {
            let start = || work(stop.clone());
            supervise(&status, task, stopped(stop.clone()), start).await;
        })
    }
}

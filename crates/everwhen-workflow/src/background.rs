//! Runs the remaining nodes of workflows in the background, after their answer was sent. Each run
//! is a durable job.
//!
//! Progress is stored after every node, so a run that continues after a failure or a crash starts
//! with the first node that has not completed. A panic in one is a failure of this run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use everwhen::job::{Job, Queue};
use everwhen::memory::{Address, ForgetMark};
use everwhen::{Engine, Error, Result, caught, limits};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::chat_memory::{MemoryPlace, VaultMemory};
use crate::metered::MeteredEndpoints;
use crate::run::{RunObserver, RunOutcome, RunUntil, Trace, run};
use crate::wire::PendingRun;
use crate::workflows::Workflows;

/// How many workflows run in the background at the same time.
const HANDS: usize = 8;
/// Longest interval between two polls of the job queue.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// Shortest interval between two polls of the job queue.
const SHORTEST_WAIT: Duration = Duration::from_millis(20);

/// Runs background workflows until `stop` is ready. Runs that are in progress then are released, so
/// that another process can claim them.
pub async fn run_in_background(
    workflows: Arc<Workflows>,
    engine: Engine,
    stop: impl Future<Output = ()>,
) {
    let (sender, stopping) = watch::channel(false);
    let hands = Arc::new(Semaphore::new(HANDS));
    let worker = Worker { workflows, engine, stopping };
    let mut stop = std::pin::pin!(stop);
    loop {
        let hand = tokio::select! {
            () = &mut stop => break,
            hand = Arc::clone(&hands).acquire_owned() => hand.expect("the semaphore is never closed"),
        };
        // A claim is never cancelled halfway: its job would stay leased without an owner until the
        // lease expires.
        let wait = worker.begin_next(hand).await;
        tokio::select! {
            () = &mut stop => break,
            () = tokio::time::sleep(wait) => {}
        }
    }
    sender.send_replace(true);
    // All permits are back once every worker has released its job.
    let all = u32::try_from(HANDS).expect("a small number");
    let _ = hands.acquire_many(all).await;
}

#[derive(Clone)]
struct Worker {
    workflows: Arc<Workflows>,
    engine: Engine,
    stopping: watch::Receiver<bool>,
}

impl Worker {
    /// Starts the next due workflow. Returns how long to wait before the next poll.
    async fn begin_next(&self, hand: OwnedSemaphorePermit) -> Duration {
        match self.engine.claim(Queue::Outside).await {
            Ok(Some(job)) => {
                let worker = self.clone();
                tokio::spawn(async move {
                    worker.finish(job).await;
                    drop(hand);
                });
                Duration::ZERO
            }
            Ok(None) => self.until_next().await,
            Err(error) => {
                tracing::warn!(%error, "what is left of workflows cannot be looked up");
                LONGEST_WAIT
            }
        }
    }

    async fn until_next(&self) -> Duration {
        let next = self.engine.next_due_in(Queue::Outside).await.ok().flatten();
        let wait = next.map(|next| next.duration_since(self.engine.now()));
        let wait = wait.map(|wait| Duration::try_from(wait).unwrap_or(Duration::ZERO));
        wait.unwrap_or(LONGEST_WAIT).clamp(SHORTEST_WAIT, LONGEST_WAIT)
    }

    /// Runs a job and stores its outcome.
    async fn finish(mut self, job: Job) {
        let ended = match caught(self.run(&job)).await {
            Ok(Some(())) => self.engine.end_workflow(&job).await,
            Ok(None) => self.engine.give_back(job).await,
            Err(error) => {
                tracing::warn!(%error, "what is left of a workflow failed; it is tried again");
                self.engine.put_off(&job, error).await
            }
        };
        if let Err(error) = ended {
            tracing::warn!(%error, "what became of a workflow could not be kept");
        }
    }

    /// Runs the workflow and renews its lease meanwhile. Returns `None` if it was stopped.
    async fn run(&mut self, job: &Job) -> Result<Option<()>> {
        let renewal = Duration::try_from(limits::JOB_RENEWAL).expect("a lease lasts");
        let mut stopping = self.stopping.clone();
        let mut run = std::pin::pin!(self.nodes(job));
        loop {
            tokio::select! {
                outcome = &mut run => return outcome.map(Some),
                () = stopped(&mut stopping) => return Ok(None),
                () = tokio::time::sleep(renewal) => self.engine.renew(job).await?,
            }
        }
    }

    async fn nodes(&self, job: &Job) -> Result<()> {
        let payload =
            job.payload.as_deref().ok_or_else(|| Error::damaged("a job without words"))?;
        let PendingRun { workflow, model, run: name, mut progress, chat } =
            PendingRun::read(payload)?;
        let set = self.workflows.current();
        let chosen = set.of_run(&model, &workflow)?;
        let workflow = set.found_path(&workflow)?;
        let place = self.place(job).await?;
        let files = self.workflows.files_at(Some(&place)).await;
        let read_at =
            ForgetMark { vault: job.epoch.vault, memory: Some((job.memory, job.epoch.memory)) };
        if !read_at.is_still(&files.read_at()) {
            return Err(Error::unavailable("something was forgotten since the job was claimed"));
        }
        let models = MeteredEndpoints::over(chosen.endpoints, Some(&place.vault));
        let memory = VaultMemory::new(place, &chat, &name, read_at);
        let variables = chat.variables(chosen.profile.separator.as_deref());
        let extra = BTreeMap::new();
        for count in progress.outputs.len() + 1..=workflow.nodes.len() {
            let context = set.context(&chosen, &models, (&memory, &files), &variables, &extra);
            let ended =
                run(context, workflow, &mut progress, RunUntil::Nodes(count), &mut DiscardOutput)
                    .await?;
            if let RunOutcome::Locked { lock } = ended {
                tracing::debug!(workflow = workflow.name, lock, "another run holds the lock");
                return Ok(());
            }
            let (workflow, model, run) = (workflow.path(), model.clone(), name.clone());
            let (progress, chat) = (progress.clone(), chat.clone());
            let rest = PendingRun { workflow, model, run, progress, chat };
            self.engine.keep_progress(job, rest.written()).await?;
        }
        Ok(())
    }

    async fn place(&self, job: &Job) -> Result<MemoryPlace> {
        let vault = self.engine.vault(Address::Id(job.vault)).await?;
        Ok(MemoryPlace { engine: self.engine.clone(), vault, memory: Address::Id(job.memory) })
    }
}

/// Completes when the worker is asked to stop.
async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // The sender outlives the receivers, so an error cannot happen.
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// Discards the output of nodes that run after the answer: there is no client to stream it to.
struct DiscardOutput;

impl RunObserver for DiscardOutput {
    fn on_text(&mut self, _piece: &str) {}

    fn ran(&mut self, trace: Trace) {
        let (workflow, place) = (trace.workflow, trace.place);
        tracing::debug!(workflow, place, took = ?trace.took, "a node has run behind the answer");
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};

    use everwhen::job::JobState;
    use everwhen::memory::{Name, NewEntry, Role, Said};
    use everwhen::ports::{PromptMessage, Reading, Store, Wait, Writing};
    use everwhen::time::Zone;
    use everwhen_testkit::{PlainStore, engine_over};

    use super::*;
    use crate::chat::Chat;

    /// A store that panics at the next reading, when told to.
    #[derive(Default)]
    struct Explosive {
        inner: PlainStore,
        is_armed: AtomicBool,
    }

    impl Store for Explosive {
        fn write(&self, work: Writing) -> Wait<'_, ()> {
            self.inner.write(work)
        }

        fn read(&self, work: Reading) -> Wait<'_, ()> {
            assert!(!self.is_armed.swap(false, Ordering::SeqCst), "the store exploded");
            self.inner.read(work)
        }

        fn check(&self) -> Wait<'_, Vec<String>> {
            self.inner.check()
        }
    }

    /// A workflow with a node behind its answer, in this directory.
    fn workflows(directory: &Path) -> Arc<Workflows> {
        let node = r#"{"type": "StaticResponse", "content": "Noted.", "returnToUser": true}"#;
        std::fs::write(directory.join("w.json"), format!("[{node}, {node}]")).unwrap();
        Arc::new(Workflows::read(directory, &directory.join("files"), &[]))
    }

    async fn place(engine: &Engine) -> MemoryPlace {
        let name = Name::new("name", "ana").unwrap();
        let vault = engine.vault_to_write(Address::Name(name.clone())).await.unwrap();
        let entry = NewEntry::new(Role::User, Said::new("Hi").unwrap());
        let memory = Address::Name(name);
        vault.remember(memory.clone(), vec![entry], None).await.unwrap();
        MemoryPlace { engine: engine.clone(), vault, memory }
    }

    #[tokio::test]
    async fn a_panic_is_one_failed_run() {
        let (directory, store) = (tempfile::tempdir().unwrap(), Arc::new(Explosive::default()));
        let (engine, clock) = engine_over(Arc::clone(&store) as Arc<dyn Store>);
        let workflows = workflows(directory.path());
        let (sender, stopping) = watch::channel(false);
        let message = PromptMessage { role: Role::User, content: "Hi".into() };
        let chat = Chat::unknown(vec![message], engine.now(), Zone::utc());
        let place = place(&engine).await;
        workflows.answer("w", &chat, Some(&place), &mut DiscardOutput).await.unwrap();
        clock.advance(jiff::SignedDuration::from_secs(1));
        let claimed = async || engine.claim(Queue::Outside).await.unwrap();
        let worker = Worker { workflows, engine: engine.clone(), stopping };
        let job = claimed().await.unwrap();
        store.is_armed.store(true, Ordering::SeqCst);
        worker.clone().finish(job.clone()).await;
        let jobs = engine.jobs(99).await.unwrap();
        let failed = jobs.iter().find(|known| known.id == job.id).unwrap();
        assert_eq!((failed.state, failed.tries, failed.crashes), (JobState::Waiting, 1, 0));
        assert_eq!(failed.last_error.as_deref(), Some("a bug: the job panicked"));
        clock.advance(jiff::SignedDuration::from_secs(2));
        let job = claimed().await.unwrap();
        worker.finish(job.clone()).await;
        let jobs = engine.jobs(99).await.unwrap();
        assert!(jobs.iter().all(|known| known.id != job.id), "it is done: {jobs:?}");
        drop(sender);
    }
}

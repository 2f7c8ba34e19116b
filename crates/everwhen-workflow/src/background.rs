//! Going on behind the answer: what is left of workflows, claimed one by one and done beside each
//! other, until told to stop.
//!
//! How far a workflow has come is kept after every node, so whoever takes it over, after a failure
//! or a crash, begins with the node that was not done.

use std::sync::Arc;
use std::time::Duration;

use everwhen::job::{Job, Queue};
use everwhen::memory::Address;
use everwhen::{Engine, Error, Result, limits};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::desk::{MemoryDesk, Place};
use crate::run::{Ended, Follow, Trace, Until, run};
use crate::wire::Rest;
use crate::workflows::Workflows;

/// So many are done at a time; the rest wait for their turn.
const HANDS: usize = 8;
/// The longest wait between two looks at the queue.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// The shortest.
const SHORTEST_WAIT: Duration = Duration::from_millis(20);

/// Goes on with workflows until `stop` is ready; those that are on their way then are given back.
pub async fn go_on(workflows: Arc<Workflows>, engine: Engine, stop: impl Future<Output = ()>) {
    let (tell, told) = watch::channel(false);
    let hands = Arc::new(Semaphore::new(HANDS));
    let worker = Worker { workflows, engine, told };
    let mut stop = std::pin::pin!(stop);
    loop {
        let hand = tokio::select! {
            () = &mut stop => break,
            hand = Arc::clone(&hands).acquire_owned() => hand.expect("nobody closes it"),
        };
        // A claim is not cut off in the middle: nobody would know of it until its lease is over.
        let wait = worker.begin_next(hand).await;
        tokio::select! {
            () = &mut stop => break,
            () = tokio::time::sleep(wait) => {}
        }
    }
    tell.send_replace(true);
    // All hands are back when those who were at work have given back what they had.
    let all = u32::try_from(HANDS).expect("a small number");
    let _ = hands.acquire_many(all).await;
}

#[derive(Clone)]
struct Worker {
    workflows: Arc<Workflows>,
    engine: Engine,
    told: watch::Receiver<bool>,
}

impl Worker {
    /// Begins with the workflow that is due; says how long to wait before looking again.
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

    /// Does a job, and says in the store what became of it.
    async fn finish(mut self, job: Job) {
        let ended = match self.run(&job).await {
            Ok(Some(())) => self.engine.end_workflow(&job).await,
            Ok(None) => self.engine.give_back(job).await,
            Err(error) => {
                tracing::warn!(%error, "what is left of a workflow failed; it is tried again");
                self.engine.put_off(&job, error.to_string()).await
            }
        };
        if let Err(error) = ended {
            tracing::warn!(%error, "what became of a workflow could not be kept");
        }
    }

    /// Runs it and renews its lease meanwhile; nothing if it was told to stop.
    async fn run(&mut self, job: &Job) -> Result<Option<()>> {
        let renewal = Duration::try_from(limits::JOB_RENEWAL).expect("a lease lasts");
        let mut told = self.told.clone();
        let mut run = std::pin::pin!(self.nodes(job));
        loop {
            tokio::select! {
                outcome = &mut run => return outcome.map(Some),
                () = stopped(&mut told) => return Ok(None),
                () = tokio::time::sleep(renewal) => self.engine.renew(job).await?,
            }
        }
    }

    async fn nodes(&self, job: &Job) -> Result<()> {
        let payload =
            job.payload.as_deref().ok_or_else(|| Error::damaged("a job without words"))?;
        let Rest { workflow, run: name, mut progress, chat } = Rest::read(payload)?;
        let workflow = self.workflows.found(&workflow)?;
        let place = self.place(job).await?;
        let files = self.workflows.files_of(Some(place.vault.id()));
        let desk = MemoryDesk::new(place, &chat, &name);
        let scene = chat.scene();
        for count in progress.outputs.len() + 1..=workflow.nodes.len() {
            let stage = self.workflows.stage(&desk, &files, &scene);
            let ended = run(stage, workflow, &mut progress, Until::Nodes(count), &mut Deaf).await?;
            if let Ended::Locked { lock } = ended {
                tracing::debug!(workflow = workflow.name, lock, "somebody else is behind the lock");
                return Ok(());
            }
            let (workflow, run) = (workflow.name.clone(), name.clone());
            let rest = Rest { workflow, run, progress: progress.clone(), chat: chat.clone() };
            self.engine.keep_progress(job, rest.written()).await?;
        }
        Ok(())
    }

    async fn place(&self, job: &Job) -> Result<Place> {
        let vault = self.engine.vault(Address::Id(job.vault)).await?;
        Ok(Place { engine: self.engine.clone(), vault, memory: Address::Id(job.memory) })
    }
}

/// Ready once it is time to stop.
async fn stopped(told: &mut watch::Receiver<bool>) {
    // Whoever tells it lives longer than those who are told.
    let _ = told.wait_for(|stop| *stop).await;
}

/// Nobody hears what is said behind the answer.
struct Deaf;

impl Follow for Deaf {
    fn hear(&mut self, _piece: &str) {}

    fn ran(&mut self, trace: Trace) {
        let (workflow, place) = (trace.workflow, trace.place);
        tracing::debug!(workflow, place, took = ?trace.took, "a node has run behind the answer");
    }
}

//! Jobs that a command runs while it holds the data directory.

use std::time::{Duration, Instant};

use everwhen::Engine;
use everwhen::job::Queue;

use crate::failure::Result;

/// How long a command may spend on jobs that are due.
const SPARE_TIME: Duration = Duration::from_secs(1);

/// Runs due jobs for a limited time; the rest is left to the next command or to a server.
pub(super) async fn run_due(engine: &Engine) -> Result<()> {
    run_for(engine, SPARE_TIME).await
}

/// Runs due jobs for at most this time.
pub(super) async fn run_for(engine: &Engine, most: Duration) -> Result<()> {
    let begin = Instant::now();
    while begin.elapsed() < most && step(engine).await? {}
    Ok(())
}

/// Runs one due job. Jobs that call a language model are left out: a command does not wait for one.
async fn step(engine: &Engine) -> everwhen::Result<bool> {
    if !engine.waits_for_models() {
        return engine.step().await;
    }
    match engine.claim(Queue::Quick).await? {
        Some(job) => engine.run(job).await.map(|()| true),
        None => Ok(false),
    }
}

/// Embeds some waiting entries; their vectors are stored for the next command.
pub(super) async fn embed_a_little(engine: &Engine) -> Result<()> {
    let begin = Instant::now();
    while begin.elapsed() < SPARE_TIME && engine.embed_step().await? {}
    Ok(())
}

//! Restarts background tasks that die.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::worker_status::{WorkerStatus, WorkerTask};

/// The first pause before a task is restarted.
const FIRST_BACKOFF: Duration = Duration::from_secs(1);
/// The longest pause.
const LONGEST_BACKOFF: Duration = Duration::from_secs(60);

/// Runs a background task until `stop` is ready, at which it ends by itself. One that panics is restarted after a
/// pause, counted and logged; one that ends before has nothing to do.
pub async fn supervise<F: Future<Output = ()>>(
    status: &WorkerStatus,
    task: WorkerTask,
    stop: impl Future<Output = ()>,
    start: impl Fn() -> F,
) {
    let (mut stop, mut deaths) = (pin!(stop), 0);
    loop {
        status.change(task, |status| {
            status.is_running = true;
            status.failure = None;
        });
        let ended = caught(start()).await;
        let Err(reason) = ended else {
            stop.await;
            return status.change(task, |status| status.is_running = false);
        };
        tracing::error!(task = task.as_str(), reason, "background work died; it is restarted");
        status.change(task, |status| {
            status.is_running = false;
            status.restarts += 1;
            status.failure = Some(reason);
        });
        tokio::select! {
            () = &mut stop => return,
            () = tokio::time::sleep(backoff(deaths)) => {}
        }
        deaths += 1;
    }
}

/// The pause before the next attempt, after this many in a row failed.
pub(crate) fn backoff(failures: u32) -> Duration {
    FIRST_BACKOFF.saturating_mul(1 << failures.min(6)).min(LONGEST_BACKOFF)
}

/// Waits for a task; fails with what it said when it panicked.
async fn caught(task: impl Future<Output = ()>) -> std::result::Result<(), String> {
    let mut task = Box::pin(task);
    poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| task.as_mut().poll(context))) {
        Ok(polled) => polled.map(Ok),
        Err(panic) => {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
            Poll::Ready(Err(said.unwrap_or("it panicked").to_owned()))
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use tokio::sync::watch;

    use super::*;

    #[tokio::test]
    async fn a_task_of_a_server_is_told_of_from_its_start_and_restarted() {
        let (status, starts) = (WorkerStatus::default(), AtomicU32::new(0));
        let of_worker = status.tasks().len();
        let (sender, mut stopping) = watch::channel(false);
        let start = || async {
            assert!(starts.fetch_add(1, Ordering::SeqCst) > 0, "a folder exploded");
        };
        let stop = async { drop(stopping.wait_for(|stop| *stop).await) };
        let is_told = |problem: &str| status.problems().iter().any(|told| told == problem);
        let watched = async {
            let died = "background work (folders) died and is restarted: a folder exploded";
            while !is_told(died) {
                tokio::task::yield_now().await;
            }
            while is_told(died) {
                tokio::time::sleep(FIRST_BACKOFF / 20).await;
            }
            let (task, known) = status.tasks().pop().unwrap();
            assert_eq!((task, known.is_running, known.restarts), (WorkerTask::Folders, true, 1));
            assert_eq!(status.tasks().len(), of_worker + 1);
            sender.send_replace(true);
        };
        tokio::join!(supervise(&status, WorkerTask::Folders, stop, start), watched);
        assert_eq!(starts.load(Ordering::SeqCst), 2);
        assert!(is_told("background work (folders) does not run"));
    }
}

//! Stopping by a signal: the first one lets everything finish, the second one ends the process at once.
//! A process may also be told to stop when its standard input is closed, which happens whenever its
//! parent ends, even if that is killed.

use std::io::Read;
use std::sync::Arc;

use everwhen_platform::StopSignals;
use tokio::sync::{Notify, watch};

use crate::failure::Result;

/// Whether the process was asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shutdown {
    /// It is not.
    No,
    /// What was begun is finished first.
    Gently,
    /// Nothing is waited for.
    AtOnce,
}

/// Says when the process is asked to end.
pub(crate) type ShutdownSignal = watch::Receiver<Shutdown>;

/// Listens for the signals that end a process.
pub(crate) fn stop_on_signal() -> Result<ShutdownSignal> {
    stop_on(Arc::default())
}

/// Listens for the signals that end a process, and for the end of standard input, which counts as the
/// first signal.
pub(crate) fn stop_on_signal_or_input() -> Result<ShutdownSignal> {
    let closed = Arc::new(Notify::new());
    let notify = Arc::clone(&closed);
    // Not a task: reading blocks until the parent ends, and the process does not wait for it.
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        let mut ignored = [0; 1024];
        while input.read(&mut ignored).is_ok_and(|bytes| bytes > 0) {}
        notify.notify_one();
    });
    stop_on(closed)
}

fn stop_on(input_closed: Arc<Notify>) -> Result<ShutdownSignal> {
    let (sender, heard) = watch::channel(Shutdown::No);
    let mut signals = StopSignals::listen()?;
    tokio::spawn(async move {
        for stop in [Shutdown::Gently, Shutdown::AtOnce] {
            tokio::select! {
                _ = signals.next() => {}
                () = input_closed.notified() => {}
            }
            match stop {
                Shutdown::AtOnce => tracing::warn!("stopping at once; what was running is cut off"),
                _ => tracing::info!("stopping; a second signal stops at once"),
            }
            sender.send_replace(stop);
        }
        // Receivers must not take the end of this task for a signal.
        sender.closed().await;
    });
    Ok(heard)
}

/// Waits until the process is asked to end.
pub(crate) async fn stopped(mut stop: ShutdownSignal) {
    // The sender is gone only after it has spoken.
    let _ = stop.wait_for(|shutdown| *shutdown != Shutdown::No).await;
}

/// Waits until nothing is to be waited for any more.
pub(crate) async fn at_once(mut stop: ShutdownSignal) {
    if stop.wait_for(|shutdown| *shutdown == Shutdown::AtOnce).await.is_err() {
        std::future::pending().await
    }
}

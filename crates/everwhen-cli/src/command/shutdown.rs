//! Stopping by a signal: the first one lets everything finish, the second one ends the process at once.

use everwhen_platform::StopSignals;
use tokio::sync::watch;

use crate::failure::Result;

/// Whether the process is told to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shutdown {
    /// It is not.
    No,
    /// What was begun is finished first.
    Gently,
    /// Nothing is waited for.
    AtOnce,
}

/// Says when the process is told to end.
pub(crate) type ShutdownSignal = watch::Receiver<Shutdown>;

/// Listens for the signals that end a process.
pub(crate) fn stop_on_signal() -> Result<ShutdownSignal> {
    let (told, heard) = watch::channel(Shutdown::No);
    let mut signals = StopSignals::listen()?;
    tokio::spawn(async move {
        for stop in [Shutdown::Gently, Shutdown::AtOnce] {
            signals.next().await;
            match stop {
                Shutdown::AtOnce => tracing::warn!("stopping at once; what was running is cut off"),
                _ => tracing::info!("stopping; a second signal stops at once"),
            }
            told.send_replace(stop);
        }
        // Receivers must not take the end of this task for a signal.
        told.closed().await;
    });
    Ok(heard)
}

/// Waits until the process is told to end.
pub(crate) async fn stopped(mut stop: ShutdownSignal) {
    // The sender is gone only after it has spoken.
    let _ = stop.wait_for(|told| *told != Shutdown::No).await;
}

/// Waits until nothing is to be waited for any more.
pub(crate) async fn at_once(mut stop: ShutdownSignal) {
    if stop.wait_for(|told| *told == Shutdown::AtOnce).await.is_err() {
        std::future::pending().await
    }
}

//! All connections: how many there may be, who makes room for another, and when all have ended.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use everwhen::{ErrorKind, ServerLimits};
use tokio::net::TcpStream;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::activity::ConnectionActivity;
use super::connection::{Connection, refuse};
use crate::error::{Cause, RequestError};

/// How long to wait before accepting again when the system has no more files for us.
const RECOVERY: Duration = Duration::from_millis(100);

/// The connections of one server.
pub(super) struct Connections {
    router: Router,
    limits: ServerLimits,
    begun: Instant,
    next: AtomicU64,
    stop: watch::Sender<bool>,
    open: Arc<OpenConnections>,
}

/// Those that are open, by number.
#[derive(Default)]
struct OpenConnections {
    all: Mutex<HashMap<u64, Arc<ConnectionActivity>>>,
    /// Told when the last one ends.
    none_left: Notify,
}

impl OpenConnections {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<ConnectionActivity>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that counts as open for as long as this exists.
struct OpenConnection {
    number: u64,
    open: Arc<OpenConnections>,
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let mut all = self.open.lock();
        all.remove(&self.number);
        if all.is_empty() {
            self.open.none_left.notify_waiters();
        }
    }
}

impl Connections {
    /// None yet; all of them will be answered by this router.
    pub(super) fn new(router: Router, limits: ServerLimits) -> Self {
        let (stop, _) = watch::channel(false);
        let (begun, next) = (Instant::now(), AtomicU64::new(0));
        Self { router, limits, begun, next, stop, open: Arc::default() }
    }

    /// Serves a connection. If there are as many as there may be, the one that has been idle the
    /// longest makes room; if all are busy, the new one is refused for now.
    pub(super) fn take(&self, stream: TcpStream) {
        let full = self.open.lock().len() >= self.limits.max_connections;
        if full && !self.evict() {
            let detail = format!(
                "{} connections are open and all are busy, which is the limit; try again soon",
                self.limits.max_connections
            );
            tokio::spawn(refuse(stream, RequestError::new(Cause::Engine(ErrorKind::Busy), detail)));
            return;
        }
        let activity = Arc::new(ConnectionActivity::new(self.begun));
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.open.lock().insert(number, Arc::clone(&activity));
        let counted = OpenConnection { number, open: Arc::clone(&self.open) };
        let connection = Connection {
            stream,
            router: self.router.clone(),
            limits: self.limits,
            activity,
            stopping: self.stop.subscribe(),
        };
        tokio::spawn(async move {
            connection.run().await;
            drop(counted);
        });
    }

    /// Closes the connection that has been without a request for the longest; whether there was one.
    /// It leaves the list at once, so that the next in need finds another.
    fn evict(&self) -> bool {
        let mut all = self.open.lock();
        let idle = all.iter().filter_map(|(number, one)| Some((one.idle_since()?, *number)));
        let Some((_, number)) = idle.min() else { return false };
        if let Some(activity) = all.remove(&number) {
            activity.evicted.notify_one();
        }
        true
    }

    /// Makes room after a connection could not be accepted.
    pub(super) async fn recover(&self, error: &io::Error) {
        let is_the_clients = matches!(
            error.kind(),
            io::ErrorKind::ConnectionRefused
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::ConnectionReset
        );
        if is_the_clients {
            return;
        }
        tracing::error!(%error, "a connection could not be accepted");
        self.evict();
        tokio::time::sleep(RECOVERY).await;
    }

    /// Lets every connection end after the request that it is answering.
    pub(super) fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Waits until all have ended.
    pub(super) async fn ended(&self) {
        loop {
            let none_left = self.open.none_left.notified();
            if self.open.lock().is_empty() {
                return;
            }
            none_left.await;
        }
    }
}

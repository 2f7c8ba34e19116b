//! Serves a router on a socket: connections with timeouts and limits, and a graceful shutdown.

mod activity;
mod connection;
mod connections;
mod listening;
mod stream;

use std::io;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use everwhen::ServerLimits;
use tokio::net::TcpListener;

use self::connections::Connections;

pub use listening::listen;

/// How long requests in flight may take after the shutdown signal.
const GRACE: Duration = Duration::from_secs(10);

/// Serves until `shutdown` completes. Then no connection is accepted any more, and requests in
/// flight get up to ten seconds to finish.
pub async fn serve(
    router: Router,
    listener: TcpListener,
    limits: ServerLimits,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    serve_with(GRACE, Connections::new(router, limits), listener, shutdown).await
}

async fn serve_with(
    grace: Duration,
    connections: Connections,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let mut shutdown = pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => connections.take(stream),
                Err(error) => connections.recover(&error).await,
            },
        }
    }
    drop(listener);
    connections.stop();
    if tokio::time::timeout(grace, connections.ended()).await.is_err() {
        tracing::warn!("some requests were still running after {grace:?}; they are cut off");
    }
    Ok(())
}

#[cfg(test)]
mod tests;

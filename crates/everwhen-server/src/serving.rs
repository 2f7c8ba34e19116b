//! Serving a router on a socket, and stopping without dropping what was begun.

use std::io;
use std::time::Duration;

use axum::Router;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// How long requests that are being answered may take after the call to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Serves until `shutdown` is over. No connection is taken from then on; requests in flight are
/// answered, for ten seconds at most.
pub async fn serve(
    router: Router,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    serve_with(GRACE, router, listener, shutdown).await
}

async fn serve_with(
    grace: Duration,
    router: Router,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let (told, heard) = oneshot::channel();
    let stop = async move {
        shutdown.await;
        // Nobody listens any more only if serving has failed already.
        let _ = told.send(());
    };
    let listener = listener.tap_io(send_at_once);
    let serving = axum::serve(listener, router).with_graceful_shutdown(stop);
    tokio::select! {
        ended = serving.into_future() => ended,
        () = out_of_patience(heard, grace) => {
            tracing::warn!("some requests were still running after {grace:?}; they are cut off");
            Ok(())
        }
    }
}

/// Small answers are not held back to be sent together.
fn send_at_once(stream: &mut tokio::net::TcpStream) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection keeps its delay");
    }
}

async fn out_of_patience(heard: oneshot::Receiver<()>, grace: Duration) {
    match heard.await {
        Ok(()) => tokio::time::sleep(grace).await,
        Err(_) => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;
    use tokio::sync::Notify;
    use tokio::time::{sleep, timeout};

    use super::*;

    const SHORT: Duration = Duration::from_secs(1);

    /// A server that is told to stop while a request runs that takes so long: what that request is
    /// answered, if anything, and how long the server took to stop.
    async fn stop_during(work: Duration) -> (String, Duration) {
        let (begun, stop) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (begins, stops) = (Arc::clone(&begun), Arc::clone(&stop));
        let slow = get(async move || {
            begins.notify_one();
            sleep(work).await;
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let shutdown = async move { stops.notified().await };
        let router = Router::new().route("/slow", slow);
        let server = tokio::spawn(serve_with(SHORT, router, listener, shutdown));
        client.write_all(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        begun.notified().await;
        stop.notify_one();
        let told = Instant::now();
        server.await.unwrap().unwrap();
        let took = told.elapsed();
        let mut answer = [0; 12];
        let read = timeout(Duration::from_millis(50), client.read_exact(&mut answer)).await;
        (read.map(|_| String::from_utf8_lossy(&answer).into_owned()).unwrap_or_default(), took)
    }

    #[tokio::test]
    async fn a_request_in_flight_is_answered() {
        let (answer, took) = stop_during(Duration::from_millis(50)).await;
        assert_eq!(answer, "HTTP/1.1 200");
        assert!(took < SHORT, "the server stops as soon as nothing is left: {took:?}");
    }

    #[tokio::test]
    async fn a_request_that_never_ends_does_not_hold_the_server() {
        let (answer, took) = stop_during(Duration::from_secs(60)).await;
        assert_eq!(answer, "");
        assert!(took >= SHORT && took < SHORT * 10, "{took:?}");
    }
}

//! One connection: hyper speaks HTTP/1 on it, and a timer beside it ends it when it takes too long.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response};
use everwhen::ServerLimits;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::activity::{ConnectionActivity, ConnectionVerdict, shortest};
use super::stream::Stream;
use crate::body_with::BodyWith;
use crate::error::{Cause, RequestError};
use crate::gate::LocalAddress;

/// How long a client that is refused may take to read why.
const LINGER: Duration = Duration::from_secs(1);

/// Everything a connection needs to be served.
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    pub(super) router: Router,
    pub(super) limits: ServerLimits,
    pub(super) activity: Arc<ConnectionActivity>,
    /// Turns true when the server stops.
    pub(super) stopping: watch::Receiver<bool>,
}

impl Connection {
    /// Serves requests until the client leaves, a timeout ends it, or the server stops.
    pub(super) async fn run(self) {
        let Self { stream, router, limits, activity, mut stopping } = self;
        // Small answers are not held back to be sent together.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection keeps its delay");
        }
        let local = stream.local_addr().ok().map(|address| LocalAddress(address.ip()));
        let peer = stream.peer_addr().ok().map(ConnectInfo);
        let answers = ConnectionService { router, activity: Arc::clone(&activity), local, peer };
        let io = TokioIo::new(Stream::new(stream, Arc::clone(&activity)));
        let mut http =
            http1::Builder::new().header_read_timeout(None).serve_connection(io, answers);
        let mut timer = pin!(sleep(shortest(&limits)));
        let is_late = loop {
            tokio::select! {
                ended = &mut http => {
                    ended.unwrap_or_else(|error| tracing::debug!(%error, "a connection failed"));
                    return;
                }
                () = &mut timer => match activity.verdict(&limits) {
                    ConnectionVerdict::Stays(until) => timer.as_mut().reset(until),
                    ConnectionVerdict::Closed => break false,
                    ConnectionVerdict::TimedOut => break true,
                },
                () = activity.evicted.notified() => break false,
                Ok(()) = stopping.changed() => Pin::new(&mut http).graceful_shutdown(),
            }
        };
        let stream = http.into_parts().io.into_inner().into_inner();
        if is_late {
            let detail = format!(
                "the headers of the request did not arrive within {:?}",
                limits.header_timeout
            );
            refuse(stream, RequestError::new(Cause::Timeout, detail)).await;
        }
    }
}

/// Tells a client why it is not answered, without HTTP having begun, and hangs up.
pub(super) async fn refuse(mut stream: TcpStream, problem: RequestError) {
    let response = problem.to_bytes();
    let sending = async {
        stream.write_all(&response).await?;
        stream.shutdown().await?;
        // Closing before everything is read would make the client lose what it was told.
        let mut unread = [0; 1024];
        while stream.read(&mut unread).await? > 0 {}
        io::Result::Ok(())
    };
    // Errors of the client's side are ignored.
    let _ = timeout(LINGER, sending).await;
}

/// What answers the requests of one connection.
struct ConnectionService {
    router: Router,
    activity: Arc<ConnectionActivity>,
    local: Option<LocalAddress>,
    /// Where the client is, by which the proxy tells clients apart.
    peer: Option<ConnectInfo<SocketAddr>>,
}

impl Service<Request<Incoming>> for ConnectionService {
    type Response = Response<BodyWith<ActiveRequest>>;
    type Error = Infallible;
    type Future =
        Pin<Box<dyn Future<Output = Result<Response<BodyWith<ActiveRequest>>, Infallible>> + Send>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        let underway = ActiveRequest::new(Arc::clone(&self.activity));
        if let Some(local) = self.local {
            request.extensions_mut().insert(local);
        }
        if let Some(peer) = self.peer {
            request.extensions_mut().insert(peer);
        }
        let mut router = self.router.clone();
        Box::pin(async move {
            let response = tower::Service::call(&mut router, request.map(Body::new)).await?;
            Ok(response.map(|body| BodyWith::new(body, underway)))
        })
    }
}

/// A request that is being answered for as long as this exists.
struct ActiveRequest(Arc<ConnectionActivity>);

impl ActiveRequest {
    fn new(activity: Arc<ConnectionActivity>) -> Self {
        activity.begins();
        Self(activity)
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.ends();
    }
}

//! What the proxy does, live for those who watch and kept a while for those who ask.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::wire::seen::Seen;
use crate::Door;
use crate::access::Caller;
use crate::problem::{Cause, Problem};

/// So many events wait for somebody who reads slowly; then the oldest are lost to them.
const WAITING: usize = 256;
/// So many traces are kept.
const TRACES: usize = 256;

/// What was done, and who watches.
pub(crate) struct Tail {
    next: AtomicU64,
    watched: broadcast::Sender<Arc<Seen>>,
    traces: Mutex<VecDeque<Arc<Seen>>>,
}

impl Default for Tail {
    fn default() -> Self {
        let (watched, _) = broadcast::channel(WAITING);
        Self { next: AtomicU64::new(1), watched, traces: Mutex::default() }
    }
}

impl Tail {
    /// A number for a request.
    pub(crate) fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Tells those who watch.
    pub(crate) fn tell(&self, seen: Seen) -> Arc<Seen> {
        let seen = Arc::new(seen);
        // Nobody watching is the usual case.
        let _ = self.watched.send(Arc::clone(&seen));
        seen
    }

    /// Whether anybody watches.
    pub(crate) fn is_watched(&self) -> bool {
        self.watched.receiver_count() > 0
    }

    /// Keeps it for somebody who will ask for it.
    pub(crate) fn trace(&self, seen: Arc<Seen>) {
        let mut traces = self.traces.lock().unwrap_or_else(PoisonError::into_inner);
        if traces.len() == TRACES {
            traces.pop_front();
        }
        traces.push_back(seen);
    }

    fn traced(&self, id: u64) -> Option<Arc<Seen>> {
        let traces = self.traces.lock().unwrap_or_else(PoisonError::into_inner);
        traces.iter().find(|seen| seen.id() == id).cloned()
    }
}

/// Whether a caller may see what was done in a vault.
fn may_see(caller: Caller, seen: &Seen) -> bool {
    match caller {
        Caller::Holder(vault) => seen.vault() == vault.to_string(),
        Caller::Operator | Caller::Anyone => true,
    }
}

/// `GET /proxy/tail`: everything the proxy does from now on, as server-sent events.
pub(crate) async fn watch(State(door): State<Door>, caller: Caller) -> Response {
    let watching = (door.proxy.tail.watched.subscribe(), caller);
    let events = stream(watching);
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    (headers, Body::new(StreamBody::new(events))).into_response()
}

type Watching = (broadcast::Receiver<Arc<Seen>>, Caller);

fn stream(
    watching: Watching,
) -> impl futures_util::Stream<Item = Result<Frame<Bytes>, Infallible>> {
    futures_util::stream::unfold(watching, |(mut events, caller)| async move {
        loop {
            match events.recv().await {
                Ok(seen) if may_see(caller, &seen) => {
                    let json = serde_json::to_string(&*seen).expect("strings are always JSON");
                    let frame = Frame::data(Bytes::from(format!("data: {json}\n\n")));
                    return Some((Ok(frame), (events, caller)));
                }
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    })
}

/// `GET /proxy/traces/{id}`: what was done to one request that asked for a trace.
pub(crate) async fn trace(
    State(door): State<Door>,
    caller: Caller,
    Path(id): Path<u64>,
) -> Result<Response, Problem> {
    let found = door.proxy.tail.traced(id).filter(|seen| may_see(caller, seen));
    let seen = found.ok_or_else(|| {
        let detail = format!("trace not found: {id}; the last {TRACES} are kept");
        Problem::new(Cause::Engine(everwhen::ErrorKind::NotFound), detail)
    })?;
    Ok(axum::Json(&*seen).into_response())
}

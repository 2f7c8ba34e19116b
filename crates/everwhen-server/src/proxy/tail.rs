//! The live view of the proxy, and traces of single requests.

use std::collections::{BTreeSet, VecDeque};
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use http_body::Frame;
use http_body_util::StreamBody;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch as watching};

use super::wire::seen::{Seen, TracesQuery};
use crate::access::Caller;
use crate::error::{Cause, RequestError};
use crate::proxy::ProxyState;
use crate::proxy::memory::ProxyMemory;
use crate::query_params::QueryParams;

/// Number of events buffered for a slow reader; then the oldest are dropped.
const WAITING: usize = 256;
/// Maximum number of traces.
const TRACES: usize = 256;
/// Maximum size of all traces together.
const TRACES_BYTES: usize = 16 * 1024 * 1024;

/// A silent stream says this often that it is there, so that nothing in between closes it,
const HEARTBEAT: Duration = Duration::from_secs(15);
/// with a comment, which readers of events pass over.
const COMMENT: Bytes = Bytes::from_static(b": still here\n\n");

/// The event channel and the stored traces.
pub(crate) struct Tail {
    next: AtomicU64,
    watched: broadcast::Sender<Arc<Seen>>,
    traces: Mutex<Traces>,
    /// Becomes true when the server stops.
    ending: watching::Sender<bool>,
}

/// The latest traces, oldest first.
#[derive(Default)]
struct Traces {
    kept: VecDeque<Trace>,
    bytes: usize,
}

/// A trace, and the epoch of forgetting of its vault when it was made, once that is known. Another server may
/// have forgotten something since.
struct Trace {
    seen: Arc<Seen>,
    epoch: Option<u64>,
}

impl Traces {
    /// Stores a trace, and removes the oldest while there are too many or they are too large.
    fn keep(&mut self, seen: Arc<Seen>, epoch: Option<u64>) {
        self.bytes += seen.bytes();
        self.kept.push_back(Trace { seen, epoch });
        while self.kept.len() > TRACES || self.bytes > TRACES_BYTES {
            let Some(gone) = self.kept.pop_front() else { break };
            self.bytes -= gone.seen.bytes();
        }
    }

    fn retain(&mut self, stays: impl Fn(&Trace) -> bool) {
        self.kept.retain(stays);
        self.bytes = self.kept.iter().map(|trace| trace.seen.bytes()).sum();
    }
}

impl Default for Tail {
    fn default() -> Self {
        let (watched, _) = broadcast::channel(WAITING);
        let (ending, _) = watching::channel(false);
        Self { next: AtomicU64::new(1), watched, traces: Mutex::default(), ending }
    }
}

impl Tail {
    /// The number of a new request.
    pub(crate) fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Sends an event to all readers.
    pub(crate) fn publish(&self, seen: Seen) -> Arc<Seen> {
        let seen = Arc::new(seen);
        // An error means that there are no readers.
        let _ = self.watched.send(Arc::clone(&seen));
        seen
    }

    /// Whether there are readers.
    pub(crate) fn is_watched(&self) -> bool {
        self.watched.receiver_count() > 0
    }

    /// Ends the streams of all readers.
    pub(crate) fn end_watching(&self) {
        self.ending.send_replace(true);
    }

    /// Stores a trace, with the epoch of forgetting of its vault when the request was read, if that is known.
    pub(crate) fn trace(&self, seen: Arc<Seen>, epoch: Option<u64>) {
        self.traces().keep(seen, epoch);
    }

    /// Removes traces of what was forgotten: of a memory, by its id and name, or of a whole vault.
    pub(crate) fn forget(&self, vaults: &[String], memories: Option<&[String]>) {
        let named = |seen: &Seen, all: &[String]| {
            seen.memory().is_none_or(|memory| all.iter().any(|one| one == memory))
        };
        let goes = |seen: &Seen| {
            vaults.iter().any(|vault| vault == seen.vault())
                && memories.is_none_or(|all| named(seen, all))
        };
        let mut traces = self.traces();
        traces.retain(|trace| !goes(&trace.seen));
        // Of the others in these vaults it is known that they stay.
        let of_vault = |trace: &&mut Trace| vaults.iter().any(|vault| vault == trace.seen.vault());
        traces.kept.iter_mut().filter(of_vault).for_each(|trace| trace.epoch = None);
    }

    /// Notes the epoch of forgetting of the vault of a trace.
    fn note_epoch(&self, id: u64, epoch: u64) {
        let mut traces = self.traces();
        if let Some(trace) = traces.kept.iter_mut().find(|trace| trace.seen.id() == id) {
            trace.epoch = Some(epoch);
        }
    }

    /// Removes the traces of a vault in which something was forgotten since they were made.
    fn check_epoch(&self, vault: &str, epoch: u64) {
        let mut traces = self.traces();
        let is_of = |trace: &Trace| trace.seen.vault() == vault;
        traces.retain(|trace| !is_of(trace) || trace.epoch.is_none_or(|known| known == epoch));
        traces.kept.iter_mut().filter(|trace| is_of(trace)).for_each(|trace| {
            trace.epoch = Some(epoch);
        });
    }

    /// The vaults that traces are of.
    fn vaults(&self) -> BTreeSet<String> {
        self.traces().kept.iter().map(|trace| trace.seen.vault().to_owned()).collect()
    }

    /// The last of those that `wanted` admits, newest first.
    fn last_traces(&self, limit: usize, wanted: impl Fn(&Seen) -> bool) -> Vec<Arc<Seen>> {
        let traces = self.traces();
        let all = traces.kept.iter().rev().map(|trace| &trace.seen);
        all.filter(|seen| wanted(seen)).take(limit).cloned().collect()
    }

    fn traced(&self, id: u64) -> Option<Arc<Seen>> {
        let traces = self.traces();
        traces.kept.iter().map(|trace| &trace.seen).find(|seen| seen.id() == id).cloned()
    }

    fn traces(&self) -> MutexGuard<'_, Traces> {
        self.traces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes up to when nothing of a trace was forgotten. No chat waits for it.
pub(crate) fn note_epoch(state: &ProxyState, seen: &Seen) {
    let (state, id, vault) = (state.clone(), seen.id(), seen.vault().to_owned());
    tokio::spawn(async move {
        if let Some(epoch) = ProxyMemory::of(&state).forget_epoch(&vault).await {
            state.proxy.tail.note_epoch(id, epoch);
        }
    });
}

/// Removes traces of what other servers have forgotten. While the store is away they stay.
pub(crate) async fn check_epochs(state: &ProxyState) {
    let check = async {
        for vault in state.proxy.tail.vaults() {
            if let Some(epoch) = ProxyMemory::of(state).forget_epoch(&vault).await {
                state.proxy.tail.check_epoch(&vault, epoch);
            }
        }
    };
    // Traces are read to find the reason of an outage, so an outage does not hold them back.
    let _ = tokio::time::timeout(state.proxy.deadline(), check).await;
}

/// Whether a caller may see events of a vault.
fn may_see(caller: Caller, seen: &Seen) -> bool {
    match caller {
        Caller::Holder(vault, _) => seen.vault() == vault.to_string(),
        Caller::Operator | Caller::Anyone => true,
    }
}

/// `GET /proxy/tail`: everything the proxy does from now on, as server-sent events.
pub(crate) async fn watch(State(state): State<ProxyState>, caller: Caller) -> Response {
    let tail = &state.proxy.tail;
    let mut ending = tail.ending.subscribe();
    let ended = async move {
        // The sender is gone only when the server is.
        let _ = ending.wait_for(|ends| *ends).await;
    };
    let events = stream((tail.watched.subscribe(), caller)).take_until(Box::pin(ended));
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    (headers, Body::new(StreamBody::new(events))).into_response()
}

type Watching = (broadcast::Receiver<Arc<Seen>>, Caller);

fn stream(
    watching: Watching,
) -> impl futures_util::Stream<Item = Result<Frame<Bytes>, Infallible>> {
    futures_util::stream::unfold(watching, |(mut events, caller)| async move {
        loop {
            let received = match tokio::time::timeout(HEARTBEAT, events.recv()).await {
                Ok(received) => received,
                Err(_) => return Some((Ok(Frame::data(COMMENT)), (events, caller))),
            };
            match received {
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

/// `GET /proxy/traces`: the last requests that asked for a trace or passed while a client watched,
/// newest first.
pub(crate) async fn traces(
    State(state): State<ProxyState>,
    caller: Caller,
    QueryParams(query): QueryParams<TracesQuery>,
) -> Response {
    check_epochs(&state).await;
    let limit = query.limit.unwrap_or(TRACES);
    let found = state.proxy.tail.last_traces(limit, |seen| may_see(caller, seen));
    let found: Vec<&Seen> = found.iter().map(|seen| &**seen).collect();
    axum::Json(serde_json::json!({ "data": found })).into_response()
}

/// `GET /proxy/traces/{id}`: the trace of one request that asked for one.
pub(crate) async fn trace(
    State(state): State<ProxyState>,
    caller: Caller,
    Path(id): Path<u64>,
) -> Result<Response, RequestError> {
    check_epochs(&state).await;
    let found = state.proxy.tail.traced(id).filter(|seen| may_see(caller, seen));
    let seen = found.ok_or_else(|| {
        let detail = format!(
            "trace not found: {id}; the last {TRACES} are kept, up to {TRACES_BYTES} bytes"
        );
        RequestError::new(Cause::Engine(everwhen::ErrorKind::NotFound), detail)
    })?;
    Ok(axum::Json(&*seen).into_response())
}

#[cfg(test)]
mod tests {
    use super::super::wire::seen::{AskedSeen, StoredSeen};
    use super::*;

    fn seen(id: u64, messages: usize, bytes: usize) -> Arc<Seen> {
        let stored = StoredSeen {
            message: 0,
            entry: "ent_1".into(),
            role: "user",
            conversation_time: "2025-06-01T12:00:00Z".into(),
            content: "é".repeat(bytes / 2),
        };
        let stored = vec![stored; messages];
        let mut asked = AskedSeen { id, stored, ..AskedSeen::default() };
        asked.shorten();
        Arc::new(Seen::Asked(Box::new(asked)))
    }

    #[test]
    fn traces_are_bounded_in_number_and_in_bytes() {
        let mut traces = Traces::default();
        (0..1_000).for_each(|id| traces.keep(seen(id, 1, 10), None));
        assert_eq!((traces.kept.len(), traces.kept[0].seen.id()), (TRACES, 744));
        (0..1_000).for_each(|id| traces.keep(seen(id, 3, 1024 * 1024), None));
        let bytes: usize = traces.kept.iter().map(|trace| trace.seen.bytes()).sum();
        assert!(bytes <= TRACES_BYTES && bytes == traces.bytes, "{bytes} {}", traces.bytes);
        assert!(traces.kept.len() > 30, "{}", traces.kept.len());
        assert_eq!(traces.kept.back().unwrap().seen.id(), 999);
    }

    /// A request is read, something is forgotten, and only then is the trace of the request stored.
    #[test]
    fn a_trace_of_what_was_read_before_a_forget_goes() {
        let (tail, vault) = (Tail::default(), seen(0, 1, 10).vault().to_owned());
        tail.forget(std::slice::from_ref(&vault), Some(&["m".into()]));
        tail.trace(seen(1, 1, 10), Some(4));
        tail.trace(seen(2, 1, 10), Some(5));
        tail.check_epoch(&vault, 5);
        assert!(tail.traced(1).is_none());
        assert!(tail.traced(2).is_some());
    }
}

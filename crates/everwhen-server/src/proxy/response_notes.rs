//! What a response says in headers about memory, and what the live view shows of its request.

use std::sync::Arc;

use axum::http::HeaderMap;

use super::memory::ProxyMemory;
use super::prepare::{PreparedRequest, ProxyRequest};
use super::wire::seen::{AskedSeen, Seen};
use super::{
    DEGRADED, MEMORY, MEMORY_SOURCE, NOT_REMEMBERED, TRACE, headers, not_remembered, tail,
};

/// Maximum number of messages that are listed in one header.
const MOST_NAMED: usize = 8;

/// What the response says about the request in headers, and its number in the live view.
pub(super) struct ResponseNotes {
    pub(super) number: u64,
    pub(super) headers: HeaderMap,
}

impl ResponseNotes {
    /// Adds a reason why something is not remembered to the header.
    pub(super) fn not_remembered(&mut self, reason: &str) {
        let before = headers::text(&self.headers, NOT_REMEMBERED.as_str());
        let all = before.map_or_else(|| reason.to_owned(), |before| format!("{before}; {reason}"));
        self.headers.insert(NOT_REMEMBERED, headers::value(&all));
    }
}

/// Completes what the live view shows of a request, and says in headers what was done with it.
pub(super) fn response_notes(
    request: &ProxyRequest<'_>,
    upstream: &str,
    prepared: &mut PreparedRequest,
) -> ResponseNotes {
    let mut seen = std::mem::take(&mut prepared.seen);
    let number = request.state.proxy.tail.number();
    let mut notes = ResponseNotes { number, headers: memory_headers(&seen) };
    if !seen.is_auxiliary {
        seen.not_remembered = not_remembered::messages(request.asked);
    }
    seen.id = number;
    seen.time = ProxyMemory::of(request.state).now().to_string();
    seen.protocol = request.chat.protocol().as_str();
    seen.upstream = upstream.to_owned();
    seen.model = request.asked.model.as_ref().map(ToString::to_string);
    if let Some(reason) = &seen.degraded {
        tracing::warn!(reason, "a request goes through without memory");
    }
    for one in seen.not_remembered.iter().take(MOST_NAMED) {
        notes.not_remembered(&one.reason);
    }
    if request.is_watched {
        if request.headers.contains_key(TRACE) {
            notes.headers.insert(TRACE, headers::value(&format!("/proxy/traces/{number}")));
        }
        show(request, seen, prepared.epoch);
    }
    notes
}

/// The headers that name the memory of a request, and why less was remembered than could be.
fn memory_headers(seen: &AskedSeen) -> HeaderMap {
    let values = [
        (MEMORY, &seen.memory),
        (MEMORY_SOURCE, &seen.memory_source.map(Into::into)),
        (DEGRADED, &seen.degraded),
    ];
    let values = values.into_iter();
    values.filter_map(|(name, text)| Some((name, headers::value(text.as_ref()?)))).collect()
}

/// Shows a request in the live view, and keeps it as a trace.
fn show(request: &ProxyRequest<'_>, mut seen: AskedSeen, epoch: Option<u64>) {
    let tail = &request.state.proxy.tail;
    seen.shorten();
    let seen = tail.publish(Seen::Asked(Box::new(seen)));
    tail.trace(Arc::clone(&seen), epoch);
    if epoch.is_none() {
        tail::note_epoch(request.state, &seen);
    }
}

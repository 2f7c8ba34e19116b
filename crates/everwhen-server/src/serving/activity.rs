//! What a connection is doing, as far as its timeouts need to know.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use everwhen::ServerLimits;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Nothing has arrived yet.
const FRESH: u8 = 0;
/// The head of a request is arriving.
const HEAD: u8 = 1;
/// A request is being answered.
const BUSY: u8 = 2;
/// A request was answered, and no other has begun.
const IDLE: u8 = 3;
/// In place of a time: the client takes what it is sent.
const FLOWING: u64 = u64::MAX;

/// What a connection is doing, and since when. Written by the connection's own task and read by the
/// one that accepts, so nothing has to happen at the same instant.
pub(super) struct ConnectionActivity {
    /// When the server began; other times are milliseconds since then.
    begun: Instant,
    phase: AtomicU8,
    since: AtomicU64,
    blocked_since: AtomicU64,
    /// Told when the connection has to make room for another.
    pub(super) evicted: Notify,
}

/// What becomes of a connection now.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ConnectionVerdict {
    /// It stays; look again at this moment.
    Stays(Instant),
    /// It is closed; there is no request to answer.
    Closed,
    /// Its request did not arrive in time and is answered with that.
    TimedOut,
}

impl ConnectionActivity {
    /// A connection that was just made.
    pub(super) fn new(begun: Instant) -> Self {
        let activity = Self {
            begun,
            phase: AtomicU8::new(FRESH),
            since: AtomicU64::new(0),
            blocked_since: AtomicU64::new(FLOWING),
            evicted: Notify::new(),
        };
        activity.enter(FRESH);
        activity
    }

    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(FLOWING - 1)
    }

    fn enter(&self, phase: u8) {
        self.since.store(self.now(), Ordering::Relaxed);
        self.phase.store(phase, Ordering::Relaxed);
    }

    /// Bytes have arrived.
    pub(super) fn reads(&self) {
        if matches!(self.phase.load(Ordering::Relaxed), FRESH | IDLE) {
            self.enter(HEAD);
        }
    }

    /// Bytes were sent, or could not be because the client does not take them.
    pub(super) fn sends(&self, is_blocked: bool) {
        let was_blocked = self.blocked_since.load(Ordering::Relaxed) != FLOWING;
        if is_blocked != was_blocked {
            let since = if is_blocked { self.now() } else { FLOWING };
            self.blocked_since.store(since, Ordering::Relaxed);
        }
    }

    /// A request has arrived.
    pub(super) fn begins(&self) {
        self.enter(BUSY);
    }

    /// Its response is complete, or given up.
    pub(super) fn ends(&self) {
        self.enter(IDLE);
    }

    /// Since when no request is being answered; nothing while one is.
    pub(super) fn idle_since(&self) -> Option<u64> {
        let is_busy = self.phase.load(Ordering::Relaxed) == BUSY;
        (!is_busy).then(|| self.since.load(Ordering::Relaxed))
    }

    /// What becomes of the connection now.
    pub(super) fn verdict(&self, limits: &ServerLimits) -> ConnectionVerdict {
        let at = |milliseconds| self.begun + Duration::from_millis(milliseconds);
        let blocked = self.blocked_since.load(Ordering::Relaxed);
        let blocked_until = (blocked != FLOWING).then(|| at(blocked) + limits.body_timeout);
        let since = at(self.since.load(Ordering::Relaxed));
        let (until, at_end) = match self.phase.load(Ordering::Relaxed) {
            HEAD => (Some(since + limits.header_timeout), ConnectionVerdict::TimedOut),
            FRESH => (Some(since + limits.header_timeout), ConnectionVerdict::Closed),
            IDLE => (Some(since + limits.idle_timeout), ConnectionVerdict::Closed),
            _ => (None, ConnectionVerdict::Closed),
        };
        let now = Instant::now();
        if blocked_until.is_some_and(|until| until <= now) {
            return ConnectionVerdict::Closed;
        }
        if until.is_some_and(|until| until <= now) {
            return at_end;
        }
        let soonest = now + shortest(limits);
        ConnectionVerdict::Stays(
            [until, blocked_until].into_iter().flatten().fold(soonest, Instant::min),
        )
    }
}

/// The shortest of all timeouts: whatever begins now, nothing is due before that.
pub(super) fn shortest(limits: &ServerLimits) -> Duration {
    limits.header_timeout.min(limits.body_timeout).min(limits.idle_timeout)
}

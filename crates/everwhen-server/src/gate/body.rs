//! Request bodies under watch: how large, how deep, how slow, and how much of all of them is in memory.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use everwhen::ServerLimits;
use http_body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use super::depth::Depth;
use super::refused::Rejection;

/// The first bytes of every body count towards no budget, so that a few large bodies never keep out
/// the many small ones; the number of requests in flight bounds them.
const UNCOUNTED: usize = 16 * 1024;
/// A whole body may take this many times as long as a pause in it.
const PAUSES: u32 = 10;

/// How many bytes may be in memory at once.
pub(super) struct Budget {
    most: usize,
    used: AtomicUsize,
}

impl Budget {
    pub(super) fn new(most: usize) -> Self {
        Self { most, used: AtomicUsize::new(0) }
    }

    fn take(&self, bytes: usize) -> bool {
        let within = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= self.most);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, within).is_ok()
    }
}

/// What is known of a body from outside: why it was refused, and how much of the budget it takes.
pub(super) struct BodyStatus {
    budget: Arc<Budget>,
    counted: AtomicUsize,
    refused: OnceLock<Rejection>,
    is_whole: AtomicBool,
}

impl BodyStatus {
    pub(super) fn new(budget: Arc<Budget>) -> Self {
        let (counted, refused, is_whole) = Default::default();
        Self { budget, counted, refused, is_whole }
    }

    /// Whether all of it was read.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole.load(Ordering::Relaxed)
    }

    /// Why the body did not arrive, if that is our doing.
    pub(super) fn refused(&self) -> Option<Rejection> {
        self.refused.get().cloned()
    }

    fn count(&self, bytes: usize) -> Result<(), Rejection> {
        if !self.budget.take(bytes) {
            return Err(Rejection::Buffered(self.budget.most));
        }
        self.counted.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }
}

impl Drop for BodyStatus {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(*self.counted.get_mut(), Ordering::Relaxed);
    }
}

/// What is sent as a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyKind {
    /// JSON, whose nesting is limited.
    Json,
    /// A file that is written to disk: no part of it stays in memory, and it may take any time as long as
    /// it does not pause.
    Upload,
    /// Anything else.
    Other,
}

/// A body under watch.
pub(super) struct CheckedBody {
    body: Body,
    limits: ServerLimits,
    received: Arc<BodyStatus>,
    is_upload: bool,
    bytes: usize,
    depth: Option<Depth>,
    begun: Instant,
    last: Instant,
    pause: Option<Pin<Box<Sleep>>>,
}

impl CheckedBody {
    pub(super) fn new(
        body: Body,
        limits: ServerLimits,
        kind: BodyKind,
        received: Arc<BodyStatus>,
    ) -> Self {
        let depth = (kind == BodyKind::Json).then(Depth::default);
        let (is_upload, now) = (kind == BodyKind::Upload, Instant::now());
        let (bytes, pause) = (0, None);
        Self { body, limits, received, is_upload, bytes, depth, begun: now, last: now, pause }
    }

    fn check(&mut self, data: &Bytes) -> Result<(), Rejection> {
        let before = self.bytes;
        self.bytes += data.len();
        let most = if self.is_upload { self.limits.max_upload } else { self.limits.max_body };
        if self.bytes > most {
            return Err(Rejection::TooLarge(most));
        }
        if self.is_upload {
            return Ok(());
        }
        let counted = self.bytes.saturating_sub(UNCOUNTED) - before.saturating_sub(UNCOUNTED);
        self.received.count(counted)?;
        let most = self.limits.max_json_depth;
        match self.depth.as_mut().is_none_or(|depth| depth.takes(data, most)) {
            true => Ok(()),
            false => Err(Rejection::TooDeep(most)),
        }
    }

    /// Ready once the body has paused for too long.
    fn poll_pause(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let pause = self.limits.body_timeout;
        let pause_ends = self.last + pause;
        let end = match self.is_upload {
            true => pause_ends,
            false => pause_ends.min(self.begun + whole(pause)),
        };
        let timer = self.pause.get_or_insert_with(|| Box::pin(sleep_until(end)));
        if timer.deadline() != end {
            timer.as_mut().reset(end);
        }
        timer.as_mut().poll(cx)
    }

    fn refuse(&mut self, refused: Rejection) -> axum::Error {
        let error = axum::Error::new(std::io::Error::other(refused.to_string()));
        // The first reason stands.
        let _ = self.received.refused.set(refused);
        error
    }
}

fn whole(pause: Duration) -> Duration {
    pause.saturating_mul(PAUSES)
}

impl HttpBody for CheckedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(cx) else {
            ready!(this.poll_pause(cx));
            let refused = Rejection::Slow(this.limits.body_timeout);
            return Poll::Ready(Some(Err(this.refuse(refused))));
        };
        if let Some(data) = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref()) {
            this.last = Instant::now();
            if let Err(refused) = this.check(data) {
                return Poll::Ready(Some(Err(this.refuse(refused))));
            }
        }
        if frame.is_none() || this.body.is_end_stream() {
            this.received.is_whole.store(true, Ordering::Relaxed);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

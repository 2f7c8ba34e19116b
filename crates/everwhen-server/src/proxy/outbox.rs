//! The outbox: every exchange on its way into memory, in the order of its chat.
//!
//! An exchange is in the store or in a file of its own before its reply ends, whatever the store does.
//! Its messages and its reply go to the store, and to the file if the store does not take them quickly;
//! once they are stored, the row is removed. What is left by a store that fails, or
//! by a process that was killed, is stored later, at the time it had, once. Rows are bounded in bytes
//! and in age: when the file is full, new exchanges are refused and the log says so.

pub(crate) mod lanes;
mod leftovers;
mod names;
mod replay;
pub(crate) mod store;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use everwhen::limits::CLOCK_SLACK;
use everwhen::outbox::{Ack, Erase, Outbox as File, OutboxRow, OutboxStats, SetAside};
use everwhen::{Error, ProxyConfig, Result};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Notify, OnceCell, Semaphore};
use tokio::time::timeout;

use self::lanes::{LaneName, Lanes, Step};
pub(crate) use self::names::Names;
use self::store::Live;
use super::memory::ProxyMemory;
use super::wire::seen::Seen;
use crate::proxy::ProxyState;

/// How long a forget waits for exchanges that are being stored.
const FORGETTING: Duration = Duration::from_secs(5);
/// How long to wait, when stopping, for what is being stored.
const STOPPING: Duration = Duration::from_secs(10);
/// How many transactions of what waits may be under way: what is said now comes between them.
const REPLAYS: usize = 2;
/// How often old rows are looked for.
const LOOK: Duration = Duration::from_secs(60);

/// The outbox of one proxy.
pub(crate) struct Outbox {
    /// The file, if there is a directory for it.
    file: Option<File>,
    pub(crate) lanes: Lanes,
    /// Memories by the names they were last found under.
    pub(crate) names: Names,
    /// Ids where there is no file.
    next: AtomicI64,
    /// The last time that was given to an exchange.
    last_at: AtomicI64,
    /// How long rows are kept.
    days: i64,
    started: OnceCell<()>,
    /// Limits how much of what waits is stored at the same time.
    pub(super) replays: Semaphore,
    /// Tells lanes that wait after a failure that another one could be stored again.
    pub(super) recovered: Notify,
}

impl Default for Outbox {
    fn default() -> Self {
        Self::over(None, &ProxyConfig::default())
    }
}

impl Outbox {
    /// The outbox in this directory.
    pub(crate) fn open(directory: &Path, config: &ProxyConfig) -> Result<Self> {
        let file = File::open(directory, config.outbox_bytes.value.into())?;
        let outbox = Self::over(Some(file), config);
        leftovers::take_in_spool(directory, &outbox, config)?;
        Ok(outbox)
    }

    fn over(file: Option<File>, config: &ProxyConfig) -> Self {
        Self {
            file,
            lanes: Lanes::default(),
            names: Names::default(),
            next: AtomicI64::new(1),
            last_at: AtomicI64::new(i64::MIN),
            days: config.outbox_days.value.into(),
            started: OnceCell::new(),
            replays: Semaphore::new(REPLAYS),
            recovered: Notify::new(),
        }
    }

    /// Gives a new exchange its place in its lane.
    pub(crate) fn enter(&self, lane: &LaneName) -> i64 {
        let id = self.next_id();
        self.lanes.add(lane, id, Step::Open);
        id
    }

    fn next_id(&self) -> i64 {
        let without = || self.next.fetch_add(1, Ordering::Relaxed);
        self.file.as_ref().map_or_else(without, File::next_id)
    }

    /// The time of a new exchange: now, but no other exchange's. After a clock that was ahead it is now again: the
    /// store dates nothing later, and would not recognise what it has by another time.
    pub(crate) fn time(&self, now: Timestamp) -> i64 {
        let now = now.as_microsecond();
        let next = |last: i64| match i128::from(last) - i128::from(now) > CLOCK_SLACK.as_micros() {
            true => now,
            false => now.max(last.saturating_add(1)),
        };
        let before =
            self.last_at.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |at| Some(next(at)));
        before.map_or(now, next)
    }

    /// Writes a row; the answer comes once it is durable.
    pub(crate) fn put(&self, row: OutboxRow) -> Option<Ack> {
        self.file.as_ref().map(|file| file.put(row))
    }

    /// An exchange is over and is stored from now on, unless it was forgotten meanwhile.
    pub(crate) fn over_with(&self, state: &ProxyState, lane: &str, id: i64, live: Live) {
        let pending = Arc::clone(&live.pending);
        if self.lanes.is_over(lane, id, Some(Box::new(live))) {
            store::work(state, lane.to_owned());
        } else {
            pending.stored();
            self.remove(id);
        }
    }

    /// The row of an exchange that is over is in the file, so it need not stay in memory until the store
    /// takes it. The live view shows that it waits.
    pub(crate) fn is_written(&self, state: &ProxyState, lane: &str, id: i64) {
        if let Some(mut seen) = self.lanes.is_written(lane, id).and_then(|live| live.seen) {
            seen.time = ProxyMemory::of(state).now().to_string();
            seen.degraded = Some("it waits in the outbox".to_owned());
            state.proxy.tail.publish(Seen::Answered(seen));
        }
    }

    /// Stores what can be stored in a lane.
    pub(crate) fn work(&self, state: &ProxyState, lane: &str) {
        store::work(state, lane.to_owned());
    }

    /// Whether an exchange was forgotten while its reply came.
    pub(crate) fn is_forgotten(&self, lane: &str, id: i64) -> bool {
        self.lanes.is_forgotten(lane, id)
    }

    /// An exchange needs nothing more.
    pub(crate) fn leave(&self, state: &ProxyState, lane: &str, id: i64) {
        self.remove(id);
        self.lanes.done(lane, &[id]);
        store::work(state, lane.to_owned());
    }

    fn remove(&self, id: i64) {
        if let Some(file) = &self.file {
            file.remove(id);
        }
    }

    /// How full the file is; nothing if there is none.
    pub(crate) fn stats(&self) -> Option<OutboxStats> {
        self.file.as_ref().map(File::stats)
    }

    /// How many chats cannot be stored now.
    pub(crate) fn failing(&self) -> usize {
        self.lanes.failing()
    }

    /// What is not as it should be; an error if new exchanges cannot be accepted.
    pub(crate) fn trouble(&self) -> Result<Option<String>> {
        let Some(stats) = self.stats() else { return Ok(None) };
        if let Some(failure) = stats.failure {
            return Err(Error::unavailable(format!("the outbox cannot be written: {failure}")));
        }
        if stats.bytes >= stats.max_bytes {
            return Err(Error::unavailable("the outbox is full: see proxy.outbox_bytes"));
        }
        let (waiting, failing, aside) = (stats.rows, self.failing(), stats.set_aside);
        let is_fine = failing == 0 && aside == 0;
        Ok((!is_fine).then(|| {
            format!(
                "{waiting} exchanges wait in the outbox, {failing} chats cannot be stored now, \
                 {aside} exchanges were set aside"
            )
        }))
    }

    /// Rows that were set aside.
    pub(crate) async fn set_aside(&self, limit: u32) -> Result<Vec<SetAside>> {
        match &self.file {
            Some(file) => heard(file.list_set_aside(limit)).await,
            None => Ok(Vec::new()),
        }
    }

    /// Begins to store what an earlier process left, and removes what is too old, for ever.
    pub(crate) async fn run(&self, state: &ProxyState) {
        loop {
            self.start(state).await;
            self.expire(ProxyMemory::of(state).now()).await;
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Begins to store what an earlier process left, if that has not been done.
    async fn start(&self, state: &ProxyState) {
        let begin = || async {
            let Some(file) = &self.file else { return Ok(()) };
            for row in heard(file.waiting()).await? {
                leftovers::enter(self, &row);
                store::work(state, row.lane);
            }
            Ok::<(), Error>(())
        };
        if let Err(error) = self.started.get_or_try_init(begin).await {
            tracing::error!(%error, "the outbox cannot be read");
        }
    }

    async fn expire(&self, now: Timestamp) {
        let Some(file) = &self.file else { return };
        let before = now.checked_sub(SignedDuration::from_hours(24 * self.days));
        let expired = heard(file.expire(before.unwrap_or(Timestamp::MIN))).await;
        if let Ok(rows @ 1..) = expired {
            tracing::error!(rows, days = self.days, "exchanges could not be stored and are lost");
        }
    }

    /// Waits until what is on its way into a vault is stored, so that it can be forgotten there. Whether only a
    /// part of a memory is forgotten decides what happens if that cannot be stored now. Then all of it waits on:
    /// most of it is to be kept, so the forget is refused. What was set aside is not waited for.
    pub(crate) async fn before_forgetting(
        &self,
        state: &ProxyState,
        vaults: &[String],
        is_part: bool,
    ) -> Result<()> {
        self.start(state).await;
        self.recovered.notify_waiters();
        match timeout(FORGETTING, self.lanes.settled(Some(vaults), is_part)).await {
            Ok(()) => Ok(()),
            Err(_) if is_part => Err(Error::unavailable(
                "some of what was said in this vault is not stored yet; try again in a moment",
            )),
            Err(_) => {
                tracing::warn!(
                    "some exchanges are still being stored while something is forgotten"
                );
                Ok(())
            }
        }
    }

    /// Erases what still waits for something that was forgotten: a whole memory or vault; or a part of a
    /// memory, said at `part_since` or later.
    pub(crate) async fn forget(
        &self,
        vaults: Vec<String>,
        memories: Option<Vec<String>>,
        part_since: Option<Timestamp>,
    ) -> Result<()> {
        self.names.clear();
        if part_since.is_none() {
            self.lanes.forget(&vaults, memories.as_deref());
        }
        match &self.file {
            Some(file) => heard(file.erase(Erase { vaults, memories, part_since })).await.map(drop),
            None => Ok(()),
        }
    }

    /// Waits until everything that was said is in the file.
    pub(crate) async fn flush(&self) {
        if let Some(file) = &self.file
            && let Err(error) = heard(file.flush()).await
        {
            tracing::error!(%error, "the outbox cannot be written");
        }
    }

    /// Waits until what is over is stored, or known to wait.
    pub(crate) async fn settle(&self) {
        if timeout(STOPPING, self.lanes.settled(None, false)).await.is_err() {
            tracing::warn!("some exchanges are not stored yet; they wait in the outbox");
        }
        self.flush().await;
    }
}

/// What the thread of the file answers.
pub(crate) async fn heard<T>(ack: Ack<T>) -> Result<T> {
    ack.await.unwrap_or_else(|_| Err(Error::unavailable("the outbox is closed")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_exchanges_are_apart_and_those_of_a_clock_that_was_ahead_are_left() {
        let outbox = Outbox::default();
        let noon: Timestamp = "2025-06-01T12:00:00Z".parse().unwrap();
        let at = |now: Timestamp| {
            Timestamp::from_microsecond(outbox.time(now)).unwrap().duration_since(noon)
        };
        let micros = SignedDuration::from_micros;
        assert_eq!([at(noon), at(noon), at(noon)], [micros(0), micros(1), micros(2)]);
        let back = noon - CLOCK_SLACK + micros(5);
        assert_eq!(at(back), micros(3), "a small step back runs no time back");
        let years = SignedDuration::from_hours(24 * 3650);
        assert_eq!([at(noon + years), at(noon + years)], [years, years + micros(1)]);
        let later = noon + SignedDuration::from_mins(1);
        let minute = SignedDuration::from_mins(1);
        assert_eq!([at(later), at(later)], [minute, minute + micros(1)]);
    }
}

//! Stores what is over: a lane at a time, in order, each exchange once. What fails for now is tried
//! again after growing pauses; what can never be stored is set aside with the reason. Rows that wait
//! are stored many at a time ([`replay`]).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use everwhen::ledger::{Begun, Exchange, ExchangeReply, Finished};
use everwhen::outbox::{Ack, OutboxRow};
use everwhen::ports::Addition;
use everwhen::{Error, ErrorKind, Result, Vault};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use super::super::memory::{ProxyMemory, Write};
use super::super::wire::kept::KeptHead;
use super::super::wire::seen::{AnsweredSeen, Seen};
use super::lanes::Work;
use super::{Outbox, heard, replay};
use crate::proxy::ProxyState;

/// The first pause after a failure.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause, while the store cannot be reached.
const MOST_PAUSE: Duration = Duration::from_secs(2);
/// The longest pause, while something is wrong inside.
const DAMAGED_PAUSE: Duration = Duration::from_secs(60);
/// Most rows that are stored in one transaction.
const MOST_ROWS: usize = 64;
/// An attempt that takes longer than this is a failed one for the requests that wait.
const SLOW: Duration = Duration::from_millis(500);

/// The row of an exchange that is over, which is written to the file only if the store does not take
/// the exchange quickly: while the store works, nothing is written twice.
pub(crate) struct Pending {
    /// The row, until it is written or the exchange is stored.
    row: Mutex<Option<OutboxRow>>,
    /// Told once the exchange is stored, or its row is durable.
    safe: Notify,
}

impl Pending {
    pub(crate) fn new(row: Option<OutboxRow>) -> Arc<Self> {
        Arc::new(Self { row: Mutex::new(row), safe: Notify::new() })
    }

    /// Writes the row, unless that was done or is not needed any more.
    pub(crate) fn write(&self, outbox: &Outbox) -> Option<Ack> {
        let mut row = self.row.lock().unwrap_or_else(PoisonError::into_inner);
        // Sent under the lock, so that its removal cannot come before it.
        row.take().and_then(|row| outbox.put(row))
    }

    /// Waits until the exchange is stored or its row is durable; the row is written when that takes
    /// longer than `quick`.
    pub(crate) async fn is_safe(&self, outbox: &Outbox, quick: Duration) -> Result<()> {
        if timeout(quick, self.safe.notified()).await.is_ok() {
            return Ok(());
        }
        match self.write(outbox) {
            Some(ack) => heard(ack).await,
            None => {
                self.safe.notified().await;
                Ok(())
            }
        }
    }

    /// The store has the exchange, or it is not wanted any more.
    pub(super) fn stored(&self) {
        self.row.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.safe.notify_one();
    }

    /// Notes what came of an attempt to store the exchange.
    async fn tried(&self, outbox: &Outbox, stored: &Result<usize>) {
        match stored {
            Err(error) if error.kind() != ErrorKind::NotFound => self.failed(outbox).await,
            // What it was for was removed: nothing of it may stay.
            Ok(_) | Err(_) => self.stored(),
        }
    }

    /// The store did not take the exchange: its row is in the file from now on.
    async fn failed(&self, outbox: &Outbox) {
        if let Some(ack) = self.write(outbox)
            && let Err(error) = heard(ack).await
        {
            tracing::error!(%error, "an exchange that cannot be stored is not in the outbox");
        }
        self.safe.notify_one();
    }
}

/// What this process knows of an exchange that is over.
pub(crate) struct Live {
    /// What the outbox has, or gets if the exchange is not stored quickly.
    pub(crate) row: OutboxRow,
    pub(crate) pending: Arc<Pending>,
    pub(crate) head: KeptHead,
    /// The vault, if it was found.
    pub(crate) vault: Option<Vault>,
    /// The exchange in memory, once it has begun there.
    pub(crate) exchange: Option<Box<Exchange>>,
    /// The beginning in memory, as long as it is under way.
    pub(crate) beginning: Option<Write<Begun>>,
    /// What was added to messages of the request.
    pub(crate) added: Vec<(u64, Addition)>,
    /// What the client gets to know about the reply.
    pub(crate) seen: Option<AnsweredSeen>,
}

impl Live {
    /// Whether the file holds all that this process knows, once the row is written there.
    pub(super) fn is_only_in_the_file(&self) -> bool {
        self.exchange.is_none() && self.beginning.is_none()
    }
}

/// Works on a lane until nothing is left that could be stored, unless another task does.
pub(super) fn work(state: &ProxyState, lane: String) {
    if state.proxy.outbox.lanes.take_work(&lane) {
        let state = state.clone();
        tokio::spawn(async move { store_all(&state, &lane).await });
    }
}

async fn store_all(state: &ProxyState, lane: &str) {
    let outbox = &state.proxy.outbox;
    let (mut pause, mut most) = (FIRST_PAUSE, MOST_ROWS);
    while let Some(next) = outbox.lanes.next(lane, most) {
        let (ids, pending) = match &next {
            Work::Live(id, live) => (vec![*id], Some(Arc::clone(&live.pending))),
            Work::Rows(ids) => (ids.clone(), None),
        };
        let stored = attempt(state, lane, next, pending.as_deref()).await;
        if let Some(pending) = &pending {
            pending.tried(outbox, &stored).await;
        }
        match stored {
            Ok(done) => {
                let done = &ids[..done.min(ids.len())];
                done.iter().for_each(|id| outbox.remove(*id));
                outbox.lanes.done(lane, done);
                outbox.lanes.fails(lane, false);
                if pause > FIRST_PAUSE {
                    outbox.recovered.notify_waiters();
                }
                (pause, most) = (FIRST_PAUSE, MOST_ROWS);
            }
            Err(error) if is_for_good(&error) && ids.len() > 1 => most = 1,
            Err(error) if is_for_good(&error) => {
                set_aside(outbox, ids[0], &error).await;
                outbox.lanes.done(lane, &ids);
            }
            Err(error) => {
                tracing::warn!(%error, "an exchange waits in the outbox");
                outbox.lanes.fails(lane, true);
                if error.is_retryable() {
                    // Where another chat can be stored again, this one may be, too.
                    let _ = timeout(pause, outbox.recovered.notified()).await;
                } else {
                    most = 1;
                    sleep(pause).await;
                }
                let longest = if error.is_retryable() { MOST_PAUSE } else { DAMAGED_PAUSE };
                pause = (pause * 2).min(longest);
            }
        }
    }
}

/// One attempt; answers how many exchanges are stored. If it takes long, the row is written, and those
/// who wait for the lane learn of it.
async fn attempt(
    state: &ProxyState,
    lane: &str,
    work: Work,
    pending: Option<&Pending>,
) -> Result<usize> {
    let own = state.clone();
    // On a task of its own: a panic is a failure of this exchange, not of the lane.
    let attempt = ProxyMemory::of(state).write(async move {
        match work {
            Work::Live(_, live) => store_live(&own, *live).await.map(|()| 1),
            Work::Rows(ids) => {
                // It is never closed.
                let _turn = own.proxy.outbox.replays.acquire().await;
                replay::store_rows(&own, &ids).await
            }
        }
    });
    let attempt = attempt.done();
    tokio::pin!(attempt);
    match timeout(SLOW, &mut attempt).await {
        Ok(done) => done,
        Err(_) => {
            if let Some(pending) = pending {
                pending.failed(&state.proxy.outbox).await;
            }
            state.proxy.outbox.lanes.fails(lane, true);
            attempt.await
        }
    }
}

/// Whether trying again would change nothing.
fn is_for_good(error: &Error) -> bool {
    use ErrorKind::{Conflict, Denied, Invalid, NotFound, TooLarge};
    matches!(error.kind(), Invalid | NotFound | Denied | Conflict | TooLarge)
}

/// Sets a row aside; one whose vault or memory was removed is dropped, and nothing of it stays.
async fn set_aside(outbox: &Outbox, id: i64, error: &Error) {
    let Some(file) = &outbox.file else { return };
    let written = if error.kind() == ErrorKind::NotFound {
        tracing::info!(%error, "an exchange is dropped: what it was for was removed");
        heard(file.discard(id)).await
    } else {
        tracing::error!(%error, "an exchange can never be stored; it was set aside");
        heard(file.set_aside(id, error.message().to_owned())).await
    };
    if let Err(error) = written {
        tracing::error!(%error, "the outbox cannot be written");
    }
}

/// Stores what is known in this process, and tells what came of it.
async fn store_live(state: &ProxyState, live: Live) -> Result<()> {
    let Live { row, pending: _, head, vault, exchange, beginning, added, seen } = live;
    let exchange = match beginning {
        Some(beginning) => beginning.done().await.ok().map(|begun| begun.exchange),
        None => exchange.map(|exchange| *exchange),
    };
    let reply = head.reply.clone();
    let stored = match (exchange, vault, reply) {
        (Some(exchange), Some(vault), Some(reply)) => {
            let reply = ExchangeReply { added, ..reply.reply(exchange.started_at) };
            vault.finish_exchange(exchange, reply).await
        }
        (Some(_), _, None) => Ok(Finished::default()),
        _ => replay::store(state, row, head).await,
    };
    if let Some(mut seen) = seen {
        seen.time = ProxyMemory::of(state).now().to_string();
        match &stored {
            Ok(finished) => seen.entry = finished.entry.map(|entry| entry.to_string()),
            Err(error) => seen.degraded = Some(error.message().to_owned()),
        }
        state.proxy.tail.publish(Seen::Answered(seen));
    }
    stored.map(drop)
}

//! Stores what is over: a lane at a time, in order, each exchange once. What fails for now is tried
//! again after growing pauses; what can never be stored is set aside with the reason.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use everwhen::ledger::{Begun, Exchange, ExchangeReply, Finished};
use everwhen::memory::{Address, MemoryId};
use everwhen::outbox::{Ack, OutboxRow, RowState};
use everwhen::ports::Addition;
use everwhen::{Error, ErrorKind, Result, Vault};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use super::super::memory::{ProxyMemory, Write};
use super::super::memory_name::NamedMemory;
use super::super::person::is_chat;
use super::super::recognise::{UnprovenMemory, recognise};
use super::super::recording::shown;
use super::super::wire::kept::{KeptHead, read_message};
use super::super::wire::seen::{AnsweredSeen, Seen};
use super::{Outbox, heard};
use crate::access::Caller;
use crate::proxy::ProxyState;

/// The first pause after a failure.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause, while the store cannot be reached.
const MOST_PAUSE: Duration = Duration::from_secs(2);
/// The longest pause, while something is wrong inside.
const DAMAGED_PAUSE: Duration = Duration::from_secs(60);
/// How long an exchange that may go on in another chat waits for that.
const NEAR: Duration = Duration::from_secs(10);
/// An attempt that takes longer than this is a failing one for those who wait.
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

    /// The store has the exchange, or nobody wants it any more.
    pub(super) fn stored(&self) {
        self.row.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.safe.notify_one();
    }

    /// Notes what came of an attempt to store the exchange.
    async fn tried(&self, outbox: &Outbox, stored: &Result<()>) {
        match stored {
            Err(error) if error.kind() != ErrorKind::NotFound => self.failed(outbox).await,
            // What it was for was removed: nothing of it may stay.
            Ok(()) | Err(_) => self.stored(),
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
    /// What is told of the reply.
    pub(crate) seen: Option<AnsweredSeen>,
}

/// Works on a lane until nothing is left that could be stored, unless somebody does.
pub(super) fn work(state: &ProxyState, lane: String) {
    if state.proxy.outbox.lanes.take_work(&lane) {
        let state = state.clone();
        tokio::spawn(async move { store_all(&state, &lane).await });
    }
}

async fn store_all(state: &ProxyState, lane: &str) {
    let outbox = &state.proxy.outbox;
    let mut pause = FIRST_PAUSE;
    while let Some((id, live)) = outbox.lanes.next(lane) {
        let pending = live.as_ref().map(|live| Arc::clone(&live.pending));
        let stored = attempt(state, lane, (id, live), pending.as_deref()).await;
        if let Some(pending) = &pending {
            pending.tried(outbox, &stored).await;
        }
        match stored {
            Ok(()) => {
                outbox.remove(id);
                outbox.lanes.done(lane, id);
                outbox.lanes.fails(lane, false);
                pause = FIRST_PAUSE;
            }
            Err(error) if is_for_good(&error) => {
                set_aside(outbox, id, &error).await;
                outbox.lanes.done(lane, id);
            }
            Err(error) => {
                tracing::warn!(%error, "an exchange waits in the outbox");
                outbox.lanes.fails(lane, true);
                sleep(pause).await;
                let most = if error.passes() { MOST_PAUSE } else { DAMAGED_PAUSE };
                pause = (pause * 2).min(most);
            }
        }
    }
}

/// One attempt. If it takes long, the row is written, and those who wait for the lane learn of it.
async fn attempt(
    state: &ProxyState,
    lane: &str,
    (id, live): (i64, Option<Box<Live>>),
    pending: Option<&Pending>,
) -> Result<()> {
    let own = state.clone();
    // On a task of its own: a panic is a failure of this exchange, not of the lane.
    let attempt = ProxyMemory::of(state).write(async move {
        match live {
            Some(live) => store_live(&own, *live).await,
            None => store_row(&own, id).await,
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
    let reply = head.reply.as_ref();
    let stored = match (exchange, vault, reply) {
        (Some(exchange), Some(vault), Some(reply)) => {
            let reply = ExchangeReply { added, ..reply.reply(exchange.started_at) };
            vault.finish_exchange(exchange, reply).await
        }
        (Some(_), _, None) => Ok(Finished::default()),
        _ => replay(state, row, &head).await,
    };
    if let Some(mut seen) = seen {
        seen.time = ProxyMemory::of(state).now().to_string();
        match &stored {
            Ok(finished) => seen.entry = finished.entry.map(|entry| entry.to_string()),
            Err(error) => seen.degraded = Some(error.message().to_owned()),
        }
        state.proxy.tail.tell(Seen::Answered(seen));
    }
    stored.map(drop)
}

/// Stores a row of the file; one that is gone was erased.
async fn store_row(state: &ProxyState, id: i64) -> Result<()> {
    let Some(file) = &state.proxy.outbox.file else { return Ok(()) };
    let Some(row) = heard(file.load(id)).await? else { return Ok(()) };
    let head = KeptHead::read(&row.head)?;
    let stored = replay(state, row, &head).await?;
    tracing::info!(known = stored.known, "an exchange was stored from the outbox");
    Ok(())
}

/// Stores the whole of an exchange at the time it had; what of it was stored before is known again.
async fn replay(state: &ProxyState, row: OutboxRow, head: &KeptHead) -> Result<Finished> {
    let messages = row.parts.iter().map(|part| read_message(part)).collect::<Result<_>>()?;
    let mut history = head.history(messages)?;
    let address = Address::read("vault", &row.vault)?;
    let vault = ProxyMemory::of(state).vault(Caller::Operator, address).await?;
    let address: Address<MemoryId> = match &row.memory {
        Some(name) => Address::read("memory", name)?,
        None => {
            if !history.ids.is_empty() {
                let near = state.proxy.outbox.lanes.after_near(&row.lane, row.id);
                // Whether or not it came, this exchange is stored then.
                let _ = timeout(NEAR, near).await;
            }
            let otherwise =
                head.otherwise.clone().map_or(UnprovenMemory::Usual, UnprovenMemory::NamedMemory);
            let named = recognise(state, &vault, &history, otherwise).await?;
            history.resends_all = named.resends_all;
            history.chat_of = history.chat_of.filter(|_| is_chat(&named));
            note_memory(state, &row, head, &named).await?;
            named.memory
        }
    };
    let reply = head.reply.as_ref().map(|reply| reply.reply(head.time()));
    vault.keep_exchange(address, history, head.commit(), reply).await
}

/// Notes which memory an exchange is stored in, before it is: else, after a crash, it might be known
/// again by itself, or get another memory.
async fn note_memory(
    state: &ProxyState,
    row: &OutboxRow,
    head: &KeptHead,
    named: &NamedMemory,
) -> Result<()> {
    let Some(file) = &state.proxy.outbox.file else { return Ok(()) };
    let head = KeptHead { resends_all: named.resends_all, ..head.clone() };
    let known = OutboxRow {
        memory: Some(shown(&named.memory)),
        state: RowState::Complete,
        head: head.write(),
        ..row.clone()
    };
    heard(file.put(known)).await
}

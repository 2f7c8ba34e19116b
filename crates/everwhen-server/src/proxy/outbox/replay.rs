//! Stores rows of the outbox: exchanges at the times they had. Rows of one memory, or of one chat that goes
//! on from row to row, are stored in one transaction.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use everwhen::ledger::{Finished, History, Message, PastExchange};
use everwhen::memory::{Address, MemoryId, Role};
use everwhen::outbox::OutboxRow;
use everwhen::{Result, Vault};
use tokio::time::timeout;

use super::super::memory::ProxyMemory;
use super::super::memory_name::NamedMemory;
use super::super::person::is_chat;
use super::super::recognise::{UnprovenMemory, recognise};
use super::super::recording::shown;
use super::super::wire::kept::{KeptHead, read_message};
use super::heard;
use crate::access::Caller;
use crate::proxy::ProxyState;

/// How long an exchange that may go on in another chat waits for that.
const NEAR: Duration = Duration::from_secs(10);

/// A row with what it says.
struct Past {
    row: OutboxRow,
    head: KeptHead,
    history: History,
}

impl Past {
    fn read(row: OutboxRow, messages: &mut Messages) -> Result<Self> {
        let head = KeptHead::read(&row.head)?;
        let history = head.history(messages.read(&row.parts)?)?;
        Ok(Self { row, head, history })
    }

    /// Whether this can be stored together with the exchange before it: in the memory they both name,
    /// or, where no client named one, because it holds all of that exchange and its reply.
    fn goes_with(&self, before: &Self) -> bool {
        match (&before.row.memory, &self.row.memory) {
            _ if before.row.vault != self.row.vault => false,
            (Some(one), Some(other)) => one == other,
            (None, None) => self.goes_on(before),
            _ => false,
        }
    }

    fn goes_on(&self, before: &Self) -> bool {
        let said = &before.history.messages;
        let given = self.history.messages.get(said.len());
        let reply = before.head.reply.as_ref().map(|reply| reply.content.trim());
        let is_reply = |message: &Message| {
            message.role == Role::Assistant && Some(message.content.trim()) == reply
        };
        self.head.client == before.head.client
            && self.history.ids.is_empty()
            && reply.is_some_and(|reply| !reply.is_empty())
            && given.is_some_and(is_reply)
            && self.history.messages.starts_with(said)
    }
}

/// Reads messages, each once for all rows that share it.
#[derive(Default)]
struct Messages(HashMap<*const u8, Message>);

impl Messages {
    fn read(&mut self, parts: &[Arc<[u8]>]) -> Result<Vec<Message>> {
        parts.iter().map(|part| self.one(part)).collect()
    }

    fn one(&mut self, part: &Arc<[u8]>) -> Result<Message> {
        // The rows that are read together hold their parts, so no other part has this address.
        if let Some(known) = self.0.get(&part.as_ptr()) {
            return Ok(known.clone());
        }
        let message = read_message(part)?;
        self.0.insert(part.as_ptr(), message.clone());
        Ok(message)
    }
}

/// Stores the first of these rows of one lane, and those behind it that go with it. Answers how many
/// are done; rows that are gone were erased.
pub(super) async fn store_rows(state: &ProxyState, ids: &[i64]) -> Result<usize> {
    let Some(file) = &state.proxy.outbox.file else { return Ok(ids.len()) };
    let run = first_run(&heard(file.load(ids.to_vec())).await?)?;
    let Some(last) = run.last().map(|past| past.row.id) else { return Ok(ids.len()) };
    let stored = store_run(state, run).await?;
    tracing::info!(exchanges = stored.len(), "exchanges were stored from the outbox");
    Ok(ids.iter().take_while(|id| **id <= last).count())
}

/// The first row, and those behind it that go with it.
fn first_run(rows: &[OutboxRow]) -> Result<Vec<Past>> {
    let (mut run, mut messages) = (Vec::<Past>::new(), Messages::default());
    for row in rows {
        let past = match Past::read(row.clone(), &mut messages) {
            // It is the first the next time.
            Err(_) if !run.is_empty() => break,
            past => past?,
        };
        if run.last().is_some_and(|before| !past.goes_with(before)) {
            break;
        }
        run.push(past);
    }
    Ok(run)
}

/// Stores one exchange, of which this process has the row.
pub(super) async fn store(state: &ProxyState, row: OutboxRow, head: KeptHead) -> Result<Finished> {
    let history = head.history(Messages::default().read(&row.parts)?)?;
    let stored = store_run(state, vec![Past { row, head, history }]).await?;
    Ok(stored.into_iter().next().unwrap_or_default())
}

/// Stores exchanges that go together at the times they had; what of them was stored before is known
/// again.
async fn store_run(state: &ProxyState, mut run: Vec<Past>) -> Result<Vec<Finished>> {
    let Some(first) = run.first() else { return Ok(Vec::new()) };
    let address = Address::read("vault", &first.row.vault)?;
    let vault = ProxyMemory::of(state).vault(Caller::Operator, address).await?;
    let memory: Address<MemoryId> = match &first.row.memory {
        Some(name) => Address::read("memory", name)?,
        None => find_memory(state, &vault, &mut run).await?,
    };
    let past = |past: Past| PastExchange {
        commit: past.head.commit(),
        reply: past.head.reply.as_ref().map(|reply| reply.reply(past.head.time())),
        history: past.history,
    };
    vault.keep_exchanges(memory, run.into_iter().map(past).collect()).await
}

/// Finds the memory of a chat that no client named, and notes it, before anything is stored: else, after a
/// crash, an exchange might be known again by itself, or get another memory.
async fn find_memory(
    state: &ProxyState,
    vault: &Vault,
    run: &mut [Past],
) -> Result<Address<MemoryId>> {
    let first = &run[0];
    if !first.history.ids.is_empty() {
        let near = state.proxy.outbox.lanes.after_near(&first.row.lane, first.row.id);
        // Whether or not it came, this exchange is stored then.
        let _ = timeout(NEAR, near).await;
    }
    let otherwise = first.head.otherwise.clone();
    let otherwise = otherwise.map_or(UnprovenMemory::Usual, UnprovenMemory::NamedMemory);
    let named = recognise(state, vault, &first.history, otherwise).await?;
    for past in &mut *run {
        past.history.resends_all = named.resends_all;
        past.history.chat_of = past.history.chat_of.take().filter(|_| is_chat(&named));
    }
    note_memory(state, run, &named).await?;
    Ok(named.memory)
}

async fn note_memory(state: &ProxyState, run: &[Past], named: &NamedMemory) -> Result<()> {
    let Some(file) = &state.proxy.outbox.file else { return Ok(()) };
    let head = |past: &Past| {
        let head = KeptHead { resends_all: named.resends_all, ..past.head.clone() };
        (past.row.id, head.write())
    };
    heard(file.assign(shown(&named.memory), run.iter().map(head).collect())).await
}

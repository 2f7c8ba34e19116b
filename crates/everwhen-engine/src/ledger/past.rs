//! Stores exchanges after they took place, in one transaction.
//!
//! The history of a chat is sent with each of its requests, so the second exchange of a run holds all of
//! the first. A history that goes on exactly where the exchange before it ended is not compared with the
//! ledger again: only its new messages are read, and a long run costs as much as it has messages.

use crate::memory::Role;
use crate::memory_edit::MemoryEdit;
use crate::ports::{LedgerLine, LedgerLines};
use crate::tombstones::periods::ForgottenTimes;
use crate::{Error, Result, tombstones};

use super::begin::{self, Item};
use super::mark::mark;
use super::{Exchange, Finished, History, PastExchange, finish, history_run, marked};

/// The exchange that was stored last.
struct Previous<'p> {
    history: &'p History,
    /// The number of its reply's line.
    reply: u64,
}

/// Stores exchanges in their order; answers what became of each reply.
pub(super) fn keep_all(
    edit: &mut MemoryEdit<'_>,
    exchanges: &[PastExchange],
) -> Result<Vec<Finished>> {
    refuse_forgotten(edit, exchanges)?;
    let known = exchanges.iter().map(|past| ReplyLines::read(edit, past));
    let known = known.collect::<Result<Vec<ReplyLines>>>()?;
    let stored = known.iter().rposition(|known| known.own.is_some()).unwrap_or(0);
    let forgotten = forgotten_since(edit, exchanges)?;
    let (mut previous, mut all) = (None, Vec::new());
    for (at, (past, known)) in exchanges.iter().zip(known).enumerate() {
        // Exchanges begin in their order, so this one was stored if a later one was; if its words are
        // there, they were known when it was.
        let is_known = at < stored && (past.reply.is_none() || known.newest.is_some());
        let finished = match known.own.or(known.newest.filter(|_| is_known)) {
            Some(line) => Finished { entry: line.entry, known: true, line: Some(line.number) },
            None if is_known => Finished::default(),
            None => keep(edit, past, previous.as_ref(), &forgotten)?,
        };
        previous = finished.line.map(|reply| Previous { history: &past.history, reply });
        all.push(finished);
    }
    Ok(all)
}

/// Refuses what was said before a memory of this name, or its vault, was forgotten: it waited somewhere meanwhile,
/// and would bring it back.
fn refuse_forgotten(edit: &MemoryEdit<'_>, exchanges: &[PastExchange]) -> Result<()> {
    let (rows, name) = (edit.tx.snapshot(), &edit.memory.name);
    let Some(at) = tombstones::forgotten_at(rows, edit.vault.id, name)? else { return Ok(()) };
    let is_before = |past: &PastExchange| past.history.sent_at.is_some_and(|sent| sent <= at);
    match exchanges.iter().any(is_before) {
        true => Err(Error::not_found(format!("memory was forgotten after this was said: {name}"))),
        false => Ok(()),
    }
}

/// What of the memory was forgotten since the first of these exchanges was sent.
fn forgotten_since(edit: &MemoryEdit<'_>, exchanges: &[PastExchange]) -> Result<ForgottenTimes> {
    match exchanges.iter().filter_map(|past| past.history.sent_at).min() {
        Some(first) => ForgottenTimes::since(edit.tx.snapshot(), edit.place(), first),
        None => Ok(ForgottenTimes::default()),
    }
}

/// Stores one exchange. What of it was forgotten since it was sent becomes lines without entries: a later exchange
/// has the same messages in its history, where their times are not known any more.
fn keep(
    edit: &mut MemoryEdit<'_>,
    past: &PastExchange,
    previous: Option<&Previous<'_>>,
    forgotten: &ForgottenTimes,
) -> Result<Finished> {
    let sent_at = past.history.sent_at.unwrap_or(edit.clock);
    let exchange = begin(edit, past, previous, forgotten.after(sent_at))?;
    match &past.reply {
        Some(reply) => finish::finish(edit, &exchange, reply),
        None => Ok(Finished::default()),
    }
}

/// LedgerLines with the words of a reply that may have been stored before.
#[derive(Default)]
struct ReplyLines {
    /// The line of this very reply: it begins right after its request was sent, and no other request
    /// was sent then.
    own: Option<LedgerLine>,
    newest: Option<LedgerLine>,
}

impl ReplyLines {
    fn read(edit: &MemoryEdit<'_>, past: &PastExchange) -> Result<Self> {
        let (Some(reply), Some(sent_at)) = (&past.reply, past.history.sent_at) else {
            return Ok(Self::default());
        };
        let mark = mark(Role::Assistant, &reply.content, b"");
        let same = marked::lines(edit, mark)?;
        let own = same.iter().find(|line| line.time == sent_at + begin::REPLY_BEGINS);
        Ok(Self { own: own.copied(), newest: same.last().copied() })
    }
}

fn begin(
    edit: &mut MemoryEdit<'_>,
    past: &PastExchange,
    previous: Option<&Previous<'_>>,
    forgotten: ForgottenTimes,
) -> Result<Exchange> {
    let history = &past.history;
    // Nothing is behind the reply before it, so it cannot have begun.
    if let Some(previous) = previous
        && let Some((items, line)) = goes_on(edit, previous, history)?
    {
        let mut found = vec![None; items.len()];
        found[0] = Some(line);
        let started = begin::begin_found(edit, history, past.commit, (items, found), forgotten)?;
        return Ok(started.exchange);
    }
    let resent = history.resent || begin::has_begun(edit, history)?;
    let history = History { resent, ..history.clone() };
    let items = begin::items(&history);
    let found = begin::find(edit.tx.snapshot(), edit.place(), edit.line_salt()?, &items)?.found;
    let started = begin::begin_found(edit, &history, past.commit, (items, found), forgotten)?;
    Ok(started.exchange)
}

/// The messages of a history from the reply of the exchange before it on, and the line of that reply: if
/// the history begins with all that the exchange had, and nothing else was stored behind it.
fn goes_on<'h>(
    edit: &MemoryEdit<'_>,
    previous: &Previous<'_>,
    history: &'h History,
) -> Result<Option<(Vec<Item<'h>>, LedgerLine)>> {
    let before = &previous.history.messages;
    if !history.messages.starts_with(before) {
        return Ok(None);
    }
    let items = begin::items_from(history, before.len());
    let Some(reply) = items.first().filter(|item| item.index == before.len()) else {
        return Ok(None);
    };
    let rows = edit.tx.snapshot();
    let line = rows.ledger_lines(edit.place(), LedgerLines::Numbered(previous.reply))?.pop();
    let newest = history_run::tail(rows, edit.place())?.map(|line| line.number);
    let is_newest = |line: &LedgerLine| newest == Some(line.number) && items.len() > 1;
    Ok(match line.filter(is_newest) {
        Some(line) if marked::is_of(edit, &line, reply.mark)? => Some((items, line)),
        _ => None,
    })
}

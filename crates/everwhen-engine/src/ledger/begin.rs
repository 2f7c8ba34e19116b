//! Beginning an exchange. Walk: read the request → align it with the lines → decide what becomes of
//! each message → keep it → note that a reply begins.

use jiff::{SignedDuration, Timestamp};

use crate::Result;
use crate::conversations::finish;
use crate::conversations::recent_context::RecentContext;
use crate::memory::Role;
use crate::memory_edit::MemoryEdit;
use crate::ports::{
    Addition, LedgerHead, LedgerLine, LedgerLines, MemoryRef, Placeholder, Row, Snapshot,
};
use crate::tombstones::lines::LineSalt;
use crate::tombstones::periods::ForgottenTimes;

use super::align::{LineRange, MessageKey, align};
use super::keep::{self, StoredRequest};
use super::mark::mark;
use super::plan::{self, Request};
use super::proof::PendingProof;
use super::{
    Begun, Commit, Exchange, History, KnownMessage, Message, Wanted, history_run, marked, speaker,
};

/// Lines read beyond as many as the request has messages.
const SLACK: usize = 32;
/// From this length on a text is hardly said twice by chance.
const DISTINCTIVE_CHARS: usize = 24;

/// How long after its request a reply begins, at least.
pub(super) const REPLY_BEGINS: SignedDuration = SignedDuration::from_micros(1);

/// A message that is content.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item<'h> {
    /// Its place in the request.
    pub(super) index: usize,
    pub(super) message: &'h Message,
    pub(super) mark: [u8; 32],
}

/// The messages of a request that are content: no instructions, no generation prompt.
pub(super) fn items(history: &History) -> Vec<Item<'_>> {
    items_from(history, 0)
}

/// The messages from a place on that are content.
pub(super) fn items_from(history: &History, from: usize) -> Vec<Item<'_>> {
    let content = match speaker::generation_prompt(history) {
        Some(_) => &history.messages[..history.messages.len() - 1],
        None => &history.messages[..],
    };
    let kept = content.iter().enumerate().skip(from);
    kept.filter(|(_, message)| message.role != Role::System)
        .map(|(index, message)| Item {
            index,
            message,
            mark: mark(message.role, &message.content, &message.other),
        })
        .collect()
}

/// Begins an exchange in the memory on the edit.
pub(super) fn begin(edit: &mut MemoryEdit<'_>, history: &History, commit: Commit) -> Result<Begun> {
    let generation = edit.memory.generation;
    let items = items(history);
    let found = find(edit.tx.snapshot(), edit.place(), edit.line_salt()?, &items)?.found;
    let started = begin_found(edit, history, commit, (items, found), ForgottenTimes::default())?;
    let oldest = edit.tx.ledger_lines(edit.place(), LedgerLines::Oldest)?.pop();
    let messages = known_messages(history, &started.items, &started.kept);
    Ok(Begun {
        additions: additions(edit, history, &messages)?,
        messages,
        started_at: oldest.map(|line| line.time),
        last_at: last_at(&started.kept, started.newest),
        exchange: started.exchange,
        now: started.now,
        zone: edit.vault.zone.clone(),
        pause: edit.vault.settings.idle_timeout(),
        chat_of: edit.memory.chat_of.clone(),
        recent_context: RecentContext::default(),
        changed_past: edit.memory.generation != generation,
    })
}

/// An exchange that has begun, and what became of the messages of its request.
pub(super) struct Started<'h> {
    pub(super) exchange: Exchange,
    items: Vec<Item<'h>>,
    kept: StoredRequest,
    /// The newest line before it.
    newest: Option<LedgerLine>,
    now: Timestamp,
}

/// Begins an exchange whose messages, or the last of them, were found on these lines. `forgotten` is what was
/// forgotten since it was sent.
pub(super) fn begin_found<'h>(
    edit: &mut MemoryEdit<'_>,
    history: &History,
    commit: Commit,
    (mut items, mut found): (Vec<Item<'h>>, Vec<Option<LedgerLine>>),
    forgotten: ForgottenTimes,
) -> Result<Started<'h>> {
    let place = edit.place();
    if edit.is_new {
        edit.memory.chat_of.clone_from(&history.chat_of);
    }
    let prefill = match goes_on(history) {
        true => take_prefill(&mut items, &mut found),
        false => Prefill::None,
    };
    let pending = PendingProof::new(history, &items, matches!(prefill, Prefill::Line(_)));
    let head = edit.tx.ledger_head(place)?.unwrap_or_default();
    let newest = history_run::tail(edit.tx.snapshot(), place)?;
    let now = history.sent_at.map_or(edit.clock, |sent| sent.min(edit.clock));
    let request = Request {
        items: &items,
        resent: history.resent,
        resends_all: history.resends_all,
        refers_back: !history.ids.is_empty(),
        head,
        newest,
        now,
        forgotten: &forgotten,
    };
    let plan = plan::plan(edit, &request, found)?;
    let kept = keep::keep(edit, &request, plan)?;
    let start = start(&kept, now);
    let epoch = edit.tx.forget_epoch(edit.vault.id)?;
    let exchange = exchange(place, history, &kept, (prefill, pending, epoch), (commit, start));
    let placeholder = match exchange.is_recorded {
        true => Some(Placeholder {
            started_at: exchange.started_at,
            after: exchange.after,
            reply: None,
        }),
        false => request.head.placeholder,
    };
    let head =
        LedgerHead { last_number: exchange.seen, placeholder, request: Some(pending.request()) };
    edit.tx.put(Row::LedgerHead(place, &head))?;
    finish::save_memory(edit)?;
    let exchange = Exchange { forgotten, ..exchange };
    Ok(Started { exchange, items, kept, newest, now })
}

/// What was added before to the messages of a request, for the same person.
fn additions(
    edit: &MemoryEdit<'_>,
    history: &History,
    messages: &[KnownMessage],
) -> Result<Vec<Option<Addition>>> {
    let numbers: Vec<u64> = messages.iter().filter_map(|message| message.line).collect();
    let mut known = edit.tx.additions(edit.place(), &numbers)?;
    known.retain(|(_, addition)| addition.person == history.client.person);
    let of =
        |message: &KnownMessage| known.iter().find(|(number, _)| Some(*number) == message.line);
    Ok(messages.iter().map(|message| of(message).map(|(_, addition)| addition.clone())).collect())
}

/// A history aligned with the lines of a memory.
pub(super) struct Alignment {
    /// The line of each message, as far as it is known.
    pub(super) found: Vec<Option<LedgerLine>>,
    /// The number of the newest line.
    pub(super) newest: Option<u64>,
    /// Whether there are lines that the history does not have.
    pub(super) holds_more: bool,
}

/// Whether a text is long enough that it is hardly said twice by chance.
pub(super) fn is_distinctive(item: &Item<'_>) -> bool {
    item.message.content.len() >= DISTINCTIVE_CHARS
}

/// Whether an exchange that was sent at this time has begun before: its last message has a line with
/// that time.
pub(super) fn has_begun(edit: &MemoryEdit<'_>, history: &History) -> Result<bool> {
    let Some(sent_at) = history.sent_at else { return Ok(false) };
    let items = items(history);
    let Some(last) = items.iter().rfind(|item| item.message.role != Role::Assistant) else {
        return Ok(false);
    };
    let lines = marked::lines(edit, last.mark)?;
    Ok(lines.iter().any(|line| line.time == sent_at))
}

/// Aligns the messages of a request with the lines of a memory, which has this key.
pub(super) fn find(
    rows: &dyn Snapshot,
    place: MemoryRef,
    salt: Option<LineSalt>,
    items: &[Item<'_>],
) -> Result<Alignment> {
    let key = |item: &Item<'_>| MessageKey {
        mark: item.mark,
        keyed: salt.map(|salt| salt.keyed(item.mark)),
        distinctive: is_distinctive(item),
    };
    let keys: Vec<MessageKey> = items.iter().map(key).collect();
    let wanted = items.len() + SLACK;
    let mut lines = rows.ledger_lines(place, LedgerLines::Newest(wanted))?;
    lines.reverse();
    let is_all = lines.len() < wanted;
    let newer = lines.len();
    if !is_all {
        fetch_older(rows, place, &keys, &mut lines)?;
    }
    let oldest = match is_all {
        true => lines.first().copied(),
        false => rows.ledger_lines(place, LedgerLines::Oldest)?.pop(),
    };
    let range = LineRange::new(&lines, lines.len() - newer, oldest.map(|line| line.number));
    let found: Vec<Option<LedgerLine>> =
        align(&keys, &range).into_iter().map(|at| at.map(|at| lines[at])).collect();
    let holds_more = !is_all || found.iter().flatten().count() < lines.len();
    Ok(Alignment { found, newest: lines.last().map(|line| line.number), holds_more })
}

/// Puts older lines with the marks of messages that newer lines do not have before those.
fn fetch_older(
    rows: &dyn Snapshot,
    place: MemoryRef,
    keys: &[MessageKey],
    lines: &mut Vec<LedgerLine>,
) -> Result<()> {
    let first = lines.first().and_then(|line| line.place);
    let mut known: std::collections::HashSet<[u8; 32]> =
        lines.iter().map(|line| line.mark).collect();
    let mut older = Vec::new();
    for mark in keys.iter().flat_map(|one| [Some(one.mark), one.keyed]).flatten() {
        if known.insert(mark) {
            older.extend(rows.ledger_lines(place, LedgerLines::Marked(mark))?);
        }
    }
    older.retain(|line| line.place.is_some() && line.place < first);
    older.sort_by_key(|line| line.place);
    lines.splice(..0, older);
    Ok(())
}

/// How a reply is to begin: an assistant's message at the end of the request.
enum Prefill {
    None,
    /// With this text, which is not said yet.
    Text(String),
    /// By going on with a known reply.
    Line(LedgerLine),
}

/// Whether a request asks for the rest of a message, if the last message is an assistant's: nothing
/// follows it, or a line that says so.
fn goes_on(history: &History) -> bool {
    let ends_with_reply =
        history.messages.last().is_some_and(|message| message.role == Role::Assistant);
    match history.wanted {
        Wanted::Reply => ends_with_reply && speaker::generation_prompt(history).is_none(),
        Wanted::Continuation => true,
        Wanted::By(_) | Wanted::Unrecorded => false,
    }
}

fn take_prefill(items: &mut Vec<Item<'_>>, found: &mut Vec<Option<LedgerLine>>) -> Prefill {
    let Some(last) = items.last().filter(|item| item.message.role == Role::Assistant) else {
        return Prefill::None;
    };
    match found.last().copied().flatten() {
        Some(line) => Prefill::Line(line),
        None => {
            let text = last.message.content.clone();
            items.pop();
            found.pop();
            Prefill::Text(text)
        }
    }
}

fn exchange(
    memory: MemoryRef,
    history: &History,
    kept: &StoredRequest,
    (prefill, proof, epoch): (Prefill, PendingProof, u64),
    (commit, started_at): (Commit, Timestamp),
) -> Exchange {
    let (continues, prefill) = match prefill {
        Prefill::None => (None, None),
        Prefill::Text(text) => (None, Some(text)),
        Prefill::Line(line) => (Some(line.number), None),
    };
    let (after, asked) = match kept.lines.last() {
        Some(line) => (Some(line.number), line.entry),
        None => (None, None),
    };
    Exchange {
        memory,
        started_at,
        commit,
        after,
        asked,
        seen: kept.last_number,
        continues,
        prefill,
        next_speaker: speaker::next_speaker(history, commit),
        tools_used: history.tools_used.clone(),
        is_recorded: history.wanted != Wanted::Unrecorded,
        proof,
        resends_all: history.resends_all,
        epoch,
        forgotten: ForgottenTimes::default(),
    }
}

/// When the reply begins: now, but behind the message it answers, however often that is edited.
fn start(kept: &StoredRequest, now: Timestamp) -> Timestamp {
    let asked = kept.lines.last().map_or(now, |line| line.time.max(now));
    asked + REPLY_BEGINS
}

fn known_messages(
    history: &History,
    items: &[Item<'_>],
    kept: &StoredRequest,
) -> Vec<KnownMessage> {
    let mut known_messages = vec![KnownMessage::default(); history.messages.len()];
    for ((item, line), is_new) in items.iter().zip(&kept.lines).zip(&kept.is_new) {
        known_messages[item.index] = KnownMessage {
            time: Some(line.time),
            since: line.since,
            entry: line.entry,
            is_new: *is_new,
            line: Some(line.number),
        };
    }
    known_messages
}

/// When the message before the one being answered was said: in this history, else in the memory.
fn last_at(kept: &StoredRequest, newest: Option<LedgerLine>) -> Option<Timestamp> {
    match kept.lines.as_slice() {
        [.., before, _] => Some(before.time),
        [only] => newest.filter(|newest| newest.number != only.number).map(|newest| newest.time),
        [] => newest.map(|newest| newest.time),
    }
}

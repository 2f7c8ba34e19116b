//! Finishing an exchange: the reply gets its line and its entry, at the time it began.

use jiff::Timestamp;

use crate::Result;
use crate::activity::Activity;
use crate::conversations::finish;
use crate::memory::{Metadata, Name, NewEntry, Role};
use crate::memory_edit::MemoryEdit;
use crate::ports::{LedgerHead, LedgerLine, LedgerLines, Placeholder, Row};

use super::keep::{self, put_aside};
use super::mark::mark;
use super::plan::is_one_conversation;
use super::{Commit, Exchange, ExchangeReply, Finished, Message, history_run, marked, proof};

/// Says of an entry that it was cut off.
const TRUNCATED: &str = r#"{"truncated":true}"#;

/// Keeps the reply of an exchange.
pub(super) fn finish(
    edit: &mut MemoryEdit<'_>,
    exchange: &Exchange,
    reply: &ExchangeReply,
) -> Result<Finished> {
    if !exchange.is_recorded {
        return Ok(Finished::default());
    }
    if reply.content.trim().is_empty() {
        settle(edit, exchange, None)?;
        proof::deliver(edit, exchange, (reply, "", None))?;
        return Ok(Finished::default());
    }
    let (finished, said) = match exchange.continues {
        Some(number) => go_on(edit, exchange, number, reply)?,
        None => {
            let said = text_of(exchange, &reply.content);
            let tools_used = tools_of(exchange, reply);
            let reply = ExchangeReply { content: said.clone(), tools_used, ..reply.clone() };
            (place_reply(edit, exchange, &reply)?, said)
        }
    };
    proof::deliver(edit, exchange, (reply, &said, finished.line))?;
    note_work(edit, &finished, reply.work.as_ref())?;
    finish::save_memory(edit)?;
    Ok(finished)
}

/// Whether what the reply answers was forgotten while it was given, in which case the reply may repeat it, or the
/// time at which it was given.
fn is_forgotten(
    edit: &MemoryEdit<'_>,
    exchange: &Exchange,
    (asked, time): (Option<&LedgerLine>, Timestamp),
) -> Result<bool> {
    let forgotten = &exchange.forgotten;
    if forgotten.has(time) || asked.is_some_and(|line| forgotten.has(line.time)) {
        return Ok(true);
    }
    match exchange.asked {
        Some(asked) => Ok(edit.tx.entry(edit.place(), asked)?.is_none()),
        None => Ok(false),
    }
}

/// Notes how long it took to give a reply, where that is new.
fn note_work(
    edit: &mut MemoryEdit<'_>,
    finished: &Finished,
    work: Option<&Activity>,
) -> Result<()> {
    let entry = finished.entry.filter(|_| !finished.known);
    let (Some(id), Some(work)) = (entry, work.filter(|work| work.check().is_ok())) else {
        return Ok(());
    };
    match edit.tx.entry(edit.place(), id)? {
        Some(entry) => edit.tx.put(Row::Activity(edit.place(), entry.conversation, work)),
        None => Ok(()),
    }
}

/// The reply as it will stand in the history.
fn text_of(exchange: &Exchange, reply: &str) -> String {
    match (&exchange.prefill, &exchange.next_speaker) {
        (Some(begun), _) => format!("{begun}{reply}"),
        (None, Some(next)) if next.is_written => next.with_name(reply),
        _ => reply.to_owned(),
    }
}

/// The tools of a reply, those that were called on the way to it first.
fn tools_of(exchange: &Exchange, reply: &ExchangeReply) -> Vec<Name> {
    let mut tools = exchange.tools_used.clone();
    for tool in &reply.tools_used {
        if !tools.contains(tool) {
            tools.push(tool.clone());
        }
    }
    tools
}

/// Where the reply goes among what else answers the same message.
enum Position {
    /// Behind all others.
    End,
    /// Before this line, which came while the reply was still being given.
    Before(LedgerLine),
    /// Aside: the history has gone on with another reply.
    Aside,
}

fn place_reply(
    edit: &mut MemoryEdit<'_>,
    exchange: &Exchange,
    reply: &ExchangeReply,
) -> Result<Finished> {
    let rows = edit.tx.snapshot();
    let asked = exchange.after.map(|number| history_run::along(rows, edit.place(), number));
    let asked = asked.transpose()?.flatten();
    let others = match &asked {
        Some(asked) => history_run::following(rows, edit.place(), asked)?,
        None => Vec::new(),
    };
    let mark = mark(Role::Assistant, &reply.content, b"");
    let same = match others.first() {
        Some(first) if marked::is_of(edit, first, mark)? => Some(*first),
        _ => None,
    };
    let stored = match asked.is_some() && others.is_empty() {
        true => None,
        false => stored_and_left(edit, exchange, asked.as_ref(), mark)?,
    };
    if let Some(known) = same.or(stored) {
        if !known.delivered {
            let delivered = LedgerLine { delivered: true, ..known };
            edit.tx.put(Row::LedgerLine(edit.place(), &delivered))?;
        }
        settle(edit, exchange, Some(known.number))?;
        return Ok(Finished { entry: known.entry, known: true, line: Some(known.number) });
    }
    let position = position(edit, exchange, asked.as_ref(), &others)?;
    add(edit, exchange, reply, (mark, asked, position))
}

/// The line of this very reply, if it was stored before and the history has left it since: it is found
/// by what it answers and when.
fn stored_and_left(
    edit: &MemoryEdit<'_>,
    exchange: &Exchange,
    asked: Option<&LedgerLine>,
    mark: [u8; 32],
) -> Result<Option<LedgerLine>> {
    let time = asked.map_or(exchange.started_at, |asked| asked.time.max(exchange.started_at));
    let is_it = |line: &LedgerLine| line.after == exchange.after && line.time == time;
    Ok(marked::lines(edit, mark)?.into_iter().find(is_it))
}

/// Decides where the reply goes. A reply that began later takes the place of one that began before; what
/// was there when this one began has been left by the history.
fn position(
    edit: &mut MemoryEdit<'_>,
    exchange: &Exchange,
    asked: Option<&LedgerLine>,
    others: &[LedgerLine],
) -> Result<Position> {
    let (Some(asked), Some(first)) = (asked, others.first()) else { return Ok(Position::End) };
    let was_there = others.iter().all(|line| line.number <= exchange.seen);
    if was_there && !exchange.resends_all && !is_one_conversation(edit, asked, others)? {
        return Ok(Position::End);
    }
    let is_other_reply = others.len() == 1 && first.role == Role::Assistant;
    if was_there || (is_other_reply && first.time <= exchange.started_at) {
        put_aside(edit, others)?;
        return Ok(Position::End);
    }
    Ok(match first.role {
        Role::Assistant => Position::Aside,
        _ => Position::Before(*first),
    })
}

/// Adds the reply's line and entry.
fn add(
    edit: &mut MemoryEdit<'_>,
    exchange: &Exchange,
    reply: &ExchangeReply,
    (mark, asked, position): ([u8; 32], Option<LedgerLine>, Position),
) -> Result<Finished> {
    let time = asked.map_or(exchange.started_at, |asked| asked.time.max(exchange.started_at));
    // Its line is kept, so that it is recognised when the client sends it again.
    let forgotten = is_forgotten(edit, exchange, (asked.as_ref(), time))?;
    let entry = match new_entry(reply).filter(|_| !forgotten) {
        Some(entry) => keep::store_one(edit, entry.said_at(time))?,
        None => None,
    };
    let number = edit.tx.ledger_head(edit.place())?.unwrap_or_default().last_number + 1;
    let mut line = LedgerLine {
        number,
        place: place(edit, &position)?,
        mark,
        occurrence: 0,
        role: Role::Assistant,
        time,
        since: asked.map(|asked| asked.time),
        after: exchange.after,
        entry,
        delivered: true,
    };
    if forgotten {
        marked::hide(edit, &mut line, mark)?;
    }
    marked::write(edit, &mut line, mark)?;
    match position {
        Position::Aside => put_aside(edit, &[line])?,
        Position::Before(next) => {
            edit.tx
                .put(Row::LedgerLine(edit.place(), &LedgerLine { after: Some(number), ..next }))?;
        }
        Position::End => {}
    }
    settle(edit, exchange, Some(number))?;
    Ok(Finished { entry, known: false, line: Some(number) })
}

fn place(edit: &MemoryEdit<'_>, position: &Position) -> Result<Option<i64>> {
    Ok(match position {
        Position::Aside => None,
        Position::End => Some(keep::end_of_line(edit)?),
        Position::Before(next) => {
            let (at, which) =
                (next.place.unwrap_or(0), LedgerLines::Before(next.place.unwrap_or(0)));
            let before = edit.tx.ledger_lines(edit.place(), which)?.pop();
            let before = before.and_then(|line| line.place).unwrap_or(at - 2);
            Some(before + (at - before) / 2)
        }
    })
}

fn new_entry(reply: &ExchangeReply) -> Option<NewEntry> {
    let said = keep::said(&reply.content)?;
    let metadata = reply.truncated.then(|| Metadata::new(TRUNCATED)).and_then(Result::ok);
    let tools_used = reply.tools_used.iter().take(crate::limits::LABELS).cloned().collect();
    Some(NewEntry { metadata, tools_used, ..NewEntry::new(Role::Assistant, said) })
}

/// Goes on with a reply that was there: its text becomes longer, its time stays. Answers all of
/// the text, too.
fn go_on(
    edit: &mut MemoryEdit<'_>,
    exchange: &Exchange,
    number: u64,
    reply: &ExchangeReply,
) -> Result<(Finished, String)> {
    let place = edit.place();
    let Some(old) = history_run::along(edit.tx.snapshot(), place, number)? else {
        return Ok((Finished::default(), reply.content.clone()));
    };
    let known = old.entry.map(|id| edit.tx.entry(place, id)).transpose()?.flatten();
    let begun = known.map(|entry| entry.content.as_str().to_owned()).unwrap_or_default();
    let message = Message::new(Role::Assistant, begun + &reply.content);
    let entry = keep::correct(edit, old.entry, &message)?;
    edit.tx.put(Row::LedgerLine(place, &LedgerLine { place: None, ..old }))?;
    let head = edit.tx.ledger_head(place)?.unwrap_or_default();
    let mark = mark(Role::Assistant, &message.content, b"");
    let number = head.last_number + 1;
    let mut longer = LedgerLine { number, mark, occurrence: 0, entry, delivered: true, ..old };
    marked::write(edit, &mut longer, mark)?;
    settle(edit, exchange, Some(number))?;
    Ok((Finished { entry, known: false, line: Some(number) }, message.content))
}

/// Notes which line the reply has become. Its placeholder goes at once, or waits for the text the
/// client will have for it.
fn settle(edit: &mut MemoryEdit<'_>, exchange: &Exchange, reply: Option<u64>) -> Result<()> {
    let head = edit.tx.ledger_head(edit.place())?.unwrap_or_default();
    let ours = |waiting: &Placeholder| {
        waiting.started_at == exchange.started_at && waiting.after == exchange.after
    };
    let placeholder = match (head.placeholder.filter(ours), exchange.commit) {
        (None, _) => head.placeholder,
        (Some(_), Commit::AtOnce) => None,
        (Some(waiting), Commit::NextTurn) => Some(Placeholder { reply, ..waiting }),
    };
    let last_number = head.last_number.max(reply.unwrap_or(0));
    edit.tx.put(Row::LedgerHead(edit.place(), &LedgerHead { last_number, placeholder, ..head }))
}

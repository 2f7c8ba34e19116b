//! Finishing an exchange: the reply gets its line and its entry, at the time it began.

use crate::Result;
use crate::activity::Activity;
use crate::conversations::finish;
use crate::desk::Desk;
use crate::memory::{Metadata, Name, NewEntry, Role, Said};
use crate::ports::{LedgerHead, LedgerLine, Lines, Placeholder, Row};

use super::keep::{self, put_aside, write_line};
use super::mark::mark;
use super::plan::is_one_conversation;
use super::{Commit, Exchange, ExchangeReply, Finished, Message, proof, strand};

/// Says of an entry that it was cut off.
const TRUNCATED: &str = r#"{"truncated":true}"#;

/// Keeps the reply of an exchange.
pub(super) fn finish(
    desk: &mut Desk<'_>,
    exchange: &Exchange,
    reply: &ExchangeReply,
) -> Result<Finished> {
    if !exchange.is_recorded {
        return Ok(Finished::default());
    }
    if reply.content.trim().is_empty() {
        settle(desk, exchange, None)?;
        proof::deliver(desk, exchange, (reply, "", None))?;
        return Ok(Finished::default());
    }
    let (finished, said) = match exchange.continues {
        Some(number) => go_on(desk, exchange, number, reply)?,
        None => {
            let said = text_of(exchange, &reply.content);
            let tools_used = tools_of(exchange, reply);
            let reply = ExchangeReply { content: said.clone(), tools_used, ..reply.clone() };
            (place_reply(desk, exchange, &reply)?, said)
        }
    };
    proof::deliver(desk, exchange, (reply, &said, finished.line))?;
    note_work(desk, &finished, reply.work.as_ref())?;
    finish::save_memory(desk)?;
    Ok(finished)
}

/// Notes how long it took to give a reply, where that is new.
fn note_work(desk: &mut Desk<'_>, finished: &Finished, work: Option<&Activity>) -> Result<()> {
    let entry = finished.entry.filter(|_| !finished.known);
    let (Some(id), Some(work)) = (entry, work.filter(|work| work.check().is_ok())) else {
        return Ok(());
    };
    match desk.tx.entry(desk.place(), id)? {
        Some(entry) => desk.tx.put(Row::Activity(desk.place(), entry.conversation, work)),
        None => Ok(()),
    }
}

/// The reply as it will stand in the history.
fn text_of(exchange: &Exchange, reply: &str) -> String {
    match (&exchange.prefill, &exchange.speaks) {
        (Some(begun), _) => format!("{begun}{reply}"),
        (None, Some(speaks)) if speaks.is_written => speaks.with_name(reply),
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
    desk: &mut Desk<'_>,
    exchange: &Exchange,
    reply: &ExchangeReply,
) -> Result<Finished> {
    let rows = desk.tx.snapshot();
    let asked = exchange.after.map(|number| strand::along(rows, desk.place(), number));
    let asked = asked.transpose()?.flatten();
    let others = match &asked {
        Some(asked) => strand::following(rows, desk.place(), asked)?,
        None => Vec::new(),
    };
    let mark = mark(Role::Assistant, &reply.content, b"");
    let same = others.first().filter(|first| first.mark == mark).copied();
    let stored = match asked.is_some() && others.is_empty() {
        true => None,
        false => stored_and_left(desk, exchange, asked.as_ref(), mark)?,
    };
    if let Some(known) = same.or(stored) {
        if !known.delivered {
            let delivered = LedgerLine { delivered: true, ..known };
            desk.tx.put(Row::LedgerLine(desk.place(), &delivered))?;
        }
        settle(desk, exchange, Some(known.number))?;
        return Ok(Finished { entry: known.entry, known: true, line: Some(known.number) });
    }
    let position = position(desk, exchange, asked.as_ref(), &others)?;
    add(desk, exchange, reply, (mark, asked, position))
}

/// The line of this very reply, if it was stored before and the history has left it since: it is told
/// by what it answers and when.
fn stored_and_left(
    desk: &Desk<'_>,
    exchange: &Exchange,
    asked: Option<&LedgerLine>,
    mark: [u8; 32],
) -> Result<Option<LedgerLine>> {
    let time = asked.map_or(exchange.started_at, |asked| asked.time.max(exchange.started_at));
    let is_it = |line: &LedgerLine| line.after == exchange.after && line.time == time;
    Ok(desk.tx.ledger_lines(desk.place(), Lines::Marked(mark))?.into_iter().find(is_it))
}

/// Decides where the reply goes. A reply that began later takes the place of one that began before; what
/// was there when this one began has been left by the history.
fn position(
    desk: &mut Desk<'_>,
    exchange: &Exchange,
    asked: Option<&LedgerLine>,
    others: &[LedgerLine],
) -> Result<Position> {
    let (Some(asked), Some(first)) = (asked, others.first()) else { return Ok(Position::End) };
    let was_there = others.iter().all(|line| line.number <= exchange.seen);
    if was_there && !exchange.resends_all && !is_one_conversation(desk, asked, others)? {
        return Ok(Position::End);
    }
    let is_other_reply = others.len() == 1 && first.role == Role::Assistant;
    if was_there || (is_other_reply && first.time <= exchange.started_at) {
        put_aside(desk, others)?;
        return Ok(Position::End);
    }
    Ok(match first.role {
        Role::Assistant => Position::Aside,
        _ => Position::Before(*first),
    })
}

/// Adds the reply's line and entry.
fn add(
    desk: &mut Desk<'_>,
    exchange: &Exchange,
    reply: &ExchangeReply,
    (mark, asked, position): ([u8; 32], Option<LedgerLine>, Position),
) -> Result<Finished> {
    let time = asked.map_or(exchange.started_at, |asked| asked.time.max(exchange.started_at));
    let entry = match new_entry(reply) {
        Some(entry) => keep::store_one(desk, entry.said_at(time))?,
        None => None,
    };
    let number = desk.tx.ledger_head(desk.place())?.unwrap_or_default().last_number + 1;
    let mut line = LedgerLine {
        number,
        place: place(desk, &position)?,
        mark,
        occurrence: 0,
        role: Role::Assistant,
        time,
        since: asked.map(|asked| asked.time),
        after: exchange.after,
        entry,
        delivered: true,
    };
    write_line(desk, &mut line)?;
    match position {
        Position::Aside => put_aside(desk, &[line])?,
        Position::Before(next) => {
            desk.tx
                .put(Row::LedgerLine(desk.place(), &LedgerLine { after: Some(number), ..next }))?;
        }
        Position::End => {}
    }
    settle(desk, exchange, Some(number))?;
    Ok(Finished { entry, known: false, line: Some(number) })
}

fn place(desk: &Desk<'_>, position: &Position) -> Result<Option<i64>> {
    Ok(match position {
        Position::Aside => None,
        Position::End => Some(keep::end_of_line(desk)?),
        Position::Before(next) => {
            let (at, which) = (next.place.unwrap_or(0), Lines::Before(next.place.unwrap_or(0)));
            let before = desk.tx.ledger_lines(desk.place(), which)?.pop();
            let before = before.and_then(|line| line.place).unwrap_or(at - 2);
            Some(before + (at - before) / 2)
        }
    })
}

fn new_entry(reply: &ExchangeReply) -> Option<NewEntry> {
    let said = Said::new(reply.content.as_str()).ok()?;
    let metadata = reply.truncated.then(|| Metadata::new(TRUNCATED)).and_then(Result::ok);
    let tools_used = reply.tools_used.iter().take(crate::limits::LABELS).cloned().collect();
    Some(NewEntry { metadata, tools_used, ..NewEntry::new(Role::Assistant, said) })
}

/// Goes on with a reply that was there: its text becomes longer, its time stays. Answers all of
/// the text, too.
fn go_on(
    desk: &mut Desk<'_>,
    exchange: &Exchange,
    number: u64,
    reply: &ExchangeReply,
) -> Result<(Finished, String)> {
    let place = desk.place();
    let Some(old) = strand::along(desk.tx.snapshot(), place, number)? else {
        return Ok((Finished::default(), reply.content.clone()));
    };
    let known = old.entry.map(|id| desk.tx.entry(place, id)).transpose()?.flatten();
    let begun = known.map(|entry| entry.content.as_str().to_owned()).unwrap_or_default();
    let message = Message::new(Role::Assistant, begun + &reply.content);
    let entry = keep::correct(desk, old.entry, &message)?;
    desk.tx.put(Row::LedgerLine(place, &LedgerLine { place: None, ..old }))?;
    let head = desk.tx.ledger_head(place)?.unwrap_or_default();
    let mark = mark(Role::Assistant, &message.content, b"");
    let number = head.last_number + 1;
    let mut longer = LedgerLine { number, mark, occurrence: 0, entry, delivered: true, ..old };
    write_line(desk, &mut longer)?;
    settle(desk, exchange, Some(number))?;
    Ok((Finished { entry, known: false, line: Some(number) }, message.content))
}

/// Notes which line the reply has become. Its placeholder goes at once, or waits for the text the
/// client will have for it.
fn settle(desk: &mut Desk<'_>, exchange: &Exchange, reply: Option<u64>) -> Result<()> {
    let head = desk.tx.ledger_head(desk.place())?.unwrap_or_default();
    let ours = |waiting: &Placeholder| {
        waiting.started_at == exchange.started_at && waiting.after == exchange.after
    };
    let placeholder = match (head.placeholder.filter(ours), exchange.commit) {
        (None, _) => head.placeholder,
        (Some(_), Commit::AtOnce) => None,
        (Some(waiting), Commit::NextTurn) => Some(Placeholder { reply, ..waiting }),
    };
    let last_number = head.last_number.max(reply.unwrap_or(0));
    desk.tx.put(Row::LedgerHead(desk.place(), &LedgerHead { last_number, placeholder, ..head }))
}

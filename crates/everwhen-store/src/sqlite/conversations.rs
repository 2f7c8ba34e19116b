//! The tables `conversation`, `conversation_alias` and `ending`.

use everwhen_engine::Result;
use everwhen_engine::memory::{
    Branch, Conversation, ConversationId, Ended, EndedBy, Name, Summary, VaultId,
};
use everwhen_engine::ports::{ConversationOrder, ConversationQuery, MemoryRef, Order, Shelf};
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};

use super::activities;
use super::entries::place;
use super::statement::{all, first, first_of_each, get, run, run_one, update_or_insert};
use crate::row::{count, damaged, id, instant, micros, name, number, summary_by};

macro_rules! columns {
    () => {
        "SELECT id, memory_id, name, started_at, last_at, entries, ended_at,
    ended_by, end_reason, title, summary, summary_by, archived_at, restored_at, distilled_at
    FROM conversation"
    };
}

const COLUMNS: &str = columns!();
const BY_ID: &str = concat!(columns!(), " WHERE vault_id = ?1 AND memory_id = ?2 AND id = ?3");
const MERGED: &str = concat!(
    columns!(),
    " WHERE vault_id = ?1 AND memory_id = ?2
        AND id = (SELECT target_id FROM conversation_alias WHERE id = ?3)"
);

pub(super) fn by_id(
    connection: &Connection,
    memory: MemoryRef,
    id: ConversationId,
) -> Result<Option<Conversation>> {
    Ok(each(connection, memory, &[id])?.pop().flatten())
}

/// Several of them, each in the place of its id. Those that are not found may have been merged.
pub(super) fn each(
    connection: &Connection,
    memory: MemoryRef,
    ids: &[ConversationId],
) -> Result<Vec<Option<Conversation>>> {
    let [vault, memory] = place(&memory);
    let values = ids.iter().map(|id| (vault, memory, id.bytes()));
    let mut found = first_of_each(connection, BY_ID, values, read)?;
    for (one, id) in found.iter_mut().zip(ids).filter(|(one, _)| one.is_none()) {
        *one = first(connection, MERGED, (vault, memory, id.bytes()), read)?;
    }
    Ok(found)
}

pub(super) fn by_name(
    connection: &Connection,
    memory: MemoryRef,
    name: &Name,
) -> Result<Option<Conversation>> {
    let sql = format!("{COLUMNS} WHERE vault_id = ?1 AND memory_id = ?2 AND name = ?3");
    let [vault, memory] = place(&memory);
    first(connection, &sql, params![vault, memory, name.as_str()], read)
}

pub(super) fn put(
    connection: &Connection,
    vault: VaultId,
    conversation: &Conversation,
) -> Result<()> {
    // The usual change is one more entry; it leaves alone what the indexes are made of.
    let update = "UPDATE conversation SET last_at = ?6, entries = ?7, ended_by = ?9,
            end_reason = ?10, title = ?11, summary = ?12, summary_by = ?13, archived_at = ?14,
            restored_at = ?15, distilled_at = ?17
        WHERE id = ?1 AND vault_id = ?2 AND memory_id = ?3 AND name IS ?4 AND started_at = ?5
            AND ended_at IS ?8 AND shelved_at IS ?16";
    let upsert = "INSERT INTO conversation (id, vault_id, memory_id, name, started_at, last_at,
            entries, ended_at, ended_by, end_reason, title, summary, summary_by, archived_at,
            restored_at, shelved_at, distilled_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
        ON CONFLICT (id) DO UPDATE SET started_at = ?5, last_at = ?6, entries = ?7, ended_at = ?8,
            ended_by = ?9, end_reason = ?10, title = ?11, summary = ?12, summary_by = ?13,
            archived_at = ?14, restored_at = ?15, shelved_at = ?16, distilled_at = ?17";
    let (ended_at, ended_by, reason) = end_columns(conversation.ended.as_ref());
    let summary = conversation.summary.as_ref();
    let values = params![
        conversation.id.bytes(),
        vault.bytes(),
        conversation.memory.bytes(),
        conversation.name.as_ref().map(Name::as_str),
        micros(conversation.started_at),
        micros(conversation.last_at),
        number(conversation.entries),
        ended_at,
        ended_by,
        reason,
        summary.map(|summary| &summary.title),
        summary.map(|summary| &summary.text),
        summary.map(|summary| summary.by.as_str()),
        conversation.archived_at.map(micros),
        conversation.restored_at.map(micros),
        shelved_at(conversation).map(micros),
        conversation.distilled_at.map(micros),
    ];
    update_or_insert(connection, update, upsert, values)
}

/// Where an ended conversation stands among those that are listed.
fn shelved_at(conversation: &Conversation) -> Option<Timestamp> {
    let listed = conversation.ended.is_some() && conversation.archived_at.is_none();
    listed.then(|| ConversationOrder::Ended.time_of(conversation))
}

fn end_columns(ended: Option<&Ended>) -> (Option<i64>, Option<i64>, Option<&str>) {
    match ended {
        None => (None, None, None),
        Some(Ended { at, by: EndedBy::Idle }) => (Some(micros(*at)), Some(0), None),
        Some(Ended { at, by: EndedBy::Caller { reason } }) => {
            (Some(micros(*at)), Some(1), reason.as_deref())
        }
    }
}

pub(super) fn list(
    connection: &Connection,
    memory: MemoryRef,
    query: &ConversationQuery,
) -> Result<Vec<Conversation>> {
    let mut values: Vec<Value> = place(&memory).map(|id| Value::from(id.to_vec())).into();
    let mut sql = format!("{COLUMNS} WHERE vault_id = ? AND memory_id = ?");
    sql.push_str(standing(query));
    // With the plus, the order chooses the index and not the bound.
    let started = match query.by {
        ConversationOrder::Started => " AND started_at < ?",
        ConversationOrder::Ended => " AND +started_at < ?",
    };
    let bounds = [(" AND last_at >= ?", query.after), (started, query.before)];
    for (condition, bound) in bounds {
        if let Some(bound) = bound {
            sql.push_str(condition);
            values.push(Value::from(micros(bound)));
        }
    }
    let key = key(query);
    let (side, order) = match query.order {
        Order::Oldest => (">", "ASC"),
        Order::Newest => ("<", "DESC"),
    };
    if let Some((time, id)) = query.from {
        sql.push_str(&format!(" AND ({key}, id) {side} (?, ?)"));
        values.push(Value::from(micros(time)));
        values.push(Value::from(id.bytes().to_vec()));
    }
    sql.push_str(&format!(" ORDER BY {key} {order}, id {order} LIMIT ?"));
    values.push(Value::from(query.limit.map_or(-1, |limit| number(limit as u64))));
    all(connection, &sql, params_from_iter(values), read)
}

/// What a list is ordered by. Those that are listed have their place in an index of their own.
fn key(query: &ConversationQuery) -> &'static str {
    match (query.by, query.shelf) {
        (ConversationOrder::Started, _) => "started_at",
        (ConversationOrder::Ended, Shelf::Listed) => "shelved_at",
        (ConversationOrder::Ended, _) => "coalesce(restored_at, ended_at)",
    }
}

/// The conditions on end and archive, which have no values.
fn standing(query: &ConversationQuery) -> &'static str {
    let ended = match query.by {
        ConversationOrder::Ended if query.ended.is_none() => Some(true),
        _ => query.ended,
    };
    let never = query.by == ConversationOrder::Ended && query.ended == Some(false);
    match (ended, query.shelf) {
        _ if never => " AND false",
        (None, Shelf::Both) => "",
        (None, Shelf::Listed) => " AND archived_at IS NULL",
        (None, Shelf::Archived) => " AND archived_at IS NOT NULL",
        (Some(true), Shelf::Both) => " AND ended_at IS NOT NULL",
        (Some(true), Shelf::Listed) => " AND shelved_at IS NOT NULL",
        (Some(true), Shelf::Archived) => " AND ended_at IS NOT NULL AND archived_at IS NOT NULL",
        (Some(false), Shelf::Both) => " AND ended_at IS NULL",
        (Some(false), Shelf::Listed) => " AND ended_at IS NULL AND archived_at IS NULL",
        (Some(false), Shelf::Archived) => " AND ended_at IS NULL AND archived_at IS NOT NULL",
    }
}

/// The inner query walks the index alone; whole rows are read only of what is over.
pub(super) fn surplus(
    connection: &Connection,
    memory: MemoryRef,
    keep: u64,
) -> Result<Vec<Conversation>> {
    let sql = format!(
        "{COLUMNS} WHERE vault_id = ?1 AND id IN
            (SELECT id FROM conversation
             WHERE memory_id = ?2 AND shelved_at IS NOT NULL
             ORDER BY shelved_at DESC, id DESC LIMIT -1 OFFSET ?3)
         ORDER BY shelved_at, id"
    );
    let [vault, memory] = place(&memory);
    all(connection, &sql, params![vault, memory, number(keep)], read)
}

pub(super) fn branches(
    connection: &Connection,
    memory: MemoryRef,
    conversation: ConversationId,
) -> Result<Vec<Branch>> {
    let sql = "SELECT branch_id, min(branched_at), count(*) FROM entry
        WHERE vault_id = ?1 AND memory_id = ?2 AND conversation_id = ?3 AND branch_id IS NOT NULL
            AND corrected_by IS NULL
        GROUP BY branch_id ORDER BY min(branched_at), branch_id";
    let [vault, memory] = place(&memory);
    all(connection, sql, params![vault, memory, conversation.bytes()], |row| {
        Ok(Branch {
            id: id(&get::<Vec<u8>>(row, 0)?)?,
            archived_at: instant(get(row, 1)?)?,
            entries: count(get(row, 2)?)?,
        })
    })
}

pub(super) fn merge(
    connection: &Connection,
    memory: MemoryRef,
    from: ConversationId,
    into: ConversationId,
) -> Result<()> {
    activities::merge(connection, memory, from, into)?;
    let [vault, memory] = place(&memory);
    let (from, into) = (from.bytes(), into.bytes());
    let values = params![vault, memory, from, into];
    run(
        connection,
        "UPDATE entry SET conversation_id = ?4
         WHERE vault_id = ?1 AND memory_id = ?2 AND conversation_id = ?3",
        values,
    )?;
    run(
        connection,
        "UPDATE conversation_alias SET target_id = ?4
         WHERE vault_id = ?1 AND memory_id = ?2 AND target_id = ?3",
        values,
    )?;
    run_one(
        connection,
        "INSERT INTO conversation_alias (vault_id, memory_id, id, target_id)
         VALUES (?1, ?2, ?3, ?4)",
        values,
    )?;
    let sql = "DELETE FROM conversation WHERE vault_id = ?1 AND memory_id = ?2 AND id = ?3";
    run_one(connection, sql, params![vault, memory, from])
}

pub(super) fn add_ending(connection: &Connection, memory: MemoryRef, at: Timestamp) -> Result<()> {
    let sql = "INSERT INTO ending (vault_id, memory_id, at) VALUES (?1, ?2, ?3)
        ON CONFLICT DO NOTHING";
    let [vault, memory] = place(&memory);
    run(connection, sql, params![vault, memory, micros(at)]).map(drop)
}

pub(super) fn endings(
    connection: &Connection,
    memory: MemoryRef,
    since: Timestamp,
    until: Timestamp,
) -> Result<Vec<Timestamp>> {
    let sql = "SELECT at FROM ending
        WHERE vault_id = ?1 AND memory_id = ?2 AND at >= ?3 AND at < ?4 ORDER BY at";
    let [vault, memory] = place(&memory);
    let values = params![vault, memory, micros(since), micros(until)];
    all(connection, sql, values, |row| instant(get(row, 0)?))
}

fn read(row: &Row<'_>) -> Result<Conversation> {
    Ok(Conversation {
        id: id(&get::<[u8; 16]>(row, 0)?)?,
        memory: id(&get::<[u8; 16]>(row, 1)?)?,
        name: get::<Option<String>>(row, 2)?.map(name).transpose()?,
        started_at: instant(get(row, 3)?)?,
        last_at: instant(get(row, 4)?)?,
        entries: count(get(row, 5)?)?,
        ended: read_end(row)?,
        summary: read_summary(row)?,
        archived_at: get::<Option<i64>>(row, 12)?.map(instant).transpose()?,
        restored_at: get::<Option<i64>>(row, 13)?.map(instant).transpose()?,
        distilled_at: get::<Option<i64>>(row, 14)?.map(instant).transpose()?,
    })
}

fn read_end(row: &Row<'_>) -> Result<Option<Ended>> {
    let Some(at) = get::<Option<i64>>(row, 6)? else { return Ok(None) };
    let by = match get::<Option<i64>>(row, 7)? {
        Some(0) => EndedBy::Idle,
        Some(1) => EndedBy::Caller { reason: get(row, 8)? },
        other => return Err(damaged("ended_by", format!("{other:?}"))),
    };
    Ok(Some(Ended { at: instant(at)?, by }))
}

fn read_summary(row: &Row<'_>) -> Result<Option<Summary>> {
    let Some(title) = get::<Option<String>>(row, 9)? else { return Ok(None) };
    let by: String = get(row, 11)?;
    Ok(Some(Summary { title, text: get(row, 10)?, by: summary_by(&by)? }))
}
